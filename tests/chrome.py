"""A headless Chromium that tests drive: its debugging protocol over two pipes, so that nothing has to be installed."""

import base64
import json
import os
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--no-sandbox"]
QUIET += ["--disable-component-update", "--disable-sync", "--headless", "--remote-debugging-pipe", "--hide-scrollbars"]


class Lost(AssertionError):
    """The browser could not do it, for instance because its page went away meanwhile."""


class Chrome:
    """One browser with an empty profile and one page in it."""

    def __init__(self, profile: Path) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def wired() -> None:
            """What the child finds at 3 and 4; a copy first, for one of the pipes may have these numbers."""
            told, heard = os.dup(theirs_in), os.dup(theirs_out)
            high = [os.dup2(told, 100), os.dup2(heard, 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        words = [str(CHROMIUM), *QUIET, f"--user-data-dir={profile}", "about:blank"]
        null = subprocess.DEVNULL
        self.process = subprocess.Popen(words, stdout=null, stderr=null, preexec_fn=wired, close_fds=False)
        for end in (theirs_in, theirs_out):
            os.close(end)
        self.out, self.into, self.rest, self.number = os.fdopen(ours_out, "wb", 0), ours_in, b"", 0
        self.events: list[dict[str, Any]] = []
        self.session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the browser for something, and wait for it."""
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params}
        asked |= {"sessionId": self.session} if self.session else {}
        self.out.write(json.dumps(asked).encode() + b"\0")
        while (told := self.next()).get("id") != self.number:
            self.events.append(told)
        if "error" in told:
            raise Lost(f"{method}: {told['error']}")
        result: dict[str, Any] = told["result"]
        return result

    def next(self) -> dict[str, Any]:
        """The next message."""
        while b"\0" not in self.rest:
            piece = os.read(self.into, 1 << 20)
            assert piece, "the browser ended"
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    def open(self, url: str) -> None:
        """Go to an address and wait until it is there."""
        self.call("Page.navigate", url=url)
        self.until(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def until(self, script: str, seconds: float = 30.0) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with suppress(Lost):
                if self.run(f"(() => {{ try {{ return Boolean({script}); }} catch (error) {{ return false; }} }})()"):
                    return
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}\n{self.run('document.body.innerText')[:2000]}")

    def click(self, selector: str) -> None:
        """Click, and wait for the page that comes."""
        self.run("window.here = true")
        self.run(f"document.querySelector({json.dumps(selector)}).click()")
        self.until("window.here === undefined && document.readyState === 'complete'")

    def screen(self, width: int, height: int = 900, dark: bool = False) -> None:
        """A screen of this size, light or dark."""
        how = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **how)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path, whole: bool = True) -> None:
        """The page as a PNG file."""
        told = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(told["data"]))

    def complaints(self) -> list[str]:
        """What the browser refused or found wrong, such as scripts that the policy of the page forbids."""
        found = []
        for event in self.events:
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["text"])
        return found

    def requests(self) -> list[str]:
        """Every address that was asked for."""
        return [
            one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"
        ]

    def close(self) -> None:
        """End the browser."""
        self.out.close()
        os.close(self.into)
        self.process.kill()
        self.process.wait()
