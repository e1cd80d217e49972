"""What an operator can do from the page: each action in words, and the verb of the API that does it."""

from typing import Any, NamedTuple

import msgspec

from robandit.service import messages
from robandit.service.api import Call, add_arm, change_arm, change_breaker, change_source, end_experiment
from robandit.service.engine import Answer
from robandit.service.experiment import Experiment
from robandit.service.problems import Problem
from robandit.service.service import Service
from robandit.service.tokens import Token


class Action(NamedTuple):
    """One thing to do, to an arm, a source or the whole experiment."""

    title: str
    on: str  # arm, source, or nothing
    means: str  # what will happen, in words
    change: str  # as the API names it
    asks: str = ""  # for what value, if it needs one


AGAIN = "Everything learnt so far is worked out again, from the first line on; that takes a moment."
ACTIONS = {
    "add": Action("Add an arm", "arm", "It is chosen from now on.", ""),
    "pause": Action(
        "Pause the arm",
        "arm",
        "It is not chosen until it is resumed. Rewards of earlier decisions still count.",
        "paused",
    ),
    "resume": Action("Resume the arm", "arm", "It can be chosen again.", "resumed"),
    "retire": Action(
        "Retire the arm", "arm", "It is never chosen again, and its name stays taken. This cannot be undone.", "retired"
    ),
    "quarantine": Action(
        "Quarantine the source",
        "source",
        f"Nothing it reported counts any more, as if it had never been there; its reports are still recorded. {AGAIN} "
        "A release undoes it.",
        "quarantined",
    ),
    "release": Action(
        "Release the source", "source", f"What it reported counts again, from the beginning. {AGAIN}", "released"
    ),
    "cap": Action(
        "Limit the source",
        "source",
        f"Only so many of its rewards count per day. {AGAIN}",
        "capped",
        "Rewards per day (empty: as the experiment's rules say)",
    ),
    "weigh": Action(
        "Trust the source less",
        "source",
        f"Each of its rewards counts with this probability: 1 is full trust, 0 none. {AGAIN}",
        "weighted",
        "Weight from 0 to 1",
    ),
    "stop": Action(
        "Stop learning",
        "",
        "Decisions go on with the probabilities of this moment, and rewards are recorded but not learnt, until someone "
        "lets learning go on.",
        "tripped",
    ),
    "go-on": Action(
        "Go on learning",
        "",
        f"What was recorded meanwhile is learnt, but for sources in quarantine. {AGAIN}",
        "released",
    ),
    "end": Action(
        "End the experiment",
        "",
        "No decision is made any more. Open decisions take their rewards, and the page and exports stay. "
        "This cannot be undone.",
        "",
    ),
}
VERBS = {  # by what a change is about
    "arm": (change_arm, messages.ArmChange),
    "source": (change_source, messages.SourceChange),
    "": (change_breaker, messages.BreakerChange),
}


def find(name: str) -> Action:
    """Returns an action by its name. Raises a Problem."""
    if name not in ACTIONS:
        raise Problem(404, "there is no such action")
    return ACTIONS[name]


def perform(service: Service, token: Token, experiment: Experiment, name: str, on: str, value: str) -> Answer:
    """Do it by the same function, and with the same checks, as over the API. Raises a Problem."""
    action = find(name)
    if name == "end":
        ended: Answer = service.attempt(end_experiment, Call(service, token, experiment, {}, None, None))
        return ended
    verb, request_type = (add_arm, messages.NewArm) if name == "add" else VERBS[action.on]
    message: dict[str, Any] = {"name": on} if name == "add" else {"change": action.change}
    if name == "cap":
        message["cap"] = whole(value) if value else None
    if name == "weigh":
        message["weight"] = decimal(value)
    params = {"arm": on, "source": on}
    call = Call(service, token, experiment, params, convert(message, request_type), None)
    answer: Answer = service.attempt(verb, call)
    return answer


def convert(message: dict[str, Any], request_type: Any) -> Any:
    """Returns the request of the API that a form stands for. Raises a Problem."""
    try:
        return msgspec.convert(message, request_type)
    except msgspec.ValidationError as error:
        raise Problem(422, str(error)) from error


def whole(text: str) -> int:
    """Returns a whole number that a person typed. Raises a Problem."""
    try:
        return int(text)
    except ValueError as error:
        raise Problem(422, f"a whole number is needed, not {text!r}") from error


def decimal(text: str) -> float:
    """Returns a number that a person typed. Raises a Problem."""
    try:
        return float(text)
    except ValueError as error:
        raise Problem(422, f"a number is needed, not {text!r}") from error
