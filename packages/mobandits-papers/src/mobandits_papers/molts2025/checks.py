"""MOL-TS and MOL-UCB with the radius of the theory: the ridge event, samples, optimism, regret."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, Rng, Shape
from mobandits.environments import Linear
from mobandits.explorers import Thompson
from mobandits.explorers.radii import Constant
from mobandits.metrics import EffectiveParetoRegret, ParetoRegret
from mobandits.policies import MolTs, MolUcb
from mobandits.policies.linear.mol_ts import optimistic_draws
from mobandits_papers.molts2025 import theory
from mobandits_papers.protocol.probes import LinearPlay, linear_play
from mobandits_papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    event,
    inequality,
    on_the_event,
)

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


def _radius(play: LinearPlay) -> Array:
    """(rounds,) c1_t, of the rounds that the estimate of a round knows."""
    before = play.t - 1
    shape = play.shape
    return theory.width(before, shape.features, shape.objectives, DELTA)


def _ellipsoids(policy: str, play: LinearPlay) -> Finding:
    """The event E^ of the ridge estimates, which both policies' regret rests on."""
    name = f"{policy}: every theta in its ellipsoid, at all times"
    radius = _radius(play)
    return event(name, "event E", play.deviation, radius, DELTA)


def _ucb(run: int, rounds: int, seed: int) -> list[Finding]:
    recipe = MolUcb(scale="theory", delta=DELTA)
    play = linear_play(ENVIRONMENT, recipe, run, rounds, seed)
    pareto = play.regret(ParetoRegret())[:, 0]
    source = "as moglb2019, Theorem 2"
    gap = theory.ucb_gap_bound(_radius(play), play.width)
    regret = theory.ucb_regret_bound(play.t, play.shape.features, play.shape.objectives, DELTA)

    return on_the_event(
        _ellipsoids("MOL-UCB", play),
        lambda: [
            inequality("MOL-UCB: Pareto gap <= 2 c1 ||x||", source, pareto, gap),
            bound("MOL-UCB: Pareto regret", source, pareto, regret),
        ],
    )


def _thompson(run: int, rounds: int, seed: int) -> list[Finding]:
    recipe = MolTs(scale="theory", delta=DELTA)
    play = linear_play(ENVIRONMENT, recipe, run, rounds, seed)
    pareto = play.regret(ParetoRegret())[:, 0]
    effective = play.regret(EffectiveParetoRegret())[:, 0]
    objectives = play.shape.objectives
    draws = theory.draws_needed(objectives)
    regret = theory.regret_bound(play.t, play.shape.features, objectives, draws, DELTA)

    return on_the_event(
        _ellipsoids("MOL-TS", play),
        lambda: [
            inequality("Pareto gap <= effective Pareto gap", "Corollary 1", pareto, effective),
            bound("MOL-TS: effective Pareto regret", "Theorem 2", effective, regret),
            bound("MOL-TS: Pareto regret", "Corollary 1", pareto, regret),
        ],
    )


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
