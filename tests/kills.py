"""Kill a process that writes a journal, again and again: `python -m tests.kills FOLDER KILLS` answers what was lost.

Children are forked from this small process, so that a kill costs milliseconds. Every second time a torn line is put
behind what the child left, as a power cut would.
"""

import json
import os
import random
import select
import signal
import sys
import time
from pathlib import Path

import robandit as rb
from robandit.online.journal import parse_line, read_lines

ARMS = ["a", "b", "c"]
KILLS_A_FILE = 20  # so that reading it again stays cheap


def write_for_ever(path: Path, pipe: int) -> None:
    """Decide and learn, and say so only when a call has returned."""
    learner = rb.Learner("samba", ARMS, seed=3, journal=path)
    while True:
        decision = learner.decide()
        os.write(pipe, f"decide {decision.id} {decision.arm}\n".encode())
        if decision.id % 3:
            learner.learn(decision.id - decision.id % 2, 0.25, "user")
            os.write(pipe, f"reward {decision.id - decision.id % 2} 0.25\n".encode())


def killed_once(path: Path, after: float) -> list[str]:
    """What a child had acknowledged when it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            write_for_ever(path, writing)
        finally:
            os._exit(1)
    os.close(writing)
    said, ends, rest = b"", time.monotonic() + after, after
    while rest > 0 and select.select([reading], [], [], rest)[0]:
        said += (piece := os.read(reading, 65536))
        rest = ends - time.monotonic() if piece else 0
    os.kill(child, signal.SIGKILL)
    while piece := os.read(reading, 65536):
        said += piece
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise SystemExit("the child ended by itself")
    return said.decode().splitlines()[: said.count(b"\n")]


def known(path: Path) -> set[str]:
    """Every acknowledgement that the file backs."""
    found = set()
    for entry in (parse_line(line, path) for line in read_lines(path)):
        if entry.get("entry") == "decide":
            found.add(f"decide {entry['id']} {entry['arm']}")
        elif entry.get("entry") == "reward":
            found.add(f"reward {entry['id']} {entry['value']}")
    return found


def main(folder: Path, kills: int) -> dict[str, int]:
    """Kill, read, compare."""
    dice, told = random.Random(kills), {"kills": 0, "acknowledged": 0, "lost": 0, "torn": 0, "unreadable": 0}
    said: set[str] = set()
    rb.Learner("samba", ARMS)  # everything is loaded before the first fork
    for kill in range(kills):
        path = folder / f"journal {kill // KILLS_A_FILE}"
        said = said if kill % KILLS_A_FILE else set()
        new = killed_once(path, dice.uniform(0.0, 0.05))
        said |= set(new)
        told["kills"], told["acknowledged"] = told["kills"] + 1, told["acknowledged"] + len(new)
        if not path.exists():
            continue
        if kill % 2:
            torn = b'{"entry":"decide","id":%d,"arm":"a","chance":0.5}\t0123abcd' % kill
            with path.open("ab") as file:
                file.write(torn[: dice.randrange(1, len(torn))])
            told["torn"] += 1
        try:
            told["lost"] += len(said - known(path))
            if path.stat().st_size and next(read_lines(path), None):
                rb.Learner.open(path, read_only=True)
        except rb.InputError as error:
            print(error, file=sys.stderr)
            told["unreadable"] += 1
    return told


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
