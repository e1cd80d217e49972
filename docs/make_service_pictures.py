"""Takes the pictures of service-demo.md, of the fraud demo's pages in a headless Chromium: `make demo-pictures`."""

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.chrome import Chrome

PICTURES = Path(__file__).parent / "pictures"
SHOTS = {  # the page, how wide and how high a part of it, dark or not
    "service-recovered": ("/experiments/1", 1000, 1680, False),
    "service-alarm": ("/experiments/2", 1000, 1400, True),
    "service-phone": ("/experiments/2", 390, 1500, False),
    "service-phone-dark": ("/experiments/1", 390, 1500, True),
}


def take_pictures(url: str, folder: Path) -> None:
    """Take every picture."""
    with tempfile.TemporaryDirectory() as profile:
        chrome = Chrome(Path(profile))
        try:
            for name, (path, width, height, dark) in SHOTS.items():
                chrome.screen(width, height, dark)
                chrome.open(url + path)
                chrome.until("document.getElementById('link').textContent === 'Live.'")
                chrome.picture(folder / f"{name}.png", whole=False)
        finally:
            chrome.close()


def main() -> None:
    """Play the demo, look at its pages, end it."""
    words = [sys.executable, "-u", str(Path(__file__).with_name("demo_fraud.py")), "--stay"]
    demo = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert demo.stdout is not None
    try:
        url = ""
        for line in demo.stdout:
            print(line, end="")
            url = url or "".join(re.findall(r"http://[0-9.:]+", line))
            if line.startswith("The service stays"):
                break
        take_pictures(url, PICTURES)
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.wait(timeout=60)


if __name__ == "__main__":
    main()
