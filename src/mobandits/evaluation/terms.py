"""The terms of an estimate, round by round, from which all estimators get their standard errors."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array


class Terms(NamedTuple):
    """An estimate as a ratio of sums over rounds: V_l = sum_i a_il / sum_i b_il.

    Where a reward was not observed, its a and b are 0: the round is left out for that objective and
    for no other.

    Attributes:
        numerator: a, (rounds, objectives).
        denominator: b, (rounds, objectives).
        lost: (rounds, objectives) how much clipping took from each term, in absolute value; None
            where nothing is clipped.
        weights: (rounds, 1) those of `Ips`, whose denominator does not have them; None of others.
    """

    numerator: Array
    denominator: Array
    lost: Array | None = None
    weights: Array | None = None


def ratio_of_sums(terms: Terms) -> Array:
    """(objectives,) the estimate; NaN where no round speaks of an objective.

    Example:
        >>> ratio_of_sums(Terms(np.array([[1.0], [2.0]]), np.array([[1.0], [1.0]]))).tolist()
        [1.5]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        numerator = terms.numerator.sum(0)
        denominator = terms.denominator.sum(0)
        value = numerator / denominator

    # Also where the numerator is not 0: rounds without weight say nothing.
    return np.where(denominator == 0.0, np.nan, value)


def influence(terms: Terms) -> Array:
    """The influence of each round: (n - 1) times the estimate less the one without the round.

    It is (rounds, objectives), ``(n - 1) (a_il - V_l b_il) / (B_l - b_il)`` with B_l = sum_i b_il.
    For a plain mean it is the terms less their mean. A round with a share h of all weight counts
    1 / (1 - h) times what it counts to first order; that corrects standard errors of weighted
    means, which large weights would make too small. Rounds without a reward have 0. NaN where an
    objective rests on one round alone: what it would be without that round is not known.

    Reference:
        The jackknife: Efron and Stein, Annals of Statistics 9, 1981. Its use for standard errors,
        there named HC3: MacKinnon and White, Journal of Econometrics 29, 1985.

    Example:
        >>> influence(Terms(np.array([[1.0], [2.0]]), np.array([[1.0], [1.0]]))).ravel().tolist()
        [-0.5, 0.5]
    """
    other_rounds = len(terms.numerator) - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        value = ratio_of_sums(terms)
        errors = terms.numerator - value * terms.denominator
        weight_without = terms.denominator.sum(0) - terms.denominator
        scale = other_rounds / weight_without
        effect: Array = errors * scale

    return effect


def observed(rewards: Array) -> tuple[Array, Array]:
    """The rewards with 0 for NaN, and 1 where they were observed, both (rounds, objectives).

    Example:
        >>> [table.tolist() for table in observed(np.array([[0.5, np.nan]]))]
        [[[0.5, 0.0]], [[1.0, 0.0]]]
    """
    missing = np.isnan(rewards)
    filled = np.where(missing, 0.0, rewards)
    present = (~missing).astype(np.float64)
    return filled, present
