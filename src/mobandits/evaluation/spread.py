"""The sampling distribution of an estimate: Student's t, with the tails and skew of its rounds."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.regions import FLAT
from mobandits.statistics.quantiles import student_quantile, student_tail

BLOCK = 8192  # rounds at a time: more would not stay in the processor's cache


class Spread(NamedTuple):
    """How far an estimate may be from the truth, from the moments of the rounds' influences.

    A mean of n rounds is nearly normal where no round matters much. Importance weights break that:
    few rounds carry most of the estimate, and of its standard error. Two corrections follow.

    - **Degrees of freedom.** A squared standard error that averages n terms of kurtosis k varies
      like a chi-squared variable with ``2 n / (k - 1)`` degrees of freedom: n for normal rounds,
      about 2 where one round decides. The smallest of the objectives counts for all of them, since
      all share the same weights. The covariance as a whole has degrees of freedom of its own, by
      the same rule from the mean kurtosis of all directions.
    - **Skew.** Rounds with a long tail on one side give estimates that fall short on that side,
      with a standard error that is too small at the same time. With q the quantile of Student's t
      and m2, m3 the second and third moment, an interval reaches further on that side by
      ``q^2 m3 / (3 n m2)``. On the other side it is not shortened: that would trust a third
      moment that few rounds determine.

    Attributes:
        covariance: (objectives, objectives) of the estimate.
        freedom: degrees of freedom of the least known standard error, at most n - 1.
        joint_freedom: degrees of freedom of the covariance, ``2 n / (3 b / (p (p + 2)) - 1)`` with
            b the mean of |e|^4; at most n - 1, and at least 2 p, since fourth moments of so few
            rounds say no more.
        skew: (objectives,) m3 / (3 n m2), in the unit of the objective.
        joint_skew: (objectives,) a vector that is the same for all objectives at once: the mean of
            ``e |e|^2 / (n (p + 2))``.

    Here e is the influence of a round, |e| its length in units of the covariance of influences,
    and p the number of objectives.

    Reference:
        Degrees of freedom: Satterthwaite, Biometrics Bulletin 2, 1946. Mean kurtosis: Mardia,
        Biometrika 57, 1970. Skew: Johnson, Modified t tests and confidence intervals for
        asymmetrical populations, JASA 73, 1978.
    """

    covariance: Array
    freedom: float
    joint_freedom: float
    skew: Array
    joint_skew: Array

    @property
    def error(self) -> Array:
        """(objectives,) standard errors."""
        variances = np.diag(self.covariance)
        return np.sqrt(variances)

    def mirrored(self) -> "Spread":
        """The spread of the estimate with the opposite sign: tails are on the other side."""
        return Spread(
            covariance=self.covariance,
            freedom=self.freedom,
            joint_freedom=self.joint_freedom,
            skew=-self.skew,
            joint_skew=-self.joint_skew,
        )


def spread_of(effects: Array, size: Array) -> Spread:
    """The spread of an estimate whose rounds have these influences.

    Args:
        effects: (rounds, objectives) from `influence`, or differences of them.
        size: (objectives,) magnitude of the values; standard errors that are smaller by twelve
            digits are rounding.

    Example:
        >>> even = spread_of(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.ones(1))
        >>> even.freedom, even.skew.tolist()
        (3.0, [0.0])
        >>> heavy = spread_of(np.array([[-1.0], [-1.0], [-1.0], [3.0]]), np.ones(1))
        >>> heavy.error.tolist(), heavy.skew.tolist()
        ([1.0], [0.125])
    """
    rounds, objectives = effects.shape
    others = max(rounds - 1, 1)
    with np.errstate(invalid="ignore"):
        products: Array = effects.T @ effects
        covariance = products / (rounds * others)

    error = np.sqrt(np.diag(covariance))
    # An objective that does not vary has no moments: their unit would be 0.
    varies = error > FLAT * size
    uncertain = np.flatnonzero(np.isfinite(error) & varies)
    skew = np.zeros(objectives)
    joint_skew = np.zeros(objectives)
    if not len(uncertain):
        return Spread(covariance, float(others), float(others), skew, joint_skew)

    unit = error[uncertain] * np.sqrt(rounds)
    pairs = np.ix_(uncertain, uncertain)
    correlation = covariance[pairs] * rounds / np.outer(unit, unit)
    moments = _moments(effects[:, uncertain], unit, correlation)
    # Units are those of variances with n - 1 in the denominator, kurtosis is that of means over n.
    correction = (rounds / others) ** 2
    largest_kurtosis = correction * float(moments.fourth.max())
    freedom = _freedom(largest_kurtosis, rounds)
    # The number of objectives, without those that follow from others.
    rank = moments.square * rounds / others
    # |z|^4 of normal influences has the mean p (p + 2): in units of that, times 3 as where p is 1.
    mean_kurtosis = correction * 3.0 * moments.quartic / (rank * (rank + 2.0))
    # Fourth moments of so few rounds say no more than 2 p degrees of freedom.
    at_least = 2.0 * rank
    joint_freedom = max(_freedom(mean_kurtosis, rounds), at_least)
    joint_freedom = min(joint_freedom, float(others))
    skew[uncertain] = unit * moments.third / (3.0 * rounds)
    joint_skew[uncertain] = unit * moments.pull / (rounds * (rank + 2.0))

    return Spread(covariance, freedom, joint_freedom, skew, joint_skew)


def _freedom(kurtosis: float, rounds: int) -> float:
    """2 n / (k - 1), and n - 1 where tails are lighter than normal ones."""
    others = max(rounds - 1, 1)
    # Never more than Student's t has: few rounds show lighter tails by chance.
    lightest = 2.0 * rounds / others
    excess = max(kurtosis - 1.0, lightest)

    return 2.0 * rounds / excess


class _Moments(NamedTuple):
    """Means over rounds, of influences z in units of their standard deviation.

    Attributes:
        third: (objectives,) of z^3.
        fourth: (objectives,) of z^4.
        square: of |z|^2, with the length |z| in units of the correlations.
        quartic: of |z|^4.
        pull: (objectives,) of z |z|^2.
    """

    third: Array
    fourth: Array
    square: float
    quartic: float
    pull: Array


def _moments(effects: Array, unit: Array, correlation: Array) -> _Moments:
    """The moments of influences (rounds, objectives), in one pass."""
    rounds, objectives = effects.shape
    inverse = np.linalg.pinv(correlation, rcond=FLAT, hermitian=True)
    third = np.zeros(objectives)
    fourth = np.zeros(objectives)
    square = 0.0
    quartic = 0.0
    pull = np.zeros(objectives)
    for first in range(0, rounds, BLOCK):
        last = first + BLOCK
        scaled = effects[first:last] / unit
        squares = scaled * scaled
        lengths_by_objective = (scaled @ inverse) * scaled
        squared_lengths = lengths_by_objective.sum(1)
        third += np.einsum("nl,nl->l", squares, scaled)
        fourth += np.einsum("nl,nl->l", squares, squares)
        square += float(squared_lengths.sum())
        quartic += float(squared_lengths @ squared_lengths)
        pull += squared_lengths @ scaled

    return _Moments(
        third=third / rounds,
        fourth=fourth / rounds,
        square=square / rounds,
        quartic=quartic / rounds,
        pull=pull / rounds,
    )


def reach(spread: Spread, probability: float) -> tuple[Array, Array]:
    """How far intervals go below and above the estimate, two arrays (objectives,).

    Args:
        spread: of the estimate.
        probability: of being below the upper end; above the lower end just so.

    Example:
        >>> even = spread_of(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.ones(1))
        >>> [end.round(2).tolist() for end in reach(even, 0.975)]
        [[1.84], [1.84]]
    """
    quantile = student_quantile(probability, spread.freedom)
    symmetric = quantile * spread.error
    towards_tail = quantile**2 * spread.skew
    # The side of the shorter tail keeps its length, see `Spread`.
    further_below = np.maximum(-towards_tail, 0.0)
    further_above = np.maximum(towards_tail, 0.0)

    return symmetric + further_below, symmetric + further_above


def joint_reach(spread: Spread, level: float) -> tuple[Array, Array]:
    """As `reach`, for the intervals of all objectives at once: `level` is that of their box.

    Reference:
        Sidak, JASA 62, 1967.
    """
    # Sidak: level is the product of p levels, and an interval leaves half of the rest on each side.
    objectives = len(spread.skew)
    level_of_each = level ** (1.0 / objectives)
    probability = (1.0 + level_of_each) / 2.0

    return reach(spread, probability)


def tail(spread: Spread, ahead: Array) -> Array:
    """(objectives,) p-values of the claim that the truth is above a bound.

    An estimate that is ahead of the bound by `reach(spread, 1 - p)` has the p-value p. It is 0 or 1
    where the estimate is certain, and 1 where nothing is known.

    Args:
        spread: of the estimate.
        ahead: (objectives,) the estimate less the bound.

    Example:
        >>> even = spread_of(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.ones(1))
        >>> tail(even, reach(even, 0.975)[0]).round(3).tolist()
        [0.025]
    """
    error = spread.error
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = ahead / error
        # scores = q + q^2 further, solved for q in a form in which nothing cancels
        further = np.maximum(-spread.skew, 0.0) / error
        discriminant = 1.0 + 4.0 * further * np.maximum(scores, 0.0)
        solved = 2.0 * scores / (1.0 + np.sqrt(discriminant))

    # Behind the bound the interval is not shortened, whatever the skew.
    quantiles = np.where(scores > 0.0, solved, scores)
    certain = np.where(ahead > 0.0, np.inf, -np.inf)
    quantiles = np.where(error == 0.0, certain, quantiles)
    unknown = np.isnan(ahead) | np.isnan(error)
    quantiles = np.where(unknown, -np.inf, quantiles)

    return student_tail(quantiles, spread.freedom)
