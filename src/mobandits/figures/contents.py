"""The content that pages are made from, most of it in files, as types of writers and readers."""

from collections.abc import Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

import polars as pl

from mobandits.support.naming import conjunction

# In a file of JSON.
JsonObject = dict[str, Any]
Number = float | None  # None: there is none, or it is not finite

RUNS = "runs"  # in a specification: those of the runs that its table is made of


def distinct(table: pl.DataFrame, column: str) -> list[str]:
    """The values of a column, each once, in their order.

    Example:
        >>> distinct(pl.DataFrame({"policy": ["b", "a", "b"]}), "policy")
        ['b', 'a']
    """
    return table[column].unique(maintain_order=True).to_list()


class Findings(NamedTuple):
    """The answer to who is best in a run, as `mobandits.comparison.findings` finds it.

    Attributes:
        metric: the one that ranks policies.
        ranking: `Comparison.ranking` in this metric; None: policies were not compared, or the metric
            has several components, of which none ranks alone.
        sure: sentences on differences that are sure, in every metric.
        unsure: sentences on what these trials cannot tell, and why a metric was not compared.
    """

    metric: str
    ranking: pl.DataFrame | None
    sure: list[str]
    unsure: list[str]


# TypedDicts and not dataclasses: what is read is used as it is, unknown keys of later versions
# included.
class Session(TypedDict):
    """One stretch of work on a table; one that was interrupted has no length.

    Attributes:
        started: in ISO 8601.
        trials: that were left to do.
        seconds: of playing.
    """

    started: str
    trials: int
    seconds: NotRequired[float]


class Manifest(TypedDict):
    """`manifest.json`.

    Attributes:
        format: the version of this layout.
        kind: what the folder holds, such as a run; `mobandits.report` has a page for each.
        status: "running" or "finished".
        specification: what was asked for, a form of its own for each kind.
        versions: of what computed the table.
        machine: that it was computed on.
        sessions: in order.
        wall_seconds: of all sessions.
        results_sha256: of the table.
    """

    format: int
    kind: str
    status: str
    specification: JsonObject
    versions: dict[str, str]
    machine: JsonObject
    sessions: list[Session]
    wall_seconds: NotRequired[float]
    results_sha256: NotRequired[str]


class ObjectiveSummary(TypedDict):
    """An objective in `evaluation.json`; all its numbers are in this direction and unit.

    Attributes:
        name: as text.
        minimise: whether less is better.
        unit: empty where it has none.
    """

    name: str
    minimise: bool
    unit: str


Objectives = Sequence[ObjectiveSummary]


class LogSummary(TypedDict):
    """The log in `evaluation.json`.

    Attributes:
        source: where it comes from.
        rounds: how many there are.
        arms: their names.
        objectives: what they mean.
        missing: the share of rewards that are missing, by objective.
        encoder: a table of the features and the columns that they come from, where an encoder made
            them.
    """

    encoder: NotRequired[str]
    source: str
    rounds: int
    arms: list[str]
    objectives: list[ObjectiveSummary]
    missing: list[float]


class DiagnosticsSummary(TypedDict):
    """The weights of a policy in `evaluation.json`; null where there is no such number.

    Attributes:
        effective_rounds: how many rounds of the policy's own the log is worth.
        largest_weight: of all rounds.
        mean_weight: about 1 where propensities are right.
        uncovered_mass: how often the policy plays what the log knows nothing of.
    """

    effective_rounds: Number
    largest_weight: Number
    mean_weight: Number
    uncovered_mass: float


class EstimateSummary(TypedDict):
    """A policy by one estimator in `evaluation.json`; null where a number is unknown."""

    value: list[Number]
    covariance: list[list[Number]]
    bias_bound: list[Number]
    warnings: list[str]


class PolicySummary(TypedDict):
    """A policy in `evaluation.json`.

    Attributes:
        target: the policy itself.
        diagnostics: of its weights.
        estimates: by estimator.
    """

    target: str
    diagnostics: DiagnosticsSummary
    estimates: dict[str, EstimateSummary]


class FeatureGainSummary(TypedDict):
    """A feature map in one objective in `evaluation.json`; null where nothing is known.

    Attributes:
        map: a kind of maps, or the map of a policy.
        objective: its name.
        linear: the share of the variance that linear rewards explain on held-out rounds.
        mapped: the share that they explain on the map's features.
        estimate: what the map gains: mapped - linear.
        low: the lower end of its 95 % interval.
        high: the upper end.
        rounds: how many rewards were compared.
        sure: whether the whole interval is above 0.
    """

    map: str
    objective: str
    linear: Number
    mapped: Number
    estimate: Number
    low: Number
    high: Number
    rounds: int
    sure: bool


class GainSummary(TypedDict):
    """The gain of a policy over the logging policy in one objective, in its own unit.

    Attributes:
        objective: its name.
        gain: the estimate; null where nothing was observed.
        low: the lower end of its interval at any time.
        high: the upper end.
    """

    objective: str
    gain: Number
    low: float
    high: float


class LookSummary(TypedDict):
    """A decision between a policy and the logging policy in `evaluation.json`.

    Attributes:
        policy: its name.
        decision: "promote", "stop" or "wait".
        reason: in a sentence.
        decided_after: rounds; null: it is "wait".
        rounds: that judge it.
        effective_rounds: so many rounds of its own would tell as much.
        gains: in every objective.
        dominated_by: the policies that are shown to be better in every objective.
    """

    policy: str
    decision: str
    reason: str
    decided_after: int | None
    rounds: int
    effective_rounds: float
    gains: list[GainSummary]
    dominated_by: list[str]


def decision_of(look: LookSummary) -> str:
    """A decision at any time with its reason, in a sentence or two.

    Example:
        >>> reason = "It is better in every objective."
        >>> look = {"policy": "new", "decision": "promote", "reason": reason, "dominated_by": ["b"]}
        >>> decision_of(look)
        'new: promote. It is better in every objective. But b is better still, in every objective.'
    """
    said = f"{look['policy']}: {look['decision']}. {look['reason']}"
    if not look["dominated_by"]:
        return said

    others = conjunction(look["dominated_by"])
    verb = "is" if len(look["dominated_by"]) == 1 else "are"
    if look["decision"] == "promote":
        return f"{said} But {others} {verb} better still, in every objective."

    return f"{said} {others} {verb} better in every objective."


class SensitivitySummary(TypedDict):
    """A policy in one objective where odds are not the estimated ones, in `evaluation.json`.

    Attributes:
        policy: its name.
        objective: its name.
        direction: 1 where the policy is shown to be better than what was logged, -1 where it is
            shown to be worse, 0 where neither is.
        gamma: up to which factor between true and estimated odds; null where `direction` is 0.
        at_least: whether no larger factor was tried.
        doubt: why none of this can be relied on, whatever the odds; null where nothing says so.
        bounds: `gamma`, `least`, `most`, `low`, `high`, for gamma 1 first; see `sensitivity_table`.
    """

    policy: str
    objective: str
    direction: int
    gamma: Number
    at_least: bool
    doubt: str | None
    bounds: list[JsonObject]


def robustness_of(row: SensitivitySummary) -> str:
    """How wrong estimated odds may be before a difference from the log is no longer shown.

    Example:
        >>> row = {"policy": "small", "objective": "quality", "direction": 1, "gamma": 1.7}
        >>> robustness_of(row | {"at_least": False, "doubt": None})
        "small: quality stays better than the log's unless the true odds of an arm differ from the \
estimated ones by more than a factor 1.7."
    """
    start = f"{row['policy']}: {row['objective']}"
    gamma = row["gamma"]
    if row["doubt"] is not None:
        return f"{start} is in doubt, whatever the odds: {row['doubt']}."
    if not row["direction"] or gamma is None:
        return (
            f"{start} is not shown to differ from the log's, even if the estimated odds are right."
        )

    better = "better" if row["direction"] > 0 else "worse"
    odds = "the true odds of an arm differ from the estimated ones by"
    if row["at_least"]:
        return f"{start} stays {better} than the log's even if {odds} a factor {gamma:g}."

    return f"{start} stays {better} than the log's unless {odds} more than a factor {gamma:g}."


class EvaluationSummary(TypedDict):
    """`evaluation.json`.

    Attributes:
        format: the version of this layout.
        log: what was evaluated on.
        options: of the evaluation, such as its `level`.
        estimators: by name.
        shown: the estimator of figures and tables with room for one.
        policies: by name.
        dominance: of every pair of policies.
        versions: of what computed it.
        feature_gains: what maps gain over linear rewards, where some were asked for.
        looks: decisions that are valid at any time, where they were asked for.
        sensitivity: values where odds are not the estimated ones, where propensities were estimated.
    """

    format: int
    log: LogSummary
    options: JsonObject
    estimators: dict[str, str]
    shown: str
    policies: dict[str, PolicySummary]
    dominance: list[JsonObject]
    versions: dict[str, str]
    feature_gains: NotRequired[list[FeatureGainSummary]]
    looks: NotRequired[list[LookSummary]]
    sensitivity: NotRequired[list[SensitivitySummary]]
