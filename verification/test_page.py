"""The page's kernels in Chromium beside machine code: every array of random settings, time, and the first picture.

`pytest verification/test_page.py -rA` prints the figures; the machine's load is printed with them.
"""

import json
import math
import os
import random
from collections.abc import Iterator
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.lab.compile import elementary
from robandit.page.build import write_page
from robandit.page.kernels import AMPLIFYING, POLICIES
from tests.chrome import CHROMIUM, Chrome

browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine and none could be installed")
SETTINGS = 20
ARRAYS = {
    "regret": "regret",
    "paid": "corruption_paid",
    "best": "best_pulls",
    "pulls": "pulls",
    "changed": "rounds_changed",
}
LOAD = "the machine's load was {:.1f} on {} cores"


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    page = write_page(tmp_path_factory.mktemp("page"))
    print(f"the page has {page.stat().st_size:,} bytes")
    chrome = Chrome(tmp_path_factory.mktemp("profile"))
    chrome.call("Page.navigate", url=page.as_uri())
    chrome.until("document.body.dataset.state === 'ready' && app.waited !== undefined", 60)
    yield chrome
    chrome.close()


def random_setting(policy: str, rng: random.Random, place: str) -> tuple[dict[str, Any], rb.Trace]:
    """Returns a setting as the page's lab takes it, and what the machine code makes of it."""
    arms = rng.randint(2, 8)
    means = [round(rng.uniform(0.02, 0.98), 3) for _ in range(arms)]
    budget, horizon, runs = rng.choice([3, 20, 150.5]), rng.choice([100, 777, 5000, 20_000]), rng.randint(2, 5)
    name = rng.choice(["", "sink-shown", "promote", "push-shown", "flip", "invert", "sink", "decoy", "lift-others"])
    attack: dict[str, Any] | None = {"name": name, "budget": budget, "parameters": {}} if name else None
    adversary = None
    if name in ("sink-shown", "promote", "push-shown"):
        can, share, text = rng.choice(["add", "erase", "both"]), rng.choice([1.0, 0.3]), name
        if name == "push-shown":
            lowered = rng.randint(0, 1)
            raised, worst = rng.randint(1 - lowered, arms - 1), rng.random() < 0.5
            attack["parameters"] = {"lowered": lowered, "raised": raised, "worst": worst}
            text = f"push-shown:lowered={lowered},raised={raised},worst={str(worst).lower()}"
        attack |= {"can": can, "share": share}
        adversary = rb.attack(text, budget=budget, capability=f"{can}:share={share}")
    elif name:
        attack["schedule"] = rng.choice(["start", "even", "middle"])
        adversary = rb.attack(name, budget=budget, schedule=attack["schedule"])
    seed = rng.randint(0, 2**32 - 1)
    setting = {"policy": {"name": policy, "parameters": {}}, "means": means, "horizon": horizon, "environment": place}
    setting |= {"concentration": 10, "seed": seed, "attack": attack, "checkpoints": 200, "runs": runs}
    ground = rb.Bernoulli(means) if place == "bernoulli" else rb.Beta(means)
    return setting, rb.simulate(policy, ground, adversary, horizon=horizon, runs=runs, seed=seed)


def play_in_browser(chrome: Chrome, setting: dict[str, Any]) -> dict[str, Any]:
    """Returns what the page's lab makes of a setting, as lists."""
    script = f"""app.pool.ask("here", {json.dumps(setting)}, 0, {setting["runs"]}).then(result =>
      Object.fromEntries(Object.entries(result).map(([name, value]) => [name, value?.length ? [...value] : value])))"""
    result: dict[str, Any] = chrome.run(script)
    return result


def find_differences(there: dict[str, Any], trace: rb.Trace) -> list[str]:
    """Returns the arrays that differ in any bit."""
    pairs = {name: getattr(trace, attribute).ravel().tolist() for name, attribute in ARRAYS.items()}
    return [name for name, values in pairs.items() if values != there[name]]


@browser
@pytest.mark.parametrize("policy", POLICIES)
def test_rewards_of_0_or_1_give_the_same_arrays(chrome: Chrome, policy: str) -> None:
    rng = random.Random(f"page {policy}")
    pairs = [
        (play_in_browser(chrome, setting), trace)
        for setting, trace in (random_setting(policy, rng, "bernoulli") for _ in range(SETTINGS))
    ]
    wrong = [arrays for there, trace in pairs if (arrays := find_differences(there, trace))]
    calls = chrome.run(
        f"[...new Set(Object.keys(app.data.kernels).filter(k => k.startsWith('{policy} ') && "
        "k.endsWith('bernoulli')).flatMap(k => app.data.kernels[k].calls))]"
    )
    print(f"{policy}: {SETTINGS - len(wrong)} of {SETTINGS} settings equal in every bit; calls {calls or 'nothing'}")
    if policy not in AMPLIFYING:
        assert not wrong


@browser
@pytest.mark.parametrize("policy", ["samba", "thompson", "ucb1", "tsallis-inf-rv"])
def test_rewards_between_0_and_1_agree_to_rounding(chrome: Chrome, policy: str) -> None:
    rng, count = random.Random(f"page beta {policy}"), 0
    for _ in range(SETTINGS // 2):
        setting, trace = random_setting(policy, rng, "beta")
        there = play_in_browser(chrome, setting)
        if trace.pulls.ravel().tolist() != there["pulls"]:
            count += 1
        else:
            assert there["regret"] == pytest.approx(trace.regret.ravel().tolist(), rel=1e-12)
            assert there["paid"] == pytest.approx(trace.corruption_paid.ravel().tolist(), rel=1e-9, abs=1e-9)
    print(f"{policy}, beta rewards: {SETTINGS // 2 - count} of {SETTINGS // 2} settings with the same choices")


@browser
@pytest.mark.parametrize("policy", AMPLIFYING)
def test_policies_that_amplify_rounding_agree_in_law(chrome: Chrome, policy: str) -> None:
    """Different seeds on the two sides; |z| above 4.9 comes by chance once in a million."""
    means, runs, horizon = [0.2, 0.5, 0.6], 100, 2000
    trace = rb.simulate(policy, means, horizon=horizon, runs=runs, seed=1)
    setting = {
        "policy": {"name": policy, "parameters": {}},
        "means": means,
        "horizon": horizon,
        "seed": 2,
        "runs": runs,
    }
    there = play_in_browser(chrome, {**setting, "environment": "bernoulli", "attack": None, "checkpoints": 1})
    first, second = trace.regret[:, -1], np.array(there["regret"])
    z = (first.mean() - second.mean()) / math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / runs)
    print(f"{policy}: regret {first.mean():.2f} here, {second.mean():.2f} there, z = {z:.2f}")
    assert abs(z) < 4.9


@browser
def test_time_beside_machine_code_in_the_same_run(chrome: Chrome) -> None:
    attacker, ratios = rb.attack("sink-shown", budget=20, capability="erase"), {}
    for policy in POLICIES:
        setting = {
            "policy": {"name": policy, "parameters": {}},
            "means": [0.02, 0.03, 0.05],
            "horizon": 20_000,
            "seed": 1,
        }
        attack = {"name": "sink-shown", "budget": 20, "can": "erase", "share": 1, "parameters": {}}
        setting |= {"environment": "bernoulli", "attack": attack, "checkpoints": 200, "runs": 10}
        rb.simulate(
            policy, [0.02, 0.03, 0.05], attacker, horizon=20_000, runs=50, threads=1
        )  # the full kernel is there
        here, there = [], []
        for _ in range(3):
            trace = rb.simulate(policy, [0.02, 0.03, 0.05], attacker, horizon=20_000, runs=10, threads=1)
            here.append(1e-6 * trace.nanoseconds * 10 * 20_000)
            there.append(play_in_browser(chrome, setting)["milliseconds"])
        ratios[policy] = min(there) / min(here)
        print(f"{policy}: {min(there):.0f} ms in Chromium, {min(here):.0f} ms of CPU here, factor {ratios[policy]:.2f}")
    print(LOAD.format(os.getloadavg()[0], os.cpu_count()))
    assert max(ratios.values()) <= 4.0


@browser
def test_the_first_picture_after_a_move(chrome: Chrome) -> None:
    waits = chrome.run("""(async () => {
      const slider = document.getElementById("hidden"), waits = [];
      const pause = () => new Promise(done => setTimeout(done, 20));
      for (let step = 1; step <= 20; step++) {
        slider.value = 3 * step;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        while (app.asked || document.body.dataset.state !== "ready") await pause();
        waits.push(app.waited);
      }
      return waits;
    })()""")
    print(
        f"first picture at T = 20,000 and 50 runs: median {np.median(waits):.0f} ms, largest {max(waits):.0f} ms of 20"
    )
    print(LOAD.format(os.getloadavg()[0], os.cpu_count()))
    assert max(waits) <= 500.0


def test_exp_and_log_are_good_to_one_unit_in_the_last_place() -> None:
    rng, worst = np.random.default_rng(11), {}
    wide, near = rng.uniform(-700.0, 700.0, 100_000), rng.uniform(-1.0, 1.0, 100_000)
    cases: dict[str, Any] = {
        "exp": (np.concatenate([wide, near]), lambda x: x.exp()),
        "log": (np.concatenate([np.exp(wide), 1.0 + 0.9 * near]), lambda x: x.ln()),
        "log1p": (np.concatenate([np.exp(0.1 * wide), 0.999 * near]), lambda x: (1 + x).ln()),
    }
    with localcontext() as context:
        context.prec = 55
        for name, (arguments, exact) in cases.items():
            errors = []
            for x in arguments.tolist():
                value = exact(Decimal(x))
                errors.append(abs(Decimal(getattr(elementary, name)(x)) - value) / Decimal(math.ulp(float(value))))
            worst[name] = float(max(errors))
    print(f"largest error in units in the last place, of 200,000 arguments each: {worst}")
    assert max(worst.values()) < 1.0


def test_the_page_is_small(tmp_path: Path) -> None:
    size = write_page(tmp_path).stat().st_size
    print(f"{size:,} bytes")
    assert size < 1_500_000
