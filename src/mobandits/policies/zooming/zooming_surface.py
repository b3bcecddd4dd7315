"""Zooming on a continuum of arms: exact for the interval [0, 1], and by random candidates for larger cubes."""

from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.continuum import Aim
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng
from mobandits.numerics.masks import pick
from mobandits.policies.zooming.active_balls import Balls
from mobandits.policies.zooming.domains import cut, draw_from_slice, owners_of, relevant
from mobandits.policies.zooming.zooming import (
    BallNote,
    Zooming,
    joined,
    own_any,
    owned_by,
    pick_owner,
)


class ContinuumZooming(Zooming):
    """Base: a policy whose arms are points."""

    def place(self, x: Array, arm: Array) -> Array:
        """The context and the point."""
        place: Array = joined(x, arm)
        return place


class SliceBeliefs(NamedTuple):
    """The balls around the arms at a context and their ends, as in `Slice`, and which of them may be played."""

    balls: IntArray
    ends: Array
    front: Mask


@compiled
class ZoomingInterval(ContinuumZooming):
    """The arms are [0, 1]. Domains are unions of intervals at every context, and computed exactly."""

    rule: Any
    similarity: Any
    dimensions: int

    def beliefs(self, state: Balls, x: Array, rng: Rng) -> SliceBeliefs:
        """The slice of the balls at the context, and the best of those that own a part of it."""
        part = cut(state, x)
        return SliceBeliefs(
            part.balls, part.ends, self.rule.front(state.bound, part.balls, relevant(part.ends))
        )

    def draw(self, beliefs: SliceBeliefs, rng: Rng) -> Aim:
        """A uniform point in the domains of the balls that are played; the note is its ball."""
        spot = draw_from_slice(beliefs.ends, self.rule.played(beliefs.front, rng), rng)
        return Aim(np.full(1, spot.arm), BallNote(beliefs.balls[spot.ball]))


class CandidateBeliefs(NamedTuple):
    """The pairs (dimensions, candidates) that may be played, who owns which, and the balls that may be played."""

    pairs: Array
    owners: Mask
    front: Mask


@compiled
class ZoomingCandidates(ContinuumZooming):
    """The arms are a cube, of which every round sees some uniform points; exact for these.

    The error in the size of a domain is of the order candidates^(-1/2).
    """

    rule: Any
    similarity: Any
    dimensions: int
    features: int
    candidates: int

    def beliefs(self, state: Balls, x: Array, rng: Rng) -> CandidateBeliefs:
        """New candidates, their owners, and the best of the balls that own any."""
        pairs = np.empty((self.dimensions, self.candidates))
        for i in range(self.dimensions):
            for j in range(self.candidates):
                pairs[i, j] = x[i] if i < self.features else rng.random()
        owners = owners_of(state, pairs, self.similarity)
        front = self.rule.front(state.bound, np.arange(len(owners)), own_any(owners))
        return CandidateBeliefs(pairs, owners, front)

    def draw(self, beliefs: CandidateBeliefs, rng: Rng) -> Aim:
        """A uniform candidate in the domains of the balls that are played; the note is its ball."""
        played = self.rule.played(beliefs.front, rng)
        j = pick(owned_by(beliefs.owners, played), rng)
        point = np.empty(self.dimensions - self.features)
        for i in range(len(point)):
            point[i] = beliefs.pairs[self.features + i, j]
        return Aim(point, BallNote(pick_owner(beliefs.owners, played, j, rng)))
