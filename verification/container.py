"""Builds the image and tries it as it is deployed: `make image`, with Docker or podman.

The container has a read-only root, no capabilities and a volume for its data. A decision is made and rewarded, an audit
compiles what it needs, the container is stopped and started again, and the journal is verified in it. BASE names
another base image than the Dockerfile's, for machines that cannot fetch that one.
"""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1]
IMAGE = VOLUME = NAME = "robandit-trial"
RESTRICTED = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
RESTRICTED += ["--volume", f"{VOLUME}:/data"]


class Engine:
    """Docker or podman."""

    def __init__(self) -> None:
        found = [name for name in ("docker", "podman") if shutil.which(name) and works(name)]
        if not found:
            raise SystemExit("make image needs Docker or podman, and neither works here")
        self.name = found[0]

    def run(self, *words: str, check: bool = True) -> str:
        """Returns what a command of the engine prints."""
        done = subprocess.run([self.name, *words], capture_output=True, text=True)
        if check and done.returncode:
            raise SystemExit(f"{self.name} {' '.join(words)}:\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def robandit(self, *words: str) -> str:
        """Returns what a command of robandit prints in a container of its own."""
        return self.run("run", "--rm", *RESTRICTED, IMAGE, *words)

    def clean(self) -> None:
        """Remove the container and its volume; the image stays."""
        self.run("rm", "--force", NAME, check=False)
        self.run("volume", "rm", "--force", VOLUME, check=False)


def works(name: str) -> bool:
    """Whether an engine's server answers."""
    return subprocess.run([name, "info"], capture_output=True).returncode == 0


def send(url: str, token: str, message: Any = None, verb: str = "POST") -> Any:
    """Send a message to the service; returns its reply."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    body = None if message is None else json.dumps(message).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=verb), timeout=120) as reply:
        return json.loads(reply.read() or b"null")


def start(engine: Engine) -> str:
    """Start the service, wait until it is well; returns its address."""
    engine.run("run", "--detach", "--name", NAME, *RESTRICTED, "--publish", "127.0.0.1::8470", IMAGE)
    url = f"http://{engine.run('port', NAME, '8470').splitlines()[0]}"
    for _ in range(300):
        with suppress(OSError):
            if send(f"{url}/healthz", "", verb="GET")["status"] == "ok":
                return url
        time.sleep(0.1)
    raise SystemExit(f"the service did not become well in 30 seconds:\n{engine.run('logs', NAME)}")


def stop(engine: Engine) -> None:
    """Stop the service as an orchestrator does, and remove its container."""
    engine.run("stop", "--time", "30", NAME)
    code = engine.run("inspect", "--format", "{{.State.ExitCode}}", NAME)
    assert code == "0", f"stopped with exit code {code}"
    engine.run("rm", NAME)


def wait_for_audit(url: str, token: str) -> Any:
    """Returns what the first audit found."""
    for _ in range(120):
        found = send(url, token, verb="GET")
        if found["line"]:
            assert not found["problem"], found["problem"]
            return found
        time.sleep(0.5)
    raise SystemExit("no audit was made in a minute")


def main() -> None:
    """Build, try, print what was seen."""
    engine = Engine()
    engine.clean()
    base = ["--build-arg", f"BASE={os.environ['BASE']}"] if "BASE" in os.environ else []
    network = ["--network", "host"] if engine.name == "podman" else []
    began = time.monotonic()
    engine.run("build", *network, *base, "--tag", IMAGE, str(HOME))
    size = int(engine.run("image", "inspect", "--format", "{{.Size}}", IMAGE)) / 1e6
    print(f"{engine.name} built the image in {time.monotonic() - began:.0f} s: {size:.0f} MB with its base", flush=True)
    try:
        use(engine)
    finally:
        engine.clean()


def use(engine: Engine) -> None:
    """Deploy the image and use the service in it."""
    began = time.monotonic()
    words = ["service", "token", "boss", "--roles", "admin,decide,reward", "--token-file", "/data/tokens"]
    token = engine.robandit(*words).split()[-1]
    url = start(engine)
    experiments = f"{url}/v1/experiments"
    send(experiments, token, {"name": "offers", "arms": ["red", "green"], "policy": {"name": "samba"}})
    for count in range(200):
        decision = send(f"{experiments}/offers/decisions", token, {})
        reward = {"reward": count % 2, "source": f"visitor {count % 20}"}
        send(f"{experiments}/offers/decisions/{decision['id']}/reward", token, reward, "PUT")
    print(f"from no token to 200 rewarded decisions in {time.monotonic() - began:.1f} s")
    send(f"{experiments}/offers/watch", token)
    found = wait_for_audit(f"{experiments}/offers/watch", token)
    print(f"an audit read {found['line']} lines and compiled what it needed, on a read-only root")
    user = engine.run("exec", NAME, "id", "-u")
    assert user == "10001", user
    assert subprocess.run([engine.name, "exec", NAME, "touch", "/opt/x"], capture_output=True).returncode
    check = re.findall(r'^  CMD (\[".*\])$', (HOME / "Dockerfile").read_text(), re.MULTILINE)[0]
    engine.run("exec", NAME, *json.loads(check))
    print("its user has no rights, its root cannot be written, its health check passes")
    stop(engine)
    report = engine.robandit("service", "verify", "sqlite:////data/robandit.db")
    assert "400" in report or "401" in report, report
    print(report)
    url = start(engine)
    assert send(f"{url}/v1/experiments/offers", token, verb="GET")["decisions"] == 200
    stop(engine)
    print("stopped with exit code 0, started again with all 200 decisions")


if __name__ == "__main__":
    main()
