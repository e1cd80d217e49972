"""A small learner finds an attack on UCB1 by trial, beside the one that the red team finds.

    pip install '.[lab,gym]'
    python recipes/gym_attack.py

The learner knows neither UCB1 nor which arm is best. For each arm it erases, leaves or adds rewards, after a share of
rounds in which it waits. The cross-entropy method improves how likely each of these is. It then plays on fresh seeds.
"""

import numpy as np

import robandit as rb
from robandit.gym import AttackEnv

MEANS, HORIZON, BUDGET = [0.9, 0.8, 0.7], 2_000, 15
TRIES, BEST, ROUNDS, EACH, FRESH = 24, 6, 6, 2, 40
ACTS = np.array([-1.0, 0.0, 1.0])  # what is added to a reward


def measure_harm(environment: AttackEnv, wait: float, additions: np.ndarray, seed: int) -> float:
    """Play once under an attack; returns the regret."""
    observation, _ = environment.reset(seed=seed)
    while True:
        over, _, reward, *one_hot = observation
        action = reward if over < wait else float(np.clip(reward + additions[int(np.argmax(one_hot))], 0.0, 1.0))
        observation, _, is_over, _, info = environment.step(np.array([action]))
        if is_over:
            return float(info["regret"])


def learn(environment: AttackEnv, seed: int) -> tuple[float, np.ndarray]:
    """Search by the cross-entropy method; returns the attack that did the most harm: its wait and its additions."""
    random = np.random.default_rng(seed)
    likely, wait = np.full((len(MEANS), len(ACTS)), 1.0 / len(ACTS)), 0.05
    for place in range(ROUNDS):
        waits = random.uniform(0.0, 2.0 * wait, TRIES)
        acts = np.array([[random.choice(len(ACTS), p=row) for row in likely] for _ in range(TRIES)])
        seeds = [1000 + 10 * place + seed for seed in range(EACH)]
        tries = zip(waits, ACTS[acts], strict=True)
        scores = [sum(measure_harm(environment, one, additions, seed) for seed in seeds) for one, additions in tries]
        elite = np.argsort(scores)[-BEST:]
        shares = (acts[elite, :, None] == np.arange(len(ACTS))).mean(0)
        likely, wait = 0.9 * shares + 0.1 / len(ACTS), float(waits[elite].mean())
    return wait, ACTS[likely.argmax(1)]


def main() -> None:
    """Learn, play on fresh seeds, compare."""
    environment = AttackEnv("ucb1", MEANS, BUDGET, HORIZON)
    wait, additions = learn(environment, seed=1)
    scores = np.array([measure_harm(environment, wait, additions, seed) for seed in range(1, FRESH + 1)])
    environment.close()
    half = 2.02 * scores.std(ddof=1) / np.sqrt(FRESH)
    search = rb.find_worst_attack("ucb1", MEANS, budget=BUDGET, horizon=HORIZON, threat="B", runs=FRESH)
    rows = [
        ("without an attack", search.clean["mean"], search.clean["half_width_95"], ""),
        ("learned by trial", scores.mean(), half, f"waits {wait:.2f} T, then adds {np.round(additions, 2)}"),
        ("the red team", search.regret["mean"], search.regret["half_width_95"], str(search.candidate)),
    ]
    for name, mean, interval, words in rows:
        print(f"{name:18} regret {mean:6.1f} ± {interval:4.1f}  {words}")


if __name__ == "__main__":
    main()
