"""Tokens: what is written can be read again, whatever somebody types."""

import time
import traceback
from pathlib import Path

import pytest

from robandit.errors import InputError
from robandit.service.tokens import Token, Tokens, new_token


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"experiments": "summer offers"}, "without spaces and #.*not 'summer offers'.*by its number"),
        ({"experiments": "a\nevil admin " + 64 * "0"}, "without spaces"),
        ({"experiments": "a,,b"}, "commas between them"),
        ({"experiments": "#a"}, "without spaces and #"),
        ({"rate": 0.0}, "rate must be a number from 1e-06 on, not 0"),
        ({"rate": 1e-300}, "rate must be a number from 1e-06 on, not 1e-300"),
        ({"rate": float("nan")}, "rate must be a number from 1e-06 on, not nan"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, options: dict, message: str) -> None:
    path = tmp_path / "tokens"
    new_token(path, "boss", "admin")
    before = path.read_bytes()
    with pytest.raises(InputError, match=message):
        new_token(path, "shop", "decide", **options)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["", "two words", "a/b", "a#b", "a\tb", "a\udcff"])
def test_a_name_that_could_not_be_read_again_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="must be one word without / and #"):
        new_token(tmp_path / "tokens", name, "read")
    assert not (tmp_path / "tokens").exists()


def test_a_file_that_is_no_text_is_refused_without_its_content(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    new_token(path, "boss", "admin")
    content = path.read_bytes()
    path.write_bytes(content + "# schön\n".encode("latin-1"))
    for read in (lambda: Tokens(path), lambda: new_token(path, "shop", "decide")):
        with pytest.raises(InputError, match="is no UTF-8 text: see line 2") as caught:
            read()
        assert content[-20:].decode().strip() not in "".join(traceback.format_exception(caught.value))


def test_a_token_for_some_experiments_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    secret = new_token(path, "shop", "decide,reward", "offers,7", 0.5)
    token = Tokens(path).find(secret.encode())
    assert token is not None
    assert (token.experiments, token.rate) == (frozenset(["offers", "7"]), 0.5)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_rate_below_one_admits_one_request_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    token = Token("slow", frozenset(["read"]), rate=0.5)
    assert token.wait() == 0.0
    assert token.wait() == pytest.approx(2.0)
    clock[0] += 2.0
    assert token.wait() == 0.0


def test_a_role_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"shop deciding,reward {64 * '0'}\n")
    with pytest.raises(InputError, match="line 1: role 'deciding' is unknown"):
        Tokens(path)
