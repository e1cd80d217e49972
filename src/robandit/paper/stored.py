"""The whole reproduction as it was last played, stored with the package: what `write_paper` wrote."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def stored_reproduction() -> dict[str, Any]:
    """Everything that was written: claims, tables, versions."""
    stored: dict[str, Any] = json.loads(files("robandit.paper").joinpath("reproduction.json").read_text())
    return stored


def stored_claims() -> dict[str, dict[str, Any]]:
    """Each claim by its id: text, where it stands in the paper, verdict, evidence and note."""
    return {claim["id"]: claim for claim in stored_reproduction()["claims"]}
