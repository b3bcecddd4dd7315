"""What a map gains over linear rewards, on rounds that neither map nor regressions were fitted on.

Symbols: r the reward, q the prediction of a ridge regression on the context, q' that of one on phi,
D the difference of their squared errors.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation.folds import folds_of
from mobandits.evaluation.reward_model import RidgePerArm
from mobandits.features.feature_map import FeatureMap
from mobandits.logs import Feedback
from mobandits.statistics.quantiles import student_quantile

LEVEL = 0.95
LEAST_ROUNDS = 2  # of an objective: one has no standard deviation
Fitter = Callable[[Feedback], FeatureMap]


class Gain(NamedTuple):
    """What a map gains in one objective, as a share of the variance of its rewards.

    Attributes:
        objective: its name.
        linear: the share that the regression on contexts explains, 1 - mean (r - q)^2 / variance.
        mapped: the share that the regression on phi explains.
        estimate: mapped - linear, the mean of D = (r - q)^2 - (r - q')^2 over the variance.
        low: the lower end of Student's 95 % interval for the mean of D, over the variance.
        high: the upper end.
        rounds: how many rewards were compared.
    """

    objective: Hashable
    linear: float
    mapped: float
    estimate: float
    low: float
    high: float
    rounds: int

    @property
    def is_sure(self) -> bool:
        """Whether the map is significantly better than linear: the interval is above 0."""
        return self.low > 0.0

    def __str__(self) -> str:
        """One line."""
        if self.rounds < LEAST_ROUNDS:
            return f"{self.objective}: too few rewards to tell"

        interval = f"[{self.low:+.3f}, {self.high:+.3f}]"
        shares = f"linear explains {self.linear:.3f}, the map {self.mapped:.3f}"
        line = f"{self.objective}: {self.estimate:+.3f} {interval}; {shares}"
        if self.is_sure:
            return line
        return f"{line}: linear is fine"


def held_out_gains(
    log: Feedback, fitter: Fitter, folds: int, penalty: float, seed: int
) -> tuple[Gain, ...]:
    """A `Gain` per objective.

    The rounds are cut into folds at random. For each fold the map is fitted on the others, and so
    are the regressions, one per arm, on contexts and on phi; both predict the fold's rewards. The
    differences of squared errors are paired, round by round.

    Args:
        log: decisions, `as_one_arm` where arms have rows of their own: a regression per arm, which
            no policy learns there, would lose to any map that lets them share something.
        fitter: the map of a log.
        folds: their number.
        penalty: of both ridge regressions.
        seed: of the folds.
    """
    fold_of_round = folds_of(len(log), folds, seed)
    model = RidgePerArm(penalty=penalty)
    linear = model.fit(log, fold_of_round).logged()
    mapped = np.empty_like(linear)
    for fold in range(folds):
        is_held_out = fold_of_round == fold
        feature_map = fitter(log[~is_held_out])
        # The encoder made other contexts than the map's.
        on_phi = replace(log, contexts=feature_map(log.contexts), encoder=None)
        # Two folds: the one that is held out, and all others as one.
        halves: IntArray = is_held_out.astype(np.int64)
        predicted = model.fit(on_phi, halves).logged()
        mapped[is_held_out] = predicted[is_held_out]

    columns = zip(log.objective_names, log.rewards.T, linear.T, mapped.T, strict=True)
    gains = [_gain(*column) for column in columns]

    return tuple(gains)


def _gain(objective: Hashable, rewards: Array, linear: Array, mapped: Array) -> Gain:
    """The gain in one objective, of the rounds in which it was observed."""
    observed = ~np.isnan(rewards)
    rewards = rewards[observed]
    count = len(rewards)
    if count < LEAST_ROUNDS:
        nothing = math.nan
        return Gain(objective, nothing, nothing, nothing, -math.inf, math.inf, count)

    if rewards.min() == rewards.max():
        # There is nothing to explain: what errors are left is rounding.
        return Gain(objective, 0.0, 0.0, 0.0, 0.0, 0.0, count)

    linear_errors = (rewards - linear[observed]) ** 2
    mapped_errors = (rewards - mapped[observed]) ** 2
    differences = linear_errors - mapped_errors
    variance = float(rewards.var())
    estimate = float(differences.mean()) / variance
    standard_error = float(differences.std(ddof=1)) / math.sqrt(count)
    quantile = student_quantile(0.5 * (1.0 + LEVEL), count - 1)
    half_width = quantile * standard_error / variance

    return Gain(
        objective=objective,
        linear=1.0 - float(linear_errors.mean()) / variance,
        mapped=1.0 - float(mapped_errors.mean()) / variance,
        estimate=estimate,
        low=estimate - half_width,
        high=estimate + half_width,
        rounds=count,
    )
