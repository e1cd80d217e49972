"""The machine-checked theorems: they hold, they need what they say they need, and they speak of the rule that runs."""

import itertools
import re
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import robandit as rb
from proofs import check
from robandit.policies.samba import SambaState
from tests.support import stream

PROOFS = Path(check.__file__).parent
needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason=check.NO_COQ)
Outcomes = tuple[tuple[int, Fraction], ...]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, set[str]]:
    """Every proof compiled: where, what was stated, on which axioms."""
    folder = tmp_path_factory.mktemp("proofs") / "built"
    return folder, *check.check(PROOFS, folder)


@needs_coq
def test_every_proof_holds_on_the_axioms_of_the_reals_alone(checked: tuple[Path, str, set[str]]) -> None:
    _, stated, axioms = checked
    upper = ("theorem_1", "theorem_1_sharp", "theorem_3", "theorem_3_budget", "theorem_4", "theorem_4_budget")
    for theorem in (*upper, "least_price", "order_of_K", "two_arms_struck", "learned_agrees"):
        assert re.search(rf"^{theorem}\n", stated, re.MULTILINE)
    assert axioms
    assert axioms <= check.OF_THE_REALS


@needs_coq
@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("TwoArms.v", "small_step : alpha * (r1 + r2) <= gap"),
        ("ManyArms.v", "small_step : alpha * (K * r2 + gap) <= gap"),
        ("EveryStep.v", "admissible : alpha * r2 < gap"),
    ],
)
def test_with_a_free_step_the_proof_breaks(checked: tuple[Path, str, set[str]], name: str, condition: str) -> None:
    text = (PROOFS / name).read_text()
    assert text.count(f"Hypothesis {condition}.") == 1
    free = text.replace(condition, condition.split(":")[0] + ": True")
    (checked[0] / f"Free{name}").write_text(check.OUR_IMPORTS.sub(r"Require Import All. Import \1.", free))
    broken = check.coq(checked[0], f"Free{name}")
    assert broken.returncode != 0
    line, start, end = map(int, re.search(r"line (\d+), characters (\d+)-(\d+)", broken.stderr).groups())
    assert text.splitlines()[line - 1][start:end].endswith("lra")  # it is the arithmetic that fails, and not a name


@needs_coq
@pytest.mark.parametrize(
    ("definition", "stronger"),
    [
        ("Definition u : R := (K - 1) * (", "Definition u : R := (11 / 10) * (K - 1) * ("),
        ("+ alpha * gap / (1 - alpha) +", "+ 9 / 10 * alpha * gap / (1 - alpha) +"),
    ],
)
def test_a_tenth_more_of_the_lower_bound_is_not_proved(
    checked: tuple[Path, str, set[str]], definition: str, stronger: str
) -> None:
    text = (PROOFS / "ManyRivals.v").read_text()
    assert text.count(definition) == 1
    changed = text.replace(definition, stronger)
    (checked[0] / "Stronger.v").write_text(check.OUR_IMPORTS.sub(r"Require Import All. Import \1.", changed))
    broken = check.coq(checked[0], "Stronger.v")
    assert broken.returncode != 0
    line, start, end = map(int, re.search(r"line (\d+), characters (\d+)-(\d+)", broken.stderr).groups())
    assert changed.splitlines()[line - 1][start:end] == "lra"  # where the two drifts are bounded by u and v


@pytest.mark.parametrize("hole", ["Lemma open : 1 = 2. Admitted.", "Axiom luck : 1 = 2.", "Proof. admit. Qed."])
def test_a_hole_is_refused(tmp_path: Path, hole: str) -> None:
    (tmp_path / "Fine.v").write_text(f"(* (* {hole} *) *) Lemma fine : 1 = 1. Proof. reflexivity. Qed.\n")
    check.check_for_holes(tmp_path)
    (tmp_path / "Hole.v").write_text(hole)
    with pytest.raises(check.ProofError, match=r"Hole\.v says"):
        check.check_for_holes(tmp_path)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Hypothesis cheat : 1 = 0.", "Hypothesis"),
        ("Section Empty.\nEnd Empty.\nVariable cheat : 1 = 0.", "Variable"),
        ("#[local] Context (cheat : 1 = 0).", "Context"),
        ("Section A. Variable x : nat. End A. Local Hypotheses cheat other : 1 = 0.", "Hypotheses"),
    ],
)
def test_an_assumption_outside_a_section_is_an_axiom_and_refused(tmp_path: Path, said: str, word: str) -> None:
    """The very change that once passed: a false premise at the end of TwoArms.v, and a theorem drawn from it."""
    for file in PROOFS.glob("*.v"):
        shutil.copy(file, tmp_path / file.name)
    check.check_for_holes(tmp_path)
    with (tmp_path / "TwoArms.v").open("a") as file:
        file.write(f"\n{said}\nTheorem false_theorem : 2 = 0. Proof. lra. Qed.\n")
    with pytest.raises(check.ProofError, match=rf"TwoArms\.v says {word} outside a section"):
        check.check_for_holes(tmp_path)


def test_a_theorem_that_is_shown_but_not_asked_for_its_axioms_is_refused() -> None:
    text = (PROOFS / "Theorems.v").read_text()
    check.check_statements(text)
    with pytest.raises(check.ProofError, match=r"shows TwoArms\.cheat,"):
        check.check_statements(text.replace("Definition everything", "Check TwoArms.cheat.\nDefinition everything"))


def test_axioms_that_coqchk_finds_are_told_apart() -> None:
    output = (
        "* Axioms:\n    Coq.Logic.Classical_Prop.classic\n    robandit.All.TwoArms.cheat\n  \n* Constants: <none>\n"
    )
    assert check.parse_axioms(output) == {"Coq.Logic.Classical_Prop.classic", "robandit.All.TwoArms.cheat"}
    assert check.parse_axioms("") is None
    assert check.is_of_coq("Coq.Logic.Classical_Prop.classic")
    assert not check.is_of_coq("robandit.All.TwoArms.cheat")
    assert not check.is_of_coq("robandit.All.Classical_Prop.classic")


@needs_coq
def test_a_proof_that_does_not_hold_is_refused_by_its_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "Wrong.v").write_text(
        "Require Import Fine.\n(* nothing *)\nLemma wrong : 1 = 2.\nProof. exact fine. Qed.\n"
    )
    (tmp_path / "Fine.v").write_text("Lemma fine : 1 = 1.\nProof. reflexivity. Qed.\n")
    with pytest.raises(check.ProofError, match=r"^Wrong\.v, line 4, does not compile:\n"):
        check.check(tmp_path, tmp_path / "built")


def test_another_axiom_is_refused() -> None:
    output = "theorem\n     : 1 = 1\nAxioms:\nClassical_Prop.classic : forall P : Prop,\n  P \\/ ~ P\n"
    assert check.read_axioms(output) == {"Classical_Prop.classic"}
    with pytest.raises(check.ProofError, match=r"rest on Else\.luck,"):
        check.read_axioms(output + "Else.luck : 1 = 2\n")
    with pytest.raises(check.ProofError, match="did not say"):
        check.read_axioms("theorem\n     : 1 = 1\n")


def naive_step(p: list[Fraction], arm: int, reward: Fraction, alpha: Fraction) -> list[Fraction]:
    """Algorithm 1 as it is printed: p_a + alpha p_a^2 (R_a I_a / p_a - R_l I_l / p_l), the rest to the leader."""
    leader = p.index(max(p))
    paid = [reward / p[a] if a == arm else Fraction(0) for a in range(len(p))]
    new = [p[a] + alpha * p[a] ** 2 * (paid[a] - paid[leader]) for a in range(len(p))]
    new[leader] = 1 - sum(new[:leader] + new[leader + 1 :])
    return new


def naive_play(arms: int, alpha: Fraction, outcomes: Outcomes) -> list[Fraction]:
    p = [Fraction(1, arms)] * arms
    for arm, reward in outcomes:
        p = naive_step(p, arm, reward, alpha)
    return p


def enumerated() -> Iterator[tuple[int, Fraction, Outcomes]]:
    """Every sequence of pulls and rewards: four rounds of two arms, three of three, two of five."""
    for arms, rounds, alpha in ((2, 4, Fraction(1, 20)), (3, 3, Fraction(2, 7)), (5, 2, Fraction(9, 10))):
        rewards = (Fraction(1), Fraction(1, 3))
        for outcomes in itertools.product(itertools.product(range(arms), rewards), repeat=rounds):
            yield arms, alpha, outcomes


def test_the_policy_plays_the_rule_of_algorithm_1() -> None:
    """Within a few roundings: at most four steps, each of a dozen operations on numbers below one."""
    for arms, alpha, outcomes in enumerated():
        policy = rb.Samba(float(alpha))
        state = SambaState(np.full(arms, 1 / arms))
        for arm, reward in outcomes:
            policy.learn(state, rb.Choice(arm, state.probabilities[arm], 0), float(reward), stream(0))
        exact = [float(x) for x in naive_play(arms, alpha, outcomes)]
        assert np.abs(state.probabilities - exact).max() < 100 * np.finfo(float).eps, (arms, outcomes)


@needs_coq
def test_the_theorems_speak_of_the_rule_of_algorithm_1(checked: tuple[Path, str, set[str]]) -> None:
    """The definition of Samba.v over the rationals, run by Coq, gives the same fractions, every one."""
    cases = list(enumerated())
    lines = [
        f"play {arms} ({alpha.numerator} # {alpha.denominator}) "
        f"[{'; '.join(f'({arm}%nat, {reward.numerator} # {reward.denominator})' for arm, reward in outcomes)}]"
        for arms, alpha, outcomes in cases
    ]
    (checked[0] / "Run.v").write_text(
        "From Coq Require Import List QArith.\nRequire Import All.\nImport Rationals ListNotations.\n"
        + "Open Scope Q_scope.\nEval vm_compute in ["
        + ";\n".join(lines)
        + "].\n"
    )
    done = check.coq(checked[0], "Run.v")
    assert done.returncode == 0, done.stderr
    numbers = [int(word) for word in re.findall(r"-?\d+", done.stdout)]
    played = [Fraction(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
    wanted = [x for arms, alpha, outcomes in cases for x in naive_play(arms, alpha, outcomes)]
    assert len(cases) == 256 + 216 + 100
    assert played == wanted


def test_every_lemma_the_page_names_exists() -> None:
    docs = PROOFS.parent / "docs"
    page = (docs / "proofs.md").read_text() + (docs / "proofs-lower.md").read_text()
    named = set(re.findall(r"`([A-Z]\w+)\.([\w']+)`", page)) - {("TwoArms", "v"), ("ManyRivals", "v")}
    assert len(named) > 50
    for file, name in sorted(named):
        text = (PROOFS / f"{file}.v").read_text()
        kinds = "Lemma|Theorem|Corollary|Example|Definition|Fixpoint|Record"
        assert re.search(rf"^(?:{kinds}) {re.escape(name)}\b", text, re.MULTILINE), f"{file}.{name}"
