"""Every numbered statement of the paper, in its order; the functions that weigh them are in weigh_*.py."""

from collections.abc import Container
from typing import Any

from robandit.progress import Progress, report_to
from robandit.theory import weigh_bounds, weigh_paths, weigh_rounds
from robandit.theory.verdicts import BY_ID

WEIGHED_IN = (weigh_bounds, weigh_paths, weigh_rounds)  # imported: they fill BY_ID
ORDER = (
    "regret adversary-power update fact-1 fact-1-order theorem-2 inverse-moves inverse-drift inverse-drift-corrupted "
    "leads-after probability-drift jensen probability-drift-corrupted recovery recovery-time recovery-drift nested "
    "remark-1 embedded-chain lemma-6-drift lemma-6-limit lemma-6-rate lemma-7 lemma-8-first-line jensen-corrupted "
    "lemma-8 lemma-9 lemma-9-recovery lemma-9-sum zeta lemma-10 lemma-11 main-chain lower-bound"
)
STATEMENTS = tuple(BY_ID[name] for name in ORDER.split())


def weigh_statements(
    only: Container[str] | None = None, progress: Progress | bool | None = None
) -> list[dict[str, Any]]:
    """Returns every statement with its verdict, or only those whose id is in `only`."""
    rows, statements = [], [one for one in STATEMENTS if only is None or one.id in only]
    with report_to(progress) as report:
        for done, statement in enumerate(statements):
            report(done / len(statements))
            weighed = statement.weigh()
            row = {"id": statement.id, "text": statement.text, "where": statement.where}
            rows.append(row | {"verdict": weighed.verdict, "label": weighed.label, "evidence": weighed.evidence})
    return rows
