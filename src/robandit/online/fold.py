"""State = fold of the journal: what a policy becomes by its terms and then, in order, by all that happened to it.

One machine for a learner that lives and for one that is read again, so that both come to the same bits.
"""

from copy import deepcopy
from operator import index
from typing import Any, NamedTuple

from robandit.dice import LaterStream, Random, Role, Streams, decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Choice, Policy, Setting
from robandit.lab.log import fresh_state
from robandit.online.lift import lift_of
from robandit.online.lists import as_arrays, as_lists, widen
from robandit.online.roster import Roster
from robandit.online.rules import FIRST
from robandit.online.sight import Sight, User, check_arm_values, check_context
from robandit.online.standing import Entry
from robandit.online.terms import ONLY, PREFER, Terms
from robandit.state import load_state, save_state

VERIFIED: Entry = {"verified": True}


class ArmsChanged(NamedTuple):
    """What a change of arms comes to."""

    roster: Roster
    sight: Sight | None
    setting: Setting
    state: Any


class Fold:
    """A policy's state, its arms and the decisions that wait for a reward."""

    __slots__ = (
        "asked",
        "choosing",
        "claims",
        "decisions",
        "learning",
        "lift",
        "pending",
        "policy",
        "roster",
        "setting",
        "sight",
        "state",
        "streams",
        "terms",
        "users",
    )

    def __init__(self, policy: Policy[Any], terms: Terms) -> None:
        if policy.late == "no":
            raise InputError(f"{policy} does not take rewards that come late, so it cannot be used here")
        check_verified(policy, terms)
        if terms.features is not None and policy.plays != "arms" and not policy.looks:
            sentence = f"{policy.name} needs features of the arms, which stay the same, and these are of whoever comes"
            raise InputError(f"{sentence}: take squarecb, linucb, cw-oful, linear-thompson or linear-softmax")
        self.policy, self.terms, self.roster = policy, terms, Roster(terms.arms)
        self.sight: Sight | None = None
        if terms.features is not None or terms.arm_features is not None:
            self.sight = Sight(terms.features, terms.arm_features, terms.rows_of_arms())
        self.setting = self.setting_of(len(terms.arms), self.sight)
        self.choosing, self.learning = (decision_key(terms.seed, role) for role in (Role.CHOOSING, Role.LEARNING))
        self.streams = Streams(self.choosing)
        if terms.state is None:
            state = fresh_state(policy, self.setting, terms.seed)
        else:
            state = load_state(policy, self.setting, terms.state)
        self.state = as_lists(state, tables=policy.looks)
        self.decisions = 0
        self.pending: dict[int, Choice] = {}
        self.users: dict[int, User] = {}  # of pending decisions, where the policy looks
        self.asked: set[int] = set()  # pending decisions whose reward the policy wants to be verified
        # unverified rewards of decisions that wait for a verified one; None where it does not count
        self.claims: dict[int, float | None] = {}
        self.lift = lift_of(policy, self.roster.names)

    def setting_of(self, arms: int, sight: Sight | None) -> Setting:
        """Return the setting with so many arms and these features."""
        features = None if sight is None else sight.setting_features()
        return Setting(arms, self.terms.horizon, self.terms.corruption, features)

    def read(self, context: Any) -> User:
        """Return a context as numbers, None where there are none; raises InputError if it is not as declared."""
        check_context(self.terms.features, context)
        return None if self.sight is None else self.sight.read(context)

    def look(self, user: User) -> None:
        """Let the policy see a user, or (None) somebody of whom nothing is known.

        Whatever happens next begins with a look, so it leaves nothing behind that a later decision depends on.
        """
        if self.sight is not None and self.policy.looks:
            self.policy.look(self.state, self.sight.show(self.sight.unknown if user is None else user))

    def choose(self, among: list[int] | None, user: User = None) -> Choice:
        """Return the next decision for a user, drawn from its own stream; changes nothing but what is looked at."""
        self.look(user)
        return self.choose_with(self.streams.stream(self.decisions), among)

    def choose_with(self, random: Random, among: list[int] | None) -> Choice:
        """Return what the policy chooses with a random stream, of some arms or (None) of all."""
        if among is None:
            return self.policy.choose(self.state, random)
        self.check_arms()
        return self.policy.choose_among(self.state, among, random)

    def wants_check(self, choice: Choice) -> bool:
        """Whether the policy asks for the reward of this choice to be verified."""
        return self.policy.asks and bool(self.policy.wants_check(self.state, choice))

    def probabilities(self, user: User = None) -> dict[str, float] | None:
        """Return p(t) for a user, by the names of the active arms; None where the policy cannot compute it."""
        if not self.policy.explicit:
            return None
        self.look(user)
        self.policy.refresh(self.state)
        roster, shares = self.roster, self.state.probabilities
        if len(roster.present) < len(roster.names):
            shares = self.policy.probabilities_among(self.state, roster.present)
        return dict(zip(roster.active, map(float, shares), strict=True))

    def trial_shares(self, trials: int = 1000, user: User = None) -> dict[str, float]:
        """Return how often each active arm comes in trial choices, for policies that cannot compute p(t)."""
        self.look(user)
        key, counts = decision_key(self.terms.seed, Role.TRIALS), dict.fromkeys(self.roster.active, 0)
        for trial in range(trials):
            choice = self.choose_with(decision_stream(key, trial), self.roster.among(None))
            counts[self.roster.names[choice.arm]] += 1
        return {name: count / trials for name, count in counts.items()}

    def check_arms(self) -> None:
        """Refuse a policy that needs all its arms where they come, go or are not all eligible."""
        if self.policy.arms_fixed:
            raise InputError(f"{self.policy.name} cannot play some of its arms only: {self.policy.arms_fixed}")

    def number(self, id: Any) -> int:
        """Return the number of a decision that was made; raises InputError if the id has none."""
        try:
            number = -1 if isinstance(id, bool) else index(id)
        except TypeError:
            number = -1
        if not 0 <= number < self.decisions:
            raise InputError(f"no decision has the id {id!r}: {self.decisions:,} were made, counted from 0")
        return number

    def index(self, arm: str) -> int:
        """Return an arm's index by its name."""
        return self.roster.index[arm]

    def record_decision(self, choice: Choice, learns: bool = True, entry: Entry | None = None) -> None:
        """A decision was made; it waits for its reward if anything is to be learnt.

        A plain learner's oldest gives up; under the rules of a service the docket says which one does.
        """
        if self.terms.rules is None:
            self.drop_decision(self.decisions - self.terms.patience)
        if learns:
            self.pending[self.decisions] = choice
            if entry is not None and entry.get("check"):
                self.asked.add(self.decisions)
            if self.sight is not None and self.policy.looks:
                user = self.sight.read(None if entry is None else entry.get("context"))
                self.users[self.decisions] = user
                if self.policy.defers:
                    self.look(user)
            self.policy.defer(self.state, choice)
        self.decisions += 1

    def drop_decision(self, number: int, source: str | None = None) -> None:
        """A decision's reward will not be learnt."""
        self.pending.pop(number, None)
        self.users.pop(number, None)
        self.claims.pop(number, None)
        self.asked.discard(number)

    def record_exposure(self, number: int, is_shown: bool) -> None:
        """Whether a decision was displayed does not matter to a policy."""

    def waits(self, number: int, is_verified: bool) -> bool:
        """Whether a decision of a plain learner still takes a reward, or a verified one."""
        return number in self.pending and (is_verified or number not in self.claims)

    def take_reward(self, number: int, reward: float, is_verified: bool) -> None:
        """A reward of a plain learner, whose decision waits for it: learnt, or kept until a verified one comes."""
        if is_verified:
            self.learn_reward(number, reward, VERIFIED)
        elif self.terms.verified is not None or number in self.asked:
            self.record_claim(number, reward)
        else:
            self.learn_reward(number, reward)

    def record_claim(self, number: int, reward: float | None, entry: Entry | None = None) -> None:
        """An unverified reward of a decision that waits for a verified one: learnt for now, or not at all."""
        self.claims[number] = reward
        if self.terms.takes_back and reward is not None:
            if self.users:
                self.look(self.users[number])
            self.policy.learn(self.state, self.pending[number], reward, LaterStream(self.learning, number))

    def learn_reward(self, number: int, reward: float, entry: Entry | None = None) -> None:
        """A decision's reward, in [0, 1], is learnt; of its entry only matters whether it is verified."""
        choice = self.pending.pop(number)
        if self.users:
            self.look(self.users.pop(number))
        self.asked.discard(number)
        claim = self.claims.pop(number, None)
        if claim is not None and self.terms.takes_back:
            self.policy.take_back(self.state, choice, claim, LaterStream(self.learning, number))
        if entry is not None and entry.get("verified"):
            self.policy.learn_any(self.state, choice, reward, True, LaterStream(self.learning, number))
        else:
            self.policy.learn(self.state, choice, reward, LaterStream(self.learning, number))
        if self.lift is not None:
            self.lift.take(choice.arm, reward)

    def after_change(self, name: str, change: str, values: Any = None) -> "ArmsChanged":
        """Return arms, setting and state as they will be after a change of arms; nothing is changed yet.

        `values` are the features of an arm that is added. Raises InputError if the change cannot be.
        """
        self.check_arms()
        roster, sight = self.roster.after(name, change), self.sight
        if change == "added" and sight is not None:
            sight = sight.with_arm(values)
        else:
            check_arm_values(None, values)
        setting = self.setting_of(len(roster.names), sight)
        state, arm = deepcopy(self.state), roster.index[name]
        if change == "added":
            widen(state, self.policy.start(setting))
        if sight is not None and self.policy.looks:
            self.policy.look(state, sight.show(sight.unknown))
        move = self.policy.admit if change in ("added", "resumed") else self.policy.withdraw
        move(state, arm, roster.present)
        return ArmsChanged(roster, sight, setting, state)

    def check_change(self, name: str, change: str, values: Any = None) -> None:
        """Raise InputError if a change of arms cannot be, or is a pause that could not end."""
        changed = self.after_change(name, change, values)
        if change == "paused":
            try:
                self.policy.admit(changed.state, changed.roster.index[name], self.roster.present)
            except InputError as error:
                sentence = f"{self.policy.name} cannot take an arm back, so a pause would last for ever: retire the arm"
                raise InputError(sentence) from error

    def change_arm(self, name: str, change: str, values: Any = None) -> None:
        """An arm was added, paused, resumed or retired."""
        self.roster, self.sight, self.setting, self.state = self.after_change(name, change, values)
        if self.lift is not None:
            self.lift.names = self.roster.names

    def save_state(self) -> dict[str, Any]:
        """Return the policy's state as `save_state` writes it; it sees somebody of whom nothing is known."""
        state = as_arrays(self.policy, self.setting, self.state)
        if self.policy.looks and self.setting.features is not None:
            self.policy.look(state, self.setting.features)
        return save_state(self.policy, state)


def check_verified(policy: Policy[Any], terms: Terms) -> None:
    """Raise InputError where a policy cannot be played under the rule about verified rewards."""
    if policy.asks and terms.verified is not None:
        raise InputError(f"verified {terms.verified!r} is for policies that do not ask for checks; {policy.name} does")
    if policy.asks and terms.rules is not None and terms.rules.aggregate != FIRST:
        raise InputError(f"{policy.name} learns from verified rewards, which need the aggregate {FIRST}")
    if terms.takes_back and not policy.can_unlearn:
        raise InputError(
            f"verified {PREFER!r} replaces a reward that was learnt, and {policy.name} cannot take one back: take "
            f"{ONLY!r}, or (in a service) hold rewards, which are then replaced before they are learnt"
        )
