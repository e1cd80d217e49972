"""`make proofs`: compiles every proof from nothing, prints what is proved, refuses any axiom but those of the reals."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS = ("-q", "-w", "-require-in-module", "-R", ".", "robandit")
NO_COQ = "The proofs need Coq: install it first (on Debian and Ubuntu: apt-get install coq)."
WHOLE = "All"  # every file, each a module
OF_OURS = re.compile(r"^Require Import ([\w ]+)\.$", re.MULTILINE)

# what Coq's own construction of the real numbers rests on
OF_THE_REALS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
ASSUMED = re.compile(r"^(?:#\[.*?\]\s*)?(?:(?:Local|Global|Polymorphic)\s+)*(Hypothes[ie]s|Variables?|Context)\b")
OPENS, ENDS = re.compile(r"^Section\s+(\w+)$"), re.compile(r"^End\s+(\w+)$")
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
        look_for_assumptions(file)


def look_for_assumptions(file: Path) -> None:
    """Inside a section an assumption becomes a premise of what is proved there; outside it would be an axiom."""
    sections: list[str] = []
    for sentence in re.split(r"\.(?=\s|$)", without_comments(file.read_text())):
        sentence = " ".join(sentence.split()).lstrip("-+*{} ")
        if opened := OPENS.match(sentence):
            sections.append(opened[1])
        elif (ended := ENDS.match(sentence)) and ended[1] in sections:
            sections.remove(ended[1])
        elif not sections and (assumed := ASSUMED.match(sentence)):
            raise Refused(f"{file.name} says {assumed[1]} outside a section, which is an axiom: {sentence[:60]}")


def look_at_statements(text: str) -> None:
    """What Theorems.v shows as proved must be among the things whose axioms it asks for."""
    text = without_comments(text)
    asked = set(re.findall(r"@([\w.']+)", text.partition("Definition everything")[2]))
    for name in re.findall(r"^\s*Check\s+@?([\w.']+)\.", text, re.MULTILINE):
        if name not in asked:
            raise Refused(f"Theorems.v shows {name}, and does not ask on which axioms it rests")


def look_again(folder: Path) -> None:
    """Coq's own checker reads what was compiled again, by other code, and names every axiom in it, used or not."""
    command = ["coqchk", "-silent", "-o", "-R", ".", "robandit", f"robandit.{WHOLE}"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    axioms = axioms_listed(done.stdout)
    if done.returncode or axioms is None:
        raise Refused(f"coqchk does not agree:\n{done.stdout}")
    if other := {name for name in axioms if not of_coq(name)}:
        raise Refused(f"coqchk finds the axioms {', '.join(sorted(other))}, which are not of the real numbers")


def axioms_listed(output: str) -> set[str] | None:
    """The axioms in what coqchk prints, None where it lists none."""
    listed = re.search(r"^\* Axioms:(.*?)^\* ", output, re.DOTALL | re.MULTILINE)
    return None if listed is None else set(listed[1].split())


def of_coq(name: str) -> bool:
    """Whether an axiom, by its full name, is one of Coq's real numbers."""
    return any(name == axiom or name.endswith(f".{axiom}") for axiom in OF_THE_REALS) and name.startswith("Coq.")


def in_order(folder: Path) -> list[str]:
    """The files of a folder in the order they need each other."""
    names = sorted(file.name for file in folder.glob("*.v"))
    sort = ["coqdep", *OPTIONS[3:], "-sort", *names]
    order = subprocess.run(sort, cwd=folder, check=True, capture_output=True, text=True).stdout.split()
    return [Path(name).stem for name in order]


def coq(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["coqc", *OPTIONS, name], cwd=folder, capture_output=True, text=True)


def compile_in(folder: Path, files: dict[str, str]) -> str:
    """
    Each file as a module of its name, all in one process, for loading the real numbers takes longer than most files;
    what the last, the statements, prints.
    """
    loaded = {name: OF_OURS.sub(r"Import \1.", text) for name, text in files.items()}
    modules = [f"Module {name}. {text}\nEnd {name}.\n" for name, text in loaded.items()]
    (folder / f"{WHOLE}.v").write_text("".join(modules))
    done = coq(folder, f"{WHOLE}.v")
    if done.returncode:
        line = re.search(r"line (\d+), characters", done.stderr)
        raise Refused(
            f"{place(modules, int(line[1])) if line else 'Coq'} does not compile:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def place(modules: list[str], line: int) -> str:
    """The file, and its own line, of a line of them all."""
    for module in modules:
        if line <= (lines := module.count("\n")):
            break
        line -= lines
    return f"{module.split()[1]}v, line {line},"


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
    if (source / "Theorems.v").exists():
        look_at_statements((source / "Theorems.v").read_text())
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    told = compile_in(into, {name: (source / f"{name}.v").read_text() for name in in_order(source)})
    axioms = look_at_axioms(told)
    return told.partition("\nAxioms:\n")[0], axioms


def main(into: str = "out/proofs") -> int:
    if shutil.which("coqc") is None:
        print(NO_COQ, file=sys.stderr)
        return 1
    began = time.perf_counter()
    try:
        stated, axioms = check(HERE, Path(into))
        look_again(Path(into))
    except Refused as refused:
        print(f"Refused: {refused}", file=sys.stderr)
        return 1
    print(stated)
    print("Axioms, all of them of Coq's real numbers:", *sorted(axioms), sep="\n  ")
    print(f"Proved, without an admitted lemma, and read again by coqchk, in {time.perf_counter() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
