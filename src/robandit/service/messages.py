"""The bodies of requests and replies: one struct each. Parsing, checks and the OpenAPI document come from these."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from robandit.service.guardrail import GuardrailTerms

MOST_DECISIONS = 1000  # of one bulk request
MOST_REWARDS = 10_000
MOST_ARMS = 1000

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Label = Annotated[str, Meta(max_length=200)]
Id = Annotated[str, Meta(min_length=1, max_length=100)]
FeaturesDeclared = dict[Name, list[float | str]]


class PolicyName(Struct, forbid_unknown_fields=True):
    """A policy by name, with its parameters."""

    name: Name
    parameters: dict[str, Any] = {}


class ExperimentRules(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Which rewards count, and when; times are seconds."""

    window: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    default: float | None = None
    hold: Annotated[float, Meta(ge=0, le=1e9)] = 0.0
    aggregate: Literal["first", "sum", "max"] = "first"
    activation: bool = False
    cap: Annotated[int, Meta(ge=0, le=10**9)] | None = None
    token_cap: Annotated[int, Meta(ge=0, le=10**9)] | None = None
    holdout: Annotated[float, Meta(ge=0, le=1)] = 0.0
    sticky: bool = False
    verified: Literal["only", "prefer"] | None = None
    guardrail: GuardrailTerms | None = None


class NewExperiment(Struct, forbid_unknown_fields=True):
    """A new experiment: its arms, the policy that decides, and its rules."""

    name: Name
    arms: Annotated[list[Name], Meta(min_length=1, max_length=MOST_ARMS)]
    policy: PolicyName | str
    reward_range: Annotated[list[float], Meta(min_length=2, max_length=2)] = msgspec.field(
        default_factory=lambda: [0.0, 1.0]
    )
    horizon: Annotated[int, Meta(ge=1, le=10**15)] = 100_000
    corruption: Annotated[float, Meta(ge=0, le=1e15)] = 0.0
    patience: Annotated[int, Meta(ge=1, le=10**7)] = 100_000
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    rules: ExperimentRules = msgspec.field(default_factory=ExperimentRules)
    shadow: Annotated[list[PolicyName | str], Meta(max_length=8)] = []
    trip: bool = False  # stop learning by itself when an alarm rings
    features: FeaturesDeclared | None = None  # of contexts: two numbers are a range, texts the values of a category
    arm_features: FeaturesDeclared | None = None  # of the arms themselves
    arm_values: dict[Name, dict[str, float | str | None]] | None = None  # ... and their values, by arm


class Created(Struct):
    """A new experiment's id."""

    id: int


class ExperimentReply(Struct):
    """An experiment as it stands."""

    id: int
    name: str
    policy: str
    arms: list["ArmReply"]
    rules: dict[str, Any]
    shadow: list[str]
    decisions: int
    rewards: int
    verified: int
    pending: int
    expired: int
    refused: int
    frozen: bool
    learning_again: bool
    ended: bool
    lines: int
    head: str


class ArmReply(Struct):
    """An arm: how often it was chosen, what it earned, the probability that it is next."""

    name: str
    status: str
    decisions: int
    rewards: int
    mean_reward: float | None
    probability: float | None


class ElsewhereReply(Struct):
    """An experiment that another process serves; `address` is null while it changes hands."""

    id: int
    name: str
    address: str | None


class Experiments(Struct):
    """All experiments a token may see, and where those are that other processes serve."""

    experiments: list[ExperimentReply]
    elsewhere: list[ElsewhereReply] = []


class DecisionRequest(Struct, forbid_unknown_fields=True):
    """Decide: among some arms only, for a returning unit, or several times at once.

    `source` says who will report: the audit then knows of the decisions that nobody reported on, too.
    """

    eligible: Annotated[list[Name], Meta(min_length=1, max_length=MOST_ARMS)] | None = None
    unit: Name | None = None
    count: Annotated[int, Meta(ge=1, le=MOST_DECISIONS)] | None = None
    context: dict[str, float | str | None] | None = None  # a value of every feature that was declared
    source: Label | None = None


class DecisionReply(Struct, frozen=True):
    """A decision. `probability` is the one it was drawn with; null where the policy has none.

    `check` says that the policy asks for the reward to be verified.
    """

    id: str
    arm: str
    probability: float | None
    holdout: bool = False
    check: bool = False


class Decisions(Struct):
    """Several decisions."""

    decisions: list[DecisionReply]


class Reward(Struct, forbid_unknown_fields=True):
    """What a decision earned; `source` refines who reports it, `part` distinguishes reports of one decision.

    `verified` says that somebody made sure of it; the token needs the role verify.
    """

    reward: float
    source: Label | None = None
    part: Label | None = None
    verified: bool = False


class RewardOf(Struct, forbid_unknown_fields=True):
    """A reward with the decision it belongs to."""

    id: Id
    reward: float
    source: Label | None = None
    part: Label | None = None
    verified: bool = False


class GuardrailReport(Struct, forbid_unknown_fields=True):
    """What the second metric of a decision was, such as its latency, or 1 for a refund and 0 for none."""

    value: float


class Rewards(Struct, forbid_unknown_fields=True):
    """Rewards in bulk; each has its own outcome."""

    rewards: Annotated[list[RewardOf], Meta(min_length=1, max_length=MOST_REWARDS)]


class Outcome(Struct):
    """The outcome of one request of several: 201 recorded, 200 recorded before, or why not."""

    status: int
    detail: str = ""


class Outcomes(Struct):
    """One outcome per reward, in order."""

    outcomes: list[Outcome]


class Done(Struct):
    """It is recorded; `new` is false where it was recorded before."""

    new: bool = True


class NewArm(Struct, forbid_unknown_fields=True):
    """A new arm, with values of the arm_features that were declared."""

    name: Name
    values: dict[str, float | str | None] | None = None


class ArmChange(Struct, forbid_unknown_fields=True):
    """What becomes of an arm: paused, resumed or retired."""

    change: Literal["paused", "resumed", "retired"]


class SourceChange(Struct, forbid_unknown_fields=True):
    """What becomes of a source: quarantined, released, capped (rewards per day) or weighted (0 to 1)."""

    change: Literal["quarantined", "released", "capped", "weighted"]
    cap: Annotated[int, Meta(ge=0, le=10**9)] | None = None
    weight: Annotated[float, Meta(ge=0, le=1)] | None = None


class BreakerChange(Struct, forbid_unknown_fields=True):
    """Learning stops after a line of the journal (`tripped`; now, if none is named), or goes on (`released`)."""

    change: Literal["tripped", "released"]
    since: Annotated[int, Meta(ge=1)] | None = None


class WhatIfRequest(Struct, forbid_unknown_fields=True):
    """What if the rewards of these sources, or of these decisions, did not exist?"""

    sources: Annotated[list[Label], Meta(max_length=10_000)] = []
    decisions: Annotated[list[Id], Meta(max_length=10_000)] = []


class BeliefReply(Struct):
    """Probabilities by arm, and the arm that leads."""

    leader: str
    probabilities: dict[str, float]


class WhatIfReply(Struct):
    """The belief as it is, and as it would be."""

    now: BeliefReply
    then: BeliefReply
    left_out: int


class WatchReply(Struct):
    """The last audit: up to which line, when, which alarms ring, which sources differ, and all its findings."""

    line: int
    time: float | None
    alarms: list[str]
    flagged: list[str]
    problem: str
    found: dict[str, Any] | None


class Health(Struct):
    """Whether the service can answer, and how long the disk takes."""

    status: str
    experiments: int
    commit_ms: float
    sync_ms: float
    notes: list[str]


class Evaluation(Struct):
    """OpenFeature's request; `targetingKey` is the unit; of the rest, the experiment's own features count."""

    context: dict[str, Any] = {}


class Evaluated(Struct):
    """OpenFeature's reply: the arm is the value; id and probability are in the metadata."""

    key: str
    value: str
    variant: str
    reason: str
    metadata: dict[str, Any]


class NotEvaluated(Struct):
    """OpenFeature's word for a flag that has no value now."""

    key: str
    errorCode: str
    errorDetails: str


class AllEvaluated(Struct):
    """OpenFeature's reply for all flags of one unit."""

    flags: list[Any]  # of Evaluated and NotEvaluated


class FlagService(Struct):
    """OpenFeature's description of a service of flags."""

    name: str
    capabilities: dict[str, Any]
