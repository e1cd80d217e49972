"""One game of one package: `python peer_games.py PACKAGE POLICY ROUNDS SEED`, run by the Python that has that package.

Nine Bernoulli arms with means 0.1 to 0.9. Each package is used as its own documentation shows: its own loop where it
has one, else its calls to choose and to learn, fed by `random`.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

MEANS = [round(0.1 * arm, 1) for arm in range(1, 10)]
GAMMA = 0.05  # Exp3's mixing, where it has one
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1  # the policy's; the game has another, for a shared one can hurt
OURS = {"ucb": "ucb1", "tsallis-inf": "tsallis-inf-iw"}
Play = Callable[[int], tuple[float, int]]  # rounds -> regret of a run, rounds of all runs


def play_stepwise(choose: Callable[[], int], learn: Callable[[int, int], Any], rounds: int) -> tuple[float, int]:
    """Play a game with a package's calls to choose and to learn; returns its regret and its rounds."""
    draw, regret = random.Random(1000 + SEED), 0.0
    for _ in range(rounds):
        arm = choose()
        learn(arm, int(draw.random() < MEANS[arm]))
        regret += MEANS[-1] - MEANS[arm]
    return regret, rounds


def robandit(policy: str) -> Play:
    import robandit as rb

    name, runs = OURS.get(policy, policy), 20

    def play(rounds: int) -> tuple[float, int]:
        trace = rb.simulate(name, MEANS, horizon=rounds, runs=runs, seed=SEED, threads=1)
        return float(trace.regret[:, -1].mean()), rounds * runs

    return play


def learner(policy: str) -> Play:
    import robandit as rb

    def play(rounds: int) -> tuple[float, int]:
        agent = rb.Learner(OURS.get(policy, policy), arms=[str(arm) for arm in range(9)], seed=SEED)
        draw, regret = random.Random(1000 + SEED), 0.0
        for _ in range(rounds):
            decision = agent.decide()
            arm = int(decision.arm)
            agent.learn(decision.id, float(draw.random() < MEANS[arm]))
            regret += MEANS[-1] - MEANS[arm]
        return regret, rounds

    return play


def pymab(policy: str) -> Play:
    import numpy as np
    from pymab import BanditEnvironment, BernoulliReward, Experiment, ExperimentConfig
    from pymab.policies import BernoulliThompsonSamplingPolicy, EXP3Policy, UCBPolicy

    makers = {"ucb": UCBPolicy, "thompson": BernoulliThompsonSamplingPolicy, "exp3": EXP3Policy}
    agent = makers[policy](n_arms=9, gamma=GAMMA) if policy == "exp3" else makers[policy](n_arms=9)
    runs = 3

    def play(rounds: int) -> tuple[float, int]:
        environment = BanditEnvironment(means=np.array(MEANS), reward_model=BernoulliReward())
        terms = ExperimentConfig(horizon=rounds, n_replicates=runs, seed=SEED, backend="rust")
        results = Experiment(environment=environment, policies={"it": agent}, config=terms).run()
        arms = np.asarray(results.actions).ravel()
        return float((MEANS[-1] - np.array(MEANS)[arms]).sum()) / runs, rounds * runs

    return play


def river(policy: str) -> Play:
    from river import bandit, proba

    def play(rounds: int) -> tuple[float, int]:
        agent: Any = {
            "ucb": lambda: bandit.UCB(delta=1, seed=SEED),
            "thompson": lambda: bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=SEED),
            "exp3": lambda: bandit.Exp3(gamma=GAMMA, seed=SEED),
        }[policy]()
        arms = list(range(9))
        return play_stepwise(lambda: agent.pull(arms), agent.update, rounds)

    return play


def mabwiser(policy: str) -> Play:
    from mabwiser.mab import MAB, LearningPolicy

    kind = {"ucb": lambda: LearningPolicy.UCB1(alpha=1), "thompson": LearningPolicy.ThompsonSampling}[policy]

    def play(rounds: int) -> tuple[float, int]:
        agent = MAB(list(range(9)), kind(), seed=SEED)
        agent.fit(list(range(9)), [0] * 9)
        return play_stepwise(agent.predict, lambda arm, reward: agent.partial_fit([arm], [reward]), rounds)

    return play


def smpybandits(policy: str) -> Play:
    from SMPyBandits.Policies import UCB, Exp3, Thompson, TsallisInf

    makers = {"ucb": UCB, "thompson": Thompson, "exp3": lambda arms: Exp3(arms, gamma=GAMMA), "tsallis-inf": TsallisInf}

    def play(rounds: int) -> tuple[float, int]:
        agent = makers[policy](9)
        agent.startGame()
        return play_stepwise(agent.choice, agent.getReward, rounds)

    return play


def coba(policy: str) -> Play:
    from coba.learners import BanditUCBLearner

    maker = {"ucb": BanditUCBLearner}[policy]

    def play(rounds: int) -> tuple[float, int]:
        agent, arms = maker(seed=SEED), list(range(9))
        return play_stepwise(
            lambda: agent.predict(None, arms)[0], lambda arm, reward: agent.learn(None, arm, reward, 1), rounds
        )

    return play


def mabby(policy: str) -> Play:
    from mabby import Bandit, BernoulliArm, Metric, Simulation
    from mabby.strategies import BetaTSStrategy, UCB1Strategy

    maker = {"ucb": lambda: UCB1Strategy(alpha=2**0.5), "thompson": lambda: BetaTSStrategy(general=False)}[policy]

    def play(rounds: int) -> tuple[float, int]:
        game = Bandit([BernoulliArm(mean) for mean in MEANS], seed=1000 + SEED)
        strategy = maker()
        Simulation(bandit=game, strategies=[strategy], seed=SEED).run(trials=1, steps=rounds, metrics=[Metric.REGRET])
        return sum((MEANS[-1] - mean) * int(n) for mean, n in zip(MEANS, strategy.Ns, strict=True)), rounds

    return play


def pybandits(policy: str) -> Play:
    from pybandits.smab import SmabBernoulli

    maker = {"thompson": SmabBernoulli.cold_start}[policy]

    def play(rounds: int) -> tuple[float, int]:
        agent = maker(action_ids={str(arm) for arm in range(9)})
        learn = agent.update
        return play_stepwise(
            lambda: int(agent.predict(n_samples=1)[0][0]),
            lambda arm, reward: learn(actions=[str(arm)], rewards=[reward]),
            rounds,
        )

    return play


if __name__ == "__main__":
    package, policy, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    play = globals()[package](policy)
    play(1000)  # compiles, imports, fills caches
    start = time.process_time()
    regret, count = play(rounds)
    seconds = time.process_time() - start
    print(json.dumps({"rounds_a_second": count / seconds, "regret": regret, "seconds": seconds}))
