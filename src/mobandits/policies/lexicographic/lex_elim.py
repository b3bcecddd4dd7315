"""LexElim: arms leave as soon as any objective, by priority, shows that they are not the best.

Symbols: c_a the half-width of arm a, n_a its rewards so far, tau the tradeoff, K the arms, L the
objectives.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.assumptions import UNIT_REWARDS
from mobandits.contracts.protocols import (
    Array,
    IntArray,
    Mask,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators import SampleMean
from mobandits.estimators.sample_mean import MeanState
from mobandits.numerics.averages import fewest
from mobandits.numerics.masks import count, everyone, leaders
from mobandits.policies.set_policy import SetPolicy
from mobandits.support.checks import number


@state_fields(
    seen=counts("arms", "objectives"),
    total=Field(("arms", "objectives")),
    active=Field(("arms",)),
)
class EliminationState(NamedTuple):
    """The rewards seen so far, and the arms that may be the best.

    Attributes:
        seen: (arms, objectives) rewards seen.
        total: (arms, objectives) their sum.
        active: (arms,) the arms that have not left.
    """

    seen: Array
    total: Array
    active: Mask


@compiled
class EliminationPolicy(SetPolicy):
    """See `LexElim`; beliefs are the arms that may be played, (arms,)."""

    means: SampleMean
    tradeoff: float
    confidence: float

    def init(self) -> EliminationState:
        """The state before the first round: no rewards, and every arm active."""
        means = self.means.init()
        active = everyone(len(means.seen))
        return EliminationState(means.seen, means.total, active)

    def beliefs(self, state: EliminationState, context: Array, arms: IntArray, rng: Rng) -> Mask:
        """(arms,) the active arms with the widest interval; where none is eligible, of all arms."""
        widths = np.empty(len(arms))
        active = np.empty(len(arms), np.bool_)
        for a in range(len(arms)):
            widths[a] = self.half_width(state, arms[a])
            active[a] = state.active[arms[a]]

        if count(active) == 0:
            active = everyone(len(arms))

        return leaders(widths, active)

    def half_width(self, state: EliminationState, arm: int) -> float:
        """``c_a = sqrt(4 / n_a ln(6 K L n_a / delta))``, infinite before the first reward."""
        seen = fewest(state.seen[arm])
        if seen == 0.0:
            return math.inf

        # The largest over the objectives, of which all have the same one where rewards are whole.
        logarithm = math.log(self.confidence * seen)
        return math.sqrt(4.0 * logarithm / seen)

    def update(
        self, state: EliminationState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> EliminationState:
        """The state after a reward; arms leave that are surely not the best in some objective."""
        learned = MeanState(state.seen, state.total)
        self.means.update(learned, x, arm, reward)
        widest = 0.0
        for a in range(len(state.active)):
            if state.active[a]:
                widest = max(widest, self.half_width(state, a))

        # An infinite width lets every arm stay.
        if widest < math.inf:
            self.eliminate(state, widest)

        return state

    def eliminate(self, state: EliminationState, widest: float) -> None:
        """Let arms leave whose mean is too far below the best one, objective by objective."""
        arms, objectives = state.seen.shape
        # 2, 2 + 4 tau, 2 + 4 tau + 4 tau^2, ...: what the objectives before may have given up.
        tolerance = 2.0
        step = 4.0
        for l in range(objectives):
            best = -math.inf
            for a in range(arms):
                if state.active[a]:
                    best = max(best, state.total[a, l] / state.seen[a, l])

            floor = best - tolerance * widest
            for a in range(arms):
                if state.active[a] and state.total[a, l] / state.seen[a, l] < floor:
                    state.active[a] = False

            step *= self.tradeoff
            tolerance += step


@dataclass(frozen=True)
class LexElim(Recipe):
    """Play the widest arm of those that may still be the lexicographic best; the others have left.

    After each round, with the largest half-width c of an active arm, objective by objective in the
    order of priority (l = 1, ..., L), arms stay whose mean is at least::

        max over active arms of mean_l - (2 + 4 tau + ... + 4 tau^(l-1)) c
        c_a = sqrt(4 / n_a ln(6 K L n_a / delta))

    So every objective helps to tell arms apart, not only the first one, and no horizon is needed.
    Once a single arm is left, it is played for ever. Context is ignored.

    Args:
        tradeoff: tau > 0: how much of a later objective a unit of the first ones is worth at most,
            between any arm and the best one.
        delta: probability that the best arm leaves, in (0, 1).
        check: warn where rewards leave [0, 1].

    Reference:
        xue2025bai (LexElim-In), rebuilt from its abstract and notes: constants and the moment of
        elimination may differ from the paper's.

    Example:
        >>> policy = LexElim(delta=0.1).bind(Shape(arms=4, features=0, objectives=2))
        >>> round(policy.confidence)
        480
    """

    references = ("xue2025bai",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="widest arm of those that may be the lexicographic best",
        log="exact, with zeros",
    )
    assumed = (UNIT_REWARDS,)

    tradeoff: float = 1.0
    delta: float = 0.05
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("LexElim.tradeoff", self.tradeoff, above=0.0)
        number("LexElim.delta", self.delta, above=0.0, below=1.0)

    def bind(self, shape: Shape) -> EliminationPolicy:
        """The policy, with the union bound over arms and objectives."""
        pairs = shape.arms * shape.objectives
        confidence = 6.0 * pairs / self.delta
        means = SampleMean(shape.arms, shape.objectives)

        return EliminationPolicy(means, self.tradeoff, confidence)
