"""Blocks of text without columns may be broken where the page ends; a table in a block must stay as it is."""

import re
from typing import Any

from docutils import nodes

COLUMNS = re.compile(r"\S {2,}\S")


def mark_wrapping(_app: Any, tree: nodes.document) -> None:
    """Give each block of commands or printed text without columns the class `wraps`."""
    for block in tree.findall(nodes.literal_block):
        if block.get("language", "none") in ("none", "text", "default") and not COLUMNS.search(block.astext()):
            block["classes"].append("wraps")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("doctree-read", mark_wrapping)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
