"""MOSLB-PL and MOSLB-PC with alpha = 1: the ridge event, exploration, and the first digits.

The noise is small, so that exploration ends and the inequalities have something to say: with the
rewards' spread of the paper, 2 K epsilon is larger than any gap.
"""

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Recipe
from mobandits.environments import Linear
from mobandits.metrics import ChainRegret, LevelRegret
from mobandits.papers.moslb2024 import theory
from mobandits.papers.protocol.protocol import (
    DELTA,
    Finding,
    bound,
    doubted,
    event,
    inequality,
    on_the_event,
    trial,
)
from mobandits.papers.protocol.watch import EllipsoidProbe, watched
from mobandits.policies import MoslbPc, MoslbPl
from mobandits.support.naming import short_repr

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


class WatchedPlay:
    """One run of one recipe, and the findings that all recipes have.

    Args:
        name: of the policy, as findings say it.
        recipe: with the theory's radius.
        run: its number.
        rounds: T.
        seed: of all runs.
    """

    def __init__(self, name: str, recipe: Recipe, run: int, rounds: int, seed: int) -> None:
        now = trial(ENVIRONMENT, rounds, seed, run, short_repr(recipe))
        shape = now.problem.shape
        self.name = name
        self.truth = now.truth
        self.means = now.block.means[0]  # of all rounds: arms are fixed
        self.features = shape.features
        self.objectives = shape.objectives
        self.t = np.arange(1, rounds + 1)
        probe = EllipsoidProbe(now.problem.theta)  # type: ignore[attr-defined]
        self.chosen, seen = watched(recipe.bind(shape), probe, 4, now.block, now.rng)
        widest = seen[:, 2]
        self._deviation = seen[:, 0]
        self._radius = theory.radius(self.t, self.features, self.objectives, DELTA, NOISE)
        # Algorithms 1 and 3, step 5: explore while some interval is wider than epsilon.
        self.exploring = self._radius * widest > EPSILON

    def event(self) -> Finding:
        """The event: every theta in its ellipsoid."""
        name = f"{self.name}: every theta in its ellipsoid, at all times"
        source = "Theorems 1 and 2, proofs"
        return event(name, source, self._deviation, self._radius, DELTA)

    def exploration(self) -> Finding:
        """The number of rounds with a wide interval, against its bound."""
        limit = theory.exploration_rounds_bound(
            len(self.t), self.features, self.objectives, DELTA, EPSILON, NOISE
        )
        return inequality(
            f"{self.name}: rounds of exploration",
            "elliptical potential",
            self.exploring.sum(),
            limit,
        )


def _level_findings(run: int, rounds: int, seed: int) -> list[Finding]:
    """The findings on the event and its consequences for MOSLB-PL."""
    recipe = MoslbPl(levels=LEVELS, epsilon=EPSILON, alpha=1.0, delta=DELTA, noise=NOISE)
    play = WatchedPlay("MOSLB-PL", recipe, run, rounds, seed)

    def consequences() -> list[Finding]:
        return _level_consequences(play)

    return on_the_event(play.event(), consequences)


def _level_consequences(play: WatchedPlay) -> list[Finding]:
    """The findings on what follows from the event for MOSLB-PL."""
    first, second = LevelRegret(LEVELS).per_round(play.truth, play.chosen, None).T
    regret_bound = theory.level_regret_bound(
        play.t, play.features, play.objectives, DELTA, EPSILON, NOISE
    )
    curve = _from_round_2(regret_bound)
    gap = inequality(
        "MOSLB-PL: gap of the first level <= 2 epsilon",
        "Theorem 2, proof",
        first,
        theory.level_gap_bound(EPSILON),
        ~play.exploring,
    )
    first_level = bound("MOSLB-PL: regret of the first level", "Theorem 2", first, curve)
    # Arms that are best on the first level may be missing from what its filter keeps.
    second_level = doubted("MOSLB-PL: regret of the second level", "Theorem 2", second, curve)

    return [play.exploration(), gap, first_level, second_level]


def _chain_findings(
    name: str, chains: tuple[tuple[int, ...], ...], run: int, rounds: int, seed: int
) -> list[Finding]:
    """The findings on the event and its consequences for MOSLB-PC."""
    recipe = MoslbPc(chains=chains, epsilon=EPSILON, alpha=1.0, delta=DELTA, noise=NOISE)
    play = WatchedPlay(f"MOSLB-PC, {name}", recipe, run, rounds, seed)

    def consequences() -> list[Finding]:
        return _chain_consequences(play, chains)

    return on_the_event(play.event(), consequences)


def _chain_consequences(play: WatchedPlay, chains: tuple[tuple[int, ...], ...]) -> list[Finding]:
    """The findings on what follows from the event for MOSLB-PC."""
    arms = ENVIRONMENT.arms
    digits = ChainRegret(chains).per_round(play.truth, play.chosen, None)
    limit = theory.chain_gap_bound(arms, EPSILON)
    regret_bound = theory.chain_regret_bound(
        play.t, arms, play.features, play.objectives, DELTA, EPSILON, NOISE
    )
    curve = _from_round_2(regret_bound)
    # The arm was kept by the filter of some chain, which one is not known: the nearest will do.
    head = inequality(
        f"{play.name}: gap in some chain's first objective <= 2 K epsilon",
        "Theorem 1, proof",
        behind_heads(play.means, play.chosen, chains),
        limit,
        ~play.exploring,
    )
    first_digit = bound(
        f"{play.name}: first digit of the regret",
        "Theorem 1",
        digits[:, 0],
        curve,
    )
    if len(chains) == 1:
        # On the event, every arm that is no worse than the one played survives each filter.
        last = inequality(
            f"{play.name}: every digit <= 2 K epsilon",
            "Theorem 1, proof",
            digits,
            limit,
            ~play.exploring[:, None],
        )
    else:
        # Definition 5's gap does not bound the digits after the first of several chains.
        name = f"{play.name}: second digit of the regret"
        last = doubted(name, "Theorem 1", digits[:, 1], curve)

    return [play.exploration(), head, first_digit, last]


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
