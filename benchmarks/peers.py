"""Other packages beside this one, on this machine: `make peers` measures, `python benchmarks/peers.py speed` prints.

Each package is installed from the index into an environment of its own under out/peers and plays the same game
(benchmarks/peer_games.py). All games are played in turn, several times; the medians, and what could not be installed or
imported and how that failed, are stored in docs/compared.json, from which docs/compared.md has its tables.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STORED, FOLDER = HERE.parent / "docs" / "compared.json", HERE.parent / "out" / "peers"
ROUNDS, REPEATS = 100_000, 3
GAMES = {"ucb": "UCB1", "thompson": "Thompson", "exp3": "Exp3", "tsallis-inf": "Tsallis-INF"}
ALL, CLASSIC = list(GAMES), ["ucb", "thompson"]
PEERS: dict[str, tuple[list[list[str]], dict[str, list[str]]]] = {  # what to install, tried in turn; games by package
    "robandit": ([[str(HERE.parent)]], {"robandit": ALL, "learner": ALL}),
    "pymab": ([["pymab"]], {"pymab": ALL[:3]}),
    "river": ([["river"]], {"river": ALL[:3]}),
    "coba": ([["coba"]], {"coba": ["ucb"]}),
    "SMPyBandits": ([["SMPyBandits"], ["SMPyBandits", "scipy<1.14", "numpy<2", "pandas<2.3"]], {"smpybandits": ALL}),
    "mabby": ([["mabby"]], {"mabby": CLASSIC}),
    "mabwiser": ([["mabwiser"]], {"mabwiser": CLASSIC}),
    "pybandits": ([["pybandits"]], {"pybandits": ["thompson"]}),
    "obp": ([["obp"]], {"obp": []}),
}
TITLES = {"robandit": "robandit, the lab", "learner": "robandit, the learner", "smpybandits": "SMPyBandits"}
LOOPS = {"robandit": "its own, compiled", "pymab": "its own, compiled (Rust)", "mabby": "its own"}
FACTS = """
import importlib.metadata as index, json, os, sys
own = index.distribution(sys.argv[1])
others = [d for d in index.distributions() if d.metadata["Name"].lower() not in ("pip", "setuptools", "wheel")]
size = sum(os.path.getsize(d.locate_file(f)) for d in others for f in d.files or [] if os.path.isfile(d.locate_file(f)))
print(json.dumps({
    "version": own.version, "packages": len(others), "megabytes": round(size / 1e6),
    "typed": any(str(f).endswith("py.typed") for f in own.files or []),
    "commands": sorted(e.name for e in own.entry_points if e.group == "console_scripts"),
}))
"""


def run_command(words: list[str]) -> tuple[bool, str]:
    """Run a command; returns whether it worked, and its last line, or the line of an error."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "MPLBACKEND": "agg"}
    process = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=FOLDER)
    lines = [
        line.strip()
        for line in (process.stdout if process.returncode == 0 else process.stderr).splitlines()
        if line.strip()
    ]
    errors = [line for line in lines if "Error" in line] if process.returncode else []
    return process.returncode == 0, (errors or lines or ["it said nothing"])[-1].partition(" (/")[0][:160]


def install_peer(name: str) -> dict[str, Any]:
    """Install a package in an environment of its own, once; returns what it is and which attempts failed."""
    problems, (attempts, games) = list[str](), PEERS[name]
    python, file = str(FOLDER / name / "bin" / "python"), FOLDER / f"{name}.json"
    if file.exists():
        return dict(json.loads(file.read_text()))
    for attempt in attempts:
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER / name)], check=True)
        words = " ".join(["robandit"] if name == "robandit" else attempt)
        is_ok, line = run_command([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *attempt])
        if not is_ok:
            problems.append(f"`pip install {words}` fails: {line}")
            continue
        for player, policies in games.items() or {name: []}.items():
            first = (
                [str(HERE / "peer_games.py"), player, *policies[:1], "100"] if policies else ["-c", f"import {player}"]
            )
            is_ok, line = run_command([python, *first])
        if is_ok:
            facts = json.loads(run_command([python, "-c", FACTS, name])[1])
            package = {"name": name, "installed": words, "failed": problems, "python": python, **facts}
            file.write_text(json.dumps(package))
            return package
        problems.append(f"`pip install {words}` works, its import fails: {line}")
    return {"name": name, "installed": None, "failed": problems}


def measure(packages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Play every game of every package that works, in turn, several times; returns all rates and regrets."""
    candidates = [
        (package["python"], player, policy)
        for package in packages
        if package["installed"]
        for player, policies in PEERS[package["name"]][1].items()
        for policy in policies
    ]
    results: dict[tuple[str, str], list[dict[str, float]]] = {(player, policy): [] for _, player, policy in candidates}
    for repeat in range(REPEATS):
        for python, player, policy in candidates:
            is_ok, line = run_command(
                [python, str(HERE / "peer_games.py"), player, policy, str(ROUNDS), str(repeat + 1)]
            )
            if not is_ok:
                raise SystemExit(f"{player} {policy}: {line}")
            results[player, policy].append(json.loads(line))
            print(f"{repeat + 1} of {REPEATS}: {player} {policy} {line}", file=sys.stderr)
    return [
        {"player": player, "policy": policy, "rounds_a_second": rates, "regret": [row["regret"] for row in rows]}
        for (player, policy), rows in results.items()
        if (rates := [row["rounds_a_second"] for row in rows])
    ]


def tabulate_speed(results: dict[str, Any]) -> str:
    """Returns rounds per second by package and policy, and the regret of UCB1 as a check that the game is the same."""
    rates = {(row["player"], row["policy"]): statistics.median(row["rounds_a_second"]) for row in results["games"]}
    check = {row["player"]: statistics.median(row["regret"]) for row in results["games"] if row["policy"] == "ucb"}
    players = sorted({player for player, _ in rates}, key=lambda player: -max(rates.get((player, g), 0) for g in GAMES))
    rows = [["", "loop", *GAMES.values(), "regret of UCB1"], ["---", "---", *["---:"] * (len(GAMES) + 1)]]
    for player in players:
        cells = [round_off(rates[player, game]) if (player, game) in rates else "-" for game in GAMES]
        last = round_off(check[player]) if player in check else "-"
        rows.append([TITLES.get(player, player), LOOPS.get(player, "a call per round"), *cells, last])
    return format_table(rows)


def tabulate_packages(results: dict[str, Any]) -> str:
    """Returns what came with each package."""
    rows = [["", "version", "packages in all", "MB", "typed", "command"], ["---", "---", "---:", "---:", "---", "---"]]
    for package in results["packages"]:
        if package["installed"]:
            words = "yes" if package["typed"] else "-", ", ".join(package["commands"]) or "-"
            sizes = str(package["packages"]), str(package["megabytes"])
            rows.append([package["name"], package["version"], *sizes, *words])
    return format_table(rows)


def list_failures(results: dict[str, Any]) -> str:
    """Returns what did not work, in the words of the error."""
    lines = [f"- {problem}\n" for package in results["packages"] for problem in package["failed"]]
    packages = [package for package in results["packages"] if package["installed"] and package["failed"]]
    return "".join(lines + [f"- {p['name']} is measured after `pip install {p['installed']}`\n" for p in packages])


def describe_machine(results: dict[str, Any]) -> str:
    """Returns on what machine, when and how it was measured."""
    low, high = sorted(results["load"])
    where = (
        f"Python {results['python']}, {results['processor']}, {results['cores']} cores, load {low:.1f} to {high:.1f}"
    )
    how = f"{results['rounds']:,} rounds, {results['repeats']} repeats in turn, medians of CPU time"
    return f"Measured {results['date']}: {where}; {how}.\n"


def round_off(value: float) -> str:
    """Returns two figures: more would not be there the next time."""
    return f"{float(f'{value:.2g}'):,.0f}"


def format_table(rows: list[list[str]]) -> str:
    """Returns rows as a table of Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Install, play, store."""
    import datetime

    FOLDER.mkdir(parents=True, exist_ok=True)
    load, peers = os.getloadavg()[0], [install_peer(name) for name in PEERS]
    for package in peers:
        print(package["name"], package["installed"] or "cannot be used", *package["failed"], sep="; ", file=sys.stderr)
    games = measure(peers)
    cpu = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if "model name" in line
    ]
    results = {"date": f"{datetime.date.today()}", "python": platform.python_version(), "processor": (cpu or ["?"])[0]}
    results |= {"cores": os.cpu_count(), "load": [load, os.getloadavg()[0]], "rounds": ROUNDS, "repeats": REPEATS}
    packages = [{key: value for key, value in package.items() if key != "python"} for package in peers]
    STORED.write_text(json.dumps({**results, "packages": packages, "games": games}, indent=1) + "\n")


SHOWN = {"speed": tabulate_speed, "install": tabulate_packages, "failures": list_failures, "machine": describe_machine}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(SHOWN[sys.argv[1]](json.loads(STORED.read_text())), end="")
    else:
        main()
