"""Width-guided races: every objective has a leader and a challenger, until one leader surely leads.

Symbols: rho_a,l the half-width of arm a in objective l, N_a,l its rewards so far, T the horizon.
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
from mobandits.numerics.masks import count
from mobandits.policies.set_policy import SetPolicy
from mobandits.support.checks import number


@state_fields(
    seen=counts("arms", "objectives"),
    total=Field(("arms", "objectives")),
    winners=Field(("arms",)),
)
class RaceState(NamedTuple):
    """The rewards seen so far, and the arm that won a race.

    Attributes:
        seen: (arms, objectives) rewards seen.
        total: (arms, objectives) their sum.
        winners: (arms,) the arm that is played for ever; none while no race is won.
    """

    seen: Array
    total: Array
    winners: Mask


class Race(NamedTuple):
    """The race of the two first arms of an objective, by position.

    Attributes:
        leader: the arm with the largest upper bound; the challenger has the next one.
        wider: which of the two has the larger half-width; the leader where they are equal.
        width: the sum of their half-widths.
        is_won: whether the leader's lower bound is at least the challenger's upper one.
    """

    leader: int
    wider: int
    width: float
    is_won: bool


@compiled
class RacePolicy(SetPolicy):
    """See `WidthGuided`; beliefs are the arms that may be played, (arms,)."""

    means: SampleMean
    scale: float

    def init(self) -> RaceState:
        """The state before the first round: no rewards, no winner."""
        means = self.means.init()
        winners = np.zeros(len(means.seen), np.bool_)
        return RaceState(means.seen, means.total, winners)

    def beliefs(self, state: RaceState, context: Array, arms: IntArray, rng: Rng) -> Mask:
        """(arms,) the winner of a race; else arms without a reward; else an arm of the widest race."""
        playable = np.zeros(len(arms), np.bool_)
        for a in range(len(arms)):
            playable[a] = state.winners[arms[a]]
        if count(playable) > 0:
            return playable

        for a in range(len(arms)):
            playable[a] = fewest(state.seen[arms[a]]) == 0.0
        if count(playable) > 0:
            return playable

        race = self.widest(state, arms, only_won=False)
        playable[race.wider] = True

        return playable

    def widest(self, state: RaceState, arms: IntArray, only_won: bool) -> Race:
        """The race with the widest pair; of those that are won only, if so asked.

        Its width is negative where there is none.
        """
        learned = MeanState(state.seen, state.total)
        context = np.empty((1, 0))
        mean = self.means.mean(learned, context, arms)
        width = self.means.width(learned, context, arms)
        widest = Race(0, 0, -1.0, False)
        for l in range(mean.shape[1]):
            race = self.race(mean[:, l], width[:, l])
            is_asked_for = race.is_won or not only_won
            if is_asked_for and race.width > widest.width:
                widest = race

        return widest

    def race(self, mean: Array, width: Array) -> Race:
        """The race of one objective, given means and widths (arms,) in units of the scale."""
        leader = -1
        challenger = -1
        first = -math.inf
        second = -math.inf
        for a in range(len(mean)):
            high = mean[a] + self.scale * width[a]
            if leader < 0 or high > first:
                challenger = leader
                second = first
                leader = a
                first = high
            elif challenger < 0 or high > second:
                challenger = a
                second = high

        if challenger < 0:
            return Race(leader, leader, 0.0, True)

        leader_width = self.scale * width[leader]
        challenger_width = self.scale * width[challenger]
        low = mean[leader] - leader_width
        wider = leader if leader_width >= challenger_width else challenger

        return Race(leader, wider, leader_width + challenger_width, low >= second)

    def update(
        self, state: RaceState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> RaceState:
        """The state after a reward; a race that it decides has its winner from now on."""
        learned = MeanState(state.seen, state.total)
        self.means.update(learned, x, arm, reward)
        if count(state.winners) == 0:
            arms = np.arange(len(state.seen))
            race = self.widest(state, arms, only_won=True)
            state.winners[race.leader] = race.is_won

        return state


@dataclass(frozen=True)
class WidthGuided(Recipe):
    """Find one arm of the Pareto front by the easiest objective, and play it for ever.

    Each arm is played once. Then each objective has a race: the leader has the largest upper bound
    mean_{a,l} + rho_{a,l}, the challenger the next one, with::

        rho_{a,l} = sqrt(2 constant ln T / N_{a,l})

    Where the lower bound of some leader is at least its challenger's upper bound, that leader is
    played from then on (of several, the one of the widest pair). Else the race with the largest sum
    of the two half-widths is run on: its wider arm is played. Context is ignored.

    The Pareto regret is of order K ln T / g, where g is the largest gap between the best two arms
    of an objective: no harder than one objective, since one arm of the front suffices. So this
    policy is **unfair** by construction, and it shows that Pareto regret alone ranks nothing. Look
    at effective regret and at the share of the front that is played beside it.

    Args:
        constant: the factor in the half-width.
        check: warn where rewards leave [0, 1].

    Reference:
        guan2026; a tie between arms goes to the first of them, which is ours.

    Example:
        >>> policy = WidthGuided().bind(Shape(arms=4, features=0, objectives=2, rounds=1000))
        >>> round(policy.scale, 2)
        3.72
    """

    references = ("guan2026",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="the wider arm of the widest race between two, then one winner",
        log="1 in most rounds",
        horizon="yes",
    )
    assumed = (UNIT_REWARDS,)

    constant: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameter."""
        number("WidthGuided.constant", self.constant, above=0.0)

    def bind(self, shape: Shape) -> RacePolicy:
        """The policy, which needs the horizon."""
        if shape.rounds is None:
            rule = "WidthGuided must know the number of rounds"
            raise ValueError(f"{rule}; Doubling(WidthGuided()) need not")

        # Half-widths are this scale times 1 / sqrt(N), the width of a sample mean.
        variance = 2.0 * self.constant * math.log(shape.rounds)
        means = SampleMean(shape.arms, shape.objectives)

        return RacePolicy(means, math.sqrt(variance))
