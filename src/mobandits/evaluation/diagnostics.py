"""Numbers that say how much a log can tell of a target."""

from dataclasses import dataclass

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.case import EvaluationCase

UNKNOWN = (np.nan,) * 5


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
    log = case.log
    is_logging_policy = case.probabilities is None
    weighing = UNKNOWN
    # Asked of the log and not of the case, which refuses to give weights without propensities.
    if is_logging_policy or not np.isnan(log.propensities).any():
        weighing = _weighing(case.weights)

    effective, largest, share, mean, strayed = weighing
    uncovered_rounds, uncovered_mass = _uncovered(case, logging)

    return Diagnostics(
        rounds=len(log),
        effective_rounds=effective,
        largest_weight=largest,
        largest_share=share,
        mean_weight=mean,
        strayed=strayed,
        matched=float(case.played.mean()),
        uncovered_rounds=uncovered_rounds,
        uncovered_mass=uncovered_mass,
    )


def _weighing(weights: Array) -> tuple[float, float, float, float, float]:
    """Effective rounds, largest weight and its share, mean weight, and how far it strayed."""
    total = weights.sum()
    squares = (weights**2).sum()
    largest = weights.max()
    mean = weights.mean()
    error = weights.std() / len(weights) ** 0.5
    distance = abs(mean - 1.0)
    with np.errstate(divide="ignore"):
        # Equal weights have no error: then a distance of rounding size is none.
        strayed = 0.0 if distance < 1e-12 else distance / error

    effective = total**2 / squares if squares > 0.0 else 0.0
    share = largest / total if total > 0.0 else 0.0

    return float(effective), float(largest), float(share), float(mean), float(strayed)


def _uncovered(case: EvaluationCase, logging: Array | None) -> tuple[float, float]:
    """The share of rounds in which the target may leave the log, and how much it does."""
    probabilities = case.probabilities
    if probabilities is None:
        return 0.0, 0.0
    if logging is None:
        # An arm that was never played may have been out of reach: that is all the log can tell.
        plays = np.bincount(case.log.arms, minlength=len(case.log.arm_names))
        beyond = probabilities[:, plays == 0]
    else:
        beyond = np.where(logging == 0.0, probabilities, 0.0)

    rounds = (beyond > 0.0).any(1).mean()
    mass = beyond.sum(1).mean()

    return float(rounds), float(mass)
