"""A cell: one policy against one environment and one adversary, with everything that determines its numbers."""

import hashlib
import json
import time
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from platform import machine, node
from typing import Any

from robandit.capability import Capability
from robandit.catalogue import SHIPPED, Catalogue, read_capability
from robandit.game import Adversary, Environment, Policy
from robandit.lab.batch import simulate
from robandit.lab.counts import ABOVE
from robandit.progress import Progress
from robandit.store.code import code_hash
from robandit.store.parquet import FORMAT, as_bytes
from robandit.version import __version__

BY_COUNTS = 10_000  # rounds that cost about as much as a run by counts


@dataclass(frozen=True)
class Cell:
    """Plain values only, so that a cell can be hashed, written down and sent to another machine."""

    policy: str
    environment: str
    means: tuple[float, ...]
    attack: str
    schedule: str
    size: str
    charge: str
    budget: float
    horizon: int
    runs: int
    seed: int
    checkpoints: int | str
    can: str = "both"  # what an attacker who sees the draw can do, as --can takes it
    share: float = 1.0  # ... and in which share of the rounds
    agents: int = 1
    slate: int = 1

    @property
    def clean(self) -> bool:
        """Whether nobody attacks."""
        return self.budget == 0 or self.share == 0

    def settled(self) -> "Cell":
        """The same cell in one spelling: without a budget, or rounds, nothing else about the adversary matters."""
        if not self.clean:
            return self
        nobody: dict[str, Any] = {"attack": "none", "schedule": "start", "size": "full", "charge": "cost"}
        return replace(self, **nobody, budget=0.0, can="both", share=1.0)

    def capability(self) -> Capability:
        """What the attacker can do."""
        can = read_capability(self.can)
        return can if self.share == 1.0 else replace(can, share=self.share)

    def parts(self, catalogue: Catalogue = SHIPPED) -> tuple[Policy[Any], Environment[Any], Adversary[Any] | None]:
        """The policy, the environment and the adversary."""
        adversary = None
        if not self.clean:
            terms: dict[str, Any] = {"schedule": self.schedule, "size": self.size, "charge": self.charge}
            adversary = catalogue.attack(self.attack, budget=self.budget, **terms, capability=self.capability())
        return catalogue.policy(self.policy), catalogue.environment(self.environment, self.means), adversary

    def work(self) -> int:
        """Rounds to play; beyond the horizon where phased policies go by counts, what those cost."""
        return self.runs * self.agents * self.slate * (self.horizon if self.horizon <= ABOVE else BY_COUNTS)

    def key(self, catalogue: Catalogue = SHIPPED) -> str:
        """The content hash: the cell, the code that plays it, and the file format."""
        return content_hash(self, catalogue)


@cache
def content_hash(cell: Cell, catalogue: Catalogue) -> str:
    """A cell's key, worked out once; an edited file makes another catalogue. What an environment read is part of it."""
    parts = cell.parts(catalogue)
    told = json.dumps([asdict(cell), repr(parts[1]), code_hash(*parts), FORMAT], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def play_cell(
    cell: Cell, threads: int, progress: Progress | None = None, catalogue: Catalogue = SHIPPED
) -> tuple[bytes, dict[str, Any]]:
    """The stored file of a cell, and what its computation cost; pure but for the second."""
    parts = cell.parts(catalogue)
    begun = time.time()
    trace = simulate(
        *parts,
        horizon=cell.horizon,
        runs=cell.runs,
        seed=cell.seed,
        threads=threads,
        checkpoints=cell.checkpoints,
        agents=cell.agents,
        slate=cell.slate,
        progress=progress,
    )
    provenance = {"key": cell.key(catalogue), "cell": asdict(cell), "code": code_hash(*parts), "versions": versions()}
    spent = {"seconds": time.time() - begun, "ns_per_round": trace.nanoseconds, "machine": node(), "kind": machine()}
    return as_bytes(trace, provenance), spent


@cache
def versions() -> dict[str, str]:
    """Of everything that numbers depend on."""
    return {"robandit": __version__, "numpy": version("numpy"), "numba": version("numba")}
