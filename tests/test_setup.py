"""`make setup` on machines that are not quite ready."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
PYTHON = """#!/bin/sh
if [ "$1" = -m ]; then
  mkdir -p .venv/bin
  printf '#!/bin/sh\\necho "pip $*"\\n' > .venv/bin/pip
  printf '#!/bin/sh\\necho "uv $*"; exit CODE\\n' > .venv/bin/uv
  chmod +x .venv/bin/pip .venv/bin/uv
fi
"""


@pytest.mark.parametrize(("code", "last"), [("0", "uv pip install"), ("126", "pip install --quiet")])
def test_a_uv_that_does_not_run_is_not_believed(tmp_path: Path, code: str, last: str) -> None:
    """A version manager leaves a shim on the PATH for tools it has not installed; the one fetched may not run."""
    for name in ("Makefile", "pyproject.toml", "dev.lock"):
        shutil.copy(HOME / name, tmp_path / name)
    shims = tmp_path / "shims"
    shims.mkdir()
    for name, text in (("uv", "#!/bin/sh\nexit 126\n"), ("python-of-a-test", PYTHON.replace("CODE", code))):
        (shims / name).write_text(text)
        (shims / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{shims}:{os.environ['PATH']}"}
    words = ["make", "-C", str(tmp_path), "setup", f"PYTHON={shims / 'python-of-a-test'}"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[-1].startswith(last) or said[-2].startswith(last)  # make may tell that it leaves the folder
    assert any("pip goes on alone" in line for line in said) == (code != "0")
