"""PCZ on the paper's ridges, divided by 9.06, and on gables, where rewards hardly vary.

Divided by 9.06, the ridges meet the assumption of the theory. In a few thousand rounds of coins the
balls stay so large that no inequality could fail. On the gables the noise is 200 times smaller;
dividing everything by it gives the theory's unit noise, so that the uncertainty is scaled down
likewise.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compile_loop, compiled
from mobandits.contracts.continuum import Surface, SurfaceShape
from mobandits.contracts.protocols import Array, Rng
from mobandits.environments import TwoRidges
from mobandits.numerics.averages import average
from mobandits.policies import Pcz
from mobandits.simulation.streams import INSTANCE, POLICY, ROUNDS, stream
from mobandits_papers.pcz2018 import theory
from mobandits_papers.pcz2018.variants import SurfaceProblem
from mobandits_papers.pcz2018.zooming_dimension import scaled_distance
from mobandits_papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    event,
    expectation,
    inequality,
    on_the_event,
)

# The steepest slope of the paper's ridges in terms of the scaled distance; the theory allows 1.
DIVISOR = 9.06
# With both coordinates changing, the slope of the gables in terms of the scaled distance is
# 0.69 sqrt(2) sqrt(1 + 0.2^2) = 0.995, just below the 1 that the theory allows.
SLOPE = 0.69
NOISE = 0.005
# Radii of Lemma 5; for smaller ones the bound only grows.
RADII = tuple(2.0**-i for i in range(12))
POINTS = 41  # arms of a context whose means are compared with the index
# The largest Pareto gaps: half a divided ridge, and the slope of the gables times the distance from
# their front to y = 1 at x = 0.
RIDGE_GAP = 0.5 / DIVISOR
GABLE_GAP = SLOPE * 0.7
# The columns of what is seen of a round; `watch_balls` says what they hold.
OFF, RADIUS, CHILD, GAP, OWNER, DOMINANCE = range(6)


@compiled
class GableSurface(Surface):
    """Means 0.69 (1 - |y - c_i|) with c_1 = 0.2 + 0.2 x and c_2 = c_1 + 0.1.

    The Pareto front is from c_1 to c_2.
    """

    noise: float

    def mean(self, x: Array, y: Array) -> Array:
        """(2,) the means."""
        out = np.empty(2)
        top = 0.2 + 0.2 * x[0]  # c_1
        beyond = y[0] - top
        out[0] = SLOPE * (1.0 - abs(beyond))
        out[1] = SLOPE * (1.0 - abs(beyond - 0.1))

        return out

    def reward(self, x: Array, y: Array, uniforms: Array) -> Array:
        """(2,) means plus uniform noise from -noise to noise."""
        out = self.mean(x, y)
        for l in range(2):
            centred = 2.0 * uniforms[l] - 1.0
            out[l] += self.noise * centred

        return out

    def gap(self, x: Array, y: Array) -> float:
        """The slope times the distance from the front."""
        top = 0.2 + 0.2 * x[0]  # c_1
        beyond = y[0] - top
        # Both gables fall at the same slope outside of the front, so that both lack as much.
        distance: float = max(0.0, -beyond, beyond - 0.1)

        return SLOPE * distance


@dataclass(frozen=True)
class Gables:
    """Two gables whose tops are near to each other and move with the context."""

    def problem(self, rounds: int, rng: Rng) -> SurfaceProblem:
        """The surface, with a uniform number per objective."""
        shape = SurfaceShape(1, 1, 2, rounds)
        return SurfaceProblem(shape, GableSurface(NOISE), 2)


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The findings of one run: the event UC, Lemmas 2 to 5, Theorem 1 and Corollary 1.

    On both surfaces.
    """
    findings = []
    # Coins are within the theory's noise; on the gables u is scaled down as the noise is.
    for name, environment, scale, largest_gap in (
        ("ridges", TwoRidges(divisor=DIVISOR), 1.0, RIDGE_GAP),
        ("gables", Gables(), NOISE, GABLE_GAP),
    ):
        findings += _findings(name, environment, scale, run, rounds, seed)
        findings.append(_expected(name, environment, scale, largest_gap, run, rounds, seed))

    return findings


class ProbedPlay(NamedTuple):
    """The record of one run of PCZ.

    Attributes:
        objectives: L.
        balls: the state of the policy after the last round.
        seen: (rounds, 6) as in `watch_balls`.
    """

    objectives: int
    balls: Any
    seen: Array


def _findings(
    name: str, environment: Any, scale: float, run: int, rounds: int, seed: int
) -> list[Finding]:
    """The findings on the event and on what follows from it, on one surface."""
    recipe = Pcz(scale=scale, delta=DELTA)
    play = probed_play(environment, recipe, run, rounds, seed)
    off = play.seen[:, OFF]
    held = event(f"{name}: every ball knows its centre, at all times", "Lemma 1", off, 1.0, DELTA)

    return on_the_event(held, lambda: _consequences(name, play, scale))


def _consequences(name: str, play: ProbedPlay, scale: float) -> list[Finding]:
    """The findings on what follows from the event: in every round, for balls, and for sums."""
    gaps = play.seen[:, GAP]
    radius = play.seen[:, RADIUS]
    child = play.seen[:, CHILD]
    dominance = play.seen[:, DOMINANCE]
    rounds = len(gaps)

    # The balls at the end: where they are, how many, and their regret.
    radii = play.balls.radius
    sizes, apart = equal_ball_distances(play.balls.centre.T, radii)
    equal_radii, numbers = np.unique(radii, return_counts=True)
    # Their centres are a packing of the square (proof of Lemma 4).
    most = theory.PACKING * equal_radii**-2
    owners = play.seen[:, OWNER].astype(np.int64)
    within = np.bincount(owners, gaps, minlength=len(radii))
    most_within = theory.ball_regret_bound(radii, rounds, play.objectives, DELTA, scale)

    # With a smaller uncertainty balls are halved earlier: these bounds hold all the more.
    packings = {r: math.floor(theory.PACKING * r**-2) for r in RADII}
    lemma = theory.best_regret_bound_of_numbers(rounds, packings, play.objectives, DELTA)
    # N_r <= 3.72 r^-2 on the square, whatever the surface: dimension 2.
    theorem = float(theory.regret_bound(rounds, theory.PACKING, 2.0, play.objectives, DELTA))
    new_centre = f"{name}: Pareto gap of a new centre <= 12 r"
    by_packings = f"{name}: Pareto regret, by packing numbers"

    return [
        inequality(f"{name}: no arm dominates the index that is played", "Lemma 2", dominance, 0.0),
        inequality(f"{name}: Pareto gap <= 14 r", "Lemma 3", gaps, theory.gap_bound(radius)),
        inequality(new_centre, "Lemma 4", gaps, theory.child_gap_bound(child), child > 0),
        inequality(f"{name}: centres of equal balls are r apart", "section 5", sizes, apart),
        inequality(f"{name}: numbers of equal balls", "section 5", numbers, most),
        inequality(f"{name}: Pareto regret in a ball", "proof of Lemma 5", within, most_within),
        # Both bounds are on the regret at the horizon, and no earlier regret is larger.
        bound(by_packings, "Lemma 5", gaps, np.full(rounds, lemma)),
        bound(f"{name}: Pareto regret", "Theorem 1", gaps, np.full(rounds, theorem)),
    ]


def _expected(
    name: str,
    environment: Any,
    scale: float,
    largest_gap: float,
    run: int,
    rounds: int,
    seed: int,
) -> Finding:
    """The finding on the bound of the expected regret, on one surface."""
    # Corollary 1 is about another policy than the event: its delta is 1 / T.
    recipe = Pcz(scale=scale, delta=1.0 / rounds)
    play = probed_play(environment, recipe, run, rounds, seed)
    # N_r <= 3.72 r^-2 on the square, whatever the surface: dimension 2.
    limit = theory.expected_regret_bound(rounds, theory.PACKING, 2.0, play.objectives, largest_gap)
    name = f"{name}: expected Pareto regret"

    return expectation(name, "Corollary 1", play.seen[:, GAP], float(limit))


def probed_play(environment: Any, recipe: Pcz, run: int, rounds: int, seed: int) -> ProbedPlay:
    """One run of PCZ with a look at every round; its streams are those of a simulation."""
    problem = environment.problem(rounds, stream(seed, run, INSTANCE))
    surface = problem.surface
    block = problem.block(0, rounds, stream(seed, run, ROUNDS))
    # Contiguous and writable, because a compiled loop is compiled anew for any other layout.
    contexts = np.require(block.contexts, requirements=["C", "W"])
    uniforms = np.require(block.uniforms, requirements=["C", "W"])
    policy = recipe.bind(problem.shape)
    rng = stream(seed, run, POLICY, repr(recipe))
    seen = np.empty((rounds, 6))
    loop = compile_loop(watch_balls, policy, surface)
    balls = loop(policy, policy.init(), surface, contexts, uniforms, rng, seen)

    return ProbedPlay(problem.shape.objectives, balls, seen)


def watch_balls(
    policy: Any, state: Any, surface: Any, contexts: Array, uniforms: Array, rng: Rng, seen: Array
) -> Any:
    """The loop of `simulation.play.play_surface`, with a look at the ball that has learned.

    Columns of `seen` (rounds, 6), which is filled: max_i |mean at the centre - estimate| / (u + r)
    after the reward, the ball's radius, that of a ball created in this round or 0, the Pareto gap,
    the ball whose regret it is (the one created, or else the one that has learned), and by how much
    arms dominate the ball's index, max_y min_i (mu_y^i - g^i). A ball that has learned nothing has
    an infinite u.
    """
    arm = np.empty(1)
    for t in range(len(contexts)):
        context = contexts[t]
        features = len(context)
        beliefs = policy.beliefs(state, context, rng)
        aim = policy.draw(beliefs, rng)
        reward = surface.reward(context, aim.point, uniforms[t])
        before = len(state.radius)
        b = int(aim.note.ball)
        # Lemma 2, which is about the index before the reward: max_y min_i (mu_y^i - g^i).
        dominance = -math.inf
        points = POINTS if before > 0 else 0  # before the first ball there is no index
        for j in range(points):
            arm[0] = j / (POINTS - 1)
            at_arm = surface.mean(context, arm)
            least = math.inf
            for l in range(len(at_arm)):
                lead = at_arm[l] - state.bound[l, b]
                least = min(least, lead)

            dominance = max(dominance, least)

        seen[t, DOMINANCE] = dominance
        state = policy.update(state, context, aim.point, aim.note, reward, rng)
        # Lemma 1: the error of the estimate at the centre, in units of u + r.
        centre_context = state.centre[:features, b].copy()
        centre_arm = state.centre[features:, b].copy()
        mean = surface.mean(centre_context, centre_arm)
        reach = policy.rule.half_width(state.seen[b]) + state.radius[b]
        off = 0.0
        for l in range(len(mean)):
            estimate = average(state.total[l, b], state.seen[b])
            error = abs(mean[l] - estimate)
            off = max(off, error / reach)

        seen[t, OFF] = off
        seen[t, RADIUS] = state.radius[b]
        created = len(state.radius) > before
        seen[t, CHILD] = state.radius[before] if created else 0.0
        seen[t, GAP] = surface.gap(context, aim.point)
        # Appendix C counts the round that creates a ball as the child's, not as the parent's.
        seen[t, OWNER] = before if created else b

    return state


def equal_ball_distances(centres: Array, radii: Array) -> tuple[Array, Array]:
    """(pairs,) the radius, and the distance between the centres, of all pairs of equal balls.

    Example:
        >>> centres = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        >>> equal_ball_distances(centres, np.array([0.5, 0.5, 1.0]))
        (array([0.5]), array([1.]))
    """
    # Starting from empty arrays, a single ball gives no pairs and no error.
    sizes = [np.empty(0)]
    apart = [np.empty(0)]
    for b, radius in enumerate(radii):
        equal = radii[b + 1 :] == radius
        # Later balls only, so that no pair is counted twice.
        later = np.flatnonzero(equal) + b + 1
        sizes.append(np.full(len(later), radius))
        apart.append(scaled_distance(centres[later], centres[b]))

    radii_of_pairs = np.concatenate(sizes)
    distances = np.concatenate(apart)

    return radii_of_pairs, distances
