"""What zooming algorithms share: active balls on contexts and arms, and how finitely many arms are played with them.

A `Rule` says what distinguishes one algorithm from another: how much a ball doubts, when it has seen enough, and which
of the relevant balls are played. All go through the same round::

    1. find the relevant balls: those whose domain contains an arm at the context
    2. the rule picks some of them by their indices
    3. draw an arm uniformly from their domains
    4. draw one of those balls whose domain contains the pair of context and arm: it learns the reward
    5. if that ball has seen enough, the pair becomes the centre of a new ball of half its radius

pcz2018 puts the first ball at a random centre. Here that is the first pair that is learned: until then the indices are
infinite wherever it lies, and the first arm is uniform.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Choice, IntArray, Mask, Rng
from mobandits.numerics.masks import pick
from mobandits.policies.zooming.active_balls import (
    Balls,
    add_ball,
    learn,
    move_first,
    no_balls,
)
from mobandits.policies.zooming.domains import owners_of


class Rule(Protocol):
    """What distinguishes a zooming algorithm, a `compiled` part."""

    @property
    def objectives(self) -> int:
        """How many rewards it learns from."""

    def doubt(self, seen: float) -> float:
        """Half-width of the confidence interval around an average of `seen` rewards."""

    def enough(self, seen: float, radius: float) -> bool:
        """Whether a ball that is played, and had `seen` so many rewards before, gets a child."""

    def lesson(self, reward: Array) -> Array:
        """The rewards that it learns from."""

    def front(self, bound: Array, balls: IntArray, among: Mask) -> Mask:
        """(some,) the best of some balls: of those in the mask `among`, by the indices `bound` (objectives, all)."""

    def played(self, front: Mask, rng: Rng) -> Mask:
        """Those of the front from whose domains this round's arm comes."""

    def law(self, owners: Mask, front: Mask) -> Array:
        """(arms,) the probability of every arm, given who owns which, (balls, arms), and the front."""


class BallNote(NamedTuple):
    """The number of the ball that learns the reward."""

    ball: int


class Zooming:
    """Base of the policies: the balls, and how they learn."""

    rule: Any
    similarity: Any
    dimensions: int

    def init(self) -> Balls:
        """One ball of radius 1."""
        none = no_balls(self.dimensions, self.rule.objectives)
        return add_ball(none, np.zeros(self.dimensions), 1.0, self.rule.doubt(0.0), self.similarity)

    def note(self) -> BallNote:
        """A note like those of `draw`."""
        return BallNote(0)

    def possible_notes(self, state: Balls, note: BallNote) -> Mask:
        """(decisions,) balls that there are."""
        ball: IntArray = np.asarray(note.ball)
        possible: Mask = (ball >= 0) & (ball < len(state.radius))
        return possible

    def place(self, x: Array, arm: Any) -> Array:
        """(dimensions,) the pair of context and arm."""
        raise NotImplementedError

    def update(
        self, state: Balls, x: Array, arm: Any, note: BallNote, reward: Array, rng: Rng
    ) -> Balls:
        """Teach the ball of the note, which may get a child."""
        b = note.ball
        if not 0 <= b < len(state.radius):
            raise IndexError("note must be the number of a ball")
        seen = state.seen[b]
        radius = state.radius[b]
        if seen == 0.0 and len(state.radius) == 1:
            move_first(state, self.place(x, arm))
        learn(state, b, self.rule.lesson(reward), self.rule.doubt(seen + 1.0), self.similarity)
        if not self.rule.enough(seen, radius):
            return state
        return add_ball(
            state, self.place(x, arm), 0.5 * radius, self.rule.doubt(0.0), self.similarity
        )


class ArmBeliefs(NamedTuple):
    """Who owns which arms, (balls, arms), and the balls that may be played, (balls,)."""

    owners: Mask
    front: Mask


@compiled
class ZoomingArms(Zooming):
    """Finitely many arms. The place of an arm is its row of the context, followed by its row of `positions`."""

    rule: Any
    similarity: Any
    dimensions: int
    positions: Floats

    def beliefs(self, state: Balls, context: Array, arms: IntArray, rng: Rng) -> ArmBeliefs:
        """The owners of the eligible arms, and the best of the balls that own any."""
        pairs = np.empty((self.dimensions, len(arms)))
        features = context.shape[1]
        for a in range(len(arms)):
            for i in range(features):
                pairs[i, a] = context[a if len(context) > 1 else 0, i]
            for i in range(self.positions.shape[1]):
                pairs[features + i, a] = self.positions[arms[a], i]
        owners = owners_of(state, pairs, self.similarity)
        return ArmBeliefs(
            owners, self.rule.front(state.bound, np.arange(len(owners)), own_any(owners))
        )

    def draw(self, beliefs: ArmBeliefs, rng: Rng) -> Choice:
        """A uniform arm in the domains of the balls that are played; the note is its ball."""
        played = self.rule.played(beliefs.front, rng)
        arm = pick(owned_by(beliefs.owners, played), rng)
        return Choice(arm, BallNote(pick_owner(beliefs.owners, played, arm, rng)))

    def probabilities(self, beliefs: ArmBeliefs) -> Array:
        """(arms,) as the rule says."""
        law: Array = self.rule.law(beliefs.owners, beliefs.front)
        return law

    def place(self, x: Array, arm: int) -> Array:
        """The arm's context row and its position."""
        place: Array = joined(x, self.positions[arm])
        return place


@kernel
def own_any(owners: Mask) -> Mask:
    """(balls,) which balls own an arm, from (balls, arms)."""
    out = np.zeros(owners.shape[0], np.bool_)
    for b in range(owners.shape[0]):
        found = False
        for a in range(owners.shape[1]):
            found |= owners[b, a]
        out[b] = found
    return out


@kernel
def owned_by(owners: Mask, balls: Mask) -> Mask:
    """(arms,) which arms are owned by one of some balls."""
    out = np.zeros(owners.shape[1], np.bool_)
    for b in range(owners.shape[0]):
        if balls[b]:
            for a in range(owners.shape[1]):
                out[a] |= owners[b, a]
    return out


@kernel
def pick_owner(owners: Mask, balls: Mask, arm: int, rng: Rng) -> int:
    """A uniform ball among those of some balls that own an arm."""
    mask = np.zeros(len(balls), np.bool_)
    for b in range(len(balls)):
        mask[b] = balls[b] and owners[b, arm]
    return pick(mask, rng)


@kernel
def joined(x: Array, y: Array) -> Array:
    """The numbers of x, then those of y."""
    out = np.empty(len(x) + len(y))
    for i in range(len(x)):
        out[i] = x[i]
    for i in range(len(y)):
        out[len(x) + i] = y[i]
    return out
