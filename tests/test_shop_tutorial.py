"""The tutorial of the shop runs against a real server and prints what the page shows."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "tutorials" / "shop.md"
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.S | re.M)


def test_the_shop_of_the_tutorial(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "robandit", "serve", "--db", f"sqlite:///{tmp_path / 'shop.db'}", "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url, names = process.stdout.readline().split()[3].rstrip("/"), dict[str, Any]()
        for code, output in BLOCK.findall(PAGE.read_text()):
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile(code.replace("http://127.0.0.1:8470", url), PAGE.name, "exec"), names)
            assert printed.getvalue() == output, code
        names["service"].http.close()
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()
