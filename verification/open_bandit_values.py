"""Off-policy values of an audit beside those of the package obp, on the same rows of the Open Bandit Dataset.

    pip download --no-deps obp==0.4.1
    python -m venv out/obp && out/obp/bin/pip install obp==0.4.1 pyarrow .
    out/obp/bin/python verification/open_bandit_values.py obp-0.4.1-py3-none-any.whl

The package is no dependency. Both get the same probabilities of a policy that learns the log, row by row, and the same
means as a model of the rewards. IPS, SNIPS and DR must agree to 1e-9, relative to the value or 1e-3 if that is larger.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import obp
from obp.ope import DoublyRobust, InverseProbabilityWeighting, SelfNormalizedInverseProbabilityWeighting

import robandit as rb

sys.path.insert(0, str(Path(__file__).parents[1] / "recipes"))
from open_bandit import PARTS, read_rows, write_log

POLICIES = ("uniform", "exp3", "samba:learning_rate=0.1")
ESTIMATORS = {
    "ips": InverseProbabilityWeighting(),
    "snips": SelfNormalizedInverseProbabilityWeighting(),
    "dr": DoublyRobust(),
}


def learn_log(policy: Any, arms: np.ndarray, rewards: np.ndarray, probabilities: np.ndarray, count: int) -> np.ndarray:
    """Returns the policy's probabilities before each row, which it then learns."""
    state, stream = policy.start(rb.Setting(count, len(arms))), rb.Random(1, 2, 3, 4)
    shares = np.empty((len(arms), count, 1))
    for row, (arm, reward, probability) in enumerate(zip(arms, rewards, probabilities, strict=True)):
        shares[row, :, 0] = state.probabilities
        policy.learn(state, rb.Choice(int(arm), float(probability), 0), float(reward), stream)
    return shares


def means_before(arms: np.ndarray, rewards: np.ndarray, count: int) -> np.ndarray:
    """Returns the mean reward of each arm before each row, with half a reward in one more row."""
    sums, counts, means = np.full(count, 0.5), np.ones(count), np.empty((len(arms), count, 1))
    for row, (arm, reward) in enumerate(zip(arms, rewards, strict=True)):
        means[row, :, 0] = sums / counts
        sums[arm] += reward
        counts[arm] += 1
    return means


def compare(wheel: Path, part: str, folder: Path) -> float:
    """Returns the largest difference over policies, arms and estimators."""
    rows = read_rows(wheel, part)
    path = folder / f"{part.replace('/', '-')}.csv"
    write_log(rows, path)
    values = rb.audit(path, "ucb1", price=False, shadow=list(POLICIES)).off_policy
    assert values is not None
    log = rb.read_log(path)
    names = list(log.arms)
    arms = np.array([names.index(f"item {row['arm']}") for row in rows])
    rewards = np.array([float(row["reward"]) for row in rows])
    probabilities = np.array([float(row["probability"]) for row in rows])
    model = means_before(arms, rewards, len(names))
    worst = 0.0
    targets = [
        (values["policies"][name]["value"], learn_log(rb.policy(name), arms, rewards, probabilities, len(names)))
        for name in POLICIES
    ]
    for arm, name in enumerate(names):
        always = np.zeros_like(model)
        always[:, arm, 0] = 1.0
        targets.append((values["arms"][name], always))
    for ours, shares in targets:
        for kind, estimator in ESTIMATORS.items():
            more = {"estimated_rewards_by_reg_model": model} if kind == "dr" else {}
            theirs = estimator.estimate_policy_value(
                reward=rewards,
                action=arms,
                pscore=probabilities,
                action_dist=shares,
                position=np.zeros(len(arms), int),
                **more,
            )
            worst = max(worst, abs(ours[kind]["value"] - theirs) / max(abs(theirs), 1e-3))
    return worst


def main() -> None:
    """Compare on all six files."""
    wheel = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            worst = compare(wheel, part, Path(folder))
            print(f"obp {obp.__version__}, {part}: the largest difference is {worst:.1e}", flush=True)
            assert worst < 1e-9


if __name__ == "__main__":
    main()
