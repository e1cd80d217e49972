"""What came last is remembered, the rest forgotten, against a plain list of all that came; experiments share room."""

from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.recent import EACH, LEAST, PROCESS, Recent, Room
from robandit.service.stores.memory import MemoryStore


def test_half_of_what_fits_is_always_there_and_never_more_than_fits() -> None:
    room = Room()
    room.half = 10
    recent, entries = Recent[int, int](room), list[tuple[int, int]]()
    for step in range(500):
        key = (step * 7) % 37  # keys come back
        recent.put(key, step)
        entries.append((key, step))
        last = dict(entries)
        assert all(recent.get(one) == last[one] for one, _ in entries[-10:])
        remembered = [one for one in range(37) if recent.get(one) is not None]
        assert len(remembered) <= 20
        assert all(recent.get(one) == last[one] for one in remembered)


def test_experiments_share_the_room_of_a_process() -> None:
    room = Room()
    for experiments, each in ((0, EACH), (1, EACH), (10, EACH), (100, PROCESS // 100), (10**6, LEAST)):
        room.share_among(experiments)
        assert 2 * room.half == each


def test_a_process_remembers_no_more_however_many_experiments_it_serves() -> None:
    engine = Engine(MemoryStore(), room=Room(1_000))
    for number in range(5):
        engine.create(messages.NewExperiment(f"e{number}", ["a", "b"], "exp3"))
    for number in range(400):
        for experiment in engine.experiments.values():
            decision = engine.decide(experiment, messages.DecisionRequest(), f"key {number}").message
            engine.reward(experiment, decision.id, messages.Reward(1.0), None)
    kinds = [[one.keys for one in engine.experiments.values()], [one.values for one in engine.experiments.values()]]
    for recents in kinds:
        assert 500 <= sum(len(recent.new) + len(recent.old) for recent in recents) <= 1_000
    one = engine.find("e0")
    assert one.recall_key("key 399", None, None, None) is not None
    assert one.recall_key("key 100", None, None, None) is None
    for number in range(1, 5):
        engine.forget(engine.find(f"e{number}").id)
    assert engine.room.half == 500  # what is left has all of it
    assert Engine(engine.store, room=Room(1_000)).room.half == 100  # all five are read again
