"""PCZ on the paper's ridges, divided by 9.06 so that its assumption holds, and on gables, where rewards hardly vary.

In a few thousand rounds of coins the balls stay so large that no inequality could fail. On the gables the noise is 200
times smaller; dividing everything by it gives the theory's unit noise, so that the uncertainty is scaled down likewise.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compile_loop, compiled
from mobandits.contracts.continuum import Surface, SurfaceBlock, SurfaceShape
from mobandits.contracts.protocols import Array, Rng
from mobandits.environments import TwoRidges
from mobandits.numerics.averages import average
from mobandits.papers.pcz2018 import theory
from mobandits.papers.pcz2018.zooming_dimension import scaled_distance
from mobandits.papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    event,
    expectation,
    inequality,
    on_the_event,
)
from mobandits.policies import Pcz
from mobandits.simulation.streams import INSTANCE, POLICY, ROUNDS, stream

DIVISOR = 9.06
SLOPE = 0.69
NOISE = 0.005
# Radii of Lemma 5; for smaller ones the bound only grows.
RADII = tuple(2.0**-i for i in range(12))
POINTS = 41  # arms of a context whose means are compared with the index
# The largest Pareto gaps: half a divided ridge, and the slope of the gables times the distance from
# their front to y = 1 at x = 0.
RIDGE_GAP = 0.5 / DIVISOR
GABLE_GAP = SLOPE * 0.7


@compiled
class GableSurface(Surface):
    """Means 0.69 (1 - |y - c_i|) with c_1 = 0.2 + 0.2 x and c_2 = c_1 + 0.1; the Pareto front is from c_1 to c_2."""

    noise: float

    def mean(self, x: Array, y: Array) -> Array:
        """(2,) the means."""
        out = np.empty(2)
        beyond = y[0] - (0.2 + 0.2 * x[0])
        out[0] = SLOPE * (1.0 - abs(beyond))
        out[1] = SLOPE * (1.0 - abs(beyond - 0.1))
        return out

    def reward(self, x: Array, y: Array, uniforms: Array) -> Array:
        """(2,) means plus uniform noise from -noise to noise."""
        out = self.mean(x, y)
        for l in range(2):
            out[l] += self.noise * (2.0 * uniforms[l] - 1.0)
        return out

    def gap(self, x: Array, y: Array) -> float:
        """The slope times the distance from the front."""
        beyond = y[0] - (0.2 + 0.2 * x[0])
        distance: float = max(0.0, -beyond, beyond - 0.1)
        return SLOPE * distance


@dataclass(frozen=True)
class Gables:
    """Two gables whose tops are near to each other and move with the context."""

    def problem(self, rounds: int, rng: Rng) -> "GableProblem":
        """The surface."""
        return GableProblem(SurfaceShape(1, 1, 2, rounds), GableSurface(NOISE))


class GableProblem(NamedTuple):
    """One run."""

    shape: SurfaceShape
    surface: GableSurface

    def block(self, first: int, rounds: int, rng: Rng) -> SurfaceBlock:
        """The next rounds."""
        numbers = rng.random((rounds, 3))
        return SurfaceBlock(numbers[:, :1], numbers[:, 1:])


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The event UC, Lemmas 2 to 5, Theorem 1 and Corollary 1, on both surfaces."""
    ridges = TwoRidges(divisor=DIVISOR)
    return [
        *_findings("ridges", ridges, 1.0, run, rounds, seed),
        _expected("ridges", ridges, 1.0, RIDGE_GAP, run, rounds, seed),
        *_findings("gables", Gables(), NOISE, run, rounds, seed),
        _expected("gables", Gables(), NOISE, GABLE_GAP, run, rounds, seed),
    ]


def _findings(
    name: str, environment: Any, scale: float, run: int, rounds: int, seed: int
) -> list[Finding]:
    objectives, balls, seen = _played(environment, Pcz(scale=scale, delta=DELTA), run, rounds, seed)
    off, radius, child, gaps, owner, dominance = seen.T

    def consequences() -> list[Finding]:
        # With a smaller uncertainty balls are halved earlier: these bounds hold all the more.
        theorem = float(theory.regret_bound(rounds, theory.PACKING, 2.0, objectives, DELTA))
        packings = {r: math.floor(theory.PACKING * r**-2) for r in RADII}
        lemma = theory.best_regret_bound_of_numbers(rounds, packings, objectives, DELTA)
        size, apart = distances(balls.centre.T, balls.radius)
        numbers = {r: int((balls.radius == r).sum()) for r in np.unique(balls.radius)}
        most = [theory.PACKING * r**-2 for r in numbers]
        within = np.bincount(owner.astype(np.int64), gaps, minlength=len(balls.radius))
        most_within = theory.ball_regret_bound(balls.radius, rounds, objectives, DELTA, scale)
        return [
            inequality(
                f"{name}: no arm dominates the index that is played",
                "Lemma 2",
                dominance,
                0.0,
            ),
            inequality(f"{name}: Pareto gap <= 14 r", "Lemma 3", gaps, theory.gap_bound(radius)),
            inequality(
                f"{name}: Pareto gap of a new centre <= 12 r",
                "Lemma 4",
                gaps,
                theory.child_gap_bound(child),
                child > 0,
            ),
            inequality(f"{name}: centres of equal balls are r apart", "section 5", size, apart),
            inequality(
                f"{name}: numbers of equal balls", "section 5", list(numbers.values()), most
            ),
            inequality(f"{name}: Pareto regret in a ball", "proof of Lemma 5", within, most_within),
            bound(
                f"{name}: Pareto regret, by packing numbers",
                "Lemma 5",
                gaps,
                np.full(rounds, lemma),
            ),
            bound(f"{name}: Pareto regret", "Theorem 1", gaps, np.full(rounds, theorem)),
        ]

    held = event(f"{name}: every ball knows its centre, at all times", "Lemma 1", off, 1.0, DELTA)
    return on_the_event(held, consequences)


def _expected(
    name: str,
    environment: Any,
    scale: float,
    largest_gap: float,
    run: int,
    rounds: int,
    seed: int,
) -> Finding:
    # Corollary 1 is about another policy than the event: its delta is 1 / T.
    recipe = Pcz(scale=scale, delta=1.0 / rounds)
    objectives, _, seen = _played(environment, recipe, run, rounds, seed)
    limit = theory.expected_regret_bound(rounds, theory.PACKING, 2.0, objectives, largest_gap)
    return expectation(f"{name}: expected Pareto regret", "Corollary 1", seen[:, 3], float(limit))


def _played(
    environment: Any,
    recipe: Pcz,
    run: int,
    rounds: int,
    seed: int,
) -> tuple[int, Any, Array]:
    # The number of objectives, the balls at the end, and what was seen of each round.
    problem = environment.problem(rounds, stream(seed, run, INSTANCE))
    block = problem.block(0, rounds, stream(seed, run, ROUNDS))
    contexts, uniforms = (np.require(array, requirements=["C", "W"]) for array in block)
    policy = recipe.bind(problem.shape)
    surface = problem.surface
    seen = np.empty((rounds, 6))
    loop = compile_loop(watch_balls, policy, surface)
    rng = stream(seed, run, POLICY, repr(recipe))
    balls = loop(policy, policy.init(), surface, contexts, uniforms, rng, seen)
    return problem.shape.objectives, balls, seen


def watch_balls(
    policy: Any, state: Any, surface: Any, contexts: Array, uniforms: Array, rng: Rng, seen: Array
) -> Any:
    """`simulation.play_surface`, with a look at the ball that has learned: `seen` (rounds, 6) out.

    Columns: max_i |mean at the centre - estimate| / (u + r) after the reward, the ball's radius, that of a ball created
    in this round or 0, the Pareto gap, the ball whose regret it is (the one created, or else the one
    that has learned), and by how much arms dominate the ball's index, max_y min_i (mu_y^i - g^i). A
    ball that has learned nothing has an infinite u.
    """
    arm = np.empty(1)
    for t in range(len(contexts)):
        beliefs = policy.beliefs(state, contexts[t], rng)
        aim = policy.draw(beliefs, rng)
        reward = surface.reward(contexts[t], aim.point, uniforms[t])
        before = len(state.radius)
        b = int(aim.note.ball)
        seen[t, 5] = -math.inf
        for j in range(POINTS if before > 0 else 0):  # before the first ball there is no index
            arm[0] = j / (POINTS - 1)
            at_arm = surface.mean(contexts[t], arm)
            least = math.inf
            for l in range(len(at_arm)):
                least = min(least, at_arm[l] - state.bound[l, b])
            seen[t, 5] = max(seen[t, 5], least)
        state = policy.update(state, contexts[t], aim.point, aim.note, reward, rng)
        features = len(contexts[t])
        mean = surface.mean(state.centre[:features, b].copy(), state.centre[features:, b].copy())
        seen[t, 0] = 0.0
        seen[t, 1] = state.radius[b]
        for l in range(len(mean)):
            reach = policy.rule.half_width(state.seen[b]) + state.radius[b]
            estimate = average(state.total[l, b], state.seen[b])
            seen[t, 0] = max(seen[t, 0], abs(mean[l] - estimate) / reach)
        created = len(state.radius) > before
        seen[t, 2] = state.radius[before] if created else 0.0
        seen[t, 3] = surface.gap(contexts[t], aim.point)
        seen[t, 4] = before if created else b
    return state


def distances(centres: Array, radii: Array) -> tuple[Array, Array]:
    """(pairs,) the radius, and the distance between the centres, of all pairs of equal balls.

    Example:
        >>> distances(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array([0.5, 0.5, 1.0]))
        (array([0.5]), array([1.]))
    """
    sizes = [np.empty(0)]
    apart = [np.empty(0)]
    for b, radius in enumerate(radii):
        later = np.flatnonzero(radii[b + 1 :] == radius) + b + 1
        sizes.append(np.full(len(later), radius))
        apart.append(scaled_distance(centres[later], centres[b]))
    return np.concatenate(sizes), np.concatenate(apart)
