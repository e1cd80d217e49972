"""`make bench`: every figure as a ratio within this run or beside its limit; exit code 1 if one does not hold."""

import sys

import against_c
import audit
import compiling
import online
import policies
import service
import threads

if __name__ == "__main__":
    sections = (against_c, policies, compiling, threads, online, audit, service)
    results = [section.main() for section in sections]
    sys.exit(0 if all(results) else 1)
