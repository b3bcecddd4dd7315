"""The value of a target where the odds of arms are not the estimated ones."""

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation.regions import FLAT, Box
from mobandits.evaluation.spread import joint_reach, spread_of
from mobandits.evaluation.terms import Terms, influence, observed, ratio_of_sums
from mobandits.logs import Feedback
from mobandits.support.checks import number

GAMMAS = (1.5, 2.0)  # in tables
TENTHS = range(10, 101)  # the gammas among which `robustness` looks, times 10
MOST = TENTHS[-1] / 10  # of them


class Robustness(NamedTuple):
    """How wrong odds may be before a target is no longer shown to differ from the logging policy.

    Attributes:
        objective: its name.
        direction: 1 where the target is shown to be better than what was logged, -1 where it is
            shown to be worse, 0 where neither is shown even if the odds are right.
        gamma: the largest of 1, 1.1, ..., 10 up to which that is shown; NaN where `direction` is 0.
    """

    objective: Hashable
    direction: int
    gamma: float


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The marginal sensitivity model: true odds of an arm, between 1/gamma and gamma estimated ones.

    Something that was not logged, such as who asked, may have decided which arm was played. With e
    the estimated propensity of the arm that was played, and pi the target's probability, the weight
    of a round is then not pi / e but any number in::

        [pi (1 + (1/e - 1) / gamma),  pi (1 + (1/e - 1) gamma)]

    The self-normalised estimate, sum w r / sum w, is largest where rounds with rewards above a
    threshold have their largest weights and all others their least ones; so one sort of the rewards
    and one scan of the thresholds find it, and its least value. More is better in all of them.

    Args:
        log: with propensities, estimated or right on average over what was not logged.
        played: (rounds,) the target's probabilities of the arms that were played.

    Reference:
        Tan, A distributional approach for causal inference using propensity scores, JASA 101, 2006.
        Thresholds: Zhao, Small and Bhattacharya, Sensitivity analysis for inverse probability
        weighting estimators via the percentile bootstrap, JRSS B 81, 2019, section 4.

    Example:
        >>> log = Feedback(np.ones((2, 1)), [0, 0], [[0.0], [1.0]], [0.5, 0.5], "ab", ["q"])
        >>> box = Sensitivity(log, np.ones(2)).bounds(2.0)
        >>> box.low.round(3).tolist(), box.high.round(3).tolist()
        ([0.333], [0.667])
    """

    log: Feedback
    played: Array

    def bounds(self, gamma: float) -> Box:
        """The least and the largest estimate; both are that of `Snips` where gamma is 1.

        Sampling error is not in them.

        Args:
            gamma: at least 1.

        Raises:
            ValueError: where it is less.
        """
        number("gamma", gamma, at_least=1.0)
        low = ratio_of_sums(self._extreme(gamma, -1))
        high = ratio_of_sums(self._extreme(gamma, 1))

        return Box(low, high)

    def box(self, gamma: float, level: float = 0.95) -> Box:
        """Joint intervals of the value: from below the least estimate to above the largest.

        Each end is that of `Estimate.box` of the weights that attain the bound. A small change of
        the threshold changes nothing there, to first order, so they may be taken as given; that the
        propensities were fitted is not in it.

        Args:
            gamma: at least 1.
            level: of the values in all objectives.

        Raises:
            ValueError: where an argument is out of its range.

        Reference:
            Ours, in place of the percentile bootstrap of Zhao, Small and Bhattacharya.
        """
        number("gamma", gamma, at_least=1.0)
        number("level", level, above=0.0, below=1.0)
        least = self._extreme(gamma, -1)
        most = self._extreme(gamma, 1)
        low, _ = _ends(least, influence(least), level)
        _, high = _ends(most, influence(most), level)
        # Nothing is known where no round, or one alone, speaks of an objective.
        low = np.where(np.isnan(low), -np.inf, low)
        high = np.where(np.isnan(high), np.inf, high)

        return Box(low, high)

    def robustness(self, level: float = 0.95) -> list[Robustness]:
        """Up to which gamma the target is shown to be better, or worse, than what was logged.

        It is shown where the joint interval of the difference between the bound and the mean logged
        reward does not hold 0. Larger gammas have lower bounds, so bisection finds the last one.

        Args:
            level: of the claims in all objectives.

        Raises:
            ValueError: where `level` is not between 0 and 1.
        """
        number("level", level, above=0.0, below=1.0)
        found = []
        directions = self._direction(1.0, level)
        for l, (name, direction) in enumerate(
            zip(self.log.objective_names, directions.tolist(), strict=True)
        ):

            def is_lost(tenths: int, l: int = l, direction: int = direction) -> bool:
                shown = self._direction(tenths / 10, level)
                return bool(shown[l] != direction)

            gamma = np.nan
            if direction:
                first_lost = bisect_left(TENTHS, True, lo=1, key=is_lost)
                gamma = TENTHS[first_lost - 1] / 10

            found.append(Robustness(name, direction, gamma))

        return found

    def _direction(self, gamma: float, level: float) -> IntArray:
        """(objectives,) 1 where the target is shown to be better than what was logged, -1 worse."""
        rewards, seen = self._observed
        logged = Terms(rewards, seen)
        mean = ratio_of_sums(logged)
        logged_influence = influence(logged)
        least = self._extreme(gamma, -1)
        most = self._extreme(gamma, 1)
        # Round by round: what both policies owe to the same rounds cancels.
        low, _ = _ends(least, influence(least) - logged_influence, level)
        _, high = _ends(most, influence(most) - logged_influence, level)
        rounding = FLAT * np.abs(mean)
        is_better = low - mean > rounding  # NaN is neither
        is_worse = mean - high > rounding

        return is_better.astype(np.int64) - is_worse

    def _extreme(self, gamma: float, sign: int) -> Terms:
        """The terms of the largest estimate in each objective for sign 1, of the least for -1."""
        rewards, seen = self._observed
        odds_against = 1.0 / self.log.propensities - 1.0
        light = self.played * (1.0 + odds_against / gamma)
        heavy = self.played * (1.0 + odds_against * gamma)
        weights = np.empty_like(rewards)
        for l, order in enumerate(self._orders):
            own_seen = seen[:, l]
            weights[:, l] = extreme_weights(
                light * own_seen, heavy * own_seen, sign * rewards[:, l], order[::sign]
            )

        return Terms(weights * rewards, weights)

    @cached_property
    def _observed(self) -> tuple[Array, Array]:
        return observed(self.log.rewards)

    @cached_property
    def _orders(self) -> list[IntArray]:
        """The rounds of each objective, the largest rewards first."""
        rewards, _ = self._observed
        return [np.argsort(-column, kind="stable") for column in rewards.T]


def extreme_weights(light: Array, heavy: Array, rewards: Array, order: IntArray) -> Array:
    """(rounds,) the weights with the largest weighted mean of rewards.

    Args:
        light: (rounds,) the least weights.
        heavy: (rounds,) the largest ones.
        rewards: (rounds,).
        order: (rounds,) the rounds, the largest rewards first.

    Example:
        >>> rewards = np.array([2.0, 1.0, 0.0])
        >>> extreme_weights(np.ones(3), np.full(3, 2.0), rewards, np.arange(3)).tolist()
        [2.0, 1.0, 1.0]
    """
    # What each round adds to both sums where it turns from light to heavy, the best round first.
    added = (heavy - light)[order]
    total = light.sum() + np.concatenate([[0.0], np.cumsum(added)])
    earned = light @ rewards + np.concatenate([[0.0], np.cumsum(added * rewards[order])])
    means = np.divide(earned, total, out=np.zeros_like(earned), where=total > 0.0)
    turned = order[: int(means.argmax())]
    weights = light.copy()
    weights[turned] = heavy[turned]

    return weights


def _ends(terms: Terms, effects: Array, level: float) -> tuple[Array, Array]:
    """(objectives,) lower and upper ends of intervals around an estimate, from influences."""
    value = ratio_of_sums(terms)
    spread = spread_of(effects, np.abs(value))
    below, above = joint_reach(spread, level)

    return value - below, value + above
