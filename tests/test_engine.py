"""The engine behind the kernels: layout in memory, names that do not clash, a cache many may use at once, two roads."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import shipped
from robandit.conformance.law import require_same_play
from robandit.errors import CompileError, PlayError
from robandit.lab.compile import cache, functions, kernel
from robandit.lab.compile.memory import block_of, measure, places, read_scalars
from robandit.lab.log import Log, replay_log
from robandit.lab.runner import prepare
from robandit.layout import layout_of
from robandit.state import save_values
from tests.rings import play

ENVIRONMENT = rb.Bernoulli([0.2, 0.5, 0.8])


@dataclass
class Inner:
    flag: bool
    word: int
    other: bool
    beside: bool


@dataclass
class Mixed:
    """Everything a state may hold, in an order that needs padding."""

    first: bool
    next: bool
    probabilities: np.ndarray
    inner: Inner
    second: bool
    number: float
    table: np.ndarray
    third: bool


def mixed() -> Mixed:
    return Mixed(
        True, False, np.arange(3.0), Inner(False, -7, True, False), True, 0.25, np.ones((2, 3), np.int64), False
    )


def test_memory_is_laid_out_as_llvm_lays_it_out() -> None:
    """Our offsets and sizes against those of LLVM's own target, for the struct that opened objects are."""
    from llvmlite import binding, ir
    from numba.core.registry import cpu_target

    from robandit.lab.compile.link import machine
    from robandit.lab.compile.opened import opened_type

    for value in (mixed(), *(make().start(rb.Setting(3, 100)) for make in shipped("policy").values())):
        layout = layout_of(value)
        struct = opened_type(layout, False).struct(cpu_target.target_context)
        module = ir.Module()
        ir.GlobalVariable(module, struct, "it").initializer = ir.Constant(struct, None)
        kind = binding.parse_assembly(str(module)).get_global_variable("it").global_value_type
        target = machine().target_data
        assert target.get_abi_size(kind) == measure(layout)[0], type(value)
        offsets = [target.get_element_offset(kind, place) for place in range(len(layout.items))]
        assert offsets == [place for _, _, place in places(layout)], type(value)


def test_scalars_come_back_from_memory() -> None:
    value = mixed()
    block = block_of(value, layout_of(value))
    other = Mixed(False, True, value.probabilities, Inner(True, 0, False, True), False, 0.0, value.table, True)
    read_scalars(block, other, layout_of(other))
    for name in ("first", "next", "inner", "second", "number", "third"):
        assert getattr(other, name) == getattr(value, name), name


CLASH = """
from dataclasses import dataclass
import numpy as np
import robandit as rb

def argmax(values):
    return {arm}

@dataclass
class State:
    probabilities: np.ndarray
    inner: object = None

@dataclass(frozen=True)
class Samba(rb.Policy[State]):
    about = rb.About(name="{name}", summary="same names, other code")
    {inner}

    def start(self, setting):
        return State(np.full(setting.arms, 1 / setting.arms){start})

    def learn(self, state, choice, reward, random):
        {learn}
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] = 1.0 if arm == argmax(state.probabilities) else 0.0
"""


def test_names_do_not_clash(tmp_path: Path) -> None:
    """Two classes of one name with helpers of one name, one inside the other, in one kernel."""
    plain = CLASH.format(arm=1, name="plain", inner="", start="", learn="")
    wrapper = CLASH.format(
        arm=0,
        name="wrapper",
        inner="inside: rb.Policy = None",
        start=", self.inside.start(setting)",
        learn="self.inside.learn(state.inner, choice, reward, random)",
    ).replace("inner: object = None", "inner: object")
    (tmp_path / "one.py").write_text(plain)
    (tmp_path / "two.py").write_text(wrapper)
    own = rb.Catalogue().with_file(str(tmp_path / "one.py")).with_file(str(tmp_path / "two.py"))
    policy = own.policy("wrapper:inside=(plain)")
    runner = prepare(rb.Scenario(policy, ENVIRONMENT, horizon=50, runs=1), 5)
    call = runner.play_compiled(slice(0, 1))
    assert call.road == "linked"
    assert call.parts.state.probabilities.tolist() == [1.0, 0.0, 0.0]
    assert call.parts.state.inner.probabilities.tolist() == [0.0, 1.0, 0.0]


FOLD = """
import json, sys
import robandit as rb
from robandit.lab.compile import kernel
log = rb.Log([0, 1, 2, 1, 2, 2] * 50, [1 / 3] * 300, [0.0, 1.0, 0.5, 0.0, 1.0, 1.0] * 50)
state = rb.replay_log(rb.policy("samba"), log, arms=3, horizon=400)
roads = [one.road for one in kernel._KERNELS.values()]
print(json.dumps([state.probabilities.tolist(), roads, kernel.built(), "numba" in sys.modules]))
"""  # the smallest loop


def start(folder: Path) -> Any:
    words = [sys.executable, "-c", FOLD]
    env = {**os.environ, "ROBANDIT_CACHE": str(folder)}
    return subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(process: Any) -> Any:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def test_many_processes_may_fill_one_cache_and_what_is_found_needs_no_numba(tmp_path: Path) -> None:
    cold = [answer(process) for process in [start(tmp_path), start(tmp_path)]]
    assert any(told[3] for told in cold)
    assert cold[0][0] == cold[1][0]
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert answer(start(tmp_path)) == [cold[0][0], ["linked"], [0, 1], False]


def test_a_short_play_is_not_optimised_and_has_the_same_bits(
    tmp_path: Path, pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROBANDIT_CACHE", str(pieces))

    def play(horizon: int = 400, engine: str = "rounds") -> Any:
        monkeypatch.setattr(kernel, "_KERNELS", {})
        trace = rb.simulate(rb.policy("samba"), ENVIRONMENT, horizon=horizon, runs=3, threads=1, engine=engine)
        objects = sorted(path.name.partition(".")[2] for path in pieces.glob("*.o"))
        return trace.regret.tolist(), objects, kernel.built()

    brief = play()
    assert brief[1:] == (["brief.o"], (1, 0))
    assert play()[1:] == (["brief.o"], (0, 1))
    assert play(120_000)[1:] == (["brief.o", "o"], (1, 0))
    next(pieces.glob("*.brief.o")).unlink()
    full = play()  # the optimised kernel is there: nothing is made
    assert full[1:] == (["o"], (0, 1))
    assert brief[0] == full[0] == play(engine="plain")[0]


def test_where_short_plays_go_on_the_optimised_kernel_is_made(pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBANDIT_CACHE", str(pieces))
    monkeypatch.setattr(kernel, "_KERNELS", {})
    monkeypatch.setattr(kernel, "PATIENCE", 0.01)  # of a brief kernel's own time; the first play takes far less
    made, regrets = [], []
    for horizon in (400, 80_000, 400, 400):
        trace = rb.simulate(rb.policy("samba"), ENVIRONMENT, horizon=horizon, runs=4, threads=1)
        made.append(kernel.built()[0])
        regrets.append(trace.regret.tolist())
    assert (made[0], made[2:]) == (1, [2, 2])
    assert regrets[0] == regrets[2] == regrets[3]


def test_a_damaged_cache_is_made_anew(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play() -> tuple[Any, tuple[int, int]]:
        monkeypatch.setattr(kernel, "_KERNELS", {})
        return save_values(replay_log(rb.policy("exp3"), log, arms=3, horizon=400)), kernel.built()

    log = Log(np.arange(300) % 3, np.full(300, 1 / 3), np.linspace(0.0, 1.0, 300))  # the smallest loop
    first, random = play(), np.random.default_rng(1)
    assert first[1] == (1, 0)
    assert play() == (first[0], (0, 1))
    for path in kernel_cache.iterdir():
        content = bytearray(path.read_bytes())
        content[int(random.integers(len(content)))] ^= 1 << int(random.integers(8))
        path.write_bytes(content)
    assert play() == first
    for path in kernel_cache.iterdir():
        path.write_bytes(path.read_bytes()[:-7])
    assert play() == first


def test_many_threads_may_build_at_once(kernel_cache: Path) -> None:
    names = ["samba", "exp3", "uniform", "samba", "exp3", "uniform"]
    found: dict[int, Any] = {}

    def one(place: int) -> None:
        trace = rb.simulate(rb.policy(names[place]), ENVIRONMENT, horizon=300, runs=2, threads=1)
        found[place] = trace.regret[:, -1].tolist()

    threads = [threading.Thread(target=one, args=(place,)) for place in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[3]
    assert found[1] == found[4]
    assert found[2] == found[5]
    assert len(set(map(str, found.values()))) == 3


def test_the_cache_is_pruned_and_keeps_what_was_used_last(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 3)
    (kernel_cache / "kernel_of_the_other_road").mkdir(parents=True)
    (kernel_cache / "kernel_of_the_other_road" / "numba.nbc").write_bytes(b"content")
    os.utime(kernel_cache / "kernel_of_the_other_road", (0, 0))
    for number in range(5):
        cache.write_entry(f"{number}.o", b"content")
        os.utime(kernel_cache / f"{number}.o", (number, number))
        if number == 2:
            os.utime(kernel_cache / "0.o", (99, 99))
    assert sorted(path.name for path in kernel_cache.iterdir()) == ["0.o", "3.o", "4.o"]


def test_the_other_road_gives_the_same_bits(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numba's code generator had changed: nothing can be lowered, so numba compiles loop and parts as one.

    The loop of plays with a part inside another and no explicit p(t), a small one with a policy of epochs.
    """
    from robandit.lab.compile import lower

    def closed(*_: Any) -> bytes:
        raise NotImplementedError("numba's code generator has changed")

    for name in ("loop_bitcode", "part_bitcode"):
        monkeypatch.setattr(lower, name, closed)
    monkeypatch.setattr(kernel, "_KERNELS", {})
    adversary = rb.attack("invert", schedule="leading:theta=0.3", budget=10, size=0.4)

    scenario = rb.Scenario("floor:inner=(thompson)", ENVIRONMENT, adversary, horizon=300, runs=2, seed=7)
    require_same_play(lambda: prepare(scenario, 20), "the other road")
    assert prepare(scenario, 20).play_compiled(slice(0, 1)).road == "numba"
    phased = rb.policy("barbar:scale=1")
    log = play(phased, ENVIRONMENT.means, 300).table.log
    folded = [replay_log(phased, log, arms=3, horizon=300, engine=engine) for engine in ("rounds", "plain")]
    assert save_values(folded[0]) == save_values(folded[1])
    assert [built.road for built in kernel._KERNELS.values()] == ["numba"] * 2


def test_a_step_of_numba_that_is_gone_closes_the_road(monkeypatch: pytest.MonkeyPatch) -> None:
    from robandit.lab.compile import lower

    monkeypatch.delattr(lower.codegen.JITCPUCodegen, "set_env")
    with pytest.raises(NotImplementedError, match="no set_env any more"), lower.lazily():
        pass


@pytest.mark.parametrize("installed", ["0.67.2", "0.69.0", "1.0"])
def test_another_numba_is_one_sentence(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "version", lambda _: installed)
    kernel.check_versions.cache_clear()
    try:
        with pytest.raises(CompileError, match=f"{installed} is installed: engine plain plays without it"):
            kernel.check_versions()
    finally:
        kernel.check_versions.cache_clear()


def test_an_option_that_numba_drops_is_told_and_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    class Later:
        """The options of a numba that no longer knows _nrt."""

        forceinline = error_model = no_cpython_wrapper = no_cfunc_wrapper = None

    functions.is_option.cache_clear()
    try:
        assert all(functions.is_option(name) for name in functions.inlined(False))
        functions.is_option.cache_clear()
        monkeypatch.setattr(functions, "CPUTargetOptions", Later)
        with pytest.warns(RuntimeWarning, match="no longer knows the option _nrt"):
            assert "_nrt" not in functions.inlined(False)
    finally:
        functions.is_option.cache_clear()


OFFERED = """
import json, math, sys
from dataclasses import dataclass
import numpy as np
import robandit as rb

@dataclass
class State:
    probabilities: np.ndarray
    total: int = 0

@dataclass(frozen=True)
class Splitting(rb.Policy[State]):
    def start(self, setting):
        return State(np.full(setting.arms, 1 / setting.arms))

    def learn(self, state, choice, reward, random):
        state.total += math.frexp(reward + 0.3)[1]

trace = rb.simulate(Splitting(), rb.Bernoulli([0.2, 0.8]), horizon=300, runs=2, threads=1)
print(json.dumps([trace.regret[:, -1].tolist(), trace.road]))
"""


def test_what_numba_offers_is_there_when_a_kernel_is_found(tmp_path: Path, pieces: Path) -> None:
    """frexp is one of numba's own functions: a later process has it only if it imports numba for it."""
    (tmp_path / "script.py").write_text(OFFERED)
    words, env = (
        [sys.executable, str(tmp_path / "script.py")],
        {**os.environ, "ROBANDIT_CACHE": str(pieces)},
    )
    answers = [subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert json.loads(answers[0])[1] == "linked"
    assert answers[0] == answers[1]
    assert not list(pieces.glob("*.slow"))


@dataclass
class Count:
    probabilities: np.ndarray
    rounds: int = 0


@dataclass(frozen=True)
class TiresLate(rb.Policy[Count]):
    """Raises only after the checked rounds."""

    def start(self, setting: rb.Setting) -> Count:
        return Count(np.full(setting.arms, 1.0 / setting.arms))

    def learn(self, state: Count, choice: rb.Choice, reward: float, random: rb.Random) -> None:
        state.rounds += 1
        if state.rounds > 500:
            raise ValueError("tired")


def test_an_exception_in_compiled_code_is_one_sentence_and_plain_shows_where() -> None:
    with pytest.raises(PlayError, match=r"one of TiresLate, Bernoulli, Nobody raised .* engine plain shows where"):
        rb.simulate(TiresLate(), ENVIRONMENT, horizon=2000, runs=2)
    with pytest.raises(ValueError, match="tired"):
        rb.simulate(TiresLate(), ENVIRONMENT, horizon=2000, runs=2, engine="plain")
