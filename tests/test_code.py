"""Keys follow the code that runs: a file edited and loaded again, helpers, classes without a text."""

import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import SHIPPED
from robandit.executor import Threads
from robandit.lab.scenario import Scenario
from robandit.redteam.evaluate import Evaluator, Play
from robandit.sources import load_module, syntax
from robandit.store.code import code_hash
from robandit.store.journal import Journal
from robandit.study.run import play_cells, play_there
from robandit.study.spec import read_study
from tests.support import OWN_POLICY

ENVIRONMENT = rb.Bernoulli((0.2, 0.8))


def regret(policy: Any) -> float:
    return float(rb.simulate(policy, ENVIRONMENT, horizon=50, runs=1).regret[0, -1])


def test_a_file_edited_and_loaded_again_is_other_code_with_another_key(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    found = []
    for text in (OWN_POLICY.format(arm=0), OWN_POLICY.format(arm=1), OWN_POLICY.format(arm=0)):
        file.write_text(text)  # the same length, within the same second: no clock tells them apart
        policy = SHIPPED.with_file(str(file)).policy("own")
        found.append((code_hash(policy), regret(policy)))
    assert found[0] == found[2]
    assert found[0][0] != found[1][0]
    assert [round(value) for _, value in found] == [30, 0, 30]


def test_words_about_the_code_do_not_count_and_the_same_text_is_the_same_module(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN_POLICY.format(arm=0))
    first = SHIPPED.with_file(str(file))
    assert SHIPPED.with_file(str(file)) == first.with_file(str(file)) == first
    described = OWN_POLICY.format(arm=0).replace("(self, setting):", '(self, setting):\n        """Words."""')
    file.write_text('"""What it is."""\n# a comment\n' + described)
    second = SHIPPED.with_file(str(file))
    assert second != first
    assert code_hash(second.policy("own")) == code_hash(first.policy("own"))


def test_a_helper_edited_since_is_loaded_again_and_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    file, helper = tmp_path / "own.py", tmp_path / "helper_of_own.py"
    file.write_text("import helper_of_own\n" + OWN_POLICY.format(arm="helper_of_own.ARM"))
    made = []
    for arm in (0, 1):
        helper.write_text(f"ARM = {arm}\n")
        made.append(SHIPPED.with_file(str(file)).policy("own"))
    assert code_hash(made[0]) != code_hash(made[1])
    assert [round(regret(policy)) for policy in made] == [30, 0]  # who holds the old one keeps the old one
    sys.modules.pop("helper_of_own")


def executed(rate: str) -> Any:
    """A policy whose text nobody can read, as in a notebook."""
    space: dict[str, Any] = {"__name__": "__main__"}
    source = OWN_POLICY.format(arm=0).replace("probabilities = np.zeros", f"probabilities = {rate} * np.zeros")
    exec(source.replace("rb.Policy[State]", "rb.Policy"), space)
    return space["Own"]()


def test_a_class_without_a_text_is_known_by_its_bytecode(tmp_path: Path) -> None:
    assert code_hash(executed("1.0")) == code_hash(executed("1.0")) != code_hash(executed("2.0"))
    scenario = Scenario(executed("1.0"), ENVIRONMENT, horizon=50)
    told = Evaluator(scenario, Journal(tmp_path / "kept.jsonl")).outcome(Play(None, 0.0, 1, 2))
    assert told["best_share"] == [0.0, 0.0]


def test_the_code_of_a_base_class_counts(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'import robandit as rb\nclass Mine(rb.Samba):\n    about = rb.About("mine", "samba by another name")\n'
    )
    mine = SHIPPED.with_file(str(tmp_path / "mine.py")).policy("mine")
    plain = code_hash(mine)
    samba = sys.modules["robandit.policies.samba"]
    from robandit import sources
    from robandit.store import code

    text = sources.text_of(samba)
    try:
        sources._TEXTS[samba] = f"{text}\nEDITED = True\n"
        code.hash_of.cache_clear()
        assert code_hash(mine) != plain
    finally:
        sources._TEXTS[samba] = text
        code.hash_of.cache_clear()


def test_two_studies_with_parts_of_the_same_name_do_not_meet(tmp_path: Path) -> None:
    """Both are read before either is played; each plays its own part under its own keys."""
    studies = []
    for name, arm in (("one", 0), ("two", 1)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "own.py").write_text(OWN_POLICY.format(arm=arm))
        spec = 'name="same"\nload=["own.py"]\n[[grid]]\nid="g"\npolicies="own"\nmeans=[0.2, 0.8]\nhorizons=50\nruns=1\n'
        (folder / "spec.toml").write_text(spec)
        studies.append(read_study(folder / "spec.toml"))
    keys = [next(iter(study.cells())) for study in studies]
    assert keys[0] != keys[1]
    from robandit.store.cells import ResultStore

    for study, key, best in zip(studies, keys, (0, 50), strict=True):
        store = ResultStore(tmp_path / f"out-{best}")
        assert play_cells(Threads(1), study.cells(), store, lambda *_: None, study.catalogue) == []
        trace = store.load(key)
        assert trace is not None
        assert trace.pulls[0, 1] == best
    with pytest.raises(rb.InputError, match="policy 'own' is the name of one of another file"):
        studies[0].catalogue.with_file(str(tmp_path / "two" / "own.py"))
    with pytest.raises(rb.InputError, match="policy 'own' is unknown"):
        rb.policy("own")


def test_a_worker_with_other_code_refuses_in_one_sentence() -> None:
    from dataclasses import asdict

    from tests.test_store import CELL

    with pytest.raises(rb.InputError, match=r"runs other code than the client: with robandit .* restart the workers"):
        play_there(asdict(CELL), [], "0" * 32)
    assert play_there(asdict(CELL), [], CELL.key())[0].startswith(b"PAR1")


def test_what_is_no_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rb.InputError, match="must name a Python file"):
        load_module(str(tmp_path))
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(rb.InputError, match="ZeroDivisionError"):
        load_module(str(tmp_path / "broken.py"))
    assert not [name for name in sys.modules if name.endswith("_broken")]
    assert np.isfinite(regret(rb.Samba()))


def test_threads_may_read_code_at_once() -> None:
    """CPython 3.11 mixes up the depths of two trees if garbage is collected in the middle of one of them."""
    ours = Path(rb.__file__).parent
    texts = [path.read_text() for path in sorted(ours.rglob("*.py"))[:40]]

    def let_others_in(*_: Any) -> None:
        time.sleep(0)

    usual = gc.get_threshold()
    gc.callbacks.append(let_others_in)
    gc.set_threshold(50)
    syntax.cache_clear()
    try:
        with ThreadPoolExecutor(4) as pool:
            assert len(list(pool.map(syntax, texts))) == len(texts)
    finally:
        gc.set_threshold(*usual)
        gc.callbacks.remove(let_others_in)
