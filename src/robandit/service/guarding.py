"""Reports of a second metric: one per decision, recorded, and learning stopped where its mean is above the limit."""

from robandit.service import messages
from robandit.service.engine import Answer, Engine
from robandit.service.experiment import Experiment
from robandit.service.guardrail import Guardrail
from robandit.service.stores.base import Row


def record_report(engine: Engine, experiment: Experiment, id: str, value: float) -> Answer:
    """Record the second metric of a decision: 201 recorded, 200 recorded before, 409 another value, 410 too late."""
    number, guardrail = engine.number(experiment, id), experiment.guardrail
    if guardrail is None:
        raise engine.no(experiment, 422, "this experiment has no guardrail: its rules declare none")
    terms = guardrail.terms
    if not terms.low <= value <= terms.high:
        sentence = f"{terms.name} must be a number from {terms.low:g} to {terms.high:g}, not {value:g}"
        raise engine.no(experiment, 422, sentence)
    if number in guardrail.waiting:
        return Answer(201, messages.Done(), append_report(experiment, guardrail, engine.clock(), number, value + 0.0))
    earlier = experiment.guarded.get(number)
    if earlier is None:
        raise engine.no(experiment, 410, f"this decision does not wait for a report of {terms.name} any more")
    if earlier != value:
        raise engine.no(experiment, 409, f"{terms.name} of this decision is {earlier:g} already")
    return Answer(200, messages.Done(False), [])


def append_report(experiment: Experiment, guardrail: Guardrail, now: float, number: int, value: float) -> list[Row]:
    """Returns the line of a report, and one that stops learning where an arm is above the limit."""
    entry = {"entry": "guardrail", "id": number, "value": value, "time": experiment.moment(now)}
    rows = [experiment.append(entry)]
    if guardrail.due and experiment.standing.frozen is None:
        names = [experiment.fold.roster.names[arm] for arm in guardrail.due]
        why = {"alarms": [], "sources": [], "guardrail": guardrail.terms.name, "arms": names}
        breaker = {"entry": "breaker", "change": "tripped", "since": experiment.line, "why": why}
        rows.append(experiment.act(now, breaker, "guardrail"))
    return rows
