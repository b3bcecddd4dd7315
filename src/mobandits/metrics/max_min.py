"""The max-min fairness regret: how far the worst objective is behind the best that could be had.

Symbols: T the rounds, mu_{t,a} the mean rewards of arm a in round t, r a reference, u units,
g_{t,a,l} = (mu_{t,a,l} - r_l) / u_l the gains, a_t the arm that was played, beta_t a mixture of the
arms of round t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.best_worst_sums import BestWorstSums
from mobandits.metrics.reward import of_chosen
from mobandits.support.checks import number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class MaxMinRegret:
    """The best worst objective that a policy could have reached so far, less the one reached.

        R_T = max over beta_1 ... beta_T of  min_l sum_t sum_a beta_{t,a} g_{t,a,l}
              -  min_l sum_t g_{t,a_t,l}

    The benchmark knows all means and contexts, and may mix arms, in each round others: what one
    objective misses in a round may come in another one. Where means stay it is T times the best
    mixture's worst gain. The regret is never negative. It is computed to a hundred-thousandth of
    the sums.

    Objectives are compared with each other here, as in no order: their gains must have a common
    unit. Without parameters the rewards are taken as they are, which suits rewards that are all
    shares or all dollars; else give what each objective has without any effort as `reference`, and
    what counts as much in each as `units`.

    Pareto regret alone tells little. It is no harder than the regret of a single objective: a
    policy that plays one arm of the front for ever has none (Guan and Xu, 2026). Such a policy has
    a max-min regret wherever a mixture serves the worst objective better than that arm.

    Where means change over the rounds, it is recorded at the last round, about half of it, a quarter
    and so on, and the means of all rounds are kept for it: those of each round's Pareto front, or
    of all arms where they are few. So it is a default metric only while rounds, arms and objectives
    multiply to at most 50 million.

    Args:
        reference: (objectives,) r; None: 0.
        units: (objectives,) u, above 0; None: 1.

    Raises:
        ValueError: where a parameter does not fit.

    Reference:
        The definition is ours. Agrawal and Devanur, "Bandits with concave rewards and convex
        knapsacks", 2014, measure regret by a concave function of the sums, of which the minimum is
        one. Why it stands beside the Pareto regret: Guan and Xu, arXiv:2604.07096, 2026.

    Example:
        >>> MaxMinRegret(units=[1, 100]).units
        (1.0, 100.0)
    """

    references: ClassVar[tuple[str, ...]] = ("mobandits", "agrawal2014", "guan2026")

    reference: Sequence[float] | None = None
    units: Sequence[float] | None = None
    name: ClassVar[str] = "max_min_regret"
    cumulative: ClassVar[bool] = True
    needs_fronts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the parameters, and make them tuples, so that metrics compare by value."""
        for field in ("reference", "units"):
            values = getattr(self, field)
            if values is not None:
                checked = _numbers(f"MaxMinRegret.{field}", values, positive=field == "units")
                object.__setattr__(self, field, checked)

    def components(self, shape: Shape) -> int:
        """The gains received, and the benchmark."""
        return shape.objectives + 1

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, objectives + 1) gains of the chosen arm; the benchmark so far, or NaN.

        Raises:
            ValueError: where a parameter has another length than there are objectives.
        """
        gains = self._gains(truth.block.means)
        received = of_chosen(gains, chosen)
        # One for all policies of the trial, since it does not depend on what they play.
        benchmark = truth.memory.get(self)
        if benchmark is None:
            benchmark = BestWorstSums(gains.shape[2], truth.points)
            truth.memory[self] = benchmark

        best = benchmark.of_block(truth, gains)

        return np.column_stack([received, best[: len(chosen)]])

    def accumulator(self, shape: Shape) -> "WorstSum":
        """The gains before the first round: 0."""
        return WorstSum(shape.objectives)

    def _gains(self, means: Array) -> Array:
        objectives = means.shape[2]
        for field in ("reference", "units"):
            values = getattr(self, field)
            if values is not None and len(values) != objectives:
                raise ValueError(
                    f"MaxMinRegret.{field} must have one entry per objective, {objectives}, "
                    f"got {len(values)}"
                )

        gains = means
        if self.reference is not None:
            gains = gains - np.array(self.reference)
        if self.units is not None:
            gains = gains / np.array(self.units)

        return gains


class WorstSum:
    """Sums of the gains received, and the benchmark of the last round."""

    def __init__(self, objectives: int) -> None:
        self._sums = np.zeros(objectives)
        self._best = np.nan

    def add(self, values: Array) -> None:
        """More rounds, (rounds, objectives + 1)."""
        self.add_block(values, [])

    def add_block(self, values: Array, ends: Sequence[int]) -> list[Array]:
        """The rounds of a block; the regrets after the first `ends` of them, (1,) each."""
        sums = values[:, :-1].copy()
        # One round after the other, so that where a block ends leaves no trace in the last bits.
        sums[0] += self._sums
        np.cumsum(sums, axis=0, out=sums)
        self._sums = sums[-1].copy()
        self._best = float(values[-1, -1])
        last = np.array(ends, np.int64) - 1
        regrets = values[last, -1] - sums[last].min(axis=1)
        # Below 0 is rounding, or what the benchmark was not solved for. NaN stays.
        np.maximum(regrets, 0.0, out=regrets)

        return list(regrets[:, None])

    def value(self) -> Array:
        """(1,) the regret so far; NaN, which is not recorded, where the benchmark is unknown."""
        regret = self._best - float(self._sums.min())
        return np.array([regret if not regret < 0.0 else 0.0])


def _numbers(name: str, values: Any, *, positive: bool) -> tuple[float, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ValueError(f"{name} must be a list with a number per objective, got {quoted(values)}")

    for entry in values:
        number(name, entry, above=0.0 if positive else -np.inf)

    return tuple(float(entry) for entry in values)
