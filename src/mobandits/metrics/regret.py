"""Regrets under an order: the gap of the chosen arm, digit by digit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mobandits.contracts.continuum import Scores
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Order, Shape
from mobandits.metrics.metric import BaseMetric
from mobandits.orders import Chains, EffectivePareto, Levels, Pareto


class OrderRegret(BaseMetric):
    """Base of regrets, gaps of the chosen arm under `order`; subclasses name order and digits."""

    better = "smaller"
    least = 0.0

    @cached_property
    def order(self) -> Order:
        """The order that scores."""
        return Pareto()

    @property
    def digits(self) -> int:
        """The number of digits of the gap."""
        return 1

    def components(self, shape: Shape) -> int:
        """One per digit."""
        return self.digits

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, digits) gaps."""
        return truth.gaps(self.order, chosen, self.digits)


@dataclass(frozen=True)
class ParetoRegret(OrderRegret):
    """The Pareto gap of the chosen arm: how far its means fall short of the Pareto front.

    Per round, max_b min_l (mu_{b,l} - mu_{a,l}) of the chosen arm a.

    Reference:
        moglb2019, Definition 3; molts2025, Definition 3; the closed form is that of `Pareto.gap`.

    Example:
        >>> ParetoRegret().name
        'pareto_regret'
    """

    references = ("drugan2013", "moglb2019")
    name = "pareto_regret"
    meaning = (
        "the sum over rounds of the gap of the arm that was played: by how much another arm "
        "is better in every objective at once; zero on the Pareto front, the arms that no "
        "other arm dominates"
    )

    def on_surface(self, scores: Scores) -> Array:
        """(rounds, 1) gaps."""
        return scores.gaps[:, None]


@dataclass(frozen=True)
class EffectiveParetoRegret(OrderRegret):
    """The gap of the chosen arm to the best mixture of arms; at least the Pareto regret.

    Per round, max over mixtures beta of min_l (sum_b beta_b mu_{b,l} - mu_{a,l}) of the chosen arm
    a.

    Reference:
        molts2025, Definitions 6 and 7.

    Example:
        >>> EffectiveParetoRegret().name
        'effective_pareto_regret'
    """

    references = ("molts2025",)
    name = "effective_pareto_regret"
    meaning = (
        "the sum over rounds of how far the arm that was played lies below what mixtures of "
        "arms reach in every objective at once"
    )

    @cached_property
    def order(self) -> Order:
        """The order that scores."""
        return EffectivePareto()

    def on_surface(self, scores: Scores) -> Array:
        """(rounds, 1) gaps."""
        return scores.effective_gaps[:, None]


@dataclass(frozen=True)
class ChainRegret(OrderRegret):
    """The digits of the regret under priority chains.

    Args:
        chains: groups of objectives (from 0), each with the most important first.

    Reference:
        moslb2024, Definition 5, the exact value.

    Example:
        >>> ChainRegret([[0, 1], [2, 3, 4]]).digits
        3
    """

    references = ("moslb2024",)

    chains: Sequence[Sequence[int]]
    name = "chain_regret"
    meaning = (
        "the sum of gaps under priority chains, several lexicographic orders side by side: "
        "digit by digit, the first one counts most"
    )
    component = "digit"

    def __post_init__(self) -> None:
        """Make the chains a tuple, so that metrics compare by value."""
        chains = group_tuples(self.chains, Chains)
        object.__setattr__(self, "chains", chains)

    @cached_property
    def order(self) -> Order:
        """The order that scores."""
        return Chains(self.chains)

    @property
    def digits(self) -> int:
        """The length of the longest chain."""
        lengths = map(len, self.chains)
        return max(lengths)


@dataclass(frozen=True)
class LevelRegret(OrderRegret):
    """The digits of the regret under priority levels.

    Levels of single objectives give the priority regret.

    Args:
        levels: groups of objectives (from 0), the most important group first.

    Reference:
        moslb2024, Definition 6, with nested fronts.

    Example:
        >>> LevelRegret([[0, 1, 2], [3, 4]]).digits
        2
    """

    references = ("moslb2024",)

    levels: Sequence[Sequence[int]]
    name = "level_regret"
    meaning = (
        "the sum of gaps under priority levels, groups of objectives by importance: the first "
        "level counts most"
    )
    component = "level"

    def __post_init__(self) -> None:
        """Make the levels a tuple, so that metrics compare by value."""
        levels = group_tuples(self.levels, Levels)
        object.__setattr__(self, "levels", levels)

    @cached_property
    def order(self) -> Order:
        """The order that scores."""
        return Levels(self.levels)

    @property
    def digits(self) -> int:
        """The number of levels."""
        return len(self.levels)


def group_tuples(
    groups: Sequence[Sequence[int]], order: Callable[..., Any]
) -> tuple[tuple[int, ...], ...]:
    """Groups of objectives as tuples, checked by the order that they are for.

    Example:
        >>> group_tuples([[0, 1], [2]], Levels)
        ((0, 1), (2,))
    """
    # Its constructor raises the errors: metric and order refuse the same groups in the same words.
    order(groups)
    return tuple(tuple(map(int, group)) for group in groups)
