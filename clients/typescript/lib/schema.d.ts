/** OpenFeature's reply for all flags of one unit. */
export interface AllEvaluated {
    flags: unknown[];
}
/** What becomes of an arm: paused, resumed or retired. */
export interface ArmChange {
    change: "paused" | "resumed" | "retired";
}
/** An arm: how often it was chosen, what it earned, the probability that it is next. */
export interface ArmReply {
    name: string;
    status: string;
    decisions: number;
    rewards: number;
    mean_reward: number | null;
    probability: number | null;
}
/** Probabilities by arm, and the arm that leads. */
export interface BeliefReply {
    leader: string;
    probabilities: Record<string, number>;
}
/** Learning stops after a line of the journal (`tripped`; now, if none is named), or goes on (`released`). */
export interface BreakerChange {
    change: "released" | "tripped";
    since?: number | null;
}
/** A new experiment's id. */
export interface Created {
    id: number;
}
/** A decision. `probability` is the one it was drawn with; null where the policy has none.

    `check` says that the policy asks for the reward to be verified. */
export interface DecisionReply {
    id: string;
    arm: string;
    probability: number | null;
    holdout?: boolean;
    check?: boolean;
}
/** Decide: among some arms only, for a returning unit, or several times at once.

    `source` says who will report: the audit then knows of the decisions that nobody reported on, too. */
export interface DecisionRequest {
    eligible?: string[] | null;
    unit?: string | null;
    count?: number | null;
    context?: Record<string, number | string | null> | null;
    source?: string | null;
}
/** Several decisions. */
export interface Decisions {
    decisions: DecisionReply[];
}
/** The body of every answer that is not a success. */
export interface Details {
    title: string;
    status: number;
    detail: string;
    type?: string;
}
/** It is recorded; `new` is false where it was recorded before. */
export interface Done {
    new?: boolean;
}
/** An experiment that another process serves; `address` is null while it changes hands. */
export interface ElsewhereReply {
    id: number;
    name: string;
    address: string | null;
}
/** OpenFeature's reply: the arm is the value; id and probability are in the metadata. */
export interface Evaluated {
    key: string;
    value: string;
    variant: string;
    reason: string;
    metadata: Record<string, unknown>;
}
/** OpenFeature's request; `targetingKey` is the unit; of the rest, the experiment's own features count. */
export interface Evaluation {
    context?: Record<string, unknown>;
}
/** An experiment as it stands. */
export interface ExperimentReply {
    id: number;
    name: string;
    policy: string;
    arms: ArmReply[];
    rules: Record<string, unknown>;
    shadow: string[];
    decisions: number;
    rewards: number;
    verified: number;
    pending: number;
    expired: number;
    refused: number;
    frozen: boolean;
    learning_again: boolean;
    ended: boolean;
    lines: number;
    head: string;
}
/** Which rewards count, and when; times are seconds. */
export interface ExperimentRules {
    window?: number | null;
    default?: number | null;
    hold?: number;
    aggregate?: "first" | "max" | "sum";
    activation?: boolean;
    cap?: number | null;
    token_cap?: number | null;
    holdout?: number;
    sticky?: boolean;
    verified?: "only" | "prefer" | null;
    guardrail?: GuardrailTerms | null;
}
/** All experiments a token may see, and where those are that other processes serve. */
export interface Experiments {
    experiments: ExperimentReply[];
    elsewhere?: ElsewhereReply[];
}
/** OpenFeature's description of a service of flags. */
export interface FlagService {
    name: string;
    capabilities: Record<string, unknown>;
}
/** What the second metric of a decision was, such as its latency, or 1 for a refund and 0 for none. */
export interface GuardrailReport {
    value: number;
}
/** A second metric: its name, the limit of its mean, the smallest and largest value, and the level of the test. */
export interface GuardrailTerms {
    name: string;
    limit: number;
    low?: number;
    high?: number;
    level?: number;
}
/** Whether the service can answer, and how long the disk takes. */
export interface Health {
    status: string;
    experiments: number;
    commit_ms: number;
    sync_ms: number;
    notes: string[];
}
/** A new arm, with values of the arm_features that were declared. */
export interface NewArm {
    name: string;
    values?: Record<string, number | string | null> | null;
}
/** A new experiment: its arms, the policy that decides, and its rules. */
export interface NewExperiment {
    name: string;
    arms: string[];
    policy: string | PolicyName;
    reward_range?: number[];
    horizon?: number;
    corruption?: number;
    patience?: number;
    seed?: number | null;
    rules?: ExperimentRules;
    shadow?: (string | PolicyName)[];
    trip?: boolean;
    features?: Record<string, (number | string)[]> | null;
    arm_features?: Record<string, (number | string)[]> | null;
    arm_values?: Record<string, Record<string, number | string | null>> | null;
}
/** The outcome of one request of several: 201 recorded, 200 recorded before, or why not. */
export interface Outcome {
    status: number;
    detail?: string;
}
/** One outcome per reward, in order. */
export interface Outcomes {
    outcomes: Outcome[];
}
/** A policy by name, with its parameters. */
export interface PolicyName {
    name: string;
    parameters?: Record<string, unknown>;
}
/** What a decision earned; `source` refines who reports it, `part` distinguishes reports of one decision.

    `verified` says that somebody made sure of it; the token needs the role verify. */
export interface Reward {
    reward: number;
    source?: string | null;
    part?: string | null;
    verified?: boolean;
}
/** A reward with the decision it belongs to. */
export interface RewardOf {
    id: string;
    reward: number;
    source?: string | null;
    part?: string | null;
    verified?: boolean;
}
/** Rewards in bulk; each has its own outcome. */
export interface Rewards {
    rewards: RewardOf[];
}
/** What becomes of a source: quarantined, released, capped (rewards per day) or weighted (0 to 1). */
export interface SourceChange {
    change: "capped" | "quarantined" | "released" | "weighted";
    cap?: number | null;
    weight?: number | null;
}
/** The last audit: up to which line, when, which alarms ring, which sources differ, and all its findings. */
export interface WatchReply {
    line: number;
    time: number | null;
    alarms: string[];
    flagged: string[];
    problem: string;
    found: Record<string, unknown> | null;
}
/** The belief as it is, and as it would be. */
export interface WhatIfReply {
    now: BeliefReply;
    then: BeliefReply;
    left_out: number;
}
/** What if the rewards of these sources, or of these decisions, did not exist? */
export interface WhatIfRequest {
    sources?: string[];
    decisions?: string[];
}
