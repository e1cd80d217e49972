"""A look at a journal, in a process of its own: what `robandit audit` tells, and which alarms ring for whom."""

import json
import sys

from robandit.errors import InputError
from robandit.forensics.audit import audit

REPLAYS = 500  # sources the journal is folded without


def main(journal: str, *shadows: str) -> int:
    """Print what was found, or say in a line why nothing could be."""
    try:
        found = audit(journal, shadow=shadows, replays=REPLAYS, threads=1)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    json.dump({**found.as_json(), "alarms": found.alarms(), "flagged": found.flagged()}, sys.stdout, allow_nan=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *sys.argv[2:]))
