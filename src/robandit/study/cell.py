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
from robandit.game import Environment
from robandit.lab.batch import simulate
from robandit.lab.scenario import Scenario
from robandit.progress import Progress
from robandit.store.code import code_hash
from robandit.store.parquet import FORMAT, as_bytes
from robandit.version import __version__


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

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return len(self.means)

    @property
    def capability(self) -> Capability:
        """What the attacker can do."""
        can = read_capability(self.can)
        return can if self.share == 1.0 else replace(can, share=self.share)

    def normalised(self) -> "Cell":
        """The same cell in one spelling: without a budget, or rounds, nothing else about the adversary matters."""
        if not self.clean:
            return self
        nobody: dict[str, Any] = {"attack": "none", "schedule": "start", "size": "full", "charge": "cost"}
        return replace(self, **nobody, budget=0.0, can="both", share=1.0)

    def scenario(self, catalogue: Catalogue = SHIPPED, environment: Environment[Any] | None = None) -> Scenario:
        """What is played; the environment is made from its text unless it is there already."""
        scenario = Scenario(
            catalogue.policy(self.policy),
            catalogue.environment(self.environment, self.means) if environment is None else environment,
            horizon=self.horizon,
            runs=self.runs,
            seed=self.seed,
            agents=self.agents,
            slate=self.slate,
            charge=self.charge,
            capability=self.capability,
            catalogue=catalogue,
        )
        if self.clean:
            return scenario
        return scenario.attacked_by(self.attack, self.budget, schedule=self.schedule, size=self.size)

    def key(self, catalogue: Catalogue = SHIPPED) -> str:
        """The content hash; a study works it out once."""
        return content_hash(self, self.scenario(catalogue))


def content_hash(cell: Cell, scenario: Scenario) -> str:
    """A digest of the cell, the code that plays it, the file format, and what the environment read from files."""
    content = json.dumps([asdict(cell), repr(scenario.environment), code_of(scenario), FORMAT], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def code_of(scenario: Scenario) -> str:
    """A digest of the code that plays a scenario."""
    return code_hash(scenario.policy, scenario.environment, scenario.adversary)


def play_cell(
    cell: Cell, threads: int, progress: Progress | None = None, catalogue: Catalogue = SHIPPED
) -> tuple[bytes, dict[str, Any]]:
    """Play a cell; returns its stored file, which the cell determines, and what playing it cost, which it does not."""
    scenario = cell.scenario(catalogue)
    begun = time.time()
    trace = simulate(scenario, threads=threads, checkpoints=cell.checkpoints, progress=progress)
    key, code = content_hash(cell, scenario), code_of(scenario)
    provenance = {"key": key, "cell": asdict(cell), "code": code, "versions": versions()}
    cost = {"seconds": time.time() - begun, "ns_per_round": trace.nanoseconds, "machine": node(), "kind": machine()}
    return as_bytes(trace, provenance), cost


@cache
def versions() -> dict[str, str]:
    """The versions of everything that numbers depend on."""
    return {"robandit": __version__, "numpy": version("numpy"), "numba": version("numba")}
