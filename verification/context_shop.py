"""A shop with contexts end to end over HTTP: `python -m verification.context_shop [DECISIONS]` (10,000 by default).

A real server on SQLite: an experiment with features is created, visitors come, a ring erases the rewards of what phones
like best, the server is killed with SIGKILL in between and starts again, the audit of the segment names the ring, the
ring is quarantined, and `robandit service verify` reads the database again bit for bit.
"""

import json
import socket
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

ARMS = ("red", "green", "blue")
FEATURES = {"age": [18, 98], "device": ["phone", "desktop"]}
RING = [f"ring {number}" for number in range(8)]
HONEST = 200  # accounts
SHARE = 0.3  # of the visits on phones are the ring's
SEGMENT = "device=phone"


class Shop:
    """A server that can be killed, and its visitors."""

    def __init__(self, folder: Path, seed: int, ring: list[str], share: float) -> None:
        self.ring, self.share = ring, share
        self.database, self.random = f"sqlite:///{folder / 'shop.db'}", np.random.default_rng(seed)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.server: subprocess.Popen[bytes] | None = None
        self.kills, self.more = 0, list[str]()  # more words of the command

    def begin(self) -> None:
        """Start the server, and wait until it replies."""
        command = [
            sys.executable,
            "-m",
            "robandit",
            "serve",
            "--db",
            self.database,
            "--port",
            str(self.port),
            *self.more,
        ]
        self.server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise TimeoutError("the server did not begin")

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.server is not None
        self.server.kill()
        self.server.wait()
        self.kills += 1

    def visit(self, offers: Any) -> None:
        """Let a visitor come: phones like red (0.6), others green (0.6); the ring says red never sells on phones."""
        random = self.random
        device = "phone" if random.random() < 0.5 else "desktop"
        best = "red" if device == "phone" else "green"
        context = {"age": None if random.random() < 0.1 else float(random.integers(18, 99)), "device": device}
        decision = offers.decide(context=context)
        is_ring = device == "phone" and random.random() < self.share
        source = (
            self.ring[int(random.integers(len(self.ring)))] if is_ring else f"visitor {int(random.integers(HONEST))}"
        )
        reward = float(random.random() < (0.6 if decision.arm == best else 0.3))
        if is_ring:
            reward = float(decision.arm != "red")
        offers.reward(decision.id, reward, source=source)


def main(
    decisions: int = 10_000, seed: int = 1, folder: Path | None = None, *, ring: int = len(RING), share: float = SHARE
) -> dict[str, Any]:
    """Run all of it; returns the figures. Raises AssertionError where the database does not verify."""
    with tempfile.TemporaryDirectory() as own:
        place = folder or Path(own)
        shop, start = Shop(place, seed, RING[:ring], share), time.monotonic()
        shop.begin()
        try:
            with Client(f"http://127.0.0.1:{shop.port}", retry_for=60) as client:
                offers = client.create(
                    "offers", ARMS, policy="squarecb", features=FEATURES, horizon=decisions, seed=seed
                )
                for number in range(decisions):
                    if number in (decisions // 3, 2 * decisions // 3):
                        shop.kill()
                        shop.begin()
                    shop.visit(offers)
                seconds = time.monotonic() - start
                journal = place / "offers.journal"
                url = f"http://127.0.0.1:{shop.port}/v1/experiments/offers/export?format=journal"
                journal.write_bytes(httpx.get(url, timeout=60).content)
                before = rb.audit(journal, segment=SEGMENT, ahead=min(decisions, 2000), price=decisions > 2000)
                suspects = before.flagged()
                for name in suspects:
                    offers.source(name, "quarantined")
                ends = time.monotonic() + 120
                while offers.about()["learning_again"] and time.monotonic() < ends:
                    time.sleep(0.2)
                shop.kill()
                shop.begin()
                journal.write_bytes(httpx.get(url, timeout=60).content)
                after = rb.audit(journal, segment=SEGMENT, price=False)
        finally:
            assert shop.server is not None
            shop.server.terminate()
            shop.server.wait()
        command = [sys.executable, "-m", "robandit", "service", "verify", shop.database, "--json"]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        return {
            "decisions": decisions,
            "kills": shop.kills,
            "ms_per_visit": 1000.0 * seconds / decisions,
            "ring_named": sorted(set(suspects) & set(RING)),
            "innocents_named": sorted(set(suspects) - set(RING)),
            "leader_on_phones_before": before.belief.leader,
            "leader_on_phones_after": after.belief.leader,
            "price_on_phones": None if before.price is None else before.price["future_fakes"],
            "verify_exit_code": process.returncode,
            "verify": json.loads(process.stdout) if process.stdout.startswith(("{", "[")) else process.stdout,
        }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000), indent=1))
