"""MOSLB-PL and MOSLB-PC with alpha = 1: the ridge event, the length of exploration, and the first digits.

The noise is small, so that exploration ends and the inequalities have something to say: with the rewards' spread of the
paper, 2 K epsilon is larger than any gap.
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
ENVIRONMENT = Linear(arms=4, features=2, objectives=4, fixed_arms=True, theta="ball", noise=NOISE)
LEVELS = ((0, 1), (2, 3))
CHAINS = {"two chains": ((0, 1), (2, 3)), "one chain": ((0, 1, 2, 3),)}


def one_run(run: int, *, rounds: int, seed: int) -> list[Finding]:
    """The event and its consequences, for levels, for two chains, and for one."""
    found = _levels(run, rounds, seed)
    for name, chains in CHAINS.items():
        found += _chains(name, chains, run, rounds, seed)
    return found


def _levels(run: int, rounds: int, seed: int) -> list[Finding]:
    recipe = MoslbPl(levels=LEVELS, epsilon=EPSILON, alpha=1.0, delta=DELTA, noise=NOISE)
    play = _Play("MOSLB-PL", recipe, run, rounds, seed)
    gaps, later = LevelRegret(LEVELS).per_round(play.truth, play.chosen, None).T

    def consequences() -> list[Finding]:
        curve = theory.level_regret_bound(
            play.t, play.features, play.objectives, DELTA, EPSILON, NOISE
        )
        limit = theory.level_gap_bound(EPSILON)
        return [
            play.exploration(),
            inequality(
                "MOSLB-PL: gap of the first level <= 2 epsilon",
                "Theorem 2, proof",
                gaps,
                limit,
                ~play.exploring,
            ),
            bound("MOSLB-PL: regret of the first level", "Theorem 2", gaps, _from_round_2(curve)),
            doubted(
                "MOSLB-PL: regret of the second level", "Theorem 2", later, _from_round_2(curve)
            ),
        ]

    return on_the_event(play.event(), consequences)


def _chains(
    name: str, chains: tuple[tuple[int, ...], ...], run: int, rounds: int, seed: int
) -> list[Finding]:
    recipe = MoslbPc(chains=chains, epsilon=EPSILON, alpha=1.0, delta=DELTA, noise=NOISE)
    play = _Play(f"MOSLB-PC, {name}", recipe, run, rounds, seed)
    digits = ChainRegret(chains).per_round(play.truth, play.chosen, None)
    heads = behind_heads(play.means, play.chosen, chains)

    def consequences() -> list[Finding]:
        arms = ENVIRONMENT.arms
        limit = theory.chain_gap_bound(arms, EPSILON)
        curve = theory.chain_regret_bound(
            play.t, arms, play.features, play.objectives, DELTA, EPSILON, NOISE
        )
        found = [
            play.exploration(),
            inequality(
                f"{play.name}: gap in some chain's first objective <= 2 K epsilon",
                "Theorem 1, proof",
                heads,
                limit,
                ~play.exploring,
            ),
            bound(
                f"{play.name}: first digit of the regret",
                "Theorem 1",
                digits[:, 0],
                _from_round_2(curve),
            ),
        ]
        if len(chains) == 1:
            every = inequality(
                f"{play.name}: every digit <= 2 K epsilon",
                "Theorem 1, proof",
                digits,
                limit,
                ~play.exploring[:, None],
            )
            found.append(every)
        else:
            name = f"{play.name}: second digit of the regret"
            found.append(doubted(name, "Theorem 1", digits[:, 1], _from_round_2(curve)))
        return found

    return on_the_event(play.event(), consequences)


class _Play:
    """One run of one recipe, and what is common to all of them."""

    def __init__(self, name: str, recipe: Recipe, run: int, rounds: int, seed: int) -> None:
        now = trial(ENVIRONMENT, rounds, seed, run, short_repr(recipe))
        self.name = name
        self.truth = now.truth
        self.means = now.block.means[0]
        shape = now.problem.shape
        self.features = shape.features
        self.objectives = shape.objectives
        self.t = np.arange(1, rounds + 1)
        probe = EllipsoidProbe(now.problem.theta)  # type: ignore[attr-defined]
        self.chosen, seen = watched(recipe.bind(shape), probe, 4, now.block, now.rng)
        self._deviation = seen[:, 0]
        widest = seen[:, 2]
        self._radius = theory.radius(self.t, self.features, self.objectives, DELTA, NOISE)
        self.exploring = self._radius * widest > EPSILON

    def event(self) -> Finding:
        """Every theta in its ellipsoid."""
        name = f"{self.name}: every theta in its ellipsoid, at all times"
        return event(name, "Theorems 1 and 2, proofs", self._deviation, self._radius, DELTA)

    def exploration(self) -> Finding:
        """The number of rounds with a wide interval."""
        limit = theory.exploration_rounds_bound(
            len(self.t), self.features, self.objectives, DELTA, EPSILON, NOISE
        )
        return inequality(
            f"{self.name}: rounds of exploration",
            "elliptical potential",
            self.exploring.sum(),
            limit,
        )


def behind_heads(means: Array, chosen: IntArray, chains: tuple[tuple[int, ...], ...]) -> Array:
    """(rounds,) how far the chosen arm is behind in a chain's first objective, for the chain where that is least.

    Example:
        >>> behind_heads(np.array([[1.0, 0.0], [0.5, 0.25]]), np.array([1, 0]), ((0,), (1,))).tolist()
        [0.0, 0.0]
    """
    heads = [chain[0] for chain in chains]
    return np.asarray((means.max(axis=0) - means)[:, heads].min(axis=1)[chosen])


def _from_round_2(curve: Array) -> Array:
    return np.concatenate(
        [[np.inf], curve[1:]]
    )  # ln T is 0 in the first round, and the bound means T > 1
