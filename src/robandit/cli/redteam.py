"""`robandit redteam`: the worst attack on a policy within a budget."""

import argparse
import math
from typing import TYPE_CHECKING, Any

from robandit.cli.attacks import adversary_json, as_flags, finite
from robandit.cli.flags import (
    capability_flags,
    capability_from,
    catalogue_from,
    environment_from,
    game_flags,
    json_flags,
    load_flags,
    number,
    out_from,
    plot_flags,
    plot_from,
    policies_from,
    print_json,
    shape_json,
    whole,
)
from robandit.cli.progress import counted, progress, stage
from robandit.errors import InputError
from robandit.version import __version__

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from pathlib import Path

    from robandit.redteam.candidate import Candidate
    from robandit.redteam.evaluate import Evaluator
    from robandit.redteam.search import Finding

SHOWN_RUNS = 100  # of the picture over time, at most


def add(commands: Any) -> None:
    """The command and its flags."""
    plot = plot_flags("draw the attack over time, or regret against several budgets")
    parser = commands.add_parser(
        "redteam",
        parents=[game_flags(), load_flags(), json_flags(), plot],
        help="the worst attack on a policy within a budget",
        description="Search for the worst attack within a budget; chosen on one set of seeds, reported on another.",
    )
    search = parser.add_argument_group("the attacker")
    search.add_argument(
        "--budget", type=number, action="append", metavar="C", help="what it may spend; may be repeated"
    )
    search.add_argument("--threat", default="A", help="A (before the draw, the default) or B (sees the draw)")
    capability_flags(search)
    search.add_argument("--charge", default="cost", help="cost (the definition) or rounds")
    search.add_argument(
        "--evaluations", type=whole, default=160, help="attacks of the adaptive family, about (default 160; 0: none)"
    )
    search.add_argument("--quick", action="store_true", help="only attacks that usually win: to compare many policies")
    search.add_argument(
        "--out", default="out/redteam", metavar="DIR", help="what was tried is kept here, to go on later"
    )
    parser.set_defaults(run=redteam)


def redteam(arguments: argparse.Namespace) -> None:
    """Search for each policy and budget, print, draw."""
    from robandit.redteam.candidate import check_threat

    plot = plot_from(arguments)
    check_threat(arguments.threat)
    if not arguments.budget:
        raise InputError("redteam needs a --budget")
    for budget in arguments.budget:
        if not 0.0 < budget < math.inf and not (budget == math.inf and arguments.share):
            raise InputError(f"--budget must be a number above 0, not {budget:g}")
    findings = searched(arguments)
    results = [as_json(evaluator, finding, arguments) for evaluator, finding in findings]
    told = results[0] if len(results) == 1 else {"version": __version__, "results": results}
    if arguments.json:
        print_json(told)
    else:
        for result in results:
            print_finding(result, arguments.wide)
    if plot:
        draw(findings, plot, arguments)


def searched(arguments: argparse.Namespace) -> "list[tuple[Evaluator, Finding]]":
    """One search for each policy and budget."""
    from robandit.redteam.evaluate import Evaluator, Game, journal_for
    from robandit.redteam.search import check_search, planned_runs, worst_attack

    catalogue, can = catalogue_from(arguments), capability_from(arguments)
    policies, environment = policies_from(arguments, catalogue), environment_from(arguments, catalogue)
    runs, threat, out = arguments.runs, arguments.threat, out_from(arguments)
    how = {"evaluations": arguments.evaluations, "quick": arguments.quick}
    asked, shape = [], {"agents": arguments.agents, "slate": arguments.slate}
    for policy in policies:
        game = Game(policy, environment, arguments.horizon, arguments.seed, arguments.charge, **shape)
        for budget in arguments.budget:
            journal = journal_for(game, out, f"redteam-{threat}-{budget:g}")
            evaluator = Evaluator(game, journal, arguments.threads, catalogue=catalogue, capability=can)
            asked.append((evaluator, budget))
    for evaluator, budget in asked:
        check_search(evaluator, threat, budget, runs, arguments.evaluations)
    sizes = [planned_runs(evaluator, threat, runs, **how) for evaluator, _ in asked]
    opening = (
        f"redteam: {counted(asked, 'search', 'searches')}, roughly {sum(sizes):,} runs of {arguments.horizon:,} rounds"
    )
    findings = []
    with progress(sum(sizes), opening) as tell:
        for place, (evaluator, budget) in enumerate(asked):
            words = f"{evaluator.game.policy}, C = {budget:g}"
            evaluator.tell = stage(tell, sum(sizes[:place]), sizes[place], words)
            findings.append((evaluator, worst_attack(evaluator, threat, budget, runs=runs, **how)))
    return findings


def as_json(evaluator: "Evaluator", finding: "Finding", arguments: argparse.Namespace) -> dict[str, Any]:
    """The finding under the names of the contract."""
    game = evaluator.game
    adversary = evaluator.adversary(finding.candidate, finding.budget)
    return {
        "version": __version__,
        "policy": game.policy.name,
        "label": str(game.policy),
        "parameters": game.policy.parameters(),
        "environment": {"name": game.environment.name, "means": list(game.environment.means)},
        "horizon": game.horizon,
        **shape_json(arguments, game.environment.family),
        "runs": arguments.runs,
        "seed": game.seed,
        "quick": arguments.quick,
        "threat": arguments.threat,
        "budget": finite(finding.budget),
        "attack": adversary_json(adversary),
        "replay": replay(evaluator, finding.candidate, finding.budget, arguments),
        "regret": finding.regret,
        "paid_mean": finding.paid,
        "in_sample": finding.in_sample,
        "baseline": finding.clean,
        "catalogue": None
        if arguments.quick
        else {
            "attack": adversary_json(evaluator.adversary(finding.plain, finding.budget)),
            "regret": finding.plain_regret,
        },
        "told": getattr(game.policy, "corruption", 0) is None,
        "evaluations": finding.evaluations,
    }


def replay(evaluator: "Evaluator", candidate: "Candidate", budget: float, arguments: argparse.Namespace) -> str:
    """The command that plays an attack again, to the same bits."""
    import shlex

    game, can = evaluator.game, evaluator.capability

    words = ["robandit", "play", "--policy", str(game.policy)]
    for name in ("environment", "arms", "means"):
        value = getattr(arguments, name)
        if value is not None and value != "bernoulli":
            words += [f"--{name}", ",".join(f"{mean!r}" for mean in value) if name == "means" else str(value)]
    words += ["--horizon", str(game.horizon), "--runs", str(arguments.runs), "--seed", str(game.seed)]
    words += [word for name, count in shape_json(arguments).items() for word in (f"--{name}", str(count))]
    words += [word for file in arguments.load for word in ("--load", file)]
    words += [*as_flags(candidate, can).split(), "--budget", f"{budget!r}"]
    return shlex.join(words + (["--charge", game.charge] if game.charge != "cost" else []))


def print_finding(result: dict[str, Any], wide: bool) -> None:
    """A small table and the command that plays the attack again."""
    from robandit.cli.sheet import show
    from robandit.cli.tables import redteam_table

    show(redteam_table(result), "Play the worst one again, to the same numbers:", wide=wide)
    print(f"  {result['replay']}")


def draw(findings: "list[tuple[Evaluator, Finding]]", path: "Path", arguments: argparse.Namespace) -> None:
    """One finding over time; several against the budget."""
    if len(findings) == 1:
        from robandit.pictures.attack import draw_attack
        from robandit.pictures.style import colour_of
        from robandit.redteam.replay import told_over_time

        evaluator, finding = findings[0]
        game = evaluator.game
        runs = min(arguments.runs, SHOWN_RUNS)
        adversary = evaluator.adversary(finding.candidate, finding.budget)
        stories = [
            (label, told_over_time(game, against, runs, arguments.threads))
            for label, against in (("under attack", adversary), ("no attack", None))
        ]
        attacked, clean = (float(story.regret[:, -1].mean()) for _, story in stories)
        units = "forged units" if arguments.threat == "A" else "forged rewards"
        message = f"{finding.budget:,g} {units}: {attacked / clean:,.0f} times the regret of {game.policy}"
        terms = (
            f"{len(game.environment.means)} arms, {runs} runs, mean, band 5 % to 95 %; threat model {arguments.threat}"
        )
        rest = f"{terms}, C by {game.charge}\n{as_flags(finding.candidate, evaluator.capability)}"
        draw_attack(stories, colour_of(str(game.policy)), message, rest).save(path)
    else:
        from robandit.pictures.corruption import draw_regret_by_budget
        from robandit.redteam.curves import curves_of

        games = [(evaluator.game, finding) for evaluator, finding in findings]
        environment = games[0][0].environment
        arms = f"{len(environment.means)} arms ({environment.name})"
        caption = f"{arms}, T = {arguments.horizon:,}, {arguments.runs} fresh runs, mean and 95 % interval"
        curves = (f"threat model {arguments.threat}", curves_of(games, arguments.threat))
        draw_regret_by_budget([curves], caption).save(path)
    if not arguments.json:
        print(f"picture: {path}")
