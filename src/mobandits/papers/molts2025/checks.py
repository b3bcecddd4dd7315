"""MOL-TS and MOL-UCB with the radius of the theory: the ridge event, samples, optimism, regret."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, IntArray, Recipe, Rng, Shape
from mobandits.environments import Linear
from mobandits.explorers import Thompson
from mobandits.explorers.radii import Constant
from mobandits.metrics import EffectiveParetoRegret, ParetoRegret
from mobandits.papers.molts2025 import theory
from mobandits.papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    event,
    inequality,
    on_the_event,
    trial,
)
from mobandits.papers.protocol.watch import EllipsoidProbe, watched
from mobandits.policies import MolTs, MolUcb
from mobandits.policies.linear.mol_ts import optimistic_draws
from mobandits.simulation.truth import BlockGroundTruth
from mobandits.support.naming import short_repr

ENVIRONMENT = Linear(arms=20, features=3, objectives=3)
SAMPLES = 2000  # of the optimism, per run
OBJECTIVES = (1, 2, 4, 8)
ERRORS = 5.0  # standard deviations that a frequency is granted: a run looks at several


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The ridge event under both policies, Theorem 2 and Corollary 1, the samples, and Lemma 1."""
    findings = [
        *_ucb(run, rounds, seed),
        *_thompson(run, rounds, seed),
        samples_event(rounds, np.random.default_rng([seed, run, 1])),
    ]
    for objectives in OBJECTIVES:
        rng = np.random.default_rng([seed, run, 2])
        findings.append(lemma_1(objectives, SAMPLES, rng))

    return findings


class _PlayedRun(NamedTuple):
    """What one run gave, round by round.

    Attributes:
        features: d.
        objectives: L.
        deviation: (rounds,) max_l ||theta_l - estimate_l||_V.
        width: (rounds,) ||x||_{V^-1} of the arm that was played.
        radius: (rounds,) c1_t.
        pareto: (rounds,) the Pareto gap.
        chosen: (rounds,) the arm that was played.
        truth: what metrics may ask.
    """

    features: int
    objectives: int
    deviation: Array
    width: Array
    radius: Array
    pareto: Array
    chosen: IntArray
    truth: BlockGroundTruth

    @property
    def rounds(self) -> IntArray:
        """(rounds,) the numbers of the rounds, from 1."""
        count = len(self.radius)
        return np.arange(1, count + 1)


def _played(recipe: Recipe, run: int, rounds: int, seed: int) -> _PlayedRun:
    now = trial(ENVIRONMENT, rounds, seed, run, short_repr(recipe))
    shape = now.problem.shape
    problem: Any = now.problem  # of Linear, which knows its parameters
    probe = EllipsoidProbe(problem.theta)
    chosen, seen = watched(recipe.bind(shape), probe, 4, now.block, now.rng)
    deviation, width, _, _ = seen.T
    before = np.arange(rounds)  # t - 1, the rounds that the estimate of a round knows
    radius = theory.width(before, shape.features, shape.objectives, DELTA)

    return _PlayedRun(
        shape.features,
        shape.objectives,
        deviation,
        width,
        radius,
        ParetoRegret().per_round(now.truth, chosen, None)[:, 0],
        chosen,
        now.truth,
    )


def _ellipsoids(policy: str, played: _PlayedRun) -> Finding:
    """The event E^ of the ridge estimates, which both policies' regret rests on."""
    return event(
        f"{policy}: every theta in its ellipsoid, at all times",
        "event E",
        played.deviation,
        played.radius,
        DELTA,
    )


def _ucb(run: int, rounds: int, seed: int) -> list[Finding]:
    played = _played(MolUcb(scale="theory", delta=DELTA), run, rounds, seed)

    def consequences() -> list[Finding]:
        regret = theory.ucb_regret_bound(
            played.rounds,
            played.features,
            played.objectives,
            DELTA,
        )
        return [
            inequality(
                "MOL-UCB: Pareto gap <= 2 c1 ||x||",
                "as moglb2019, Theorem 2",
                played.pareto,
                theory.ucb_gap_bound(played.radius, played.width),
            ),
            bound(
                "MOL-UCB: Pareto regret",
                "as moglb2019, Theorem 2",
                played.pareto,
                regret,
            ),
        ]

    return on_the_event(_ellipsoids("MOL-UCB", played), consequences)


def _thompson(run: int, rounds: int, seed: int) -> list[Finding]:
    played = _played(MolTs(scale="theory", delta=DELTA), run, rounds, seed)
    effective = EffectiveParetoRegret().per_round(played.truth, played.chosen, None)[:, 0]

    def consequences() -> list[Finding]:
        regret = theory.regret_bound(
            played.rounds,
            played.features,
            played.objectives,
            theory.draws_needed(played.objectives),
            DELTA,
        )
        return [
            inequality(
                "Pareto gap <= effective Pareto gap",
                "Corollary 1",
                played.pareto,
                effective,
            ),
            bound("MOL-TS: effective Pareto regret", "Theorem 2", effective, regret),
            bound("MOL-TS: Pareto regret", "Corollary 1", played.pareto, regret),
        ]

    return on_the_event(_ellipsoids("MOL-TS", played), consequences)


def samples_event(rounds: int, rng: Rng) -> Finding:
    """The event that all L M samples of all rounds lie within c2 of their estimates.

    Their distance is c1 times the length of a standard normal vector, whatever was played. The
    paper promises delta / T per round, hence delta for all rounds together.
    """
    features = ENVIRONMENT.features
    objectives = ENVIRONMENT.objectives
    draws = theory.draws_needed(objectives)
    # The squared length of a standard normal vector; no policy needs to be played for it.
    squared_lengths = rng.chisquare(features, (rounds, objectives * draws))
    longest = np.sqrt(squared_lengths.max())
    limit = theory.sample_factor(rounds, features, objectives, draws, DELTA)

    return event(
        "all samples within c2 of their estimates",
        "event E~",
        longest,
        limit,
        DELTA,
    )


def lemma_1(objectives: int, samples: int, rng: Rng) -> Finding:
    """Lemma 1: a fixed arm is optimistic in all objectives as often as promised.

    There are M draws of the real sampler. The estimator has learned 30 random rewards; the arm is a
    random one. Five standard deviations are granted to the frequency.

    Args:
        objectives: L.
        samples: how many beliefs are drawn.
        rng: of the rewards, the arm and the samples.
    """
    draws = optimistic_draws(objectives)
    shape = Shape(arms=1, features=3, objectives=objectives)
    policy: Any = MolTs(scale="theory", draws=draws).bind(shape)
    estimator = policy.estimator
    # Any state will do: the lemma is about a fixed arm, whatever was learned.
    state = policy.init()
    for _ in range(30):
        x = rng.standard_normal(3) / 3.0
        rewards = rng.standard_normal(objectives)
        state = policy.update(state, x, 0, 0.0, rewards, rng)

    context = rng.standard_normal((1, 3)) / 3.0
    arms = np.arange(1)
    estimate = estimator.mean(state, context, arms)[0]
    width = estimator.width(state, context, arms)[0]
    goal = estimate + width  # x . estimate_l + c ||x||_{V^-1} with c = 1, as the explorer has it

    explorer = Thompson(Constant(1.0), draws)
    loop = compile_loop(count_optimistic, estimator, explorer)
    count = loop(estimator, explorer, state, context, arms, goal, samples, rng)
    frequency = count / samples

    promised = theory.optimism(objectives, draws)
    slack = ERRORS * math.sqrt(promised * (1.0 - promised) / samples)

    return inequality(
        f"a fixed arm is optimistic in all of {objectives} objectives, with {draws} draws",
        "Lemma 1",
        promised - slack,
        frequency,
    )


def count_optimistic(
    estimator: Any,
    explorer: Any,
    state: Any,
    context: Array,
    arms: Any,
    goal: Array,
    samples: int,
    rng: Rng,
) -> int:
    """How many of so many beliefs reach the goal, (objectives,), in all objectives."""
    # One loop and no arrays of samples: it is compiled, and draws as a policy draws in play.
    out = 0
    for _ in range(samples):
        sample = explorer.beliefs(estimator, state, context, arms, rng).mean
        reached = True
        for l in range(len(goal)):
            reached = reached and sample[0, l] >= goal[l]

        out += reached

    return out
