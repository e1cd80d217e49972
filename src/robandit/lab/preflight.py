"""Before a user's part is compiled: a short checked play as plain Python, so that a mistake is one sentence."""

import math
import sysconfig
import traceback
from copy import deepcopy
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from robandit.dice import Random
from robandit.errors import PartError, Refused
from robandit.game import Adversary, Environment, Policy
from robandit.lab import replay
from robandit.lab.parts import PlayParts, PolicyParts
from robandit.lab.runner import Runner
from robandit.lab.scenario import Scenario
from robandit.layout import Layout, layout_of
from robandit.parts import Part, hints_of

ROUNDS = 200
PACKAGE = Path(__file__).parents[1]
REMEMBERED = {Policy: "state", Environment: "tables", Adversary: "memory"}  # what each kind of part calls it
_CHECKED: set[tuple[Layout, ...]] = set()


def check_user_parts(runner: Runner) -> None:
    """Play a few rounds interpreted with every part that is not the package's own; once per layout."""
    scenario = runner.scenario
    if all(ours(part) for part in (scenario.policy, scenario.environment, scenario.adversary)):
        return
    try:
        for part in (scenario.policy, scenario.environment, scenario.adversary):
            check_names(part)
        check_starts(scenario)
        parts = runner.call(slice(0, 1)).parts
        key = tuple(layout_of(part) for part in parts)
        if key not in _CHECKED:
            check_rounds(scenario, parts, [Random(*map(int, words)) for words in runner.streams[0]])
            _CHECKED.add(key)
    except Refused:
        raise
    except Exception as error:
        raise PartError(f"{type(error).__name__}{place_of(error)}: {error}") from error


def check_user_replay(parts: PolicyParts, rows: Any, words: Any, view: Any) -> None:
    """Learn a few rows of a log interpreted, on a copy, with a policy that is not the package's own."""
    policy, state = parts
    if ours(policy):
        return
    check_names(policy)
    check_state(policy, state)
    trial = deepcopy(state)
    owned = arrays_in(trial, "state")
    try:
        replay.replay_rows(PolicyParts(policy, trial), rows, words, view)
    except Exception as error:
        raise PartError(f"{type(error).__name__}{place_of(error)}: {error}") from error
    check_same_arrays(policy, arrays_in(trial, "state"), owned, "learn")


def check_names(part: Part) -> None:
    """A method of a user's part whose name is nearly one of the contract's would never be called."""
    for value in (getattr(part, item.name) for item in fields(part)):
        if isinstance(value, Part):
            check_names(value)
    if type(part).__module__.startswith("robandit."):
        return
    kind = next((kind for kind in REMEMBERED if isinstance(part, kind)), Part)
    contract = {name for name in dir(kind) if callable(getattr(kind, name)) and not name.startswith("_")}
    missing = [name for name in contract if getattr(type(part), name) is getattr(kind, name)]
    for name, method in vars(type(part)).items():
        near = get_close_matches(name, missing, n=1, cutoff=0.8)
        if callable(method) and name not in contract and not name.startswith("_") and near:
            raise PartError(f"{part.name}: nobody calls {where(part, name)}; did you mean {near[0]!r}?")


def place_of(error: Exception) -> str:
    """The user's own line that was being run, as ` in learn (mine.py line 12: state.x[9] = 1)`."""
    frames = traceback.extract_tb(error.__traceback__)
    others = [PACKAGE, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))]
    own = [frame for frame in frames if not any(Path(frame.filename).resolve().is_relative_to(one) for one in others)]
    own = own or frames
    frame = own[-1]
    return f" in {frame.name} ({Path(frame.filename).name} line {frame.lineno}: {(frame.line or '').strip()})"


def where(part: Any, method: str) -> str:
    """Where a part's method stands."""
    code = getattr(type(part), method).__code__
    return f"{method} ({Path(code.co_filename).name} line {code.co_firstlineno})"


def check_starts(scenario: Scenario) -> None:
    """What `start` returns must be a dataclass the compiler can lay out."""
    check_state(scenario.policy, scenario.policy.start(scenario.setting()))
    for part, memory in (
        (scenario.environment, scenario.environment.start()),
        (scenario.adversary, scenario.adversary.start(scenario.means, scenario.rounds)),
    ):
        if not is_dataclass(memory):
            raise PartError(f"{part.name}: {where(part, 'start')} must return a dataclass, not {kind_of(memory)}")
        check_fields(part, memory, "start")


def check_rounds(scenario: Scenario, parts: PlayParts, streams: list[Random]) -> None:
    """Play, and look at everything a part returns or leaves behind; the streams are those of the first run."""
    policy, state, environment, tables, adversary, memory = parts
    means, features = scenario.means.copy(), np.zeros((1, environment.context_size))
    owned = arrays_in(state, "state"), arrays_in(memory, "memory")
    policy.begin(state, streams[1])
    for t in range(min(ROUNDS, scenario.rounds)):
        if environment.changes:
            environment.change(tables, t, means, streams[0])
            check_means(environment, means, t)
        uniform = streams[0].uniform()
        if scenario.is_contextual:
            uniform = environment.context(tables, uniform, features, means)
            policy.look(state, features)
        policy.refresh(state)
        check_probabilities(policy, state.probabilities, len(means), t)
        proposal = means.copy()
        struck = adversary.tamper_means(memory, t, state.probabilities, means, proposal, streams[2])
        check_proposal(adversary, struck, proposal, means, t)
        choice = policy.choose(state, streams[1])
        if not 0 <= choice.arm < len(means):
            raise PartError(
                f"{policy.name}: {where(policy, 'choose')} returned arm {choice.arm!r} in round {t}, "
                f"allowed are 0 to {len(means) - 1}"
            )
        reward = environment.reward(tables, choice.arm, means[choice.arm], uniform)
        if not 0.0 <= reward <= 1.0:
            place = where(environment, "reward")
            raise PartError(f"{environment.name}: {place} returned {reward!r} in round {t}, allowed is 0 to 1")
        wanted = adversary.tamper_reward(memory, t, means, choice.arm, reward, streams[2])
        if not math.isfinite(wanted):
            raise PartError(
                f"{adversary.name}: {where(adversary, 'tamper_reward')} returned {wanted!r} in round {t}, "
                "allowed is a number"
            )
        step = "learn"
        if policy.asks and policy.wants_check(state, choice):
            step = "learn_verified"
            policy.learn_verified(state, choice, reward, streams[1])
        else:
            policy.learn(state, choice, min(max(wanted, 0.0), 1.0), streams[1])
        check_fields(policy, state, step)
        check_same_arrays(policy, arrays_in(state, "state"), owned[0], step)
        check_same_arrays(
            adversary, arrays_in(memory, "memory"), owned[1], "tamper_reward" if adversary.sees_draw else "tamper_means"
        )
    check_probabilities(policy, state.probabilities, len(means), scenario.rounds)


def ours(part: Part) -> bool:
    """Whether a part and the parts inside it are the package's own: a schedule or an inner policy may be a user's."""
    inside = (getattr(part, item.name) for item in fields(part))
    nested = all(ours(value) for value in inside if isinstance(value, Part))
    return nested and type(part).__module__.startswith("robandit.")


def check_proposal(adversary: Any, struck: bool, proposal: Any, means: Any, t: int) -> None:
    """An adversary writes numbers, and only when it strikes."""
    place = where(adversary, "tamper_means")
    if not np.isfinite(proposal).all():
        raise PartError(f"{adversary.name}: the means proposed in round {t} are no numbers: {proposal}, {place}")
    if not struck and not np.array_equal(proposal, means):
        raise PartError(f"{adversary.name}: {place} wrote a proposal in round {t} but did not return True")


def check_means(environment: Any, means: Any, t: int) -> None:
    """Means that changed by themselves are still means."""
    if not ((means >= 0.0) & (means <= 1.0)).all():
        place = where(environment, "change")
        raise PartError(f"{environment.name}: {place} left the means {means} in round {t}, allowed is 0 to 1")


def check_probabilities(policy: Any, probabilities: Any, arms: int, t: int) -> None:
    """p(t) must be a distribution over the arms."""
    if (
        len(probabilities) != arms
        or not np.isfinite(probabilities).all()
        or probabilities.min() < -1e-12
        or abs(probabilities.sum() - 1.0) > 1e-6
    ):
        raise PartError(
            f"{policy.name}: probabilities before round {t} are not a distribution over {arms} arms: {probabilities}, "
            f"{where(policy, 'learn' if t else 'start')}"
        )


def check_state(policy: Any, state: Any) -> None:
    """A state is a dataclass with p(t) in it."""
    place = where(policy, "start")
    if not is_dataclass(state) or not hasattr(state, "probabilities"):
        raise PartError(
            f"{policy.name}: {place} must return a dataclass with a field `probabilities`, not {kind_of(state)}"
        )
    probabilities = state.probabilities
    if not isinstance(probabilities, np.ndarray) or probabilities.dtype != np.float64 or probabilities.ndim != 1:
        raise PartError(
            f"{policy.name}: state.probabilities must be a one-dimensional float array, not {probabilities!r}, {place}"
        )
    check_fields(policy, state, "start")


def check_fields(part: Any, state: Any, method: str, path: str = "") -> None:
    """Fields keep their declared types, or compiled code would cut a float to an int without a word."""
    hints = hints_of(type(state))
    path = path or next(name for kind, name in REMEMBERED.items() if isinstance(part, kind))
    for item in fields(state):
        value, hint = getattr(state, item.name), hints[item.name]
        place = f"{part.name}: {path}.{item.name}"
        if hint is int and isinstance(value, float | np.floating | bool):
            raise PartError(f"{place} is declared int but became {value!r} in {where(part, method)}")
        if hint is float and not isinstance(value, float | int | np.floating | np.integer):
            raise PartError(f"{place} is declared float but became {value!r} in {where(part, method)}")
        if is_dataclass(value) and not isinstance(value, Policy | Environment | Adversary):
            check_fields(part, value, method, f"{path}.{item.name}")
        elif not isinstance(value, bool | int | float | np.number | np.bool_ | np.ndarray) and not is_dataclass(value):
            raise PartError(
                f"{place} is {kind_of(value)} after {where(part, method)}: "
                "allowed are numbers, flags, NumPy arrays and dataclasses of these"
            )


def check_same_arrays(part: Any, now: dict[str, Any], before: dict[str, Any], method: str) -> None:
    """An array is written into, never replaced: compiled code holds on to the first one."""
    for name, array in before.items():
        if now.get(name) is not array:
            raise PartError(
                f"{part.name}: {where(part, method)} replaces the array {name}: write into it instead, "
                f"such as {name}[arm] = ..."
            )


def arrays_in(state: Any, path: str) -> dict[str, Any]:
    """Every array of a state by its dotted name."""
    arrays: dict[str, Any] = {}
    for item in fields(state):
        value = getattr(state, item.name)
        if isinstance(value, np.ndarray):
            arrays[f"{path}.{item.name}"] = value
        elif is_dataclass(value):
            arrays |= arrays_in(value, f"{path}.{item.name}")
    return arrays


def kind_of(value: Any) -> str:
    """A value's type with its article."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
