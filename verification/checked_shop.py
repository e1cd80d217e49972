"""Verified rewards end to end over HTTP: `python -m verification.checked_shop [DECISIONS]` (3,000 by default).

A real server on SQLite with tokens: three experiments have the same visitors, a third of whom lie about blue, the best
arm. `believes` learns from every report, `asks` is verified-thompson, `prefers` is Thompson sampling under the rule
`prefer`, where a bank verifies a tenth of the rewards at random. The server is killed with SIGKILL in between and
starts again, and `robandit service verify` reads the database again bit for bit.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np

import robandit as rb
from robandit.client import Client
from robandit.service.tokens import new_token
from verification.context_shop import Shop

MEANS = {"red": 0.3, "green": 0.4, "blue": 0.6}
POLICIES = {
    "believes": ("thompson", {}),
    "asks": ("verified-thompson", {}),
    "prefers": ("thompson", {"verified": "prefer"}),
}
LIARS = 0.35  # of the visitors, who report that blue never sells and the others always do
VERIFIED = 0.1  # of the rewards of `prefers`
ROLES = {"boss": "admin", "shop": "decide,reward", "bank": "verify"}


class CheckedShop(Shop):
    """A server with tokens."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed, [], 0.0)
        self.file = folder / "tokens"
        self.tokens = {name: new_token(self.file, name, roles) for name, roles in ROLES.items()}
        self.more = ["--token-file", str(self.file)]

    def client(self, who: str) -> Client:
        """Returns a client with a token."""
        return Client(f"http://127.0.0.1:{self.port}", self.tokens[who], retry_for=60)


def main(decisions: int = 3000, seed: int = 1, folder: Path | None = None) -> dict[str, Any]:
    """Run all of it; returns the figures."""
    with tempfile.TemporaryDirectory() as own:
        place = folder or Path(own)
        shop, start, random = CheckedShop(place, seed), time.monotonic(), np.random.default_rng(seed)
        shop.begin()
        checks, best, shifts, status = *(dict.fromkeys(POLICIES, 0) for _ in range(2)), dict.fromkeys(POLICIES, 0.0), 0
        try:
            with shop.client("boss") as boss, shop.client("shop") as till, shop.client("bank") as bank:
                for name, (policy, rules) in POLICIES.items():
                    boss.create(name, list(MEANS), policy=policy, rules=rules, seed=seed, horizon=decisions)
                for number in range(decisions):
                    if number in (decisions // 3, 2 * decisions // 3):
                        shop.kill()
                        shop.begin()
                    for name in POLICIES:
                        decision = till.experiment(name).decide()
                        truth = float(random.random() < MEANS[decision.arm])
                        is_lie, is_drawn = random.random() < LIARS, random.random() < VERIFIED
                        claim = float(decision.arm != "blue") if is_lie else truth
                        till.experiment(name).reward(decision.id, claim, source=f"visitor {random.integers(200)}")
                        if decision.check or (name == "prefers" and is_drawn):
                            bank.experiment(name).reward(decision.id, truth, verified=True)
                            checks[name] += 1
                        best[name] += decision.arm == "blue"
                        shifts[name] += claim - truth
                address = f"http://127.0.0.1:{shop.port}/v1/experiments"
                header = {"authorization": f"Bearer {shop.tokens['shop']}"}
                id = till.experiment("asks").decide().id
                status = httpx.put(
                    f"{address}/asks/decisions/{id}/reward", json={"reward": 1, "verified": True}, headers=header
                ).status_code
                journal = place / "prefers.journal"
                admin = {"authorization": f"Bearer {shop.tokens['boss']}"}
                journal.write_bytes(
                    httpx.get(f"{address}/prefers/export?format=journal", headers=admin, timeout=60).content
                )
        finally:
            assert shop.server is not None
            shop.server.terminate()
            shop.server.wait(timeout=60)
        command = [sys.executable, "-m", "robandit", "service", "verify", shop.database, "--json"]
        process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        return {
            "decisions": decisions,
            "kills": shop.kills,
            "seconds": round(time.monotonic() - start, 1),
            "share_of_best": {name: round(count / decisions, 3) for name, count in best.items()},
            "checks": checks,
            "forged": rb.audit(journal, price=False).forged,
            "true_difference": shifts["prefers"] / decisions,
            "verified_by_a_token_that_may_not": status,
            "verify_exit_code": process.returncode,
            "verify": json.loads(process.stdout),
        }


if __name__ == "__main__":
    print(json.dumps(main(*(int(word) for word in sys.argv[1:2])), indent=1))
