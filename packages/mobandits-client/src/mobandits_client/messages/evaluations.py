"""Evaluations of what else could have been played."""

from typing import Any, Literal

from mobandits_client.messages.base import Message, Name


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
    arm: Name | None = None
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


class AnyTimeDecision(Message):
    """Whether to deploy it, by evidence that holds however often one evaluates anew.

    Attributes:
        decision: "promote", "stop" or "wait".
        reason: in a sentence.
        rounds: decisions that judge it.
        decided_after: of them; null: it is "wait".
    """

    decision: Literal["promote", "stop", "wait"]
    reason: str
    rounds: int
    decided_after: int | None


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
        any_time: a decision at any time; null where an objective has no range.
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
    any_time: AnyTimeDecision | None = None


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
