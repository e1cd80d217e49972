"""DRAA that tells its agents apart, so that what a few of them report can be trimmed."""

from dataclasses import dataclass, field

import numpy as np

from robandit.dice import Random, draw
from robandit.game import Choice, Floats, Setting
from robandit.numerics import no_longer_awaited
from robandit.parts import About, parameter
from robandit.policies.draa import DraaEpochs
from robandit.policies.phased import Epoch, gaps_to_best, log_factor, new_epoch
from robandit.policies.teams.team_samba import check_trim, trimmed_sum


@dataclass
class TeamEpoch(Epoch):
    """An epoch with each agent's sums, the rewards awaited of each, and whose turn it is."""

    by_agent: Floats = field(default_factory=lambda: np.zeros((1, 1)))
    waiting: Floats = field(default_factory=lambda: np.zeros(1))
    ranked: Floats = field(default_factory=lambda: np.zeros(1))
    turn: int = 0


@dataclass(frozen=True)
class TeamDraa(DraaEpochs[TeamEpoch]):
    """Agents broadcast the sums of an epoch when it ends. Without trimming it is `draa`, reward by reward."""

    plays = "agents"
    by_counts = False
    about = About(
        name="team-draa",
        family="BARBAR",
        summary="DRAA that weighs each agent by itself: few broadcasts, and sums trimmed of what a few agents forge",
        reference="Liu, Li & Li 2021",
        fidelity="reconstruction",
        needs=("agents", "horizon", "delta"),
        bound="C + K log^2(T)/Delta over all agents; none proved with trimming",
        cost="O(K), a draw",
        late="exact",
    )
    trim: int = parameter(0, "agents left out at either end of each arm's sums", least=0)

    def start(self, setting: Setting) -> TeamEpoch:
        agents = setting.agents
        check_trim(self.name, self.trim, agents)
        plain = new_epoch(setting.arms, log_factor(self.scale, self.delta, setting))
        sums, waiting, ranked = np.zeros((agents, setting.arms)), np.zeros(agents), np.zeros(agents)
        state = TeamEpoch(**vars(plain), by_agent=sums, waiting=waiting, ranked=ranked)
        self.open_epoch(state)
        return state

    def team(self, state: TeamEpoch) -> int:
        return len(state.waiting)

    def choose(self, state: TeamEpoch, random: Random) -> Choice:
        arm, agents = draw(state.entries, random), len(state.waiting)
        note = state.number * len(state.entries) + arm
        return Choice(arm, state.probabilities[arm], note * agents + state.turn % agents)

    def defer(self, state: TeamEpoch, choice: Choice) -> None:
        state.turn += 1
        state.waiting[choice.note % len(state.waiting)] += 1.0

    def learn(self, state: TeamEpoch, choice: Choice, reward: float, random: Random) -> None:
        agents = len(state.waiting)
        agent, number = choice.note % agents, choice.note // agents // len(state.entries)
        state.turn += no_longer_awaited(state.waiting, agent)
        if number != state.number:
            return  # its epoch has ended
        state.by_agent[agent, choice.arm] += reward
        state.left -= 1
        if state.left == 0:
            self.close_epoch(state)

    def conclude(self, state: TeamEpoch) -> None:
        for arm in range(len(state.gaps)):
            state.sums[arm] = trimmed_sum(state.by_agent, arm, self.trim, state.ranked)
            for agent in range(len(state.waiting)):
                state.by_agent[agent, arm] = 0.0
        gaps_to_best(state)

    def messages(self, state: TeamEpoch, rounds: int) -> int:
        return len(state.waiting) * (state.number - 1)

    def message_size(self, arms: int) -> int:
        return arms
