"""`robandit redteam`: the worst attack on a policy within a budget."""

import argparse
import json
import math
import shlex
from pathlib import Path
from typing import Any

from robandit.cli.flags import environment_from, load_own, policies_from
from robandit.cli.play import adversary_json
from robandit.cli.progress import bar
from robandit.errors import InputError
from robandit.pictures.style import check_plot
from robandit.policies.phased import Phased
from robandit.redteam.candidate import Candidate, check_threat
from robandit.redteam.evaluate import Evaluator, Game, journal_for
from robandit.redteam.replay import told_over_time
from robandit.redteam.search import Finding, planned_runs, worst_attack
from robandit.version import __version__

SHOWN_RUNS = 100  # of the picture over time, at most


def redteam(arguments: argparse.Namespace) -> None:
    """Search for each policy and budget, print, draw."""
    if arguments.plot is not None:
        check_plot(Path(arguments.plot))
    check_threat(arguments.threat)
    if not arguments.budget:
        raise InputError("redteam needs a --budget")
    for budget in arguments.budget:
        if not 0.0 < budget < math.inf:
            raise InputError(f"--budget must be a number above 0, not {budget:g}")
    load_own(arguments)
    policies, environment = policies_from(arguments), environment_from(arguments)
    results, findings = [], []
    for policy in policies:
        game = Game(policy, environment, arguments.horizon, arguments.seed, arguments.charge)
        for budget in arguments.budget:
            finding = search(game, budget, arguments)
            findings.append((game, finding))
            results.append(as_json(game, finding, arguments))
    told = results[0] if len(results) == 1 else {"version": __version__, "results": results}
    if arguments.json:
        print(json.dumps(told, indent=2, allow_nan=False))
    else:
        for result in results:
            print_finding(result)
    if arguments.plot:
        draw(findings, arguments)


def search(game: Game, budget: float, arguments: argparse.Namespace) -> Finding:
    """One search, with a bar."""
    runs, evaluations, threat = arguments.runs, arguments.evaluations, arguments.threat
    phased = isinstance(game.policy, Phased)
    total = planned_runs(threat, len(game.environment.means), phased, runs, max(evaluations, 0), arguments.quick)
    journal = journal_for(game, Path(arguments.out), f"redteam-{threat}-{budget:g}")
    words = f"{game.policy}, C = {budget:g}"
    with bar(total, words) as tell:
        evaluator = Evaluator(game, journal, arguments.threads, lambda done: tell(done, words))
        return worst_attack(evaluator, threat, budget, runs=runs, evaluations=evaluations, quick=arguments.quick)


def as_json(game: Game, finding: Finding, arguments: argparse.Namespace) -> dict[str, Any]:
    """The finding under the names of the contract."""
    adversary = finding.candidate.adversary(finding.budget, game.charge)
    return {
        "version": __version__,
        "policy": game.policy.name,
        "label": str(game.policy),
        "parameters": game.policy.parameters(),
        "environment": {"name": game.environment.name, "means": list(game.environment.means)},
        "horizon": game.horizon,
        "runs": arguments.runs,
        "seed": game.seed,
        "quick": arguments.quick,
        "threat": arguments.threat,
        "budget": finding.budget,
        "attack": adversary_json(adversary),
        "replay": replay(game, finding.candidate, finding.budget, arguments),
        "regret": finding.regret,
        "paid_mean": finding.paid,
        "in_sample": finding.in_sample,
        "baseline": finding.clean,
        "catalogue": None
        if arguments.quick
        else {
            "attack": adversary_json(finding.plain.adversary(finding.budget, game.charge)),
            "regret": finding.plain_regret,
        },
        "told": getattr(game.policy, "corruption", 0) is None,
        "evaluations": finding.evaluations,
    }


def replay(game: Game, candidate: Candidate, budget: float, arguments: argparse.Namespace) -> str:
    """The command that plays an attack again, to the same bits."""
    words = ["robandit", "play", "--policy", str(game.policy)]
    for name in ("environment", "arms", "means"):
        value = getattr(arguments, name)
        if value is not None and value != "bernoulli":
            words += [f"--{name}", ",".join(f"{mean!r}" for mean in value) if name == "means" else str(value)]
    words += ["--horizon", str(game.horizon), "--runs", str(arguments.runs), "--seed", str(game.seed)]
    words += [word for file in arguments.load for word in ("--load", file)]
    words += [*candidate.flags().split(), "--budget", f"{budget!r}"]
    return shlex.join(words + (["--charge", game.charge] if game.charge != "cost" else []))


def print_finding(result: dict[str, Any]) -> None:
    """A small table and the command that plays the attack again."""
    from rich.console import Console

    from robandit.cli.tables import redteam_table

    console = Console()
    console.print(redteam_table(result))
    console.print("Play the worst one again, to the same numbers:", highlight=False)
    print(f"  {result['replay']}")


def draw(findings: list[tuple[Game, Finding]], arguments: argparse.Namespace) -> None:
    """One finding over time; several against the budget."""
    path = Path(arguments.plot)
    if len(findings) == 1:
        from robandit.pictures.attack import attack_over_time

        game, finding = findings[0]
        runs = min(arguments.runs, SHOWN_RUNS)
        adversary = finding.candidate.adversary(finding.budget, game.charge)
        stories = [
            (label, told_over_time(game, against, runs, arguments.threads))
            for label, against in ((finding.candidate.flags(), adversary), ("no attack", None))
        ]
        bill = f"threat model {arguments.threat}, C = {finding.budget:g} by {game.charge}"
        title = f"{game.policy}, {len(game.environment.means)} arms, {runs} runs; band: 5 % to 95 % of runs\n{bill}"
        attack_over_time(stories, title, path)
    else:
        from robandit.pictures.corruption import regret_against_budget
        from robandit.redteam.curves import curves_of

        arms = f"{len(findings[0][0].environment.means)} arms ({findings[0][0].environment.name})"
        caption = f"{arms}, T = {arguments.horizon:,}, {arguments.runs} fresh runs, mean and 95 % interval"
        regret_against_budget(
            [(f"threat model {arguments.threat}", curves_of(findings, arguments.threat))], caption, path
        )
    if not arguments.json:
        print(f"picture: {path}")
