"""Before a user's part is compiled: a short checked play as plain Python, so that a mistake is an ordinary error."""

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from robandit.dice import Random
from robandit.errors import PartError
from robandit.lab.table import Table
from robandit.layout import Layout, layout_of
from robandit.parts import Part, hints_of

ROUNDS = 200
_CHECKED: set[tuple[Layout, ...]] = set()


def check_user_parts(table: Table) -> None:
    """Play a few rounds interpreted with every part that is not the package's own; once per layout."""
    given = (table.policy, table.environment, table.adversary)
    if all(ours(part) for part in given):
        return
    check_fields(table.policy.start(table.setting()), table.policy.name)
    for part, memory in (
        (table.environment, table.environment.start()),
        (table.adversary, table.adversary.start(table.means, table.horizon)),
    ):
        if not is_dataclass(memory):
            raise PartError(f"{part.name}: start must answer a dataclass, not {type(memory).__name__}")
    parts, _ = table.seat(slice(0, 1))
    key = tuple(layout_of(part) for part in parts)
    if key in _CHECKED:
        return
    policy, state, environment, tables, adversary, memory = parts
    words = [Random(*(int(word) for word in table.dice[0, role])) for role in range(3)]
    means = table.means.copy()
    policy.begin(state, words[1])
    for t in range(min(ROUNDS, table.horizon)):
        check_chances(state.chances, len(means), policy.name, t)
        proposal = means.copy()
        struck = adversary.tamper_means(memory, t, state.chances, means, proposal, words[2])
        check_proposal(adversary, struck, proposal, means, t)
        choice = policy.choose(state, words[1])
        if not 0 <= choice.arm < len(means):
            raise PartError(
                f"{policy.name}: choose answered arm {choice.arm!r} in round {t}, allowed are 0 to {len(means) - 1}"
            )
        reward = environment.reward(tables, choice.arm, means[choice.arm], words[0].uniform())
        if not 0.0 <= reward <= 1.0:
            raise PartError(f"{environment.name}: reward answered {reward!r} in round {t}, allowed is 0 to 1")
        wanted = adversary.tamper_reward(memory, t, means, choice.arm, reward, words[2])
        if not math.isfinite(wanted):
            raise PartError(f"{adversary.name}: tamper_reward answered {wanted!r} in round {t}, allowed is a number")
        policy.learn(state, choice, min(max(wanted, 0.0), 1.0), words[1])
        check_fields(state, policy.name)
    check_chances(state.chances, len(means), policy.name, table.horizon)
    _CHECKED.add(key)


def ours(part: Part) -> bool:
    """Whether a part and the parts inside it are the package's own: a schedule or an inner policy may be a user's."""
    inside = (getattr(part, item.name) for item in fields(part))
    nested = all(ours(value) for value in inside if isinstance(value, Part))
    return nested and type(part).__module__.startswith("robandit.")


def check_proposal(adversary: Any, struck: bool, proposal: Any, means: Any, t: int) -> None:
    """An adversary writes numbers, and only when it strikes."""
    if not np.isfinite(proposal).all():
        raise PartError(f"{adversary.name}: the means proposed in round {t} are no numbers: {proposal}")
    if not struck and not np.array_equal(proposal, means):
        raise PartError(f"{adversary.name}: tamper_means wrote a proposal in round {t} but did not answer True")


def check_chances(chances: Any, arms: int, name: str, t: int) -> None:
    """p(t) must be a distribution over the arms."""
    if (
        len(chances) != arms
        or not np.isfinite(chances).all()
        or chances.min() < -1e-12
        or abs(chances.sum() - 1.0) > 1e-6
    ):
        raise PartError(f"{name}: chances before round {t} are not a distribution over {arms} arms: {chances}")


def check_fields(state: Any, name: str) -> None:
    """Fields keep their declared types, or compiled code would cut a float to an int without a word."""
    if not is_dataclass(state) or not hasattr(state, "chances"):
        raise PartError(f"{name}: start must answer a dataclass with a field `chances`, not {type(state).__name__}")
    chances = state.chances
    if not isinstance(chances, np.ndarray) or chances.dtype != np.float64 or chances.ndim != 1:
        raise PartError(f"{name}: state.chances must be a one-dimensional array of floats, not {chances!r}")
    hints = hints_of(type(state))
    for item in fields(state):
        value, hint = getattr(state, item.name), hints[item.name]
        if hint is int and isinstance(value, float | np.floating | bool):
            raise PartError(f"{name}: state.{item.name} is declared int but became {value!r}")
        if hint is float and not isinstance(value, float | int | np.floating | np.integer):
            raise PartError(f"{name}: state.{item.name} is declared float but became {value!r}")
