"""What a policy would earn at every price of a cost, by a log: quality against spending.

Symbols: lambda the price of one unit of cost, V(lambda) and S(lambda) the quality and the spending
per round of the policy at that price.
"""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.contracts.states import write_accounts
from mobandits.evaluation.bootstrap import resamples
from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.folds import folds_of
from mobandits.evaluation.reward_model import Model, RidgePerArm, predictions_of
from mobandits.evaluation.spread import reach, spread_of
from mobandits.evaluation.training import (
    DRAWS,
    add_frozen_probabilities,
    check_assumptions,
    learned_parts,
)
from mobandits.logs import Feedback
from mobandits.policies.wrappers.first_prices import LARGE

FOLDS = 5
PRICES = 60
LEAST = 0.003  # the least worth of a large cost, in rewards, as `Paced` has it
MOST = 1e5  # and the largest
MOST_ROUNDS = 20_000  # the last ones of a long log are enough
SAMPLES = 200  # resampled logs, of an interval


class Knee(NamedTuple):
    """The point of a curve from which on money buys less than it does on average.

    Attributes:
        spend: per round.
        quality: there.
        low: the lower end of the interval of the spending.
        high: the upper end.
    """

    spend: float
    quality: float
    low: float
    high: float


class SpendCurve:
    """Doubly robust estimates of quality and spending at a row of prices, on the same rounds.

    The policy of each fifth of the log has learned the other four, as has the model of rewards.

    Args:
        prices: (prices,) lambda, rising.
        quality: (rounds, prices) terms whose mean over rounds is V(lambda), more is better.
        spend: (rounds, prices) likewise of S(lambda).

    Example:
        >>> quality = np.array([[1.0, 0.9, 0.5]] * 4)
        >>> curve = SpendCurve(np.array([0.1, 1.0, 9.0]), quality, quality * [4.0, 1.0, 0.2])
        >>> [round(curve.least_spend(within, 0.8), 6) for within in (0.15, 0.0)]
        [0.9, 4.0]
        >>> [round(number, 6) for number in curve.knee()]
        [0.9, 0.9, 0.9, 0.9]
    """

    def __init__(self, prices: Array, quality: Array, spend: Array) -> None:
        self.prices = prices
        self._quality = quality
        self._spend = spend

    @property
    def quality(self) -> Array:
        """(prices,) V."""
        quality: Array = self._quality.mean(axis=0)
        return quality

    @property
    def spend(self) -> Array:
        """(prices,) S."""
        spend: Array = self._spend.mean(axis=0)
        return spend

    def least_spend(self, within: float, level: float) -> float:
        """The least spending of which the log shows that quality is close to the best.

        With the best quality at lambda*, it is the least S(lambda) where a one-sided interval of

            V(lambda*) - V(lambda)

        from the differences of the same rounds ends at most at `within`. That of the best itself
        always does.

        Args:
            within: at least 0.
            level: of the interval.
        """
        best = int(np.argmax(self.quality))
        losses = self._quality[:, [best]] - self._quality
        loss = losses.mean(axis=0)
        upper = np.empty(len(loss))
        for place in range(len(loss)):
            effects = losses[:, [place]] - loss[place]
            spread = spread_of(effects, np.abs(self.quality[[best]]))
            _, above = reach(spread, level)
            upper[place] = loss[place] + above[0]

        is_shown = upper <= within
        is_shown[best] = True
        least = self.spend[is_shown].min()

        return float(least)

    def knee(self, level: float = 0.95, samples: int = SAMPLES, seed: int = 0) -> Knee:
        """The spending at which V is furthest above the straight line between both ends.

        Between the cheapest and the best point of the curve, with V and S from 0 to 1 each, it is
        the largest difference V - S: there one more dollar buys as much as a dollar does on the
        average, and beyond it less. The interval has the quantiles over resampled logs; policies
        are not learned anew.

        Args:
            level: of the interval.
            samples: number of resampled logs.
            seed: of the resampling.

        Reference:
            Satopaa, Albrecht, Irwin and Raghavan, Finding a "kneedle" in a haystack, ICDCS
            Workshops 2011.
        """
        spend = self.spend
        quality = self.quality
        place = _knee_place(spend, quality)
        rounds = len(self._quality)
        found = []
        for counts in resamples(rounds, samples, seed):
            resampled_spend = counts @ self._spend / rounds
            resampled_quality = counts @ self._quality / rounds
            there = _knee_place(resampled_spend, resampled_quality)
            found.append(resampled_spend[there])

        tail = (1.0 - level) / 2.0
        low, high = np.quantile(found, [tail, 1.0 - tail])

        return Knee(float(spend[place]), float(quality[place]), float(low), float(high))


def _knee_place(spend: Array, quality: Array) -> int:
    """The price of the knee."""
    best = int(np.argmax(quality))
    cheapest = int(np.argmin(spend))
    money = spend[best] - spend[cheapest]
    gain = quality[best] - quality[cheapest]
    # Where the best is the cheapest there is nothing to weigh.
    if money <= 0.0 or gain <= 0.0:
        return best

    ahead = (quality - quality[cheapest]) / gain - (spend - spend[cheapest]) / money
    return int(np.argmax(ahead))


def spend_curve(
    recipe: Recipe,
    log: Feedback,
    weights: Array,
    cost: int,
    *,
    model: Model = None,
    seed: int = 0,
) -> SpendCurve:
    """The curve of a recipe with one budget, such as `Paced`, whose prices it goes through.

    Args:
        recipe: whose state has an account `price`.
        log: the logged decisions; of a long one the last 20,000.
        weights: (objectives,) of `Feedback.rewards` in the quality.
        cost: the number of the objective that is paid.
        model: of the rewards, see `compare`.
        seed: of folds and draws.

    Raises:
        ValueError: where the recipe cannot work on such a log, or the log is too short.
    """
    check_assumptions(recipe, log)
    first = max(0, len(log) - MOST_ROUNDS)
    rounds = log[first:]
    folds = folds_of(len(rounds), FOLDS, seed)
    if model is not None and not isinstance(model, RidgePerArm):
        model = np.asarray(model)[first:]

    predictions = predictions_of(model, rounds, folds)
    paid = np.abs(rounds.rewards[:, cost])
    large = float(np.nanquantile(paid, LARGE))
    prices = np.geomspace(LEAST, MOST, PRICES) / (large or 1.0)
    tables = np.zeros((PRICES, len(rounds), len(rounds.arm_names)))
    for policy, state, own, _, of_draws in learned_parts(recipe, rounds, folds, seed, apart=True):
        for place, price in enumerate(prices.tolist()):
            write_accounts(state, {"price": [price]})
            # The same draws at every price.
            rng = np.random.default_rng(of_draws)
            add_frozen_probabilities(policy, state, rounds, own, DRAWS, rng, tables[place])

    quality = np.empty((len(rounds), PRICES))
    spend = np.empty((len(rounds), PRICES))
    for place, probabilities in enumerate(tables):
        case = EvaluationCase(rounds, probabilities, predictions)
        terms = DoublyRobust().terms(case)
        # In units in which denominators have the mean 1: where a reward is missing the round has no
        # weight, and the others have more.
        share = terms.denominator.mean(axis=0)
        means = terms.numerator / np.where(share > 0.0, share, np.nan)
        quality[:, place] = means @ weights
        spend[:, place] = -means[:, cost]

    return SpendCurve(prices, quality, spend)
