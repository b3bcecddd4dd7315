"""MOSLB-PL and MOSLB-PC with alpha = 1: the ridge event, exploration, and the first digits.

The noise is small, so that exploration ends and the inequalities have something to say: with the
rewards' spread of the paper, 2 K epsilon is larger than any gap.
"""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask, Recipe
from mobandits.environments import Linear
from mobandits.metrics import ChainRegret, LevelRegret
from mobandits.policies import MoslbPc, MoslbPl
from mobandits_papers.moslb2024 import theory
from mobandits_papers.protocol.probes import LinearPlay, linear_play
from mobandits_papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    doubted,
    event,
    inequality,
    on_the_event,
)

NOISE = 0.1
EPSILON = 0.1
# Few arms, because 2 K epsilon is to be smaller than the gaps; arms stay, so that chains and levels
# have something to tell them apart by.
ENVIRONMENT = Linear(arms=4, features=2, objectives=4, fixed_arms=True, theta="ball", noise=NOISE)
LEVELS = ((0, 1), (2, 3))
# With a single chain, the statement is sound for every digit; with two, for the first only.
CHAINS = {"two chains": ((0, 1), (2, 3)), "one chain": ((0, 1, 2, 3),)}


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The findings of one run: the event and its consequences, for levels, two chains, and one."""
    findings = _level_findings(run, rounds, seed)
    for name, chains in CHAINS.items():
        findings += _chain_findings(name, chains, run, rounds, seed)
    return findings


class Explored(NamedTuple):
    """A run, and the findings that all recipes have.

    Attributes:
        play: what was seen of it.
        in_ellipsoids: the event: every theta in its ellipsoid.
        exploring: (rounds,) whether some interval is wider than epsilon.
        exploration: the number of such rounds against its bound.
    """

    play: LinearPlay
    in_ellipsoids: Finding
    exploring: Mask
    exploration: Finding


def explored(name: str, recipe: Recipe, run: int, rounds: int, seed: int) -> Explored:
    """One run of one recipe, by the name that findings have."""
    play = linear_play(ENVIRONMENT, recipe, run, rounds, seed)
    features = play.shape.features
    objectives = play.shape.objectives
    radius = theory.radius(play.t, features, objectives, DELTA, NOISE)
    # Algorithms 1 and 3, step 5: explore while some interval is wider than epsilon.
    exploring = radius * play.widest > EPSILON
    limit = theory.exploration_rounds_bound(rounds, features, objectives, DELTA, EPSILON, NOISE)

    return Explored(
        play,
        event(
            f"{name}: every theta in its ellipsoid, at all times",
            "Theorems 1 and 2, proofs",
            play.deviation,
            radius,
            DELTA,
        ),
        exploring,
        inequality(
            f"{name}: rounds of exploration", "elliptical potential", exploring.sum(), limit
        ),
    )


def _level_findings(run: int, rounds: int, seed: int) -> list[Finding]:
    """The findings on the event and its consequences for MOSLB-PL."""
    recipe = MoslbPl(levels=LEVELS, epsilon=EPSILON, alpha=1.0, delta=DELTA, noise=NOISE)
    play, in_ellipsoids, exploring, exploration = explored("MOSLB-PL", recipe, run, rounds, seed)
    first, second = play.regret(LevelRegret(LEVELS)).T
    regret_bound = theory.level_regret_bound(
        play.t, play.shape.features, play.shape.objectives, DELTA, EPSILON, NOISE
    )
    curve = _from_round_2(regret_bound)

    return on_the_event(
        in_ellipsoids,
        lambda: [
            exploration,
            inequality(
                "MOSLB-PL: gap of the first level <= 2 epsilon",
                "Theorem 2, proof",
                first,
                theory.level_gap_bound(EPSILON),
                ~exploring,
            ),
            bound("MOSLB-PL: regret of the first level", "Theorem 2", first, curve),
            # Arms that are best on the first level may be missing from what its filter keeps.
            doubted("MOSLB-PL: regret of the second level", "Theorem 2", second, curve),
        ],
    )


def _chain_findings(
    which: str, chains: tuple[tuple[int, ...], ...], run: int, rounds: int, seed: int
) -> list[Finding]:
    """The findings on the event and its consequences for MOSLB-PC."""
    name = f"MOSLB-PC, {which}"
    recipe = MoslbPc(chains=chains, epsilon=EPSILON, alpha=1.0, delta=DELTA, noise=NOISE)
    play, in_ellipsoids, exploring, exploration = explored(name, recipe, run, rounds, seed)
    arms = ENVIRONMENT.arms
    digits = play.regret(ChainRegret(chains))
    limit = theory.chain_gap_bound(arms, EPSILON)
    regret_bound = theory.chain_regret_bound(
        play.t, arms, play.shape.features, play.shape.objectives, DELTA, EPSILON, NOISE
    )
    curve = _from_round_2(regret_bound)
    if len(chains) == 1:
        # On the event, every arm that is no worse than the one played survives each filter.
        every_digit = f"{name}: every digit <= 2 K epsilon"
        last = inequality(every_digit, "Theorem 1, proof", digits, limit, ~exploring[:, None])
    else:
        # Definition 5's gap does not bound the digits after the first of several chains.
        last = doubted(f"{name}: second digit of the regret", "Theorem 1", digits[:, 1], curve)

    return on_the_event(
        in_ellipsoids,
        lambda: [
            exploration,
            # The arm was kept by the filter of some chain, which one is not known: the nearest
            # will do.
            inequality(
                f"{name}: gap in some chain's first objective <= 2 K epsilon",
                "Theorem 1, proof",
                behind_heads(play.means, play.chosen, chains),
                limit,
                ~exploring,
            ),
            bound(f"{name}: first digit of the regret", "Theorem 1", digits[:, 0], curve),
            last,
        ],
    )


def behind_heads(means: Array, chosen: IntArray, chains: tuple[tuple[int, ...], ...]) -> Array:
    """(rounds,) the chosen arm's gap in a chain's first objective, for the chain of least gap.

    Example:
        >>> means = np.array([[1.0, 0.0], [0.5, 0.25]])
        >>> behind_heads(means, np.array([1, 0]), ((0,), (1,))).tolist()
        [0.0, 0.0]
    """
    heads = [chain[0] for chain in chains]
    behind = means.max(axis=0) - means
    behind_in_heads = behind[:, heads]
    least = behind_in_heads.min(axis=1)

    return np.asarray(least[chosen])


def _from_round_2(curve: Array) -> Array:
    """The curve without its first value, in whose place there is infinity."""
    # ln T is 0 in the first round, and the bound means T > 1.
    later = curve[1:]
    return np.concatenate([[np.inf], later])
