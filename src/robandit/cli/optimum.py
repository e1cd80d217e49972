"""`robandit paper optimum`: the exact worst attack on SAMBA with two arms, or with three at a price."""

import argparse
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import json_flags, number, numbers, plot_flags, plot_from, print_json, whole
from robandit.errors import InputError
from robandit.version import __version__

if TYPE_CHECKING:  # `robandit --help` does not wait for NumPy
    from robandit.theory.optimal_attack import OptimalAttack


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "optimum",
        parents=[json_flags(), plot_flags("draw at which p(t) it strikes, over time")],
        help="the exact worst attack on SAMBA with two or three arms",
        description="Solve for the worst attack on SAMBA with two arms, or with three at a price in threat model A: a "
        "dynamic programme, exact up to its grid.",
    )
    parser.add_argument(
        "--means", type=numbers, default=(0.9, 0.8), help="two or three, the best arm first (default 0.9,0.8)"
    )
    parser.add_argument("--learning-rate", type=number, default=0.05, help="SAMBA's step (default 0.05)")
    parser.add_argument("--horizon", type=whole, default=10_000, metavar="T", help="rounds (default 10000)")
    parser.add_argument("--threat", default="A", help="A (before the draw, the default) or B (sees the draw)")
    parser.add_argument("--budget", type=number, metavar="C", help="corruption no run may exceed")
    parser.add_argument("--price", type=number, help="in place of a budget: a price per unit of corruption")
    parser.add_argument(
        "--step", type=number, help="the grid's width in log-odds (default 0.05; 0.1 for a budget in A or three arms)"
    )
    parser.add_argument("--confirm", type=whole, default=0, metavar="RUNS", help="play the optimum so many times, too")
    parser.add_argument("--seed", type=whole, default=1, help="of --confirm (default 1)")
    parser.set_defaults(run=optimum)


def optimum(arguments: argparse.Namespace) -> None:
    """Solve, confirm by simulation if asked, print, draw."""
    from robandit.theory.optimal_attack import optimal_attack

    plot = plot_from(arguments)
    if arguments.confirm < 0:
        raise InputError(f"--confirm must be a whole number of at least 0, not {arguments.confirm}")
    if len(arguments.means) == 3:
        three(arguments)
        return
    found = optimal_attack(
        arguments.means,
        learning_rate=arguments.learning_rate,
        horizon=arguments.horizon,
        threat=arguments.threat,
        price=arguments.price,
        budget=arguments.budget,
        step=arguments.step,
        playable=arguments.confirm > 0 or (plot is not None and arguments.budget is not None),
    )
    told = as_json(found, arguments)
    if arguments.json:
        print_json(told)
    else:
        print_words(told)
    if plot:
        from robandit.pictures.optimum import draw_attack_shape
        from robandit.theory.reached import reached

        game = (arguments.means, arguments.learning_rate, arguments.horizon, arguments.budget is not None)
        shape = (found.rounds, found.probabilities, *reached(found, *game))
        draw_attack_shape(*shape, decision_words(found), titles(told)).save(plot)
        if not arguments.json:
            print(f"picture: {plot}")


def three(arguments: argparse.Namespace) -> None:
    """The same for three arms, where only a price in threat model A is solved."""
    from robandit.theory.three_arms import three_arms

    if arguments.price is None or arguments.budget is not None or arguments.threat != "A":
        raise InputError("with three arms only a --price in threat model A is solved: leave out --budget and --threat")
    if arguments.confirm or arguments.plot:
        raise InputError(
            "with three arms there is no --confirm and no --plot; `robandit paper theory prices --plot` draws"
        )
    found = three_arms(
        arguments.means,
        learning_rate=arguments.learning_rate,
        horizon=arguments.horizon,
        price=arguments.price,
        step=arguments.step or 0.1,
    )
    told = {
        **asked(arguments),
        "threat": "A",
        "regret": found.regret,
        "spending": found.spending,
        "clean_regret": found.clean_regret,
        "simulated": None,
    }
    if arguments.json:
        print_json(told)
    else:
        print_words(told)


def asked(arguments: argparse.Namespace) -> dict[str, Any]:
    """The question."""
    return {
        "version": __version__,
        "policy": "samba",
        "learning_rate": arguments.learning_rate,
        "means": list(arguments.means),
        "horizon": arguments.horizon,
        "price": arguments.price,
        "budget": arguments.budget,
    }


def as_json(found: "OptimalAttack", arguments: argparse.Namespace) -> dict[str, Any]:
    """What was asked and what was found; simulated values only if they were asked for."""
    told: dict[str, Any] = {
        **asked(arguments),
        "threat": found.threat,
        "regret": found.regret,
        "spending": found.spending,
        "clean_regret": found.clean_regret,
        "simulated": None,
    }
    if found.adversary is not None and arguments.confirm:
        from robandit.environments.bernoulli import Bernoulli
        from robandit.lab.batch import simulate
        from robandit.policies.samba import Samba

        trace = simulate(
            Samba(learning_rate=arguments.learning_rate),
            Bernoulli(arguments.means),
            found.adversary,
            horizon=arguments.horizon,
            runs=arguments.confirm,
            seed=arguments.seed,
            checkpoints=1,
        )
        paid = float(trace.corruption_paid[:, -1].mean())
        told["simulated"] = {"runs": arguments.confirm, **trace.summary(), "paid_mean": paid}
    return told


def decision_words(found: "OptimalAttack") -> tuple[str, ...]:
    """What the numbers in a table of decisions mean."""
    if found.threat == "B":
        return ("leave alone", "turn the best arm's successes", "turn the rival's failures", "turn both")
    low, high = found.steps
    return ("leave alone", f"move both means by {low:g}", f"strike with {high:g}, one mean as far as it goes")


def terms(told: dict[str, Any]) -> str:
    """The bill in words."""
    if told["budget"] is not None:
        return f"hard budget C = {told['budget']:,g}"
    return f"price {told['price']:g} per unit of corruption"


def titles(told: dict[str, Any]) -> tuple[str, str]:
    """What the picture says, and of what."""
    means = "/".join(f"{mean:g}" for mean in told["means"])
    clean, regret = told["clean_regret"], told["regret"]
    message = f"The worst attack makes SAMBA lose {regret:,.0f} in place of {clean:,.0f}"
    state = "; what most runs at that p do" if told["budget"] is not None else ""
    rest = f"exact; step {told['learning_rate']:g}, means {means}, threat model {told['threat']}, {terms(told)}{state}"
    return message, rest


def print_words(told: dict[str, Any]) -> None:
    """Three lines, and what simulation says of them."""
    means = ", ".join(f"{mean:g}" for mean in told["means"])
    bill = f"threat model {told['threat']}, {terms(told)}"
    print(f"samba (learning_rate={told['learning_rate']:g}) on means {means}, {told['horizon']:,} rounds; {bill}")
    print(f"  clean regret          {told['clean_regret']:12,.1f}")
    print(f"  under the worst attack{told['regret']:12,.1f}   (exact up to the grid; --step makes it finer)")
    if told["budget"] is None:
        print(f"  corruption it spends  {told['spending']:12,.1f}   (its expectation)")
    if told["simulated"]:
        simulated = told["simulated"]
        half = "-" if simulated["half_width_95"] is None else f"{simulated['half_width_95']:,.1f}"
        print(f"  the same, played      {simulated['mean']:12,.1f}   ± {half} (95 %, {simulated['runs']:,} runs)")
