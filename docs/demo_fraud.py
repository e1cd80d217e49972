"""`make demo-fraud`: a shop with five offers, and a ring of accounts that praises the worst of them.

Two experiments live through the same story on one real service. First only honest customers come. Then a ring joins:
six accounts that ask for offers as customers do, and report success whenever they are shown *their* offer, failure
otherwise. In one experiment an operator looks at what the service found and quarantines those it names; in the other
one nobody does anything. The ring goes on in both.

`--rhythm` lets sales rise and fall by half, as by day and night. `--silent` has visitors who report sales only: silence
counts as 0 when its window ends, and each decision names whom it is for.
"""

import argparse
import http.client
import json
import math
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

OFFERS = {"voucher": 0.10, "bundle": 0.12, "gift": 0.15, "points": 0.18, "shipping": 0.25}  # how often each sells
PROMOTED, BEST = "voucher", "shipping"
CUSTOMERS, RING = 150, 6
SHARE = 0.35  # of the decisions are the ring's, once it has joined
HONEST, ATTACKED, AFTER, BATCH = 4000, 5500, 4000, 50
LAST = 1000  # decisions at the end of each phase over which shares are printed
DAY = 1500  # visits
WINDOW = 1.0  # seconds until silence counts


class Api:
    """Requests to the service over one connection."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, method: str, path: str, message: Any = None) -> Any:
        """Send one request and return its message; anything but a success is an error."""
        body = None if message is None else json.dumps(message)
        self.connection.request(method, path, body, {"content-type": "application/json"})
        response = self.connection.getresponse()
        reply = json.loads(response.read())
        assert response.status < 300, f"{method} {path}: {reply}"
        return reply


class Shop:
    """One experiment and those who visit it."""

    def __init__(self, api: Api, name: str, policy: str, seed: int, *, rhythm: bool, silent: bool) -> None:
        self.api, self.name, self.random = api, name, random.Random(seed)
        self.rhythm, self.silent = rhythm, silent
        terms = {"name": name, "arms": list(OFFERS), "policy": policy, "seed": seed, "shadow": ["exp3"]}
        if silent:
            terms["rules"] = {"window": WINDOW, "default": 0.0}
        self.path = f"/v1/experiments/{api.ask('POST', '/v1/experiments', terms)['id']}"
        self.offers: list[str] = []

    def play(self, decisions: int, ring: bool) -> None:
        """Let so many visitors come."""
        for _ in range(decisions // BATCH):
            if self.silent:
                reports = [self.visit(ring) for _ in range(BATCH)]
            else:
                batch = self.api.ask("POST", f"{self.path}/decisions", {"count": BATCH})["decisions"]
                reports = [self.report(one, self.draw_visitor(ring)) for one in batch]
            rewards = [one for one in reports if one["reward"] or not self.silent]
            if rewards:
                self.api.ask("POST", f"{self.path}/rewards", {"rewards": rewards})
        if self.silent:
            time.sleep(2 * WINDOW)

    def visit(self, ring: bool) -> dict[str, Any]:
        """Ask for a decision for a visitor who is known, and return what they would report."""
        visitor = self.draw_visitor(ring)
        return self.report(self.api.ask("POST", f"{self.path}/decisions", {"source": visitor}), visitor)

    def draw_visitor(self, ring: bool) -> str:
        """Draw who comes."""
        if ring and self.random.random() < SHARE:
            return f"ring-{self.random.randrange(RING)}"
        return f"customer-{self.random.randrange(CUSTOMERS)}"

    def report(self, decision: dict[str, Any], visitor: str) -> dict[str, Any]:
        """Returns what one visitor says about the offer."""
        arm = decision["arm"]
        season = 1 + 0.5 * self.rhythm * math.sin(2 * math.pi * len(self.offers) / DAY)
        self.offers.append(arm)
        is_sale = arm == PROMOTED if visitor.startswith("ring") else self.random.random() < OFFERS[arm] * season
        return {"id": decision["id"], "reward": float(is_sale), "source": visitor}

    def share(self) -> float:
        """Returns the share of the best offer in the last decisions."""
        return self.offers[-LAST:].count(BEST) / LAST

    def look(self) -> dict[str, Any]:
        """Returns what the service finds, up to the last line."""
        experiment = self.wait_until_settled()
        self.api.ask("POST", f"{self.path}/watch")
        while True:
            findings: dict[str, Any] = self.api.ask("GET", f"{self.path}/watch")
            if findings["line"] >= experiment["lines"]:
                return findings
            time.sleep(0.2)

    def wait_until_settled(self) -> dict[str, Any]:
        """Returns the experiment, once the operator's actions are replayed."""
        while True:
            experiment: dict[str, Any] = self.api.ask("GET", self.path)
            if not experiment["learning_again"]:
                return experiment
            time.sleep(0.05)

    def defend(self) -> list[str]:
        """Quarantine whoever the service names, as an operator would, until it is quiet; returns their names."""
        names: list[str] = []
        while (findings := self.look())["alarms"] and findings["flagged"]:
            print(f"  alarm ({', '.join(findings['alarms'])}): {', '.join(findings['flagged'])}")
            for source in findings["flagged"]:
                self.api.ask("POST", f"{self.path}/sources/{source}", {"change": "quarantined"})
            names += findings["flagged"]
        return names


def play_story(
    port: int, policy: str, seed: int, stay: bool, *, rhythm: bool, silent: bool
) -> list[tuple[str, list[float]]]:
    """Play both experiments, phase by phase; returns the shares of the best offer in each."""
    api = Api(port)
    names = {"operator looks": "shop", "nobody looks": "shop without"}
    shops = {label: Shop(api, name, policy, seed, rhythm=rhythm, silent=silent) for label, name in names.items()}
    rows = []
    for label, shop in shops.items():
        print(f"{label}: {HONEST:,} honest visits, then {ATTACKED:,} with a ring of {RING} accounts")
        shop.play(HONEST, ring=False)
        shares = [shop.share()]
        if label == "operator looks":
            print(f"  before the ring: {', '.join(shop.look()['alarms']) or 'no alarm'}")
        shop.play(ATTACKED, ring=True)
        shares.append(shop.share())
        if label == "operator looks":
            print(f"  quarantined: {', '.join(sorted(shop.defend())) or 'nobody'}")
        shop.play(AFTER, ring=True)
        rows.append((label, [*shares, shop.share()]))
    if stay:
        for shop in shops.values():
            shop.look()
    return rows


def main() -> None:
    """Serve, play the story, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", default="samba", help="what decides (default samba)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--rhythm", action="store_true", help="sales rise and fall by half, as by day and night")
    parser.add_argument(
        "--silent", action="store_true", help="visitors report sales only; decisions name whom they are for"
    )
    parser.add_argument(
        "--stay", action="store_true", help="leave the service running until Ctrl-C, to look at its page"
    )
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the service ends with its demo, however that ends
    with tempfile.TemporaryDirectory(prefix="robandit-demo-") as folder:
        words = [
            "serve",
            "--db",
            f"sqlite:///{Path(folder) / 'demo.db'}",
            "--port",
            str(arguments.port),
            "--watch",
            "3600",
        ]
        server = subprocess.Popen([sys.executable, "-m", "robandit", *words], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            greeting = server.stdout.readline().strip()
            print(greeting, flush=True)
            start = time.monotonic()
            rows = play_story(
                int(greeting.split(":")[2].partition("/")[0]),
                arguments.policy,
                arguments.seed,
                arguments.stay,
                rhythm=arguments.rhythm,
                silent=arguments.silent,
            )
            print(
                f"\nHow often the best offer ({BEST}) was shown, in the last {LAST:,} decisions ({arguments.policy}):\n"
            )
            print(f"{'':16}{'before':>10}{'attacked':>10}{'after':>10}")
            for label, shares in rows:
                print(f"{label:16}" + "".join(f"{share:>10.1%}" for share in shares))
            print(
                f"\n{time.monotonic() - start:.0f} s, seed {arguments.seed}; the ring never stopped reporting.",
                flush=True,
            )
            if arguments.stay:
                print("The service stays: open the page above, end with Ctrl-C.", flush=True)
                server.wait()
        except KeyboardInterrupt:
            pass
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)


if __name__ == "__main__":
    main()
