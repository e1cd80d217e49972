"""The kernels of the page and how their arguments lie in memory, as plain data that its script reads."""

import inspect
import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from robandit.catalogue import SHIPPED
from robandit.environments.bernoulli import Bernoulli
from robandit.environments.beta import Beta
from robandit.game import Adversary, Environment, Policy
from robandit.lab import play
from robandit.lab.runner import prepare
from robandit.lab.scenario import Scenario
from robandit.layout import Layout, layout_of
from robandit.numerics import student_quantile
from robandit.page import by_hand
from robandit.page.by_hand import ByHand
from robandit.page.starts import describe_start, leaves, value_at
from robandit.progress import Progress, ignore
from robandit.version import __version__

POLICIES = (
    "thompson",
    "bonus-thompson",
    "samba",
    "exponential-samba",
    "ucb1",
    "optimistic-ucb",
    "kl-ucb",
    "exp3",
    "tsallis-inf-rv",
    "tsallis-inf-iw",
    "softmax-gradient",
    "epsilon-greedy",
)
ATTACKS: dict[str, Adversary[Any] | None] = {  # by the name of the kernel's kind
    "none": None,
    "sink-shown": SHIPPED.attack("sink-shown", budget=1.0, capability="erase"),
    "promote": SHIPPED.attack("promote", budget=1.0, capability="add"),
    "push-shown": SHIPPED.attack("push-shown", budget=1.0, capability="add"),
    "means": SHIPPED.attack("flip", budget=1.0),  # every attack of threat model A on fixed rounds
    "by-hand": ByHand(budget=math.inf),  # the visitor's own
}
ENVIRONMENTS: dict[str, Environment[Any]] = {"bernoulli": Bernoulli((0.2, 0.8)), "beta": Beta((0.2, 0.8))}
# whose state is fed by exp of itself, so that a last digit that differs grows until a draw differs: equal in law only
AMPLIFYING = ("exp3", "softmax-gradient", "exponential-samba")
BY_HAND = ("thompson", "bonus-thompson", "samba")  # whom a visitor can attack by hand, on rewards of 0 or 1
ALIASES = {"bonus-thompson": {"withstand": "linear"}}  # another name of a parameter
MOST_RUNS = 200
GAMES = (((0.2, 0.8), 100), ((0.9, 0.3, 0.5), 700), ((0.1, 0.4, 0.3, 0.2), 5000))  # means and horizon, for trying


def describe_kernels(
    policies: Sequence[str] = POLICIES,
    attacks: Sequence[str] = tuple(ATTACKS),
    environments: Sequence[str] = tuple(ENVIRONMENTS),
    progress: Progress = ignore,
) -> tuple[dict[str, Any], bytes]:
    """The layout of each kernel's parts and arguments, and all kernels as WebAssembly one after another.

    Raises:
        InputError: for a policy that is not in the catalogue.
        PartError: for one that a browser cannot start.
    """
    from robandit.lab.compile.kernel import spec_of
    from robandit.lab.compile.wasm import elementary_used, wasm_kernel

    data: dict[str, Any] = {
        "version": __version__,
        "by_hand": inspect.getsource(by_hand).partition('"""\n\n')[2],
        "student": [student_quantile(degrees) for degrees in range(1, MOST_RUNS)],
        "policies": {},
        "attacks": {},
        "environments": {},
        "kernels": {},
    }
    code = bytearray()
    chosen = {name: SHIPPED.policy(name) for name in policies}
    for policy in chosen.values():
        describe_start(policy)  # refuses, before anything is compiled
    wanted = [
        (name, place, attack)
        for name in chosen
        for place in environments
        for attack in attacks
        if attack != "by-hand" or (name in BY_HAND and place == "bernoulli")
    ]
    for name, place, attack in wanted:
        policy = chosen[name]
        scenario = Scenario(policy, ENVIRONMENTS[place], ATTACKS[attack], horizon=100)
        call = prepare(scenario).call(slice(0, 1))
        spec = spec_of(play.play_runs, call.parts, call.arguments)
        module = wasm_kernel(spec)
        layouts = {role: describe_layout(layout) for role, layout in spec.layouts.items()}
        data["arguments"] = describe_layout(spec.arguments)
        data["policies"].setdefault(name, describe_policy(policy, layouts))
        data["attacks"].setdefault(attack, describe_attack(scenario.adversary, layouts))
        data["environments"].setdefault(place, {"part": layouts["environment"], "tables": layouts["tables"]})
        where = {"at": len(code), "size": len(module), "calls": elementary_used(module)}
        data["kernels"][f"{name} {attack} {place}"] = where
        code += module
        progress(len(data["kernels"]) / len(wanted))
    return data, bytes(code)


def describe_policy(policy: Policy[Any], layouts: dict[str, Any]) -> dict[str, Any]:
    """A policy's parameters, and how its part and its state lie in memory and begin."""
    return {
        "summary": policy.about.summary,
        "part": layouts["policy"],
        "state": layouts["state"],
        "start": describe_start(policy),
        "values": scalars(policy),
        "parameters": describe_parameters(policy),
        "amplifies": policy.name in AMPLIFYING,
        "aliases": ALIASES.get(policy.name, {}),
    }


def describe_attack(adversary: Adversary[Any], layouts: dict[str, Any]) -> dict[str, Any]:
    """How an adversary and its memory lie in memory, with the numbers that are the same in every game.

    The page's script knows the others; it refuses to play where a number is missing.
    """
    memories = [scalars(adversary.start(np.array(means), horizon)) for means, horizon in GAMES]
    same = {path: value for path, value in memories[0].items() if all(one[path] == value for one in memories)}
    part = {"layout": layouts["adversary"], "values": finite(scalars(adversary))}
    return {"part": part, "memory": {"layout": layouts["memory"], "values": finite(same)}}


def scalars(value: Any) -> dict[str, float]:
    """The numbers of a part, a state or a memory that cross into a kernel, by path."""
    paths = [path for path, kind in leaves(layout_of(value)) if not kind.endswith("]")]
    return {path: number(value_at(value, path)) for path in paths}


def finite(values: dict[str, float]) -> dict[str, float]:
    """Those that JSON can hold."""
    return {path: value for path, value in values.items() if math.isfinite(value)}


def describe_parameters(policy: Policy[Any]) -> dict[str, Any]:
    """The numbers of a policy that a visitor may set: description and limits."""
    described = {}
    for item in fields(policy):
        if isinstance(getattr(policy, item.name), float) and "limits" in item.metadata:
            limits = item.metadata["limits"]
            finite = {name: limits[name] for name in ("above", "below", "least", "most") if is_limit(limits.get(name))}
            described[item.name] = {"text": item.metadata["description"], **finite}
    return described


def is_limit(value: Any) -> bool:
    """Whether a limit limits anything."""
    return isinstance(value, int | float) and math.isfinite(value)


def number(value: Any) -> float:
    """A scalar as JSON holds it; a truth value is 0 or 1."""
    return float(value) if isinstance(value, float) else int(value)


def describe_layout(kind: Any) -> dict[str, Any]:
    """The size of a compound kind, and path, kind and offset of every number, array and pointer in it."""
    from robandit.lab.compile.memory import Named, measure, places

    def walk(inner: Any, before: str, begin: int) -> list[list[Any]]:
        rows: list[list[Any]] = []
        for name, member, offset in places(inner):
            label = before + (inner.names[int(name)] if isinstance(inner, Named) else name)
            if isinstance(member, str):
                rows.append([label, member, begin + offset])
            else:
                rows += walk(member, f"{label}.", begin + offset)
        return rows

    if isinstance(kind, Layout) and not kind.items:
        return {"size": 0, "fields": []}
    return {"size": measure(kind)[0], "fields": walk(kind, "", 0)}
