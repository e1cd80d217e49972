"""Visitors of one kind in a log of contexts (`device=phone`, `age=18..30`), and the price of fooling a policy there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.environments.contexts import Contexts
from robandit.errors import InputError, unknown
from robandit.forensics.reward_log import Codes, RewardLog, final_rewards
from robandit.forensics.what_if import parse_span
from robandit.game import Floats, Policy
from robandit.lab.folds import NOBODY, REFERENCES
from robandit.lab.scenario import Scenario
from robandit.lab.sight import features_for
from robandit.online.features import Features
from robandit.online.sight import Sight
from robandit.online.terms import Terms
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator
from robandit.redteam.frontier import with_assumed_corruption
from robandit.redteam.price import PriceOptions, attack_price

RUNS, BLOCKS = 10, 3


def seen_features(log: RewardLog, terms: Terms) -> Floats | None:
    """Return what is seen of somebody of whom nothing is known, as a policy's setting has it; None without features."""
    if log.log.users is None:
        return None
    unknown_user = np.array(Sight(terms.features, None, []).unknown)
    return features_for(unknown_user, np.zeros((0, 0)) if log.log.own is None else log.log.own)


def users_in(log: RewardLog, segment: str | None) -> NDArray[np.bool_]:
    """Return which of the log's users are of a kind; all of them for None. Raises InputError if the kind is none."""
    users, features = log.log.users, None if log.terms is None else log.terms.features
    if users is None or features is None:
        raise InputError(f"segment {segment!r} needs a journal with contexts, and this log has none")
    if segment is None:
        return np.ones(len(users), np.bool_)
    name, equals, value = segment.partition("=")
    if not equals or name not in features.order:
        raise unknown("the feature of a segment", name, features.order)
    within = place_in(users, features, name, value)
    if not within.any():
        raise InputError(f"nobody in this log is of the segment {segment!r}")
    return within


def place_in(users: Floats, features: Features, name: str, value: str) -> NDArray[np.bool_]:
    """Return whose feature has a value, or lies in a span."""
    scale, place = users[0, 0], 1
    for other, low, high in features.ranges:
        if other == name:
            least, most = parse_span(f"{name}={value}", value)
            values = low + (users[:, place] / scale + 1.0) * (high - low) / 2.0
            within: NDArray[np.bool_] = (values >= least - 1e-9) & (values <= most + 1e-9)
            return within
        place += 1
    for other, allowed in features.categories:
        if other == name:
            if value not in allowed:
                raise unknown(name, value, allowed)
            return users[:, place + allowed.index(value)] > 0.0
        place += len(allowed)
    raise unknown("feature", name, features.order)


def references_of(log: RewardLog, within: NDArray[np.bool_]) -> Floats:
    """Return some of those users, evenly spaced in the log, for whom beliefs are read."""
    assert log.log.users is not None
    users = log.log.users[within]
    some = np.linspace(0, len(users) - 1, min(REFERENCES, len(users))).round().astype(np.int64)
    return np.ascontiguousarray(users[some])


def rows_within(log: RewardLog, codes: Codes, within: NDArray[np.bool_]) -> Codes:
    """Return codes in which only the rows of those users are left."""
    return np.where(within[log.columns["places"]], codes, NOBODY)


def fitted_means(log: RewardLog, codes: Codes, users: Floats) -> Floats:
    """Return what each arm pays each user by ridge regression on the rows that count, kept inside (0, 1)."""
    columns, everyone = log.columns, log.log.users
    assert everyone is not None
    means = np.zeros((len(users), len(log.arms)))
    for arm in range(len(log.arms)):
        rows = final_rewards(columns, codes) & (columns["arms"] == arm)
        x, y = everyone[columns["places"][rows]], columns["rewards"][rows]
        theta = np.linalg.solve(np.eye(users.shape[1]) + x.T @ x, x.T @ y)
        means[:, arm] = users @ theta
    return np.clip(means, 0.01, 0.99)


def price_for(
    policy: Policy[Any], log: RewardLog, state: dict[str, Any], codes: Codes, references: Floats, **options: Any
) -> tuple[dict[str, Any] | None, str]:
    """Return the forged rewards that fool a policy for some users from its present state; or None, and the reason.

    Only these users come in the rounds ahead: what others teach meanwhile is left out, so it is the price of an
    attacker who meets nobody else. The attack erases the rewards of whichever arm is best for the user who comes.
    """
    if log.log.own is not None:
        return None, "no price: arms with features of their own are not played from a state"
    means = fitted_means(log, codes, references)
    if np.ptp(means, axis=1).max() <= 1e-12:
        return None, "no price: all arms paid the same so far"
    game = Contexts(rows=tuple(map(tuple, np.column_stack([means, references]).tolist())), count=len(log.arms))
    ahead, seed, threads = options["ahead"], options["seed"], options["threads"]
    terms: dict[str, Any] = {"horizon": ahead, "runs": RUNS, "seed": seed, "state": state}
    scenario = Scenario(with_assumed_corruption(policy), game, **terms)
    price = attack_price(Evaluator(scenario, threads=threads), [Candidate("sink-best")], PriceOptions(blocks=BLOCKS))
    if price is None or not price.learns:
        return None, "no price: with the rewards of this log the best arms get less than half of the rounds anyway"
    values: dict[str, Any] = {"threat": "B", "attack": "sink-best", "future_fakes": price.estimate, "low": price.low}
    values |= {"high": price.high, "users": len(references), "rounds_ahead": ahead, "runs": RUNS, "blocks": BLOCKS}
    values |= {"by_capability": {"erase": {"low": price.low, "estimate": price.estimate}}}
    values |= {"if_means_are_close": None, "if_means_are_far": None}  # the fit has no interval that would give these
    reason = f"no attack tried fools {policy} within {ahead:,} rounds from here" if price.estimate is None else ""
    return values, reason
