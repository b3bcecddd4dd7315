"""Zooming on a continuum of arms.

It is exact for the interval [0, 1]; larger cubes are seen through random candidates.
"""

from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import Aim
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng
from mobandits.numerics.masks import pick
from mobandits.policies.zooming.active_balls import Balls
from mobandits.policies.zooming.domains import (
    draw_from_slice,
    owners_of,
    relevant_balls,
    slice_at,
)
from mobandits.policies.zooming.zooming import (
    BallNote,
    Zooming,
    joined_point,
    owned_arms,
    owning_balls,
    pick_owner,
)


class ContinuumZooming(Zooming):
    """Base of the policies whose arms are points."""

    def place(self, x: Array, arm: Array) -> Array:
        """(dimensions,) the context and the point."""
        place: Array = joined_point(x, arm)
        return place


class SliceBeliefs(NamedTuple):
    """The balls around the arms at a context and their ends, as in `Slice`, and the best of them.

    The front is the mask of those that may be played.
    """

    balls: IntArray
    ends: Array
    front: Mask


@compiled
class ZoomingInterval(ContinuumZooming):
    """Zooming on the arms [0, 1].

    Domains are unions of intervals at every context, and computed exactly.
    """

    rule: Any
    similarity: Any
    dimensions: int

    def beliefs(self, state: Balls, x: Array, rng: Rng) -> SliceBeliefs:
        """The slice of the balls at the context, and the best of those that own a part of it."""
        part = slice_at(state, x)
        balls = part.balls
        ends = part.ends
        relevant = relevant_balls(ends)
        front = self.rule.front(state.bound, balls, relevant)

        return SliceBeliefs(balls, ends, front)

    def draw(self, beliefs: SliceBeliefs, rng: Rng) -> Aim:
        """A uniform point in the domains of the balls that are played; the note is its ball."""
        played = self.rule.played(beliefs.front, rng)
        spot = draw_from_slice(beliefs.ends, played, rng)
        point = np.full(1, spot.arm)
        # The position in the slice becomes the ball's number, which outlives the round.
        ball = beliefs.balls[spot.ball]

        return Aim(point, BallNote(ball))


class CandidateBeliefs(NamedTuple):
    """The candidates of a round, their owners and the best balls.

    Attributes:
        pairs: (dimensions, candidates) the context and each candidate.
        owners: (balls, candidates) which balls own which.
        front: (balls,) the balls that may be played.
    """

    pairs: Array
    owners: Mask
    front: Mask


@compiled
class ZoomingCandidates(ContinuumZooming):
    """Zooming on a cube of arms, of which every round sees some uniform points.

    It is exact for these. The error in the size of a domain is of the order candidates^(-1/2).
    """

    rule: Any
    similarity: Any
    dimensions: int
    features: int
    candidates: int

    def beliefs(self, state: Balls, x: Array, rng: Rng) -> CandidateBeliefs:
        """New candidates, their owners, and the best of the balls that own any."""
        pairs = np.empty((self.dimensions, self.candidates))
        # Candidates are drawn anew in every round: a fixed grid would never resolve small balls.
        for i in range(self.dimensions):
            is_context = i < self.features
            for j in range(self.candidates):
                pairs[i, j] = x[i] if is_context else rng.random()

        owners = owners_of(state, pairs, self.similarity)
        balls = np.arange(len(owners))
        relevant = owning_balls(owners)
        front = self.rule.front(state.bound, balls, relevant)

        return CandidateBeliefs(pairs, owners, front)

    def draw(self, beliefs: CandidateBeliefs, rng: Rng) -> Aim:
        """A uniform candidate in the domains of the balls that are played; the note is its ball."""
        pairs = beliefs.pairs
        owners = beliefs.owners
        played = self.rule.played(beliefs.front, rng)
        owned = owned_arms(owners, played)
        candidate = pick(owned, rng)
        coordinates = self.dimensions - self.features
        point = np.empty(coordinates)
        for i in range(coordinates):
            point[i] = pairs[self.features + i, candidate]

        ball = pick_owner(owners, played, candidate, rng)

        return Aim(point, BallNote(ball))
