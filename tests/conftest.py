"""Fixtures."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from robandit.cli.main import main
from robandit.lab.compile.cache import cache_folder

os.environ.pop("COLUMNS", None)  # a pipe has no width, also where pytest-xdist gives one to its workers
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded: workers share the cores already


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: while some tests wait, others go on."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture
def robandit(capsys: pytest.CaptureFixture[str]) -> Any:
    """The command: words in, (exit code, output, errors) out; output parsed where --json is among the words."""

    def run(*words: str) -> tuple[int, Any, str]:
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, json.loads(out) if "--json" in words and code == 0 else out, err

    return run


@pytest.fixture
def pieces(tmp_path: Path) -> Path:
    """A kernel cache of the test's own without any kernel, but with what kernels are linked from, as far as known."""
    (tmp_path / "pieces").mkdir()
    for path in cache_folder().glob("*.bc"):
        with suppress(FileNotFoundError):  # another worker prunes
            shutil.copy(path, tmp_path / "pieces")
    return tmp_path / "pieces"


@pytest.fixture
def kernel_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty kernel cache of the test's own."""
    monkeypatch.setenv("ROBANDIT_CACHE", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser for the tests of a file."""
    from tests.chrome import Chrome

    found = Chrome(tmp_path_factory.mktemp("profile"))
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server of this worker's own, started when a test first asks for it."""
    from tests.postgres_server import Server

    server = Server()
    yield server
    server.close()


@pytest.fixture
def database(postgres: Any) -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    url = postgres.database()
    yield url
    postgres.give_back(url)
