"""Other packages beside this one, on this machine: `make peers` measures, `python benchmarks/peers.py speed` shows.

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
STORED, ROOM = HERE.parent / "docs" / "compared.json", HERE.parent / "out" / "peers"
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


def ran(words: list[str]) -> tuple[bool, str]:
    """Whether a command worked, and its last line, or the line of an error."""
    plain = {**os.environ, "PYTHONWARNINGS": "ignore", "MPLBACKEND": "agg"}
    done = subprocess.run(words, capture_output=True, text=True, env=plain, cwd=ROOM)
    lines = [
        line.strip() for line in (done.stdout if done.returncode == 0 else done.stderr).splitlines() if line.strip()
    ]
    told = [line for line in lines if "Error" in line] if done.returncode else []
    return done.returncode == 0, (told or lines or ["it said nothing"])[-1].partition(" (/")[0][:160]


def installed(name: str) -> dict[str, Any]:
    """A package in an environment of its own: what it is, what went wrong on the way. One that is there is taken."""
    failed, (attempts, games) = list[str](), PEERS[name]
    python, kept = str(ROOM / name / "bin" / "python"), ROOM / f"{name}.json"
    if kept.exists():
        return dict(json.loads(kept.read_text()))
    for attempt in attempts:
        shutil.rmtree(ROOM / name, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(ROOM / name)], check=True)
        words = " ".join(["robandit"] if name == "robandit" else attempt)
        well, said = ran([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *attempt])
        if not well:
            failed.append(f"`pip install {words}` fails: {said}")
            continue
        for player, policies in games.items() or {name: []}.items():
            first = (
                [str(HERE / "peer_games.py"), player, *policies[:1], "100"] if policies else ["-c", f"import {player}"]
            )
            well, said = ran([python, *first])
        if well:
            facts = json.loads(ran([python, "-c", FACTS, name])[1])
            found = {"name": name, "installed": words, "failed": failed, "python": python, **facts}
            kept.write_text(json.dumps(found))
            return found
        failed.append(f"`pip install {words}` works, its import fails: {said}")
    return {"name": name, "installed": None, "failed": failed}


def measured(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every game of every package that works, in turn, several times: medians."""
    candidates = [
        (package["python"], player, policy)
        for package in found
        if package["installed"]
        for player, policies in PEERS[package["name"]][1].items()
        for policy in policies
    ]
    results: dict[tuple[str, str], list[dict[str, float]]] = {(player, policy): [] for _, player, policy in candidates}
    for repeat in range(REPEATS):
        for python, player, policy in candidates:
            well, said = ran([python, str(HERE / "peer_games.py"), player, policy, str(ROUNDS), str(repeat + 1)])
            if not well:
                raise SystemExit(f"{player} {policy}: {said}")
            results[player, policy].append(json.loads(said))
            print(f"{repeat + 1} of {REPEATS}: {player} {policy} {said}", file=sys.stderr)
    return [
        {"player": player, "policy": policy, "rounds_a_second": rates, "regret": [row["regret"] for row in rows]}
        for (player, policy), rows in results.items()
        if (rates := [row["rounds_a_second"] for row in rows])
    ]


def speed(told: dict[str, Any]) -> str:
    """Rounds a second of each package and policy, and the regret of UCB1 as a check that the game is the same."""
    rates = {(row["player"], row["policy"]): statistics.median(row["rounds_a_second"]) for row in told["games"]}
    check = {row["player"]: statistics.median(row["regret"]) for row in told["games"] if row["policy"] == "ucb"}
    players = sorted({player for player, _ in rates}, key=lambda player: -max(rates.get((player, g), 0) for g in GAMES))
    rows = [["", "loop", *GAMES.values(), "regret of UCB1"], ["---", "---", *["---:"] * (len(GAMES) + 1)]]
    for player in players:
        cells = [rounded(rates[player, game]) if (player, game) in rates else "-" for game in GAMES]
        last = rounded(check[player]) if player in check else "-"
        rows.append([TITLES.get(player, player), LOOPS.get(player, "a call a round"), *cells, last])
    return table(rows)


def install(told: dict[str, Any]) -> str:
    """What came with each package."""
    rows = [["", "version", "packages in all", "MB", "typed", "command"], ["---", "---", "---:", "---:", "---", "---"]]
    for package in told["packages"]:
        if package["installed"]:
            words = "yes" if package["typed"] else "-", ", ".join(package["commands"]) or "-"
            sizes = str(package["packages"]), str(package["megabytes"])
            rows.append([package["name"], package["version"], *sizes, *words])
    return table(rows)


def failures(told: dict[str, Any]) -> str:
    """What did not work, in the words of the error."""
    lines = [f"- {failed}\n" for package in told["packages"] for failed in package["failed"]]
    pinned = [package for package in told["packages"] if package["installed"] and package["failed"]]
    return "".join(lines + [f"- {p['name']} is measured after `pip install {p['installed']}`\n" for p in pinned])


def machine(told: dict[str, Any]) -> str:
    """On what, when, how."""
    low, high = sorted(told["load"])
    where = f"Python {told['python']}, {told['processor']}, {told['cores']} cores, load {low:.1f} to {high:.1f}"
    how = f"{told['rounds']:,} rounds, {told['repeats']} repeats in turn, medians of CPU time"
    return f"Measured {told['date']}: {where}; {how}.\n"


def rounded(value: float) -> str:
    """Two figures: more would not be there the next time."""
    return f"{float(f'{value:.2g}'):,.0f}"


def table(rows: list[list[str]]) -> str:
    """As Markdown."""
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Install, play, store."""
    import datetime

    ROOM.mkdir(parents=True, exist_ok=True)
    begun, found = os.getloadavg()[0], [installed(name) for name in PEERS]
    for package in found:
        print(package["name"], package["installed"] or "cannot be used", *package["failed"], sep="; ", file=sys.stderr)
    games = measured(found)
    cpu = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if "model name" in line
    ]
    told = {"date": f"{datetime.date.today()}", "python": platform.python_version(), "processor": (cpu or ["?"])[0]}
    told |= {"cores": os.cpu_count(), "load": [begun, os.getloadavg()[0]], "rounds": ROUNDS, "repeats": REPEATS}
    packages = [{key: value for key, value in package.items() if key != "python"} for package in found]
    STORED.write_text(json.dumps({**told, "packages": packages, "games": games}, indent=1) + "\n")


SHOWN = {"speed": speed, "install": install, "failures": failures, "machine": machine}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(SHOWN[sys.argv[1]](json.loads(STORED.read_text())), end="")
    else:
        main()
