"""The tutorial of the shop runs against a real server and prints what the page shows."""

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "tutorials" / "shop.md"
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.S | re.M)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve from a process of its own, which audits; yields its address."""
    words = [sys.executable, "-m", "robandit", "serve", "--db", f"sqlite:///{folder / 'shop.db'}", "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[3].rstrip("/")
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def test_the_shop_of_the_tutorial(tmp_path: Path) -> None:
    with serving(tmp_path) as url:
        names = dict[str, Any]()
        for code, output in BLOCK.findall(PAGE.read_text()):
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile(code.replace("http://127.0.0.1:8470", url), PAGE.name, "exec"), names)
            assert printed.getvalue() == output, code
        names["service"].http.close()
