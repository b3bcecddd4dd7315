"""MOL-TS and MOL-UCB with the radius of the theory: the ridge event, samples, optimism, regret."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, Recipe, Rng, Shape
from mobandits.environments import Linear
from mobandits.explorers import Thompson
from mobandits.explorers.radii import Constant
from mobandits.metrics import EffectiveParetoRegret, ParetoRegret
from mobandits.papers.molts2025 import theory
from mobandits.papers.protocol.protocol import (
    DELTA,
    Finding,
    Trial,
    bound,
    event,
    inequality,
    on_the_event,
    trial,
)
from mobandits.papers.protocol.watch import EllipsoidProbe, watched
from mobandits.policies import MolTs, MolUcb
from mobandits.policies.linear.mol_ts import optimistic_draws
from mobandits.support.naming import short_repr

ENVIRONMENT = Linear(arms=20, features=3, objectives=3)
SAMPLES = 2000  # of the optimism, per run
OBJECTIVES = (1, 2, 4, 8)


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The ridge event under both policies, Theorem 2 and Corollary 1, the samples' event, and Lemma 1."""
    return [
        *_ucb(run, rounds, seed),
        *_thompson(run, rounds, seed),
        samples_event(rounds, np.random.default_rng([seed, run, 1])),
        *(
            lemma_1(objectives, SAMPLES, np.random.default_rng([seed, run, 2]))
            for objectives in OBJECTIVES
        ),
    ]


def _ucb(run: int, rounds: int, seed: int) -> list[Finding]:
    recipe = MolUcb(delta=DELTA)
    now = trial(ENVIRONMENT, rounds, seed, run, short_repr(recipe))
    chosen, deviation, width, radius = _played(recipe, now)
    features, objectives = now.problem.shape[1:3]
    gaps = ParetoRegret().per_round(now.truth, chosen, None)[:, 0]

    def consequences() -> list[Finding]:
        largest = theory.ucb_gap_bound(radius, width)
        curve = theory.ucb_regret_bound(np.arange(1, rounds + 1), features, objectives, DELTA)
        return [
            inequality(
                "MOL-UCB: Pareto gap <= 2 c1 ||x||", "as moglb2019, Theorem 2", gaps, largest
            ),
            bound("MOL-UCB: Pareto regret", "as moglb2019, Theorem 2", gaps, curve),
        ]

    held = event(
        "MOL-UCB: every theta in its ellipsoid, at all times", "event E", deviation, radius, DELTA
    )
    return on_the_event(held, consequences)


def _thompson(run: int, rounds: int, seed: int) -> list[Finding]:
    recipe = MolTs(delta=DELTA)
    now = trial(ENVIRONMENT, rounds, seed, run, short_repr(recipe))
    chosen, deviation, _, radius = _played(recipe, now)
    features, objectives = now.problem.shape[1:3]
    pareto = ParetoRegret().per_round(now.truth, chosen, None)[:, 0]
    effective = EffectiveParetoRegret().per_round(now.truth, chosen, None)[:, 0]

    def consequences() -> list[Finding]:
        draws = theory.draws_needed(objectives)
        curve = theory.regret_bound(np.arange(1, rounds + 1), features, objectives, draws, DELTA)
        return [
            inequality("Pareto gap <= effective Pareto gap", "Corollary 1", pareto, effective),
            bound("MOL-TS: effective Pareto regret", "Theorem 2", effective, curve),
            bound("MOL-TS: Pareto regret", "Corollary 1", pareto, curve),
        ]

    held = event(
        "MOL-TS: every theta in its ellipsoid, at all times", "event E", deviation, radius, DELTA
    )
    return on_the_event(held, consequences)


def _played(recipe: Recipe, now: Trial) -> tuple[Any, Array, Array, Array]:
    shape = now.problem.shape
    problem: Any = now.problem  # of Linear or GeneralizedLinear, which know their parameters
    probe = EllipsoidProbe(problem.theta)
    chosen, seen = watched(recipe.bind(shape), probe, 4, now.block, now.rng)
    radius = theory.width(np.arange(len(chosen)), shape.features, shape.objectives, DELTA)
    return chosen, seen[:, 0], seen[:, 1], radius


def samples_event(rounds: int, rng: Rng) -> Finding:
    """Whether all L M samples of all rounds lie within c2 of their estimates.

    Their distance is c1 times the length of a standard normal vector, whatever was played. The paper promises delta / T
    per round, hence delta for all rounds together.
    """
    features = ENVIRONMENT.features
    objectives = ENVIRONMENT.objectives
    draws = theory.draws_needed(objectives)
    longest = np.sqrt(rng.chisquare(features, (rounds, objectives * draws)).max())
    limit = theory.sample_factor(rounds, features, objectives, draws, DELTA)
    return event("all samples within c2 of their estimates", "event E~", longest, limit, DELTA)


def lemma_1(objectives: int, samples: int, rng: Rng) -> Finding:
    """Whether a fixed arm is optimistic in all objectives as often as promised, with M draws of the real sampler.

    The estimator has learned 30 random rewards; the arm is a random one. Five standard deviations are granted to the
    frequency.
    """
    draws = optimistic_draws(objectives)
    shape = Shape(arms=1, features=3, objectives=objectives)
    policy: Any = MolTs(draws=draws).bind(shape)
    state = policy.init()
    for _ in range(30):
        x = rng.standard_normal(3) / 3.0
        state = policy.update(state, x, 0, 0.0, rng.standard_normal(objectives), rng)
    context = rng.standard_normal((1, 3)) / 3.0
    explorer = Thompson(Constant(1.0), draws)
    estimator = policy.estimator
    arms = np.arange(1)
    goal = estimator.mean(state, context, arms)[0] + estimator.width(state, context, arms)[0]
    loop = compile_loop(optimistic, estimator, explorer)
    frequency = loop(estimator, explorer, state, context, arms, goal, samples, rng) / samples
    promised = theory.optimism(objectives, draws)
    slack = 5.0 * math.sqrt(promised * (1.0 - promised) / samples)
    name = f"a fixed arm is optimistic in all of {objectives} objectives, with {draws} draws"
    return inequality(name, "Lemma 1", promised - slack, frequency)


def optimistic(
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
    out = 0
    for _ in range(samples):
        sample = explorer.beliefs(estimator, state, context, arms, rng).mean
        reached = True
        for l in range(len(goal)):
            reached = reached and sample[0, l] >= goal[l]
        out += reached
    return out
