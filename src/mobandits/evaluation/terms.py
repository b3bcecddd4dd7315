"""The terms of an estimate, round by round, from which all estimators get their standard errors."""

from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from mobandits.contracts.protocols import Array

T = TypeVar("T")


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


class TermSums(NamedTuple):
    """The sums of an estimate's terms, to which every part of a log adds.

    Attributes:
        rounds: n.
        numerator: A, (objectives,).
        denominator: B.
        lost: as in `Terms`; 0 where nothing is clipped.
        weights: of the rounds with a reward, by `Ips`; 0 of others.
        largest: (3, objectives) the largest a, -a and b.
    """

    rounds: int
    numerator: Array
    denominator: Array
    lost: Array
    weights: Array
    largest: "Largest"

    @property
    def value(self) -> Array:
        """(objectives,) the estimate; NaN where no round speaks of an objective."""
        with np.errstate(invalid="ignore", divide="ignore"):
            value = self.numerator / self.denominator

        # Also where the numerator is not 0: rounds without weight say nothing.
        return np.where(self.denominator == 0.0, np.nan, value)


class Largest(NamedTuple):
    """Largest numbers: of two parts of a log, the larger ones are those of both."""

    value: Any

    def __add__(self, other: Any) -> "Largest":
        return Largest(np.maximum(self.value, other.value))


def added(first: T, second: T) -> T:
    """The sums over two parts of a log, from those over each: arrays, or tuples of sums.

    Example:
        >>> added((1.0, Largest(2.0)), (3.0, Largest(1.5)))
        (4.0, Largest(value=np.float64(2.0)))
    """
    if not isinstance(first, tuple) or isinstance(first, Largest):
        total: T = first + second  # type: ignore[operator]
        return total

    parts = map(added, first, cast("Any", second))
    # A named tuple takes its parts one by one.
    return type(first)._make(parts) if hasattr(first, "_make") else cast("T", tuple(parts))


def term_sums(terms: Terms) -> TermSums:
    """The sums of the terms of all rounds."""
    denominator = terms.denominator.sum(0)
    lost = np.zeros_like(denominator)
    weights = lost
    if terms.lost is not None:
        lost = terms.lost.sum(0)
    if terms.weights is not None:
        weights = terms.weights[:, 0] @ terms.denominator

    a = terms.numerator
    largest = np.array([a.max(0), -a.min(0), terms.denominator.max(0)])
    return TermSums(len(a), a.sum(0), denominator, lost, weights, Largest(largest))


def no_sums(objectives: int) -> TermSums:
    """The sums before the first round."""
    zero = np.zeros(objectives)
    none = np.full((3, objectives), -np.inf)
    return TermSums(0, zero, zero, zero, zero, Largest(none))


def ratio_of_sums(terms: Terms) -> Array:
    """(objectives,) the estimate; NaN where no round speaks of an objective.

    Example:
        >>> ratio_of_sums(Terms(np.array([[1.0], [2.0]]), np.array([[1.0], [1.0]]))).tolist()
        [1.5]
    """
    return term_sums(terms).value


def influence(terms: Terms, sums: TermSums | None = None) -> Array:
    """The influence of each round: (n - 1) times the estimate less the one without the round.

    It is (rounds, objectives), ``(n - 1) (a_il - V_l b_il) / (B_l - b_il)`` with B_l = sum_i b_il.
    For a plain mean it is the terms less their mean. A round with a share h of all weight counts
    1 / (1 - h) times what it counts to first order; that corrects standard errors of weighted
    means, which large weights would make too small. Rounds without a reward have 0. NaN where an
    objective rests on one round alone: what it would be without that round is not known.

    Args:
        terms: of the rounds.
        sums: over all rounds, where these are a part of them.

    Reference:
        The jackknife: Efron and Stein, Annals of Statistics 9, 1981. Its use for standard errors,
        there named HC3: MacKinnon and White, Journal of Econometrics 29, 1985.

    Example:
        >>> influence(Terms(np.array([[1.0], [2.0]]), np.array([[1.0], [1.0]]))).ravel().tolist()
        [-0.5, 0.5]
    """
    whole = term_sums(terms) if sums is None else sums
    other_rounds = whole.rounds - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = terms.numerator - whole.value * terms.denominator
        weight_without = whole.denominator - terms.denominator
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
