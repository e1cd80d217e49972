"""A snapshot of the service is used only by the code that wrote it: all code that its state depends on."""

import importlib
from collections.abc import Iterator

import pytest

from robandit.service import experiment, messages
from robandit.service.experiment import STATE_CODE, open_experiment
from robandit.service.service import Service
from robandit.service.stores.memory import MemoryStore
from robandit.service.tokens import Tokens
from robandit.sources import _TEXTS, reached, text_of

APART = {  # modules that the experiment's imports reach and no state depends on, and why
    "online.columns": "the other sink of a journal, for audits",
    "online.journal": "lines and checksums, not what they say",
    "online.learner": "the edge of a learner without a service",
    "online.rebuild": "calls the docket line by line",
    "online.warm": "the same replay compiled, held to the same bits by its own tests",
    "online.writer": "a journal's file",
    "service.clock": "says which time a new line gets, which no replay asks",
    "service.ids": "signs ids, which no state holds",
    "service.stores.base": "lines in and out",
    "store.code": "makes the digest",
    "store.files": "writes files",
    "extras": "says which library is missing",
    "version": "a name",
    "parts": "catalogue lines; what a part does is in its policy's own hash",
    "capability": "what an attacker of the lab can do",
    "schedule": "when an attacker of the lab strikes",
    "estimates": "intervals of the lab",
    "adversaries.nobody": "of the lab",
    "environments.bernoulli": "of the lab",
    "environments.means": "of the lab",
}


@pytest.fixture
def served() -> Iterator[Service]:
    service = Service(MemoryStore(), Tokens(None))
    service.engine.create(messages.NewExperiment("one", ["x", "y"], "samba", seed=1))
    one = service.engine.experiments[1]
    for number in range(20):
        decided = service.engine.decide(one, messages.DecisionRequest(), None)
        service.store.commit(decided.rows)
        service.store.commit(service.engine.reward(one, decided.message.id, messages.Reward(number % 2), "s").rows)
    service.store.commit([], [one.snapshot()])
    yield service
    experiment.state_hash.cache_clear()


def used(service: Service) -> bool:
    """Whether the experiment is read from its snapshot."""
    experiment.state_hash.cache_clear()
    record = service.store.experiments()[0]
    opened = open_experiment(service.store, record)
    snapshot = service.store.snapshot(1)
    return snapshot is not None and snapshot.code == opened.code


@pytest.mark.parametrize("name", STATE_CODE)
def test_an_edited_module_makes_the_snapshot_useless(
    name: str, served: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(f"robandit.{name}")
    assert used(served)
    text = text_of(module)
    assert text is not None
    monkeypatch.setitem(_TEXTS, module, text + "\n# a comment\n")
    assert used(served)
    monkeypatch.setitem(_TEXTS, module, text + "\nCHANGED = True\n")
    assert not used(served)


def test_nothing_that_a_state_depends_on_is_forgotten() -> None:
    """Whoever gives the experiment's code another module of this package must say here to which kind it belongs."""
    names = {one.__name__.removeprefix("robandit.") for one in reached(experiment)}
    strange = {name for name in names if not name.startswith(("lab", "robandit"))} - set(STATE_CODE) - set(APART)
    assert not strange, "does a state depend on these modules?"
