"""Numbers that say how much a log can tell of a target."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Mask
from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.terms import Largest
from mobandits.logs import Feedback


@dataclass(frozen=True)
class Diagnostics:
    """The weights of a target on a log, without regard to rewards.

    Attributes:
        rounds: length n of the log.
        effective_rounds: (sum w)^2 / sum w^2: so many rounds of the target's own would tell as
            much; n where it plays as the logging policy. NaN where propensities were not logged,
            and so are the next four.
        largest_weight: max w.
        largest_share: max w / sum w.
        mean_weight: its expectation is 1 where propensities are right and the logging policy could
            play whatever the target plays.
        strayed: how many standard errors it is away from 1.
        matched: mean of the target's probabilities of the arms that were played.
        uncovered_rounds: share of the rounds in which the target may play an arm that the logging
            policy could not play: its probability of that is 0, where all its probabilities are
            known; else the arm occurs nowhere in the log.
        uncovered_mass: mean of the target's probability of such arms.
    """

    rounds: int
    effective_rounds: float
    largest_weight: float
    largest_share: float
    mean_weight: float
    strayed: float
    matched: float
    uncovered_rounds: float
    uncovered_mass: float


def diagnose(case: EvaluationCase, logging: Array | None = None) -> Diagnostics:
    """The diagnostics of a case.

    Args:
        case: a target on a log.
        logging: (rounds, arms) the logging policy's probabilities of all arms, where they are
            known.

    Reference:
        Effective rounds: Kish, Survey sampling, 1965. The mean weight as a test of propensities:
        Li, Kim and Zitouni, WSDM 2015.

    Example:
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> diagnose(EvaluationCase(log, np.full((2, 2), 0.5))).effective_rounds
        1.8
    """
    sums = weight_sums(case)
    # An arm that was never played may have been out of reach: that is all the log can tell.
    beyond = sums.plays == 0.0 if logging is None else logging == 0.0

    return diagnosis(sums, uncovered_sums(case, beyond))


class WeightSums(NamedTuple):
    """Sums over rounds on which `Diagnostics` rest.

    Attributes:
        rounds: their number.
        sums: (4,) of w, w^2, (w - 1)^2 and the target's probability of the arm that was played.
        largest: max w.
        plays: (arms,) rounds in which each was played.
    """

    rounds: int
    sums: Array
    largest: Largest
    plays: Array


def weight_sums(case: EvaluationCase) -> WeightSums:
    """The sums of a case; NaN where propensities were not logged."""
    log = case.log
    weights = case.played
    if case.probabilities is not None:
        # Not by the case, which refuses to give weights without propensities.
        weights = case.played / log.propensities

    away = weights - 1.0
    sums = [weights.sum(), (weights**2).sum(), away @ away, case.played.sum()]
    return WeightSums(len(log), np.array(sums), Largest(weights.max()), plays_of(log))


def plays_of(log: Feedback) -> Array:
    """(arms,) the rounds in which each arm was played."""
    return np.bincount(log.arms, minlength=len(log.arm_names)).astype(np.float64)


def diagnosis(sums: WeightSums, uncovered: Array) -> Diagnostics:
    """The diagnostics that follow from sums.

    Args:
        sums: over all rounds.
        uncovered: those of `uncovered_sums`.
    """
    total, squares, away, played = sums.sums.tolist()
    largest = float(sums.largest.value)
    mean = total / sums.rounds
    distance = abs(mean - 1.0)
    # Around 1, where the mean should be, so that hardly anything cancels.
    variance = max(away / sums.rounds - distance**2, 0.0)
    error = np.sqrt(variance / sums.rounds)
    with np.errstate(divide="ignore"):
        # Equal weights have no error: then a distance of rounding size is none.
        strayed = 0.0 if distance < 1e-12 else np.float64(distance) / error

    effective = 0.0 if squares == 0.0 else total**2 / squares
    share = 0.0 if total == 0.0 else largest / total
    uncovered_rounds, uncovered_mass = (uncovered / sums.rounds).tolist()

    return Diagnostics(
        rounds=sums.rounds,
        effective_rounds=effective,
        largest_weight=largest,
        largest_share=share,
        mean_weight=mean,
        strayed=float(strayed),
        matched=played / sums.rounds,
        uncovered_rounds=uncovered_rounds,
        uncovered_mass=uncovered_mass,
    )


def uncovered_sums(case: EvaluationCase, beyond: Mask) -> Array:
    """(2,) the rounds in which the target may leave the log, and how much of its plays do.

    Where its probabilities of arms that were not played are not known, the first is NaN and the
    second 0.

    Args:
        case: the target on some rounds.
        beyond: (arms,) or (rounds, arms) the arms that the logging policy could not play.
    """
    law = case.probabilities
    if law is None:
        return np.zeros(2)
    if not law.shape[1]:
        return np.array([np.nan, 0.0])

    outside = law[:, beyond] if beyond.ndim == 1 else np.where(beyond, law, 0.0)
    rounds = (outside > 0.0).any(1).sum()
    mass = outside.sum(1).sum()

    return np.array([rounds, mass])
