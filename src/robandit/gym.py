"""The lab as Gymnasium environments: in one the agent is the policy, in the other the attacker.

Both play the lab's own loop, interpreted, in a thread that waits whenever it is the agent's turn. So clipping, charging
and random streams are those of every other play, and regret is measured in the same place. It needs the extra `gym`.
"""

import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, ClassVar, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Adversary, Choice, Environment, Floats, Policy, Setting
from robandit.lab.runner import Runner, prepare
from robandit.lab.scenario import Scenario
from robandit.parts import About

Step = tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]


class Left(Exception):
    """Nobody waits for the rest of a play."""


class Turns:
    """A play in a thread of its own, and whoever decides for one of its parts: they take turns."""

    def __init__(self) -> None:
        self.asked: SimpleQueue[Any] = SimpleQueue()
        self.decided: SimpleQueue[Any] = SimpleQueue()
        self.thread: threading.Thread | None = None

    def ask(self, question: Any) -> Any:
        """In the play: wait for a decision. Raises Left."""
        self.asked.put(question)
        decision = self.decided.get()
        if decision is None:
            raise Left
        return decision

    def begin(self, runner: Runner) -> Any:
        """Play; returns the first question."""

        def work() -> None:
            try:
                runner.play_interpreted(slice(0, 1))
                self.asked.put(None)
            except Left:
                pass
            except BaseException as error:
                self.asked.put(error)

        self.thread = threading.Thread(target=work, name="play", daemon=True)
        self.thread.start()
        return self.wait()

    def wait(self) -> Any:
        """Returns the next question; None at the end of the play. Raises what went wrong in it."""
        question = self.asked.get()
        if isinstance(question, BaseException):
            raise question
        return question

    def decide(self, decision: Any) -> Any:
        """Decide; returns the next question."""
        self.decided.put(decision)
        return self.wait()

    def end(self) -> None:
        """Leave the play where it is."""
        if self.thread is not None and self.thread.is_alive():
            self.decided.put(None)
            self.thread.join()


@dataclass
class OutsideState:
    """What an agent that plays has done so far."""

    probabilities: Floats  # the shares of its pulls: what a watching attacker sees
    pulls: Floats
    rewards: Floats
    last: float


@dataclass(frozen=True)
class OutsidePolicy(Policy[OutsideState]):
    """Asks an agent outside which arm to pull."""

    about = About(name="outside", summary="an agent outside decides", bound="none is claimed")
    turns: ClassVar[Turns]

    def start(self, setting: Setting) -> OutsideState:
        arms = setting.arms
        return OutsideState(np.full(arms, 1.0 / arms), np.zeros(arms), np.zeros(arms), 0.0)

    def choose(self, state: OutsideState, random: Random) -> Choice:
        """Ask."""
        return Choice(int(self.turns.ask(state)), 1.0, 0)

    def learn(self, state: OutsideState, choice: Choice, reward: float, random: Random) -> None:
        """Count."""
        state.pulls[choice.arm] += 1.0
        state.rewards[choice.arm] += reward
        state.last = reward
        state.probabilities[:] = state.pulls / state.pulls.sum()


@dataclass
class OutsideMemory:
    """An attacker outside remembers by itself."""

    gaps: Floats


@dataclass(frozen=True)
class OutsideAttacker(Adversary[OutsideMemory]):
    """Asks an agent outside which reward to show."""

    about = About(name="outside-attacker", summary="an agent outside decides", bound="none is claimed")
    turns: ClassVar[Turns]

    def start(self, means: Floats, horizon: int) -> OutsideMemory:
        return OutsideMemory(means.max() - means)

    def tamper_reward(
        self, memory: OutsideMemory, t: int, means: Floats, arm: int, reward: float, random: Random
    ) -> float:
        """Ask."""
        return float(self.turns.ask((t, arm, reward)))


class GameEnvironment(gymnasium.Env[Any, Any]):
    """What both have in common: a play that is begun, and left."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]  # Gymnasium declares it as a plain variable

    def __init__(self, horizon: int) -> None:
        self.horizon, self.turns = int(horizon), Turns()

    def begin(self, scenario: Scenario) -> Any:
        """Begin a play; returns the first question."""
        self.runner = prepare(scenario, [self.horizon])
        return self.turns.begin(self.runner)

    def next_seed(self, seed: int | None) -> int:
        """Returns the seed of a play: the one that was asked for, or the next of Gymnasium's own stream."""
        return int(self.np_random.integers(2**31)) if seed is None else seed

    @property
    def regret(self) -> float:
        """Returns the regret of a play that has ended."""
        return float(self.runner.buffers.regret[0, -1])

    def close(self) -> None:
        """Leave the play."""
        self.turns.end()


class BanditEnv(GameEnvironment):
    """The agent is the policy: it pulls arms of an environment that an attacker may tamper with.

    An observation has the share of pulls of each arm, and then the mean of the rewards that the agent saw. `info` has
    the regret against the best arm when the play ends.
    """

    def __init__(
        self,
        environment: Environment[Any] | str | list[float],
        adversary: Adversary[Any] | None = None,
        horizon: int = 1000,
    ) -> None:
        """Create it.

        Args:
            environment: an environment, its text, or a list of means.
            adversary: who tampers with the rewards; None for nobody. One that watches p(t) sees the shares of pulls.
            horizon: the rounds of a play.
        """
        super().__init__(horizon)
        self.policy = type("Agent", (OutsidePolicy,), {"turns": self.turns})()
        self.parts = (environment, adversary)
        arms = Scenario(self.policy, environment, adversary, horizon=horizon).arms
        self.action_space = spaces.Discrete(arms)
        self.observation_space = spaces.Box(0.0, 1.0, (2 * arms,), np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a play; the same seed gives the same rewards."""
        super().reset(seed=seed)
        self.turns.end()
        self.turns = type(self.policy).turns = Turns()
        scenario = Scenario(self.policy, *self.parts, horizon=self.horizon, runs=1, seed=self.next_seed(seed))
        self.state: OutsideState = self.begin(scenario)
        return self.observe(), {}

    def step(self, action: Any) -> Step:
        """Pull an arm."""
        is_over = self.turns.decide(int(action)) is None
        return self.observe(), self.state.last, is_over, False, {"regret": self.regret} if is_over else {}

    def observe(self) -> Any:
        """Returns what the agent knows."""
        pulls = np.maximum(self.state.pulls, 1.0)
        return np.concatenate([self.state.pulls / max(self.state.pulls.sum(), 1.0), self.state.rewards / pulls])


class AttackEnv(GameEnvironment):
    """The agent is the attacker, of threat model B: it sees the arm and the reward, and says which reward to show.

    An observation has the share of rounds that are over, the share of the budget that is left, the reward, and 1 for
    the arm that was drawn. A step earns what the policy lost against the best arm. When the budget is spent, the rest
    of the play runs at once, and the last step earns what is lost in it.
    """

    def __init__(
        self,
        policy: Policy[Any] | str,
        environment: Environment[Any] | str | list[float],
        budget: float,
        horizon: int = 1000,
    ) -> None:
        """Create it.

        Args:
            policy: who is attacked: a policy, or its text.
            environment: an environment whose means stay, its text, or a list of means.
            budget: what the attacker may spend: the sum of the changes of rewards.
            horizon: the rounds of a play.
        """
        if not 0.0 < budget < np.inf:
            raise InputError(f"budget must be a number above 0, not {budget:g}")
        super().__init__(horizon)
        self.parts, self.budget = (policy, environment), float(budget)
        self.attacker = type("Attacker", (OutsideAttacker,), {"turns": self.turns})(budget=self.budget)
        scenario = Scenario(policy, environment, self.attacker, horizon=horizon)
        if scenario.environment.changes or scenario.is_contextual:
            raise InputError(f"the means must stay for an attacker outside, and those of {scenario.environment} change")
        self.gaps, arms = scenario.gaps, scenario.arms
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float64)
        self.observation_space = spaces.Box(0.0, 1.0, (3 + arms,), np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a play; the same seed gives the same draws."""
        super().reset(seed=seed)
        self.turns.end()
        self.turns = type(self.attacker).turns = Turns()
        self.spent, self.earned = 0.0, 0.0
        policy, environment = self.parts
        scenario = Scenario(policy, environment, self.attacker, horizon=self.horizon, runs=1, seed=self.next_seed(seed))
        self.round = self.begin(scenario)
        return self.observe(), {}

    def step(self, action: Any) -> Step:
        """Show a reward."""
        _, arm, reward = self.round
        shown = float(np.clip(np.asarray(action).reshape(-1)[0], 0.0, 1.0))
        self.spent = min(self.spent + abs(shown - reward), self.budget)
        after = self.turns.decide(shown)
        if after is None:
            gain = self.regret - self.earned
            return self.observe(), gain, True, False, {"regret": self.regret, "paid": self.spent}
        gain = float(self.gaps[arm])
        self.earned += gain
        self.round = after
        return self.observe(), gain, False, False, {"paid": self.spent}

    def observe(self) -> Any:
        """Returns what the attacker knows."""
        t, arm, reward = self.round
        drawn = np.zeros(len(self.gaps))
        drawn[arm] = 1.0
        return np.concatenate([[t / self.horizon, 1.0 - self.spent / self.budget, reward], drawn])
