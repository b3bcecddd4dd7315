"""Resampled logs, and how far estimates move from one to another."""

from collections.abc import Iterator

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.terms import Terms, ratio_of_sums
from mobandits.support.checks import integer


def resamples(rounds: int, samples: int, seed: int) -> Iterator[Array]:
    """Logs drawn with replacement, one by one: how often each round occurs in it, (rounds,).

    Raises:
        ValueError: where there are fewer than two samples, or the seed is negative.

    Example:
        >>> [int(counts.sum()) for counts in resamples(5, 3, seed=0)]
        [5, 5, 5]
    """
    integer("samples", samples, at_least=2)
    integer("seed", seed, at_least=0)
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        drawn = rng.integers(0, rounds, rounds)
        counts = np.bincount(drawn, minlength=rounds)
        yield counts.astype(np.float64)


def largest_quantile(terms: Terms, level: float, samples: int, seed: int) -> float:
    """The quantile of max_l |V*_l - V_l| / s*_l over resampled logs.

    V*_l is the estimate of objective l in a resampled log, s*_l its standard error there.
    Objectives that are certain are left out. Where a resampled log says nothing, its maximum is
    infinite.

    Args:
        terms: of the estimate.
        level: which quantile.
        samples: number of resampled logs.
        seed: of the resampling.
    """
    a = terms.numerator
    b = terms.denominator
    rounds = len(a)
    # A resampled log's value and standard error follow from its sums of these columns, so that
    # each costs one product of a vector and a matrix.
    columns = np.hstack([a, b, a * a, a * b, b * b])
    value = ratio_of_sums(terms)
    each_once = np.ones(rounds)
    # By the same formula as in resampled logs: rounding must not make one of the two 0.
    _, error_of_log = _value_and_error(each_once @ columns, rounds)
    uncertain = error_of_log > 0.0
    largest = []
    for counts in resamples(rounds, samples, seed):
        resampled, error = _value_and_error(counts @ columns, rounds)
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = np.abs(resampled - value)
            distance = moved[uncertain] / error[uncertain]

        # A resampled log without the rounds that matter says nothing.
        distance = np.where(np.isnan(distance), np.inf, distance)
        largest.append(np.max(distance, initial=0.0))

    # An order statistic and not a mean of two, which could be infinite less infinite.
    quantile = np.quantile(largest, level, method="higher")

    return float(quantile)


def _value_and_error(sums: Array, rounds: int) -> tuple[Array, Array]:
    """(objectives,) the estimate and its standard error, from sums of a, b, a^2, ab, b^2."""
    a, b, aa, ab, bb = sums.reshape(5, -1)
    others = max(rounds - 1, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(b == 0.0, np.nan, a / b)
        # sum (a - V b)^2, multiplied out; rounding may take it below 0
        squares = aa - 2.0 * value * ab + value * value * bb
        squares = np.maximum(squares, 0.0)
        deviation = np.sqrt(squares * rounds / others)
        error = deviation / np.abs(b)

    return value, error
