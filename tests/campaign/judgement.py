"""Everything that was acknowledged against everything that is in the database."""

import subprocess
import sys
from collections import Counter
from typing import Any

import msgspec

from robandit.service.ids import read_id
from robandit.service.stores.address import open_store
from robandit.service.stores.base import NO_HEAD, ServiceStore, extend_chain
from tests.campaign.clients import EXPERIMENTS, Ledger

FLAGGED = EXPERIMENTS[-1]["name"]


def judge(ledger: Ledger, url: str) -> dict[str, int]:
    """Returns how much of what was acknowledged is lost, how much is there twice, and what should not be there."""
    store = open_store(url)
    counts = Counter[str]()
    try:
        for record in store.experiments():
            counts += judge_experiment(ledger, store, record.id, record.name)
    finally:
        store.close()
    names = ("lines", "lost", "twice", "recorded though refused", "recorded though nobody knows", "broken chains")
    return {name: counts[name] for name in names}


def judge_experiment(ledger: Ledger, store: ServiceStore, id: int, name: str) -> Counter[str]:
    """Returns the counts of one experiment. Every client was answered at last: what is unknown to them is wrong."""
    decisions, rewards, counts = list[dict[str, Any]](), dict[int, float](), Counter[str]()
    chain, place, keys, units = NO_HEAD, 0, Counter[str](), Counter[str]()
    for place, (line, body) in enumerate(store.lines(id), start=1):
        counts["broken chains"] += line != place
        entry, chain = msgspec.json.decode(body), extend_chain(chain, body)
        if entry.get("entry") == "decide":
            counts["twice"] += entry["id"] != len(decisions)
            named, by = (units, entry["unit"]) if entry.get("key") is None else (keys, entry["key"])
            named[by] += 1
            decisions.append(entry)
        elif entry.get("entry") == "reward":
            counts["twice"] += entry["id"] in rewards
            rewards[entry["id"]] = entry["value"]
    counts["lines"] = place
    counts["broken chains"] += store.head(id) != (place, chain)
    counts["twice"] += keys.total() - len(keys) + units.total() - len(units)
    secret = store.meta("key", b"")
    for (experiment, key), reply in ledger.decided.items():
        if experiment != name:
            continue
        signed = read_id(secret, reply["id"])
        number = len(decisions) if signed is None else signed.number
        entry = decisions[number] if number < len(decisions) else {}
        here = [entry.get(part) for part in ("key", "arm", "chance")]
        counts["lost"] += here != [key, reply["arm"], reply["probability"]]
        keys.pop(key, None)
        value = ledger.rewarded.get(reply["id"])
        counts["lost"] += value is not None and rewards.get(number) != value
        if value is None and number in rewards:
            counts["recorded though refused" if reply["id"] in ledger.refused else "recorded though nobody knows"] += 1
    for unit, flag in ledger.evaluated.items() if name == FLAGGED else ():
        signed = read_id(secret, flag["metadata"]["decision"])
        entry = {} if signed is None or signed.number >= len(decisions) else decisions[signed.number]
        here = [entry.get(part) for part in ("unit", "arm", "chance")]
        counts["lost"] += here != [unit, flag["value"], flag["metadata"]["probability"]]
        units.pop(unit, None)
    counts["recorded though nobody knows"] += len(keys) + len(units)
    return counts


def verify(url: str) -> tuple[bool, str]:
    """Returns whether `robandit service verify` finds every experiment true to the bit, and what it prints."""
    words = [sys.executable, "-m", "robandit", "service", "verify", url]
    outcome = subprocess.run(words, capture_output=True, text=True)
    return outcome.returncode == 0, outcome.stdout + outcome.stderr
