"""Resampled logs: how far estimates would have moved."""

from collections.abc import Iterator

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.terms import Terms, ratio
from mobandits.support.checks import integer


def resamples(rounds: int, samples: int, seed: int) -> Iterator[Array]:
    """(rounds,) how often each round occurs in a log that was drawn with replacement; one log after the other.

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
        yield np.bincount(rng.integers(0, rounds, rounds), minlength=rounds).astype(np.float64)


def largest_quantile(terms: Terms, level: float, samples: int, seed: int) -> float:
    """The quantile of max_l |V*_l - V_l| / s*_l over resampled logs, s*_l the standard error in that log.

    Objectives without any doubt are left out. Where a resampled log says nothing, its maximum is infinite.

    Args:
        terms: of the estimate.
        level: which quantile.
        samples: number of resampled logs.
        seed: of the resampling.
    """
    a = terms.numerator
    b = terms.denominator
    columns = np.hstack([a, b, a * a, a * b, b * b])
    value = ratio(terms)
    rounds = len(a)
    doubtful = _errors(np.ones(rounds) @ columns, rounds)[1] > 0.0
    largest = []
    for counts in resamples(rounds, samples, seed):
        again, error = _errors(counts @ columns, rounds)
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = np.abs(again - value)[doubtful] / error[doubtful]
        largest.append(np.max(np.where(np.isnan(moved), np.inf, moved), initial=0.0))
    return float(np.quantile(largest, level, method="higher"))


def _errors(sums: Array, rounds: int) -> tuple[Array, Array]:
    """(objectives,) the estimate and its standard error, from sums of a, b, a^2, ab, b^2."""
    a, b, aa, ab, bb = sums.reshape(5, -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(b == 0.0, np.nan, a / b)
        squares = np.maximum(aa - 2.0 * value * ab + value * value * bb, 0.0)
        return value, np.sqrt(squares * rounds / max(rounds - 1, 1)) / np.abs(b)
