"""One file that holds the whole page: text, styles, scripts and kernels; a browser opens it from the disk."""

import base64
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from robandit.page.kernels import ATTACKS, ENVIRONMENTS, POLICIES, describe_kernels
from robandit.progress import Progress, ignore

STATIC = Path(__file__).parent / "static"
VENDOR = Path(__file__).parents[1] / "service" / "static" / "vendor"
SCRIPTS = ("statistics", "pool", "setting", "charts", "story", "game", "frontier", "forge", "page")
STORY = ("thompson", "bonus-thompson")
WORDS = {"bernoulli": "0 or 1", "beta": "any number from 0 to 1"}


def write_page(
    folder: Path,
    policies: Sequence[str] = POLICIES,
    attacks: Sequence[str] = tuple(ATTACKS),
    environments: Sequence[str] = tuple(ENVIRONMENTS),
    progress: Progress = ignore,
) -> Path:
    """Write the page into a folder, which is made if it is not there; returns the path of its one file.

    The policies of its story are always on it.

    Raises:
        InputError: for a policy that is not in the catalogue.
        PartError: for one that a browser cannot start.
    """
    data, code = describe_kernels(tuple(dict.fromkeys((*STORY, *policies))), attacks, environments, progress)
    options = [f'<option value="{name}">{WORDS[name]}</option>' for name in environments]
    values = {
        "style": read(next(VENDOR.glob("uplot-*.css"))) + read(STATIC / "page.css"),
        "environments": "".join(options),
        "version": data["version"],
        "kernels": pack(data, code),
        "uplot": read(next(VENDOR.glob("uplot-*.js"))),
        "lab": read(STATIC / "lab.js"),
        "worker": read(STATIC / "worker.js"),
        "scripts": "\n".join(f"<script>{read(STATIC / f'{name}.js')}</script>" for name in SCRIPTS),
    }
    text = re.sub(r"\{\{ (\w+) \}\}", lambda match: values[match[1]], read(STATIC / "page.html"))
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "index.html"
    page.write_text(text, encoding="utf-8")
    return page


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")


def pack(data: dict[str, Any], code: bytes) -> str:
    """Data and kernels as text: the length of the data, the data, the kernels, compressed, in base64."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).encode()
    return base64.b64encode(gzip.compress(len(text).to_bytes(4, "little") + text + code, 9, mtime=0)).decode()
