"""`make proofs`: compiles every proof from nothing, prints what is proved, refuses any axiom but those of the reals."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS = ("-q", "-R", ".", "robandit")
NO_COQ = "The proofs need Coq: install it first (on Debian and Ubuntu: apt-get install coq)."
STATEMENTS = "Theorems.v"  # states every theorem, then prints what each rests on

# what Coq's own construction of the real numbers rests on
OF_THE_REALS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
UNPROVED = re.compile(r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Declare|Unset|bypass_check)\b")


class Refused(Exception):
    """A proof that does not hold, or rests on something else."""


def without_comments(text: str) -> str:
    """Coq's comments are nested: the innermost go first."""
    while text != (text := re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", " ", text, flags=re.DOTALL)):
        pass
    return text


def look_for_holes(folder: Path) -> None:
    """No file may leave a proof open or postulate anything, used or not."""
    for file in sorted(folder.glob("*.v")):
        found = UNPROVED.search(without_comments(file.read_text()))
        if found:
            raise Refused(f"{file.name} says {found.group()}: every lemma must be proved")


def compile_in(folder: Path) -> str:
    """Compiles the files of a folder in the order they need each other; what the statements' file prints."""
    names = sorted(file.name for file in folder.glob("*.v"))
    sort = ["coqdep", *OPTIONS[1:], "-sort", *names]
    order = subprocess.run(sort, cwd=folder, check=True, capture_output=True, text=True).stdout.split()
    told = ""
    for name in order:
        done = subprocess.run(["coqc", *OPTIONS, name], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise Refused(f"{name} does not compile:\n{done.stdout}{done.stderr}")
        if Path(name).name == STATEMENTS:
            told = done.stdout
    return told


def look_at_axioms(told: str) -> set[str]:
    """The axioms everything rests on, out of what Coq printed last."""
    _, found, listed = told.partition("\nAxioms:\n")
    if not found:
        raise Refused(f"Coq did not say on which axioms the theorems rest: {told!r}")
    axioms = {line.split(" ")[0] for line in listed.splitlines() if line[:1].strip()}
    if other := axioms - OF_THE_REALS:
        raise Refused(f"the theorems rest on {', '.join(sorted(other))}, which is not an axiom of the real numbers")
    return axioms


def check(source: Path, into: Path) -> tuple[str, set[str]]:
    """Every proof in `source`, compiled in the fresh folder `into`: what is stated, and the axioms."""
    look_for_holes(source)
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for file in source.glob("*.v"):
        shutil.copy(file, into)
    told = compile_in(into)
    axioms = look_at_axioms(told)
    return told.partition("\nAxioms:\n")[0], axioms


def main(into: str = "out/proofs") -> int:
    if shutil.which("coqc") is None:
        print(NO_COQ, file=sys.stderr)
        return 1
    began = time.perf_counter()
    try:
        stated, axioms = check(HERE, Path(into))
    except Refused as refused:
        print(f"Refused: {refused}", file=sys.stderr)
        return 1
    print(stated)
    print("Axioms, all of them of Coq's real numbers:", *sorted(axioms), sep="\n  ")
    print(f"Proved, without an admitted lemma, in {time.perf_counter() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
