"""The base of zooming policies, and zooming on finitely many arms.

A `Rule` distinguishes one algorithm from another: the half-width of a ball's interval, when it has
seen enough, and which of the relevant balls are played. All go through the same round, here with
the lines of pcz2018, Algorithm 1::

    1. find the relevant balls: those whose domain contains an arm at the context     (line 7)
    2. the rule picks some of them by their indices                                   (line 8)
    3. draw an arm uniformly from their domains                                       (line 9)
    4. draw one of those balls whose domain contains the pair of context and arm: it
       learns the reward                                                        (lines 10, 16)
    5. if that ball has seen enough, the pair becomes the centre of a new ball of
       half its radius                                                          (lines 11 to 15)

pcz2018 puts the first ball at a random centre. Here that is the first pair that is learned: until
then the indices are infinite wherever it lies, and the first arm is uniform.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Choice, IntArray, Mask, Rng
from mobandits.numerics.masks import everyone, pick
from mobandits.policies.zooming.active_balls import (
    Balls,
    add_ball,
    add_reward,
    move_first,
    no_balls,
)
from mobandits.policies.zooming.domains import owners_of


class Rule(Protocol):
    """The part of a zooming algorithm that others do not share, a `compiled` class."""

    @property
    def objectives(self) -> int:
        """How many rewards it learns from."""

    def half_width(self, seen: float) -> float:
        """The half-width of the confidence interval around an average of `seen` rewards."""

    def enough(self, seen: float, radius: float) -> bool:
        """Whether a ball that is played, and had `seen` so many rewards before, gets a child."""

    def learned_rewards(self, reward: Array) -> Array:
        """The rewards that it learns from."""

    def front(self, bound: Array, balls: IntArray, among: Mask) -> Mask:
        """(some,) the best of some balls, by the indices `bound` (objectives, all balls).

        Only those in the mask `among` count.
        """

    def played(self, front: Mask, rng: Rng) -> Mask:
        """The balls of the front from whose domains this round's arm comes."""

    def probabilities(self, owners: Mask, front: Mask) -> Array:
        """(arms,) the probability of each arm, given the owners, (balls, arms), and the front."""


class BallNote(NamedTuple):
    """The number of the ball that learns the reward."""

    ball: int


class Zooming:
    """Base of the zooming policies: the balls, and how they learn."""

    rule: Any
    similarity: Any
    dimensions: int

    def init(self) -> Balls:
        """The state before the first round: one ball of radius 1."""
        rule = self.rule
        empty = no_balls(self.dimensions, rule.objectives)
        # The centre is provisional: the first pair that is learned becomes it.
        centre = np.zeros(self.dimensions)
        # Distances are at most 1: this ball contains everything.
        radius = 1.0
        half_width = rule.half_width(0.0)

        return add_ball(empty, centre, radius, half_width, self.similarity)

    def note(self) -> BallNote:
        """A note like those of `draw`."""
        return BallNote(0)

    def possible_notes(self, state: Balls, note: BallNote) -> Mask:
        """(decisions,) balls that there are."""
        ball: IntArray = np.asarray(note.ball)
        # Balls are only ever added: one that there was is one that there is.
        is_active = ball < len(state.radius)
        possible: Mask = (ball >= 0) & is_active

        return possible

    def place(self, x: Array, arm: Any) -> Array:
        """(dimensions,) the pair of context and arm."""
        raise NotImplementedError

    def update(
        self, state: Balls, x: Array, arm: Any, note: BallNote, reward: Array, rng: Rng
    ) -> Balls:
        """The state after a reward: the ball of the note learns, and may get a child."""
        b = note.ball
        # Compiled code checks no bounds: another number would write beside the arrays.
        if not 0 <= b < len(state.radius):
            raise IndexError("note must be the number of a ball")

        seen = state.seen[b]
        radius = state.radius[b]
        if seen == 0.0 and len(state.radius) == 1:
            # Moved in place: the distances of a single ball do not depend on its centre.
            centre = self.place(x, arm)
            move_first(state, centre)

        rule = self.rule
        learned_rewards = rule.learned_rewards(reward)
        half_width = rule.half_width(seen + 1.0)
        add_reward(state, b, learned_rewards, half_width, self.similarity)
        # `seen` is from before this reward: each rule knows which of the two counts it tests.
        if not rule.enough(seen, radius):
            return state

        child = self.place(x, arm)
        # Halving keeps radii powers of two, so that equal ones compare as equal.
        child_radius = 0.5 * radius
        child_half_width = rule.half_width(0.0)

        return add_ball(state, child, child_radius, child_half_width, self.similarity)


class ArmBeliefs(NamedTuple):
    """The owners of each arm, (balls, arms), and the balls that may be played, (balls,)."""

    owners: Mask
    front: Mask


@compiled
class ZoomingArms(Zooming):
    """Zooming on finitely many arms.

    The place of an arm is its row of the context, followed by its row of `positions`.
    """

    rule: Any
    similarity: Any
    dimensions: int
    positions: Floats

    def beliefs(self, state: Balls, context: Array, arms: IntArray, rng: Rng) -> ArmBeliefs:
        """The owners of the eligible arms, and the best of the balls that own any."""
        count = len(arms)
        features = context.shape[1]
        coordinates = self.positions.shape[1]
        pairs = np.empty((self.dimensions, count))
        for a in range(count):
            # Arms that share the context differ in their positions only.
            row = a if len(context) > 1 else 0
            arm = arms[a]
            for i in range(features):
                pairs[i, a] = context[row, i]

            for i in range(coordinates):
                pairs[features + i, a] = self.positions[arm, i]

        owners = owners_of(state, pairs, self.similarity)
        balls = np.arange(len(owners))
        relevant = owning_balls(owners)
        front = self.rule.front(state.bound, balls, relevant)

        return ArmBeliefs(owners, front)

    def draw(self, beliefs: ArmBeliefs, rng: Rng) -> Choice:
        """A uniform arm in the domains of the balls that are played; the note is its ball."""
        owners = beliefs.owners
        played = self.rule.played(beliefs.front, rng)
        candidates = owned_arms(owners, played)
        # The arm first: an arm of several domains is no likelier than one of a single domain.
        arm = pick(candidates, rng)
        ball = pick_owner(owners, played, arm, rng)

        return Choice(arm, BallNote(ball))

    def note_for(self, beliefs: ArmBeliefs, arm: int, probability: float, rng: Rng) -> BallNote:
        """A uniform ball among those that own the arm, also where none of them is played."""
        owners = beliefs.owners
        # Every place lies in the domain of some ball: the first one contains everything.
        any_ball = everyone(len(owners))
        ball = pick_owner(owners, any_ball, arm, rng)

        return BallNote(ball)

    def probabilities(self, beliefs: ArmBeliefs) -> Array:
        """(arms,) the probability of each arm, as the rule has it."""
        owners = beliefs.owners
        front = beliefs.front
        probabilities: Array = self.rule.probabilities(owners, front)
        return probabilities

    def place(self, x: Array, arm: int) -> Array:
        """(dimensions,) the arm's context row and its position."""
        position = self.positions[arm]
        place: Array = joined_point(x, position)
        return place


@kernel
def owning_balls(owners: Mask) -> Mask:
    """(balls,) the balls that own an arm, from (balls, arms)."""
    balls, arms = owners.shape
    owning = np.zeros(balls, np.bool_)
    for b in range(balls):
        owns_any = False
        for a in range(arms):
            owns_any |= owners[b, a]

        owning[b] = owns_any

    return owning


@kernel
def owned_arms(owners: Mask, chosen: Mask) -> Mask:
    """(arms,) the arms that are owned by one of the chosen balls."""
    balls, arms = owners.shape
    owned = np.zeros(arms, np.bool_)
    # Balls outermost: few of them are chosen, and their rows lie side by side in memory.
    for b in range(balls):
        if chosen[b]:
            for a in range(arms):
                owned[a] |= owners[b, a]

    return owned


@kernel
def pick_owner(owners: Mask, chosen: Mask, arm: int, rng: Rng) -> int:
    """A uniform ball among those of the chosen balls that own an arm."""
    balls = len(chosen)
    candidates = np.zeros(balls, np.bool_)
    for b in range(balls):
        candidates[b] = chosen[b] and owners[b, arm]

    return pick(candidates, rng)


@kernel
def joined_point(x: Array, y: Array) -> Array:
    """The numbers of x, then those of y."""
    first = len(x)
    both = np.empty(first + len(y))
    for i in range(first):
        both[i] = x[i]

    for i in range(len(y)):
        both[first + i] = y[i]

    return both
