"""`robandit forgetting`: what remembering less does to the two prices of a policy."""

import argparse
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import (
    game_flags,
    json_flags,
    load_flags,
    numbers,
    out_from,
    plot_flags,
    plot_from,
    print_json,
    scenarios_from,
)
from robandit.cli.progress import Task, count, run_tasks
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.redteam.forgetting import ForgettingPrice

MEMORY = "300,1000,3000,10000"
RUNS = 12


def add(commands: Any) -> None:
    """The command and its flags."""
    plot = plot_flags("draw both prices against memory")
    parser = commands.add_parser(
        "forgetting",
        parents=[
            game_flags("thompson, with windows, discounts and a restart", runs=RUNS),
            load_flags(),
            json_flags(),
            plot,
        ],
        help="what remembering less does to the price of fooling a policy, for good and once",
        description="The price of forgetting. To fool a policy for good, a lie must be repeated each time it is "
        "forgotten; to flip its leader once, only what is remembered must be outweighed. Both are measured, with the "
        "time until the best arm leads again. --runs is that of a block: three blocks for each price.",
    )
    parser.add_argument(
        "--memory", type=numbers, metavar="W,...", help=f"rewards that windows and discounts keep (default {MEMORY})"
    )
    parser.add_argument(
        "--out", default="out/forgetting", metavar="DIR", help="what was played is kept here, to go on later"
    )
    parser.set_defaults(run=price_forgetting)


def price_forgetting(arguments: argparse.Namespace) -> None:
    """Measure each policy, print, draw."""
    from robandit.redteam.evaluate import journal_for
    from robandit.redteam.forgetting import check_game, forgetting_price, prices_record, usual_policies

    plot = plot_from(arguments)
    if arguments.memory is not None and arguments.policy:
        raise InputError("--memory is of the policies that are tried without --policy: leave one of the two out")
    memories = arguments.memory or numbers(MEMORY)
    for memory in memories:
        if not 2 <= memory <= 1e6 or memory != int(memory):
            raise InputError(f"--memory must be whole numbers from 2 to 1,000,000, not {memory:g}")
    if not arguments.policy:
        arguments.policy = usual_policies(memories, "thompson")
    scenarios, out = scenarios_from(arguments), out_from(arguments)
    tasks = []
    for scenario in scenarios:
        check_game(scenario)

        def measure(progress: Any, scenario: Any = scenario) -> "ForgettingPrice":
            journal = journal_for(scenario, out, "forgetting")
            return forgetting_price(scenario, journal, arguments.threads, progress)

        tasks.append(Task(str(scenario.policy), 1.0, measure))
    opening = f"forgetting: {count(tasks, 'policy', 'policies')}, roughly {50 * scenarios[0].runs} runs of each"
    prices, _ = run_tasks(tasks, opening)
    result = prices_record(prices)
    if arguments.json:
        print_json(result)
    else:
        from robandit.redteam.tables import forgetting_table
        from robandit.report.terminal import show

        show(forgetting_table(result), wide=arguments.wide)
    if plot:
        from robandit.redteam.pictures import draw_prices_of_memory

        draw_prices_of_memory(prices).save(plot)
        if not arguments.json:
            print(f"picture: {plot}")
