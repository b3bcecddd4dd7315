"""An evaluation in a process of its own: what else than was played, on an agent's own log."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation import (
    Comparison,
    ConstantTarget,
    LoggingPolicy,
    compare,
    dominance,
    looks_on,
)
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.front import shown_estimator
from mobandits.evaluation.own_values import own_rows
from mobandits.logs import Feedback, read
from mobandits.logs.objectives import Objective, signs_of
from mobandits_client.messages import (
    AnyTimeDecision,
    EvaluationResult,
    EvaluationWarning,
    JointRegion,
    LogDiagnostics,
    TargetValue,
)
from mobandits_service.child_process import answer_parent
from mobandits_service.evaluation_tasks import EvaluationAnswer, EvaluationTask, wanted_recipe

ASKED = "asked"  # the names of the two targets: what was asked for, and what was played
PLAYED = "played"
LEVEL = 0.95
SEED = 0


def evaluated(task: EvaluationTask) -> EvaluationResult:
    """The value of what was asked for, beside that of what was played.

    Raises:
        ValueError: where the log does not allow it.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        whole: Feedback = read(task.store, agent=task.agent)
        log, notes = _usable(whole)
        target = _target(task)
        comparison = compare(
            log,
            {ASKED: target, PLAYED: LoggingPolicy()},
            task.wanted.estimators,
            seed=SEED,
            progress=False,
        )
        any_time, why_not = _at_any_time(log, target)

    notes += why_not
    notes += [str(warning.message) for warning in caught]

    return _result(comparison, log, notes, any_time)


def _at_any_time(log: Feedback, target: Any) -> tuple[AnyTimeDecision | None, list[str]]:
    """A decision that holds however often it is asked for, or notes on why there is none."""
    # Without a range there can be none, which is no fault of the log.
    if not all(np.isfinite(each.range).all() for each in log.objectives):
        return None, []

    try:
        look = looks_on(log, {ASKED: target}, level=LEVEL, seed=SEED)[ASKED]
    except ValueError as error:
        return None, [f"There is no decision at any time: {error}"]

    found = AnyTimeDecision(look.decision, look.reason, look.rounds, look.decided_after)

    return found, []


def _target(task: EvaluationTask) -> Any:
    recipe = wanted_recipe(task)
    return ConstantTarget(task.wanted.arm) if recipe is None else recipe


def _usable(log: Feedback) -> tuple[Feedback, list[str]]:
    """The rounds that other policies can be valued from, and what was left out."""
    notes = []
    first = log.first_ranks()
    others = len(log) - len(first)
    if others:
        notes.append(f"{others} of {len(log)} decisions are of further ranks, and were left out")

    chosen = first.per_session()
    kept = len(first) - len(chosen)
    if kept:
        why = "a session kept its arm; a session's rewards are their means"
        notes.append(f"in {kept} of {len(first)} decisions {why}")

    is_known = ~np.isnan(chosen.propensities)
    unknown = len(chosen) - int(is_known.sum())
    if unknown:
        notes.append(f"{unknown} decisions without a propensity were left out")

    return chosen[is_known], notes


# --- the result, in the objectives' own directions; what is no number (NaN) is null in its JSON


def _result(
    comparison: Comparison,
    log: Feedback,
    notes: list[str],
    any_time: AnyTimeDecision | None,
) -> EvaluationResult:
    shown = shown_estimator(comparison, None)
    signs = signs_of(log.objectives)
    values: list[TargetValue] = []
    doubts: list[EvaluationWarning] = []
    for (target, estimator), estimate in comparison.estimates.items():
        values += _values(target, estimator, estimate, log.objectives)
        doubts += [EvaluationWarning(target, estimator, text) for text in estimate.warnings]

    asked = comparison[ASKED, shown]
    verdict = dominance(asked, comparison[PLAYED, shown], level=LEVEL)
    diagnostics = asked.diagnostics
    said = {name: getattr(diagnostics, name) for name in LogDiagnostics.__struct_fields__}

    return EvaluationResult(
        rounds=asked.rounds,
        level=LEVEL,
        shown=shown,
        objectives=[str(name) for name in log.objective_names],
        values=values,
        diagnostics=LogDiagnostics(**said),
        regions=[_region(target, comparison[target, shown], signs) for target in (ASKED, PLAYED)],
        verdict=str(verdict.decision),
        is_reliable=not doubts,
        warnings=doubts,
        notes=notes,
        any_time=any_time,
    )


def _values(
    target: str, estimator: str, estimate: Estimate, objectives: Sequence[Objective]
) -> Iterator[TargetValue]:
    rows = own_rows(estimate, objectives, LEVEL)
    errors = estimate.standard_error.tolist()
    for (objective, value, low, high), error in zip(rows, errors, strict=True):
        yield TargetValue(
            target=target,
            estimator=estimator,
            objective=objective,
            value=value,
            standard_error=error,
            low=low,
            high=high,
        )


def _region(target: str, estimate: Estimate, signs: Array) -> JointRegion:
    ellipsoid = estimate.ellipsoid(LEVEL)
    centre = signs * ellipsoid.center
    covariance = np.outer(signs, signs) * ellipsoid.covariance

    return JointRegion(
        target=target,
        centre=centre.tolist(),
        covariance=covariance.tolist(),
        radius=float(ellipsoid.radius),
    )


# --- the process


def answered(task: EvaluationTask) -> EvaluationAnswer:
    """The result of a task, or why there is none."""
    try:
        return EvaluationAnswer(result=evaluated(task))
    except ValueError as error:
        return EvaluationAnswer(error=str(error))


if __name__ == "__main__":
    answer_parent(EvaluationTask, answered)
