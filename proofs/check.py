"""`make proofs`: compiles every proof afresh, prints what is proved, accepts no axiom but those of the reals."""

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
OUR_IMPORTS = re.compile(r"^Require Import ([\w ]+)\.$", re.MULTILINE)

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


class ProofError(Exception):
    """A proof does not hold, or rests on something else."""


def without_comments(text: str) -> str:
    """Returns the text without Coq's comments; they are nested, so the innermost go first."""
    while text != (text := re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", " ", text, flags=re.DOTALL)):
        pass
    return text


def check_for_holes(folder: Path) -> None:
    """Raises ProofError for a file that leaves a proof open or postulates anything, used or not."""
    for file in sorted(folder.glob("*.v")):
        hole = UNPROVED.search(without_comments(file.read_text()))
        if hole:
            raise ProofError(f"{file.name} says {hole.group()}: every lemma must be proved")
        check_assumptions(file)


def check_assumptions(file: Path) -> None:
    """Raises ProofError for an assumption outside a section, an axiom; inside it is a premise of what is proved."""
    sections: list[str] = []
    for sentence in re.split(r"\.(?=\s|$)", without_comments(file.read_text())):
        sentence = " ".join(sentence.split()).lstrip("-+*{} ")
        if opened := OPENS.match(sentence):
            sections.append(opened[1])
        elif (ended := ENDS.match(sentence)) and ended[1] in sections:
            sections.remove(ended[1])
        elif not sections and (assumed := ASSUMED.match(sentence)):
            raise ProofError(f"{file.name} says {assumed[1]} outside a section, which is an axiom: {sentence[:60]}")


def check_statements(text: str) -> None:
    """Raises ProofError if Theorems.v states something as proved whose axioms it does not ask for."""
    text = without_comments(text)
    audited = set(re.findall(r"@([\w.']+)", text.partition("Definition everything")[2]))
    for name in re.findall(r"^\s*Check\s+@?([\w.']+)\.", text, re.MULTILINE):
        if name not in audited:
            raise ProofError(f"Theorems.v shows {name}, and does not ask on which axioms it rests")


def check_with_coqchk(folder: Path) -> None:
    """Has Coq's own checker read what was compiled, by other code. Raises ProofError for any axiom, used or not."""
    command = ["coqchk", "-silent", "-o", "-R", ".", "robandit", f"robandit.{WHOLE}"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    axioms = parse_axioms(done.stdout)
    if done.returncode or axioms is None:
        raise ProofError(f"coqchk does not agree:\n{done.stdout}")
    if other := {name for name in axioms if not is_of_coq(name)}:
        raise ProofError(f"coqchk finds the axioms {', '.join(sorted(other))}, which are not of the real numbers")


def parse_axioms(output: str) -> set[str] | None:
    """Returns the axioms in what coqchk prints, None where it lists none."""
    listed = re.search(r"^\* Axioms:(.*?)^\* ", output, re.DOTALL | re.MULTILINE)
    return None if listed is None else set(listed[1].split())


def is_of_coq(name: str) -> bool:
    """Whether an axiom, by its full name, is one of Coq's real numbers."""
    return any(name == axiom or name.endswith(f".{axiom}") for axiom in OF_THE_REALS) and name.startswith("Coq.")


def sort_files(folder: Path) -> list[str]:
    """Returns the files of a folder in the order in which they need each other."""
    names = sorted(file.name for file in folder.glob("*.v"))
    sort = ["coqdep", *OPTIONS[3:], "-sort", *names]
    order = subprocess.run(sort, cwd=folder, check=True, capture_output=True, text=True).stdout.split()
    return [Path(name).stem for name in order]


def coq(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["coqc", *OPTIONS, name], cwd=folder, capture_output=True, text=True)


def compile_in(folder: Path, files: dict[str, str]) -> str:
    """Compiles each file as a module of its name, all in one process: loading the reals takes longer than most files.

    Returns what the last file, the statements, prints. Raises ProofError where one does not compile.
    """
    loaded = {name: OUR_IMPORTS.sub(r"Import \1.", text) for name, text in files.items()}
    modules = [f"Module {name}. {text}\nEnd {name}.\n" for name, text in loaded.items()]
    (folder / f"{WHOLE}.v").write_text("".join(modules))
    done = coq(folder, f"{WHOLE}.v")
    if done.returncode:
        line = re.search(r"line (\d+), characters", done.stderr)
        raise ProofError(
            f"{place(modules, int(line[1])) if line else 'Coq'} does not compile:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def place(modules: list[str], line: int) -> str:
    """Returns the file, and its own line, of a line of them all."""
    for module in modules:
        if line <= (lines := module.count("\n")):
            break
        line -= lines
    return f"{module.split()[1]}v, line {line},"


def read_axioms(output: str) -> set[str]:
    """Returns the axioms everything rests on, from what Coq printed last. Raises ProofError for any other."""
    _, heading, listed = output.partition("\nAxioms:\n")
    if not heading:
        raise ProofError(f"Coq did not say on which axioms the theorems rest: {output!r}")
    axioms = {line.split(" ")[0] for line in listed.splitlines() if line[:1].strip()}
    if other := axioms - OF_THE_REALS:
        raise ProofError(f"the theorems rest on {', '.join(sorted(other))}, which is not an axiom of the real numbers")
    return axioms


def check(source: Path, into: Path) -> tuple[str, set[str]]:
    """Compiles every proof of `source` in the fresh folder `into`; returns what is stated, and the axioms."""
    check_for_holes(source)
    if (source / "Theorems.v").exists():
        check_statements((source / "Theorems.v").read_text())
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    output = compile_in(into, {name: (source / f"{name}.v").read_text() for name in sort_files(source)})
    return output.partition("\nAxioms:\n")[0], read_axioms(output)


def main(into: str = "out/proofs") -> int:
    if shutil.which("coqc") is None:
        print(NO_COQ, file=sys.stderr)
        return 1
    began = time.perf_counter()
    try:
        stated, axioms = check(HERE, Path(into))
        check_with_coqchk(Path(into))
    except ProofError as error:
        print(f"Refused: {error}", file=sys.stderr)
        return 1
    print(stated)
    print("Axioms, all of them of Coq's real numbers:", *sorted(axioms), sep="\n  ")
    print(f"Proved, without an admitted lemma, and read again by coqchk, in {time.perf_counter() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
