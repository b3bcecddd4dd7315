"""Targets of an evaluation: probabilities of the arms in every round of a log."""

import contextlib
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask, Recipe
from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.training import Trained, check_recipe_on
from mobandits.logs import Feedback
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import as_object, refusal

Target = Any  # an array, a callable on the log, a recipe, or one of the classes below
TOLERANCE = 1e-6  # how far the probabilities of a round may be from summing to 1


@dataclass(frozen=True)
class Uniform:
    """Every eligible arm with the same probability.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ["a", "b"], ["q"])
        >>> Uniform()(log).tolist()
        [[0.5, 0.5]]
    """

    def __call__(self, log: Feedback) -> Array:
        """(rounds, arms) probabilities."""
        mask = eligible_arms(log)
        number_eligible = mask.sum(1, keepdims=True)
        probabilities: Array = mask / number_eligible
        return probabilities


@dataclass(frozen=True)
class ConstantTarget:
    """One arm where it is eligible, else any with the same probability.

    Args:
        arm: its name, one of `Feedback.arm_names`.

    Raises:
        ValueError: when it meets a log without such an arm.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ["a", "b"], ["q"])
        >>> ConstantTarget("b")(log).tolist()
        [[0.0, 1.0]]
    """

    arm: Hashable

    def __call__(self, log: Feedback) -> Array:
        """(rounds, arms) probabilities."""
        arm = self.arm_index(log)
        probabilities = Uniform()(log)
        playable = eligible_arms(log)[:, arm]
        probabilities[playable] = 0.0
        probabilities[playable, arm] = 1.0

        return probabilities

    def arm_index(self, log: Feedback) -> int:
        """The position of the arm in a log's arms.

        Raises:
            ValueError: where the log has no such arm.
        """
        if self.arm not in log.arm_names:
            known = shortened(", ".join(map(str, log.arm_names)))
            rule = f"be one of {known}"
            raise ValueError(refusal("ConstantTarget.arm", rule, self.arm, log.arm_names))

        return log.arm_names.index(self.arm)


@dataclass(frozen=True)
class LoggingPolicy:
    """The logging policy itself: every weight is 1.

    All estimators but `DirectMethod` return the mean reward.
    """


@dataclass(frozen=True)
class StoredProbabilities:
    """A policy whose probabilities of the arms that were played are a column of the log.

    Args:
        column: of a `mobandits.logs.ParquetTable`.

    Raises:
        ValueError: where the log has no such column, or it holds no probabilities.
    """

    column: str

    def case(self, log: Feedback) -> EvaluationCase:
        """The policy on some rounds. What it would play elsewhere is not known."""
        stored = getattr(log, "stored", {})
        if self.column not in stored:
            known = shortened(", ".join(stored)) or "none"
            rule = f"be a stored column of {known}"
            raise ValueError(refusal("StoredProbabilities.column", rule, self.column, stored))

        played = stored[self.column]
        wrong = ~((played >= 0.0) & (played <= 1.0))  # also NaN
        if wrong.any():
            got = played[wrong.argmax()]
            raise ValueError(f"{self.column} must hold probabilities in every row, got {got}")

        case = EvaluationCase(log, np.empty((len(log), 0)))
        vars(case)["played"] = played  # in place of what a law of all arms would say

        return case


def probabilities_of(target: Target, log: Feedback, folds: IntArray, seed: int = 0) -> Array | None:
    """The target's probabilities, checked, (rounds, arms); None for the logging policy.

    Args:
        target: probabilities (rounds, arms); a callable that takes the log and returns them;
            `Uniform`, `ConstantTarget`, `LoggingPolicy`; or a recipe, or `Trained`, which learns
            from all folds but one and is asked on that one. What is then evaluated is the mean
            over folds of policies that learned from a part of the log.
        log: the logged decisions.
        folds: (rounds,) the fold of each, which recipes need.
        seed: of what recipes draw.

    Raises:
        ValueError: where they are not probabilities over eligible arms.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ["a", "b"], ["q"])
        >>> probabilities_of([[0.25, 0.75]], log, np.zeros(1, int)).tolist()
        [[0.25, 0.75]]
    """
    if isinstance(target, LoggingPolicy):
        return None

    learns = learner_of(target)
    if learns is not None:
        return learns.probabilities(log, folds, seed)

    values = target(log) if callable(target) else target

    return _checked(values, log)


def learner_of(target: Target) -> Trained | None:
    """A target that learns, with its recipe; None for others."""
    if isinstance(target, Recipe):
        return Trained(target)
    return target if isinstance(target, Trained) else None


def check_target(target: Target, log: Feedback) -> None:
    """Refuse a target that cannot be evaluated on a log, before it computes anything.

    Raises:
        ValueError: where the log lacks an arm, or a recipe cannot work on it.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ["a", "b"], ["q"])
        >>> check_target(ConstantTarget("c"), log)
        Traceback (most recent call last):
        ValueError: ConstantTarget.arm must be one of a, b, got 'c'
    """
    if isinstance(target, type | str):
        wanted = "probabilities, a recipe, or a target such as Uniform()"
        got = f"{quoted(target)}{as_object(target)}"
        raise ValueError(f"target must be {wanted}, got {got}")
    if isinstance(target, ConstantTarget):
        target.arm_index(log)  # raises where there is no such arm

    learns = learner_of(target)
    if learns is not None:
        check_recipe_on(learns.recipe, log)


@contextlib.contextmanager
def naming_target(name: str) -> Iterator[None]:
    """Errors name the target that they are about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"target {quoted(name)}: {error}") from error


def eligible_arms(log: Feedback) -> Mask:
    """(rounds, arms) the arms that could have been played."""
    if log.eligible is None:
        return np.ones((len(log), len(log.arm_names)), bool)
    return log.eligible


def _first_entry(table: Array, refused: Mask) -> str:
    """The first refused number and its place, in words."""
    places = np.argwhere(refused)
    t, arm = places[0].tolist()
    return f"{table[t, arm]} in round {t}, arm {arm}"


def _checked(value: Any, log: Feedback) -> Array:
    """A target's own probabilities, which may be anything."""
    table = as_float_array("target", value)
    wanted = (len(log), len(log.arm_names))
    if table.shape != wanted:
        raise ValueError(f"target must have shape (rounds, arms) = {wanted}, got {table.shape}")

    not_probabilities = ~(table >= 0.0)  # also NaN
    if not_probabilities.any():
        got = _first_entry(table, not_probabilities)
        raise ValueError(f"target must hold probabilities, at least 0, got {got}")

    sums = table.sum(1)
    distances = np.abs(sums - 1.0)
    worst = int(distances.argmax())
    if not distances[worst] <= TOLERANCE:  # also an infinite sum
        got = f"{sums[worst]:g} in round {worst}"
        raise ValueError(f"target must sum to 1 over the arms, got {got}")
    if log.eligible is not None:
        forbidden = (table > 0.0) & ~log.eligible
        if forbidden.any():
            got = _first_entry(table, forbidden)
            raise ValueError(f"target must be 0 where an arm is not eligible, got {got}")

    return table
