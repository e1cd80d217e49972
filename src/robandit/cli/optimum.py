"""`robandit optimum`: the exact worst attack on SAMBA with two arms."""

import argparse
import json
from pathlib import Path
from typing import Any

from robandit.environments.bernoulli import Bernoulli
from robandit.errors import InputError
from robandit.lab.batch import simulate
from robandit.pictures.style import check_plot
from robandit.policies.samba import Samba
from robandit.theory.optimal_attack import OptimalAttack, optimal_attack
from robandit.version import __version__


def optimum(arguments: argparse.Namespace) -> None:
    """Solve, confirm by simulation if asked, print, draw."""
    if arguments.plot is not None:
        check_plot(Path(arguments.plot))
    if arguments.confirm < 0:
        raise InputError(f"--confirm must be a whole number of at least 0, not {arguments.confirm}")
    found = optimal_attack(
        arguments.means,
        learning_rate=arguments.learning_rate,
        horizon=arguments.horizon,
        threat=arguments.threat,
        price=arguments.price,
        budget=arguments.budget,
        step=arguments.step,
        playable=arguments.confirm > 0,
    )
    told = as_json(found, arguments)
    if arguments.json:
        print(json.dumps(told, indent=2))
    else:
        print_words(told)
    if arguments.plot:
        from robandit.pictures.optimum import attack_shape

        words = decision_words(found)
        attack_shape(found.rounds, found.chances, found.decisions, words, caption(told), Path(arguments.plot))
        if not arguments.json:
            print(f"picture: {arguments.plot}")


def as_json(found: OptimalAttack, arguments: argparse.Namespace) -> dict[str, Any]:
    """What was asked and what was found; simulated values only if they were asked for."""
    told: dict[str, Any] = {
        "version": __version__,
        "policy": "samba",
        "learning_rate": arguments.learning_rate,
        "means": list(arguments.means),
        "horizon": arguments.horizon,
        "threat": found.threat,
        "price": arguments.price,
        "budget": arguments.budget,
        "regret": found.regret,
        "spending": found.spending,
        "clean_regret": found.clean_regret,
        "simulated": None,
    }
    if found.adversary is not None:
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


def decision_words(found: OptimalAttack) -> tuple[str, ...]:
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


def caption(told: dict[str, Any]) -> str:
    """What the picture shows, in two lines."""
    means = "/".join(f"{mean:g}" for mean in told["means"])
    first = (
        f"Exact worst attack on samba (rate {told['learning_rate']:g}), means {means}, threat model {told['threat']}"
    )
    state = ", drawn with the whole budget left" if told["budget"] is not None else ""
    return f"{first}\n{terms(told)}{state}: regret {told['regret']:,.1f}, clean {told['clean_regret']:,.1f}"


def print_words(told: dict[str, Any]) -> None:
    """Three lines, and what simulation says of them."""
    means = " and ".join(f"{mean:g}" for mean in told["means"])
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
