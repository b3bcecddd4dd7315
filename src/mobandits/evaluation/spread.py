"""The sampling distribution of an estimate: Student's t, with the tails and skew of its rounds."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation.regions import FLAT
from mobandits.statistics.quantiles import student_quantile, student_tail

PIECE = 248  # rounds of a product of matrices: of more, its library would start threads that wait
BLOCK = 17 * PIECE  # rounds at a time: more would not stay in the processor's cache


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
        return self._replace(skew=-self.skew, joint_skew=-self.joint_skew)


class Moments(NamedTuple):
    """The sums over rounds on which a spread rests, and those of weighted sums of the objectives.

    Attributes:
        rounds: their number.
        products: (objectives, objectives) of the influences of two objectives.
        axes: the coordinates of the other sums.
        sums: from `moment_sums`.
    """

    rounds: int
    products: Array
    axes: "Axes"
    sums: Array

    @property
    def spread(self) -> Spread:
        """The spread of the estimate."""
        return spread_from(*self)

    def along(self, weights: Array, size: float) -> Spread:
        """The spread of the weighted sum of the objectives.

        Args:
            weights: (objectives,); where one is 0, nothing need be known of its objective.
            size: as in `spread_of`, of the sum.

        Example:
            >>> effects = np.array([[-1.0, 0.5], [-1.0, 0.0], [-1.0, -0.5], [3.0, 0.0]])
            >>> both = moments_of(effects, np.ones(2)).along(np.array([1.0, 2.0]), 1.0)
            >>> one = spread_of(effects @ [[1.0], [2.0]], np.ones(1))
            >>> bool(np.isclose(both.skew, one.skew)), bool(np.isclose(both.freedom, one.freedom))
            (True, True)
        """
        counted = np.flatnonzero(weights)
        of_weights = weights[counted]
        variance = of_weights @ self.products[np.ix_(counted, counted)] @ of_weights
        products = np.reshape(variance, (1, 1))
        axes = axes_of(products, self.rounds, np.array([size]))
        if not len(axes.columns):
            return spread_from(self.rounds, products, axes, self.sums)

        columns = len(self.axes.columns)
        of_units = weights[self.axes.columns] * self.axes.unit / axes.unit
        of_directions = np.linalg.pinv(self.axes.directions) @ of_units
        squares = np.outer(of_directions, of_directions)
        # The products 1, z, z^2 and y^2 of the one column, from those of all of them.
        lead = np.zeros((4, len(self.sums)))
        lead[0, 0] = 1.0
        lead[1, 1 : 1 + columns] = of_units
        # A product of two different directions counts twice.
        lead[2, 1 + 2 * columns :] = (2.0 * squares - np.diag(np.diag(squares)))[self.axes.pairs]
        lead[3] = lead[2] * axes.directions**2
        sums = lead @ self.sums @ lead.T

        return spread_from(self.rounds, products, axes, sums)


def spread_of(effects: Array, size: Array) -> Spread:
    """The spread of an estimate whose rounds have these influences.

    Args:
        effects: (rounds, objectives) from `influence`, or differences of them.
        size: (objectives,) magnitude of the values; standard errors that are smaller by twelve
            digits are rounding.

    Example:
        >>> even = spread_of(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.ones(1))
        >>> even.freedom, even.skew.round(12).tolist()
        (3.0, [0.0])
        >>> heavy = spread_of(np.array([[-1.0], [-1.0], [-1.0], [3.0]]), np.ones(1))
        >>> heavy.error.tolist(), heavy.skew.tolist()
        ([1.0], [0.125])
    """
    return moments_of(effects, size).spread


def moments_of(effects: Array, size: Array) -> Moments:
    """The sums of a spread; parameters as of `spread_of`."""
    with np.errstate(invalid="ignore"):
        products: Array = effects.T @ effects

    axes = axes_of(products, len(effects), size)
    sums = moment_sums(effects, axes)

    return Moments(len(effects), products, axes, sums)


class Axes(NamedTuple):
    """Coordinates in which the moments of influences are summed, so that nothing cancels.

    Attributes:
        columns: of the objectives that vary; moments of the others have no unit.
        unit: (columns,) about a standard deviation of the influences z, which are divided by it.
        directions: (columns, directions) y = z @ directions are about uncorrelated, of variance 1.
        size: (objectives,) as in `spread_of`.
    """

    columns: IntArray
    unit: Array
    directions: Array
    size: Array

    @property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Every two directions once, and each with itself."""
        return np.triu_indices(self.directions.shape[1])


def axes_of(products: Array, rounds: int, size: Array) -> Axes:
    """The coordinates that suit influences with these sums of products.

    Sums may be of influences to first order only: moments are exact in any coordinates, and the
    better these are, the less is lost by rounding.

    Args:
        products: (objectives, objectives) sums over rounds.
        rounds: their number.
        size: as in `spread_of`.
    """
    others = max(rounds - 1, 1)
    variances = np.diag(products) / (rounds * others)
    error = np.sqrt(np.maximum(variances, 0.0))
    # An objective that does not vary has no moments: their unit would be 0.
    varies = error > FLAT * size
    columns = np.flatnonzero(np.isfinite(error) & varies)
    unit = error[columns] * np.sqrt(rounds)
    correlation = products[np.ix_(columns, columns)] / others / np.outer(unit, unit)
    variance_along, directions = np.linalg.eigh(correlation)
    # Objectives that follow from others add no direction.
    kept = variance_along > FLAT * np.max(variance_along, initial=0.0)
    whitened = directions[:, kept] / np.sqrt(variance_along[kept])

    return Axes(columns, unit, whitened, size)


def contrasts(
    of_targets: Sequence[Array], joined: Callable[[Array, Array], Array] = np.subtract
) -> Iterator[Array]:
    """What is of each target, then the first less the second of every two.

    Args:
        of_targets: an array per target.
        joined: what becomes of two.
    """
    yield from of_targets
    for first, second in itertools.combinations(of_targets, 2):
        yield joined(first, second)


def moment_sums(effects: Array, axes: Axes) -> Array:
    """Sums over rounds of all products of two of: 1, each z, each z^2, each product of two y.

    Those of two parts of a log add up to those of both. They hold all moments up to the fourth that
    a spread asks for.

    Args:
        effects: (rounds, objectives) influences.
        axes: their coordinates.
    """
    pairs = list(zip(*axes.pairs, strict=True))
    columns = len(axes.columns)
    size = 1 + 2 * columns + len(pairs)
    sums = np.zeros((size, size))
    unit = axes.unit[:, None]
    # A row per factor, as long as a block: much faster than a short row per round.
    rows = np.empty((size, BLOCK))
    pieces = rows.reshape(size, -1, PIECE).swapaxes(0, 1)
    for first in range(0, len(effects), BLOCK):
        block = effects[first : first + BLOCK].T[axes.columns]
        rounds = block.shape[1]
        rows[:, rounds:] = 0.0  # of the last block, which may be shorter
        rows[0, :rounds] = 1.0
        scaled = rows[1 : 1 + columns]
        np.divide(block, unit, out=scaled[:, :rounds])
        np.square(scaled, out=rows[1 + columns : 1 + 2 * columns])
        along = axes.directions.T @ scaled
        for place, (left, right) in enumerate(pairs, 1 + 2 * columns):
            np.multiply(along[left], along[right], out=rows[place])

        sums += (pieces @ pieces.swapaxes(1, 2)).sum(0)

    return sums


def spread_from(rounds: int, products: Array, axes: Axes, sums: Array) -> Spread:
    """The spread of an estimate from sums over its rounds.

    Args:
        rounds: their number.
        products: (objectives, objectives) of the influences of two objectives.
        axes: the coordinates of the other sums.
        sums: from `moment_sums`.
    """
    objectives = len(products)
    others = max(rounds - 1, 1)
    covariance = products / (rounds * others)
    error = np.sqrt(np.diag(covariance))
    certain = error <= FLAT * axes.size
    # What does not vary has no error: rounding must decide no test.
    covariance[certain] = 0.0
    covariance[:, certain] = 0.0
    skew = np.zeros(objectives)
    joint_skew = np.zeros(objectives)
    uncertain = axes.columns
    if not len(uncertain):
        return Spread(covariance, float(others), float(others), skew, joint_skew)

    unit = error[uncertain] * np.sqrt(rounds)
    moments = _moments(sums / rounds, axes, rounds / others)
    # From the unit of the sums to that of the covariance, which may be more exact: it may show that
    # an objective does not vary at all.
    rescaled = np.zeros(len(unit))
    np.divide(axes.unit, unit, out=rescaled, where=~certain[uncertain])
    third = moments.third * rescaled**3
    fourth = moments.fourth * rescaled**4
    # Units are those of variances with n - 1 in the denominator, kurtosis is that of means over n.
    correction = (rounds / others) ** 2
    largest_kurtosis = correction * float(fourth.max())
    freedom = _freedom(largest_kurtosis, rounds)
    # The number of objectives, without those that follow from others.
    rank = moments.square * rounds / others
    # |z|^4 of normal influences has the mean p (p + 2): in units of that, times 3 as where p is 1.
    mean_kurtosis = correction * 3.0 * moments.quartic / (rank * (rank + 2.0))
    # Fourth moments of so few rounds say no more than 2 p degrees of freedom.
    at_least = 2.0 * rank
    joint_freedom = max(_freedom(mean_kurtosis, rounds), at_least)
    joint_freedom = min(joint_freedom, float(others))
    skew[uncertain] = unit * third / (3.0 * rounds)
    joint_skew[uncertain] = axes.unit * moments.pull / (rounds * (rank + 2.0))

    return Spread(covariance, freedom, joint_freedom, skew, joint_skew)


def _freedom(kurtosis: float, rounds: int) -> float:
    """2 n / (k - 1), and n - 1 where tails are lighter than normal ones."""
    others = max(rounds - 1, 1)
    # Never more than Student's t has: few rounds show lighter tails by chance.
    lightest = 2.0 * rounds / others
    excess = max(kurtosis - 1.0, lightest)

    return 2.0 * rounds / excess


class _Moments(NamedTuple):
    """Means over rounds of the influences z.

    Attributes:
        third: (columns,) of z^3.
        fourth: (columns,) of z^4.
        square: of |z|^2, with the length |z| in units of the correlations.
        quartic: of |z|^4.
        pull: (columns,) of z |z|^2.
    """

    third: Array
    fourth: Array
    square: float
    quartic: float
    pull: Array


def _moments(means: Array, axes: Axes, correction: float) -> _Moments:
    """The moments in means of products, see `moment_sums`.

    Args:
        means: of the products.
        axes: their coordinates.
        correction: n / (n - 1), of variances.
    """
    columns, directions = axes.directions.shape
    squares = slice(1 + columns, 1 + 2 * columns)
    pairs = slice(1 + 2 * columns, None)
    of_y = np.zeros((directions, directions))
    of_y[axes.pairs] = means[0, pairs]
    variances = of_y + np.triu(of_y, 1).T
    inverse = np.linalg.pinv(variances * correction, rcond=FLAT, hermitian=True)
    # |z|^2 as a sum over pairs: those of two different directions count twice.
    length = (2.0 * inverse - np.diag(np.diag(inverse)))[axes.pairs]
    influences = slice(1, 1 + columns)

    return _Moments(
        third=np.diag(means[influences, squares]),
        fourth=np.diag(means[squares, squares]),
        square=float(length @ means[0, pairs]),
        quartic=float(length @ means[pairs, pairs] @ length),
        pull=means[influences, pairs] @ length,
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
