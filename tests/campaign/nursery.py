"""`python -m tests.campaign.nursery WORDS`: for each line of the input, `robandit WORDS` forked from here, to its end.

Everything is loaded once, so that a restart costs milliseconds instead of seconds. It prints the pid of each process,
lets it print what it has to say, and prints its exit code.
"""

import os
import sys

from robandit.cli.main import main as robandit
from robandit.service import messages, serve
from robandit.service.engine import Engine
from robandit.service.stores import postgres, sqlite
from robandit.service.stores.memory import MemoryStore
from tests.campaign.clients import EXPERIMENTS

LOADED = (serve, postgres, sqlite)


def run_to_its_end(words: list[str]) -> int:
    """Run one process; returns its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = robandit(words)
        finally:
            sys.stdout.flush()
            os._exit(code)
    print(f"pid {child}", flush=True)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    engine = Engine(MemoryStore())
    for new in EXPERIMENTS:
        engine.create(messages.NewExperiment(new["name"], new["arms"], new["policy"]))  # loads the policies
    for _ in sys.stdin:
        print(f"exit {run_to_its_end(sys.argv[1:])}", flush=True)
