"""`make bench`: every figure as a ratio within this run or beside its limit; exit code 1 if one does not hold."""

import sys

import against_c
import audit
import compiling
import policies
import threads

if __name__ == "__main__":
    held = [section.main() for section in (against_c, policies, compiling, threads, audit)]
    sys.exit(0 if all(held) else 1)
