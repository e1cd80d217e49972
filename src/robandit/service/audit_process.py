"""An audit of a journal in a process of its own: what `robandit audit` reports, and which alarms ring for whom."""

import json
import sys

from robandit.errors import InputError

REFUSED = 3  # the exit code for a journal that no audit can read
REPLAYS = 500  # sources without which the journal is replayed


def main(journal: str, *shadows: str) -> int:
    """Print the findings as JSON, or say in one line why there are none; returns the exit code."""
    from robandit.forensics.audit import audit  # here: the service itself needs no more than REFUSED
    from robandit.forensics.evidence import as_number

    try:
        report = audit(journal, shadow=shadows, replays=REPLAYS, threads=1)
    except InputError as error:
        print(error, file=sys.stderr)
        return REFUSED
    evidence = {one.name: as_number(float(one.everyone[-1])) for one in report.evidence}
    rings = {"alarms": report.alarms(), "flagged": report.flagged(), "evidence": evidence}
    json.dump({**report.as_json(), **rings}, sys.stdout, allow_nan=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *sys.argv[2:]))
