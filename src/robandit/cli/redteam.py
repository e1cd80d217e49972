"""`robandit redteam`: the worst attack on a policy within a budget."""

import argparse
import math
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import (
    SHAPE,
    capability_flags,
    capability_from,
    cluster_flags,
    game_flags,
    json_flags,
    load_flags,
    naming_scheduler,
    number,
    out_from,
    plot_flags,
    plot_from,
    print_json,
    scenarios_from,
    undetected_flag,
    whole,
)
from robandit.cli.progress import Task, count, run_tasks
from robandit.errors import InputError
from robandit.redteam import EVALUATIONS
from robandit.version import __version__

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.redteam.search import AttackFinding


def add(commands: Any) -> None:
    """The command and its flags."""
    plot = plot_flags("draw the attack over time, or regret against several budgets")
    parser = commands.add_parser(
        "redteam",
        parents=[game_flags(), load_flags(), json_flags(), cluster_flags(), plot],
        help="the worst attack on a policy within a budget",
        description="Search for the worst attack within a budget; chosen on one set of seeds, reported on another.",
    )
    search = parser.add_argument_group("the attacker")
    search.add_argument(
        "--budget", type=number, action="append", metavar="C", help="what it may spend; may be repeated"
    )
    search.add_argument("--threat", default="A", help="A (before the draw, the default) or B (sees the draw)")
    capability_flags(search)
    undetected_flag(search)
    search.add_argument("--charge", default="cost", help="cost (the definition) or rounds")
    search.add_argument(
        "--evaluations",
        type=whole,
        default=EVALUATIONS,
        help=f"attacks of the adaptive family, about (default {EVALUATIONS}; 0: none)",
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
    findings = search_all(arguments)
    results = [finding.to_json(replay_command(finding, arguments)) for finding in findings]
    if arguments.json:
        print_json(results[0] if len(results) == 1 else {"version": __version__, "results": results})
    else:
        from robandit.redteam.tables import redteam_table
        from robandit.report.terminal import show

        for result in results:
            show(redteam_table(result), "Play the worst one again, to the same numbers:", wide=arguments.wide)
            print(f"  {result['replay']}")
    if plot:
        from robandit.redteam.pictures import draw_findings

        draw_findings(findings, arguments.threads).save(plot)
        if not arguments.json:
            print(f"picture: {plot}")


def search_all(arguments: argparse.Namespace) -> "list[AttackFinding]":
    """One search for each policy and budget; all are checked before the first begins."""
    from robandit.executor import open_executor
    from robandit.redteam.evaluate import Evaluator, journal_for
    from robandit.redteam.search import SearchOptions, check_search, planned_runs, worst_attack

    options = SearchOptions(arguments.threat, arguments.evaluations, arguments.quick)
    scenarios = scenarios_from(arguments, charge=arguments.charge, capability=capability_from(arguments))
    out, tasks, evaluators = out_from(arguments), [], list[Evaluator]()
    for scenario in scenarios:
        for budget in arguments.budget:
            journal = journal_for(scenario, out, f"redteam-{options.threat}-{budget:g}")
            evaluator = Evaluator(scenario, journal, arguments.threads, undetected=arguments.undetected)
            evaluators.append(evaluator)
            check_search(evaluator, budget, options)

            def search(progress: Any, evaluator: Evaluator = evaluator, budget: float = budget) -> "AttackFinding":
                evaluator.progress = progress
                return worst_attack(evaluator, budget, options)

            tasks.append(Task(f"{scenario.policy}, C = {budget:g}", planned_runs(scenario, options), search))
    runs = sum(int(task.size) for task in tasks)
    searches = count(tasks, "search", "searches")
    with naming_scheduler(arguments), open_executor(arguments.threads or 1, arguments.scheduler) as executor:
        for evaluator in evaluators:
            evaluator.executor = executor
        return run_tasks(tasks, f"redteam: {searches}, roughly {runs:,} runs of {arguments.horizon:,} rounds")[0]


def replay_command(finding: "AttackFinding", arguments: argparse.Namespace) -> str:
    """The command that plays an attack again, to the same bits."""
    import shlex

    from robandit.lab.scenario import USUAL

    scenario = finding.scenario
    words = ["robandit", "play", "--policy", str(scenario.policy)]
    for name in ("environment", "arms", "means"):
        value = getattr(arguments, name)
        if value is not None and value != "bernoulli":
            words += [f"--{name}", ",".join(f"{mean!r}" for mean in value) if name == "means" else str(value)]
    words += ["--horizon", str(scenario.horizon), "--runs", str(scenario.runs), "--seed", str(scenario.seed)]
    for name in SHAPE:
        words += [f"--{name}", str(getattr(scenario, name))] if getattr(scenario, name) != USUAL[name] else []
    words += [word for file in arguments.load for word in ("--load", file)]
    words += [*finding.candidate.flags(scenario.capability).split(), "--budget", f"{finding.budget!r}"]
    return shlex.join(words + (["--charge", scenario.charge] if scenario.charge != "cost" else []))
