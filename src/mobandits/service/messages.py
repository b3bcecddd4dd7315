"""What clients send and get, as types: they check bodies, and describe the interface."""

from typing import Annotated, Any, Literal

import msgspec

Number = int | float


class Message(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=False):
    """The base of what is sent and answered: a field that nobody knows is refused."""


class Decide(Message):
    """A request for a decision.

    Attributes:
        context: numbers in order, {arm: numbers}, or {column: value} where the agent has an encoder.
        eligible: the arms that may be played; None: all.
        key: of the client: the same key and body get the same decision again.
        active: false where it is not yet sure that the arm will be played.
    """

    context: Any = None
    eligible: list[str] | None = None
    key: str | None = None
    active: bool = True


class DecideBatch(Message):
    """A request for a decision per context, all in one moment: all are made, or none.

    Attributes:
        contexts: as in `Decide`, at most 1,000.
        eligible: the arms that may be played, in all of them; None: all.
        keys: per context, of the client; None: no keys.
    """

    contexts: list[Any]
    eligible: list[str] | None = None
    keys: list[str | None] | None = None


class Decided(Message):
    """A decision.

    Attributes:
        decision: its number, as a text, under which rewards are reported.
        arm: which to play.
        propensity: the probability with which the agent played it; null where it was not asked for.
        error: the standard error of the propensity; 0 where it is exact.
        front: the arms that could have been played; null likewise.
        preference: the order by which arms are compared now, also where the decision is an older
            one.
        replayed: whether it was made by an earlier call with the same key.
    """

    decision: str
    arm: str
    propensity: float | None
    error: float
    front: list[str] | None
    preference: str
    replayed: bool


class DecidedBatch(Message):
    """Decisions, in the order of the contexts."""

    decisions: list[Decided]


class Rewarded(Message):
    """What became of rewards.

    Attributes:
        decision: of which.
        status: "waiting" for further objectives, or "settled".
        missing: the objectives that are waited for.
        repeated: whether all of it was known already.
    """

    decision: str
    status: Literal["waiting", "settled"]
    missing: list[str]
    repeated: bool


class RewardsOf(Message):
    """Rewards of one decision, in a list of those of several.

    Attributes:
        decision: its number, as a text; or
        key: the client's key of the decision.
        rewards: {objective: value} of some or all objectives.
    """

    rewards: dict[str, float]
    decision: str | None = None
    key: str | None = None


class RefusedItem(Message):
    """An item of a list that was refused.

    Attributes:
        status: of HTTP, as if it had been sent alone.
        detail: one line.
    """

    status: int
    detail: str


class RewardOutcome(Message):
    """What became of rewards in a list; one that is refused does not keep the others from counting.

    Attributes:
        rewarded: where they were taken.
        refused: where they were not.
    """

    rewarded: Rewarded | None = None
    refused: RefusedItem | None = None


class Observed(Message):
    """A decision that somebody else made, which the agent learns from.

    Attributes:
        context: as in `Decide`.
        arm: that was played.
        propensity: the probability with which it was; null where it is not known.
        rewards: {objective: value} of those that are known already.
        key: of the client.
    """

    context: Any
    arm: str
    propensity: float | None = None
    rewards: dict[str, float] | None = None
    key: str | None = None


class Adopted(Message):
    """A decision of others, as the agent keeps it.

    Attributes:
        decision: its number, as a text.
        replayed: whether it was known already, by its key; the answer is then that of the first
            time.
        own_arm: the arm that the agent would most probably have played, before it learned from this
            decision; null where it is asked for no propensities.
        own_propensity: the probability with which it would have played the arm that was; null
            likewise.
    """

    decision: str
    replayed: bool
    own_arm: str | None
    own_propensity: float | None


class ObservedOutcome(Message):
    """What became of a decision in a list; one that is refused does not keep out the others.

    Attributes:
        adopted: where it was taken.
        refused: where it was not.
    """

    adopted: Adopted | None = None
    refused: RefusedItem | None = None


class Recorded(Message):
    """A decision as it was then, with its rewards.

    Attributes:
        decision: its number, as a text.
        arm: that was played.
        at: seconds since 1970.
        propensity: with which it was played; null where it is not known.
        eligible: the arms that could have been played; null where those were all.
        made_by: "us" or "observed".
        key: of the client.
        status: "waiting" for rewards, or "settled": all came, or no more will be taken.
        active: whether it has taken effect.
        rewards: {objective: value}, as far as they came.
    """

    decision: str
    arm: str
    at: float | None
    propensity: float | None
    eligible: list[str] | None
    made_by: str
    key: str | None
    status: Literal["waiting", "settled"]
    active: bool
    rewards: dict[str, float]


class DecisionsQuery(Message):
    """Which decisions are listed.

    Attributes:
        after: the number of the decision after which the list begins, in its order: `next` of the
            page before.
        limit: how many, at most.
        arm: only those for this arm.
        status: only those that wait for rewards, or those that are settled.
        made_by: only those that the agent made, or those that it observed.
        order: whether the oldest come first, or the newest.
    """

    after: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100
    arm: str | None = None
    status: Literal["waiting", "settled"] | None = None
    made_by: Literal["us", "observed"] | None = None
    order: Literal["oldest", "newest"] = "oldest"


class DecisionList(Message):
    """A page of decisions.

    Attributes:
        decisions: in the order of their numbers.
        next: what `after` must be for the next page; null: there is none.
    """

    decisions: list[Recorded]
    next: str | None


class Estimate(Message):
    """What an agent believes of one arm in one objective, for the context of a decision.

    Attributes:
        arm: which.
        objective: which.
        estimate: the mean reward, in the unit of the objective.
        low: the lower end of its interval.
        high: the upper end.
        unit: of the objective.
        played: whether it is the arm that was played.
        on_front: whether it would be played now, with positive probability.
        dominated_by: arms whose estimates are at least as good in all objectives, and better in one.
    """

    arm: str
    objective: str
    estimate: float
    low: float
    high: float
    unit: str
    played: bool
    on_front: bool
    dominated_by: str


class Explained(Message):
    """Why an agent would decide as it did, by what it believes now.

    Attributes:
        decision: its number, as a text.
        sentence: in words.
        estimates: per eligible arm and objective.
    """

    decision: str
    sentence: str
    estimates: list[Estimate]


class ExportQuery(Message):
    """How a log is exported.

    Attributes:
        format: of the file: "parquet" has all events, "dsjson" the decisions with one reward, "csv"
            a table.
        objective: of "dsjson": whose negated reward is the cost; needed where there are several.
    """

    format: Literal["parquet", "dsjson", "csv"] = "parquet"
    objective: str | None = None


class ObjectiveState(Message):
    """An objective of an agent."""

    name: str
    minimise: bool
    unit: str


class AgentState(Message):
    """An agent as it is now.

    Attributes:
        name: of the agent.
        status: "starting", "ready", or why it cannot decide.
        policy: as text.
        arms: that there are.
        features: the length of a context row.
        objectives: of its rewards.
        preference: the order by which arms are compared.
        decisions: how many there ever were.
        waiting: how many decisions wait for rewards.
        learned: how many rewards, or parts of one, were learned.
        dropped: how many decisions were dropped, by reason.
        specification: as the file or a call gave it, without what was fitted to data.
    """

    name: str
    status: str
    policy: str
    arms: list[str]
    features: int
    objectives: list[ObjectiveState]
    preference: str
    decisions: int
    waiting: int
    learned: int
    dropped: dict[str, int]
    specification: Any


class AgentList(Message):
    """All agents."""

    agents: list[AgentState]


class NewArm(Message):
    """An arm that joins.

    Attributes:
        like: an arm whose statistics it begins with; null: from nothing.
    """

    like: str | None = None


class Preference(Message):
    """An order by which arms are compared, by its name or as a table of name and parameters."""

    order: Any


class PreviewWanted(Message):
    """A preference to look at before it is set.

    Attributes:
        order: as of `Preference`.
        recent: how many of the last decisions are asked again.
    """

    order: Any
    recent: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 200


class ArmShare(Message):
    """How often an arm is played, of 1; null where there were no contexts.

    Attributes:
        arm: which.
        now: under the present preference.
        then: under the other one.
    """

    arm: str
    now: float | None
    then: float | None


class MeanReward(Message):
    """The mean reward that an agent expects in an objective; null where there were no contexts.

    Attributes:
        objective: which.
        unit: of the objective.
        minimise: whether less is better.
        now: under the present preference.
        then: under the other one.
    """

    objective: str
    unit: str
    minimise: bool
    now: float | None
    then: float | None


class ValueEstimate(Message):
    """The mean reward that the log tells of, from rewards that were observed.

    Attributes:
        estimator: "snips" or "dr".
        objective: which.
        now: under the present preference; null where no reward speaks of it.
        then: under the other one.
        low: the lower end of the interval of `then`, at 95 % jointly over objectives; null: open.
        high: the upper end.
    """

    estimator: str
    objective: str
    now: float | None
    then: float | None
    low: float | None
    high: float | None


class Preview(Message):
    """What another preference would have done with recent contexts; nothing was changed.

    Attributes:
        preference_now: in words.
        preference_then: in words.
        contexts: how many were asked again.
        moved: the mean probability with which one gets another arm; null where there were none.
        arms: how often each is played.
        objectives: what the agent expects of either preference.
        estimates: what the log tells; empty where it does not allow it.
        warnings: why something is left out, or may not be trusted.
    """

    preference_now: str
    preference_then: str
    contexts: int
    moved: float | None
    arms: list[ArmShare]
    objectives: list[MeanReward]
    estimates: list[ValueEstimate]
    warnings: list[str]


class PreferenceState(Message):
    """The order by which an agent compares arms.

    Attributes:
        order: a table of its name and parameters, as `Preference` takes it; null: the policy's own.
        preference: the order that is played, in words.
    """

    order: Any
    preference: str


class BudgetState(Message):
    """What became of a budget.

    Attributes:
        objective: of the costs.
        per: "total", or the period after which it renews: "month", "day" or "hour", in UTC.
        limit: on the costs of a period.
        spent: in the present one, as far as bills have come.
        reserved: for decisions whose bills are awaited.
        left: for further decisions.
        renews: when the next period begins, in seconds since 1970; null: never.
    """

    objective: str
    per: str
    limit: float
    spent: float
    reserved: float
    left: float
    renews: float | None


class BudgetList(Message):
    """The budgets of an agent."""

    budgets: list[BudgetState]


class EvaluationWanted(Message):
    """What to evaluate on an agent's own log: a policy, a preference or an arm, one of them.

    Attributes:
        policy: the name of a recipe, or a table of its name and parameters.
        preference: an order, as of `Preference`; the agent's own policy is evaluated with it.
        arm: that is played always.
        estimators: of the values.
    """

    policy: str | dict[str, Any] | None = None
    preference: str | dict[str, Any] | None = None
    arm: str | None = None
    estimators: tuple[Literal["snips", "ips", "dr"], ...] = ("snips", "ips", "dr")


class TargetValue(Message):
    """The value of a target in an objective, by one estimator; null where it is not known.

    Attributes:
        target: "asked", or "played": what was played, for comparison.
        estimator: which.
        objective: which.
        value: the mean reward, in the unit of the objective.
        standard_error: of the value.
        low: the lower end of its interval, which holds jointly over objectives.
        high: the upper end.
    """

    target: str
    estimator: str
    objective: str
    value: float | None
    standard_error: float | None
    low: float | None
    high: float | None


class JointRegion(Message):
    """An ellipsoid of all objectives together: (v - centre)' covariance^-1 (v - centre) <= radius^2.

    Attributes:
        target: "asked" or "played".
        centre: per objective.
        covariance: per pair of objectives.
        radius: null where it is unbounded.
    """

    target: str
    centre: list[float | None]
    covariance: list[list[float | None]]
    radius: float | None


class LogDiagnostics(Message):
    """How much the log tells of what was asked for.

    Attributes:
        effective_rounds: so many rounds of its own would tell as much.
        largest_weight: of a round.
        largest_share: of the largest weight in all of them.
        mean_weight: 1 is expected where propensities are right.
        matched: the mean probability of the arms that were played.
        uncovered_rounds: the share of rounds in which it may play what was never played.
    """

    effective_rounds: float | None
    largest_weight: float | None
    largest_share: float | None
    mean_weight: float | None
    matched: float | None
    uncovered_rounds: float | None


class EvaluationWarning(Message):
    """Why an estimate may not be trusted."""

    target: str
    estimator: str
    text: str


class EvaluationResult(Message):
    """What an evaluation found.

    Attributes:
        rounds: decisions with a propensity, on which it rests.
        level: of intervals and regions.
        shown: the estimator of regions and verdict.
        objectives: in order.
        values: per target, estimator and objective.
        diagnostics: of what was asked for.
        regions: of both targets.
        verdict: whether what was asked for dominates what was played.
        is_reliable: whether there is no warning.
        warnings: why estimates may not be trusted.
        notes: what was left out, and what the library warned of.
    """

    rounds: int
    level: float
    shown: str
    objectives: list[str]
    values: list[TargetValue]
    diagnostics: LogDiagnostics
    regions: list[JointRegion]
    verdict: str
    is_reliable: bool
    warnings: list[EvaluationWarning]
    notes: list[str]


class Evaluation(Message):
    """An evaluation, from when it was asked for.

    Attributes:
        id: of the evaluation.
        agent: whose log it is on.
        state: "waiting", "running", "done" or "failed".
        wanted: what was asked for.
        created: seconds since 1970.
        ended: likewise; null before.
        result: once it is done.
        error: why it failed.
    """

    id: str
    agent: str
    state: Literal["waiting", "running", "done", "failed"]
    wanted: EvaluationWanted
    created: float
    ended: float | None
    result: EvaluationResult | None
    error: str | None


class EvaluationList(Message):
    """Evaluations, the newest first."""

    evaluations: list[Evaluation]


class Share(Message):
    """The share of the decisions that an agent's policy makes; its baseline arm makes the others.

    Attributes:
        share: in [0, 1].
    """

    share: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Live(Message):
    """The process answers."""

    live: bool


class Ready(Message):
    """Whether every agent can decide.

    Attributes:
        ready: so.
        agents: {name: "starting", "ready", or why it cannot}.
    """

    ready: bool
    agents: dict[str, str]
