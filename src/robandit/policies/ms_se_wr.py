"""Elimination for an unknown budget of an attacker who sees the draw: a copy of SE-WR for each of C = 2, 4, 8, ...

Copy i allows for C = 2^i and is drawn with probability 2^-i. A copy that allows for too little may be fooled. The first
that allows for enough is not, whatever the attacker sees, and what it eliminates all faster ones drop. It is drawn once
in about C rounds and needs some K C/Delta of them, which is where a bound of order K C^2 comes from.
"""

from dataclasses import dataclass

from robandit.parts import About
from robandit.policies.elimination import Copies
from robandit.policies.multi_layer_aae import MultiLayerAae


@dataclass(frozen=True)
class MsSeWr(MultiLayerAae):
    """The race of multi-layer-aae, in which layer i has the radius sqrt(L/n) + 2^i/n."""

    about = About(
        name="ms-se-wr",
        family="elimination",
        summary="one SE-WR per guess C = 2, 4, 8, ..., each drawn half as often as the last; need not know C",
        reference="MS-SE-WR of Wang, Zuo, Liu, Lui & Hajiesmaili 2025",
        fidelity="reconstruction",
        basis="the paper's abstract: SE-WR, model selection, the bound; how it selects is Lykouris et al.'s race here",
        needs=("horizon", "delta"),
        bound="sqrt(K T) + K C^2 up to logarithms, in threat models A and B, of the original; none proved here",
        cost="O(K + log T)",
        late="exact",
        waived={
            "learns": "its slow layers have wide radii and, undecided within 20,000 rounds, play every arm",
            "relabelling": "slow layers go through the arms in index order and are drawn too rarely to finish a pass",
        },
    )

    def linear(self, state: Copies, row: int) -> float:
        guess: float = 2.0 ** (row + 1)
        return guess
