"""A real browser with the page of an experiment open from the first fault to the last; nobody ever reloads it."""

import asyncio
import time
from pathlib import Path
from typing import Any

from tests.chrome import Chrome

PAUSE = 1.0  # seconds between two looks
CATCH_UP = 60.0  # seconds after the last fault until the page must show what the service says
EVENTS = "Number(document.getElementById('live').dataset.events_seen || 0)"
NUMBERS = "document.getElementById('part-numbers').innerText"


class OpenPage:
    """One page: how often it changed, how long it stood still, what the browser complained about."""

    def __init__(self, profile: Path, address: str) -> None:
        self.chrome, self.address = Chrome(profile), address
        self.looks = self.changes = 0
        self.longest_still_s, self.errors, self.is_live = 0.0, list[str](), False

    def open(self) -> None:
        """Open it, once; what is written into its window is gone if anything loads it again."""
        self.chrome.open(f"{self.address}/experiments/1")
        self.chrome.run("window.opened = 'once'")
        self.chrome.until(f"{EVENTS} > 0")

    def look(self) -> str:
        """Returns the numbers that it shows."""
        self.looks += 1
        text = str(self.chrome.run(NUMBERS))
        self.collect_errors()
        return text

    def collect_errors(self) -> None:
        """Take down what is wrong but for connections that failed: these the faults cut."""
        for event in self.chrome.events:
            params = event.get("params", {})
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
                if params["entry"].get("source") != "network":
                    self.errors.append(params["entry"]["text"])
            elif event.get("method") == "Runtime.exceptionThrown":
                self.errors.append(params["exceptionDetails"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] == "error":
                self.errors.append(str(params["args"][:1]))
        self.chrome.events.clear()

    async def watch(self) -> None:
        """Look again and again."""
        seen, since = await asyncio.to_thread(self.look), time.monotonic()
        while True:
            await asyncio.sleep(PAUSE)
            text = await asyncio.to_thread(self.look)
            self.longest_still_s = max(self.longest_still_s, time.monotonic() - since)
            if text != seen:
                seen, since, self.changes = text, time.monotonic(), self.changes + 1

    def catch_up(self, decisions: int) -> None:
        """See whether the same page comes to show how many decisions the service says there are."""
        script = f"window.opened === 'once' && {NUMBERS}.includes({format(decisions, ',')!r})"
        try:
            self.chrome.until(script, CATCH_UP)
            self.is_live = True
        except AssertionError as error:
            self.errors.append(str(error)[:300])
        self.collect_errors()

    def outcome(self) -> dict[str, Any]:
        """Returns the figures."""
        return {
            "looks": self.looks,
            "changes": self.changes,
            "longest still, s": round(self.longest_still_s, 1),
            "live at the end": self.is_live,
            "errors": self.errors[:5],
        }
