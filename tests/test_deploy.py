"""Files that deploy the service say what the program takes; `service check` names what is wrong with a set-up."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from robandit.cli.main import build_parser, main
from robandit.service.check import CHECKS, Finding, Setup, check_setup
from robandit.service.ownership import Ownership
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.tokens import new_token
from tests.serving import running, until

DEPLOY = Path(__file__).parents[1] / "deploy"


def levels(setup: Setup, subject: str) -> list[Finding]:
    return [finding for finding in check_setup(setup) if finding.subject == subject]


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    tokens = tmp_path / "tokens"
    new_token(tokens, "boss", "admin")
    return Setup(f"sqlite:///{tmp_path / 'shop.db'}", port=0, token_file=str(tokens))


def test_a_sound_setup_has_nothing_wrong(setup: Setup) -> None:
    findings = check_setup(setup)
    assert {finding.subject for finding in findings} == set(CHECKS)
    assert [finding for finding in findings if finding.level == "wrong"] == []


def test_a_missing_folder_is_wrong(tmp_path: Path) -> None:
    (finding,) = levels(Setup(f"sqlite:///{tmp_path / 'none' / 'shop.db'}"), "disk")
    assert finding.level == "wrong"
    assert "none" in finding.sentence


def test_a_disk_that_does_not_write_is_wrong(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robandit.service.check.measure_sync", lambda folder: 1e-6)
    assert levels(setup, "disk")[0].level == "wrong"
    monkeypatch.setattr("robandit.service.check.measure_sync", lambda folder: 0.05)
    assert levels(setup, "disk")[0].level == "warning"


def test_a_clock_behind_the_journal_is_a_warning_for_the_service_goes_on(setup: Setup) -> None:
    assert setup.path is not None
    store = SqliteStore(setup.path)
    store.create("offers", "{}", json.dumps({"time": time.time() + 3600}))
    store.close()
    findings = levels(setup, "database")
    assert [finding.level for finding in findings] == ["ok", "warning"]
    assert "behind the last line" in findings[1].sentence


def test_a_database_that_is_served_already_is_wrong(setup: Setup) -> None:
    assert setup.path is not None
    SqliteStore(setup.path).close()
    owner = Ownership(f"{setup.path}.lock")
    assert [finding.level for finding in levels(setup, "database")] == ["wrong", "ok"]
    assert f"process {os.getpid()} serves it already" in levels(setup, "database")[0].sentence
    owner.release()
    assert [finding.level for finding in levels(setup, "database")] == ["ok"]


def test_a_database_of_an_older_format_is_a_warning(setup: Setup) -> None:
    assert setup.path is not None
    store = SqliteStore(setup.path)
    store.db.execute("PRAGMA user_version=1")
    store.close()
    ok, old = levels(setup, "database")
    assert (ok.level, old.level) == ("ok", "warning")
    assert "its format is 1, and the first start makes it 2" in old.sentence


def test_a_token_file_without_a_token_is_wrong(setup: Setup) -> None:
    assert setup.token_file is not None
    Path(setup.token_file).write_text("# nobody yet\n")
    (finding,) = levels(setup, "tokens")
    assert finding.level == "wrong"
    assert "robandit service token" in finding.sentence


def test_the_check_takes_every_flag_of_the_service(setup: Setup) -> None:
    more = ["--log-format", "json", "--watch", "5", "--lease", "3", "--remember", "5000", "--access-log"]
    assert main(["service", "check", "--db", setup.url, "--port", "0", *more]) == 0
    assert main(["service", "check", "--db", setup.url, "--port", "0", "--webhook", "http://x"]) == 2


def test_a_database_of_another_format_is_wrong(setup: Setup) -> None:
    assert setup.path is not None
    store = SqliteStore(setup.path)
    store.db.execute("PRAGMA user_version=99")
    store.close()
    (finding,) = levels(setup, "database")
    assert finding.level == "wrong"
    assert "99" in finding.sentence


def test_a_token_file_with_a_mistake_is_wrong(setup: Setup) -> None:
    assert setup.token_file is not None
    Path(setup.token_file).write_text("boss admin nonsense\n")
    (finding,) = levels(setup, "tokens")
    assert finding.level == "wrong"
    assert "line 1" in finding.sentence


def test_an_open_address_without_tokens_is_wrong(setup: Setup) -> None:
    (finding,) = levels(Setup(setup.url, host="0.0.0.0", port=0), "tokens")
    assert finding.level == "wrong"


def test_files_that_others_may_read_are_wrong(setup: Setup) -> None:
    assert setup.token_file is not None
    os.chmod(setup.token_file, 0o644)
    assert next(finding.level for finding in levels(setup, "permissions")) == "wrong"


def test_the_command_prints_and_its_exit_code_says_whether_all_is_well(
    setup: Setup, capsys: pytest.CaptureFixture[str]
) -> None:
    assert setup.token_file is not None
    words = ["service", "check", "--db", setup.url, "--port", "0", "--token-file", setup.token_file]
    assert main(words) == 0
    assert re.search(r"^ok +tokens +1 can be read$", capsys.readouterr().out, re.MULTILINE)
    os.chmod(setup.token_file, 0o644)
    assert main(words) == 1


def commands_in(name: str) -> list[list[str]]:
    """The command lines of a file that deploys the service, without the program's name."""
    text = (DEPLOY / name if name != "Dockerfile" else DEPLOY.parent / name).read_text()
    if name.endswith(".service"):
        return [line.split()[1:] for line in re.findall(r"^Exec\w+=(.*)$", text, re.MULTILINE)]
    if name == "Dockerfile":
        return [json.loads(re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)[-1])]
    return [re.findall(r"[^\s,\"]+", line) for line in re.findall(r"command: \[(.*)\]$", text, re.MULTILINE)]


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "compose.postgres.yaml", "robandit.service"])
def test_every_command_in_a_deployment_file_is_understood(name: str) -> None:
    commands = commands_in(name)
    assert commands
    for words in commands:
        assert build_parser().parse_known(words).db


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "robandit"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "robandit.service"
    unit.write_text((DEPLOY / "robandit.service").read_text().replace("/opt/robandit/bin/robandit", str(program)))
    outcome = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=no", unit], capture_output=True, text=True
    )
    assert outcome.returncode == 0, outcome.stderr
    assert "robandit.service" not in outcome.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs caddy")
def test_caddy_understands_its_file(tmp_path: Path) -> None:
    outcome = subprocess.run(
        ["caddy", "validate", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile"],
        capture_output=True,
        text=True,
        env=os.environ | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
    )
    assert outcome.returncode == 0, outcome.stderr


NGINX = """daemon off; user root; pid nginx.pid; error_log error.log;
events {}
http {
    access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4;
    scgi_temp_path t5;
    include site.conf;
}
"""


@pytest.mark.skipif(None in (shutil.which("nginx"), shutil.which("openssl")), reason="needs nginx and openssl")
def test_a_decision_comes_through_nginx_over_tls(tmp_path: Path) -> None:
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*words.split(), "-keyout", "key", "-out", "pem"], cwd=tmp_path, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running(folder=tmp_path, boss="admin") as served:
        site = (DEPLOY / "nginx.conf").read_text()
        changes = {"127.0.0.1:8470": f"127.0.0.1:{served.port}", "listen 443 ": f"listen 127.0.0.1:{port} "}
        changes |= {"/etc/ssl/certs/bandits.example.org.pem": "pem", "/etc/ssl/private/bandits.example.org.key": "key"}
        for old, new in changes.items():
            assert old in site
            site = site.replace(old, new)
        (tmp_path / "site.conf").write_text(site)
        (tmp_path / "nginx.conf").write_text(NGINX)
        with subprocess.Popen(["nginx", "-p", tmp_path, "-c", "nginx.conf", "-e", "error.log"]) as nginx:
            try:
                url, verify = (
                    f"https://localhost:{port}/v1/experiments",
                    ssl.create_default_context(cafile=tmp_path / "pem"),
                )
                with httpx.Client(verify=verify, headers=served.bearer("boss"), trust_env=False) as client:
                    until(lambda: can_connect(port))
                    new = {"name": "offers", "arms": ["a", "b"], "policy": "samba"}
                    assert client.post(url, json=new).status_code == 201
                    assert client.post(f"{url}/offers/decisions", json={}).json()["arm"] in ("a", "b")
            finally:
                nginx.terminate()


def can_connect(port: int) -> bool:
    """Whether something listens at a port of this machine."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def series_in(text: str) -> set[str]:
    """The names of our numbers in some expressions."""
    return set(re.findall(r"robandit_\w+", text))


def test_alerts_and_dashboard_ask_for_numbers_that_the_service_has() -> None:
    with running() as served:
        new = {"name": "offers", "arms": ["a", "b"], "policy": "samba"}
        assert httpx.post(f"{served.url}/v1/experiments", json=new).status_code == 201
        text = httpx.get(f"{served.url}/metrics").text
    families = dict(re.findall(r"^# TYPE (robandit_\w+) (\w+)$", text, re.MULTILINE))
    assert len(families) == text.count("# HELP robandit_") >= 18
    histograms = {f"{name}_bucket" for name, kind in families.items() if kind == "histogram"}
    for name in ("alerts.yaml", "grafana.json"):
        names = series_in((DEPLOY / name).read_text())
        assert len(names) >= 7
        assert names <= {*families, *histograms}
    for line in text.splitlines():
        assert re.fullmatch(r'#.*|robandit_\w+(\{(\w+="([^"\\\n]|\\.)*",?)+\})? [-+.\de]+', line), line
    counts = re.findall(r'commit_seconds_bucket\{le="[^"]+"\} (\d+)', text)
    assert list(map(int, counts)) == sorted(map(int, counts))
    assert f"robandit_commit_seconds_count {counts[-1]}" in text


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool, which comes with prometheus")
def test_prometheus_understands_the_alerts_and_the_numbers(tmp_path: Path) -> None:
    subprocess.run(["promtool", "check", "rules", DEPLOY / "alerts.yaml"], check=True, capture_output=True)
    with running() as served:
        text = httpx.get(f"{served.url}/metrics").text
    outcome = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr + outcome.stdout
