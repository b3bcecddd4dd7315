"""Checks of what other libraries state: propensities, Pareto fronts and confidence sequences.

Each takes a function of a few lines that calls the library, and raises AssertionError with the seed
and the values that break the statement.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from mobandits.contracts.protocols import Array, Rng
from mobandits.support.checks import integer, number
from mobandits.testing.case import require

# Of a false alarm: a check is run often, and a mistake is far more frequent than that.
SIGNIFICANCE = 1e-6
ROUNDING = 1e-5  # of propensities in single precision
LEAST_WEIGHT = 0.05  # the smallest propensity of the streams


def check_propensities(
    decide: Callable[[int], tuple[Any, float]], *, decisions: int = 5000
) -> None:
    """Whether arms are played as often as their stated propensities say.

    Args:
        decide: the arm and its propensity, given a seed; always in the same state and context.
        decisions: seeds 0, 1, ... that are tried.

    Raises:
        AssertionError: where a propensity is none, differs between decisions for the same arm, or is
            not the arm's frequency (exact binomial test, at 1e-6 for all arms together).

    Example:
        >>> check_propensities(lambda seed: ("a", 0.5) if seed % 2 else ("b", 0.5))
        >>> check_propensities(lambda seed: ("a", 0.9) if seed % 2 else ("b", 0.1))
        Traceback (most recent call last):
        AssertionError: arm 'b' has propensity 0.1, and was played in 2500 of 5000 decisions
    """
    integer("decisions", decisions, at_least=1)
    stated = dict[Any, float]()
    played = dict[Any, int]()
    for seed in range(decisions):
        arm, propensity = decide(seed)
        first = stated.setdefault(arm, propensity)
        require(0.0 < propensity <= 1.0 + ROUNDING, f"arm {arm!r} has propensity {propensity}")
        same = abs(propensity - first) <= ROUNDING
        require(same, f"arm {arm!r} has propensities {first} and {propensity}, seed {seed}")
        played[arm] = played.get(arm, 0) + 1

    total = sum(stated.values())
    require(total <= 1.0 + ROUNDING * len(stated), f"the propensities add up to {total}")
    for arm, count in played.items():
        propensity = min(stated[arm], 1.0)
        test = stats.binomtest(count, decisions, propensity)
        often = f"was played in {count} of {decisions} decisions"
        is_likely = test.pvalue >= SIGNIFICANCE / len(played)
        require(is_likely, f"arm {arm!r} has propensity {stated[arm]}, and {often}")


def check_front(front: Callable[[Array], Any], *, tables: int = 200, seed: int = 0) -> None:
    """Whether a Pareto front holds just the rows that no other row dominates.

    A row dominates another one if it is at least as large everywhere and larger somewhere. Equal rows
    do not dominate each other, so that both are on the front or neither. Tables are random, have
    many ties, or numbers that differ in their last digits.

    Args:
        front: positions or a mask of the rows on the front, given (arms, objectives).
        tables: of each kind.
        seed: of the tables.

    Raises:
        AssertionError: with a table and both fronts.

    Example:
        >>> import mobandits as mob
        >>> check_front(mob.front)
        >>> check_front(lambda means: [means[:, 0].argmax()])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        AssertionError: of [[0.27, ... the front is [1, 2, 3, 5, 8, 9], got [5]
    """
    rng = np.random.default_rng(seed)
    for _ in range(tables):
        shape = (int(rng.integers(1, 12)), int(rng.integers(1, 5)))
        for means in _tables(rng, shape):
            given = np.asarray(front(means.copy()))
            is_mask = given.dtype == bool
            positions = np.flatnonzero(given) if is_mask else np.unique(given)
            found = positions.tolist()
            expected = _front_by_definition(means)
            both = f"the front is {expected}, got {found}"
            require(found == expected, f"of {means.tolist()} {both}")


def check_sequence(
    sequence: Callable[[Array, Array], Sequence[Array]],
    *,
    alpha: float = 0.05,
    streams: int = 300,
    rounds: int = 500,
    seed: int = 0,
) -> None:
    """Whether confidence sequences hold the value at every look, as often as they say.

    Each stream has rewards in [0, 1] and weights w = pi / p of a target policy; the value is the
    mean of w r. In the kinds of streams the logging policy is the target, plays it in half of the
    rounds, or in one of twenty; rewards are frequent or rare.

    Args:
        sequence: lower and upper ends, (rounds,) each, given (rounds,) weights and rewards; NaN
            where there is no interval yet.
        alpha: the nominal share of streams in which an interval misses the value at some round.
        streams: of each kind.
        rounds: of a stream.
        seed: of the streams.

    Raises:
        AssertionError: where more streams are missed than by chance (binomial test at 1e-6).

    Example:
        >>> check_sequence(lambda weights, rewards: (0.0 * rewards, 20.0 + rewards))
    """
    number("alpha", alpha, above=0.0, below=1.0)
    rng = np.random.default_rng(seed)
    for propensity in (1.0, 0.5, LEAST_WEIGHT):
        for mean in (0.5, 0.02, 0.98):
            misses = 0
            for _ in range(streams):
                weights = (rng.random(rounds) < propensity) / propensity
                rewards = (rng.random(rounds) < mean).astype(float)
                low, high = sequence(weights, rewards)
                # A comparison with NaN is false: no interval, no miss.
                is_missed = (np.asarray(low) > mean) | (np.asarray(high) < mean)
                misses += bool(is_missed.any())

            by_chance = stats.binom.sf(misses - 1, streams, alpha)
            kind = f"mean reward {mean}, weights 0 or {1.0 / propensity:g}"
            often = f"{misses} of {streams} streams are missed, more than {alpha:g}"
            require(by_chance >= SIGNIFICANCE, f"{kind}: {often}")


def _tables(rng: Rng, shape: tuple[int, int]) -> list[Array]:
    """A table of each kind."""
    smooth = rng.random(shape).round(3)
    tied = rng.integers(0, 3, shape).astype(float)
    nearly_equal = 1.0 + rng.integers(0, 3, shape) * 1e-15
    return [smooth, tied, nearly_equal]


def _front_by_definition(means: Array) -> list[int]:
    """The positions of the rows that no other row dominates."""
    front = []
    for i, row in enumerate(means):
        at_least = (means >= row).all(axis=1)
        larger = (means > row).any(axis=1)
        dominates = at_least & larger
        if not dominates.any():
            front.append(i)

    return front
