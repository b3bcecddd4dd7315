"""An honest environment, and one wrong environment for every promise that an environment can break."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Block, Shape


class Problem:
    """Linear rewards of three arms that get new features every round."""

    def __init__(self, rounds, theta):
        self.shape, self.theta, self.asked = (
            Shape(arms=3, features=2, objectives=2, rounds=rounds),
            theta,
            0,
        )

    def contexts(self, first, rounds, rng):
        return rng.random((rounds, 3, 2))

    def block(self, first, rounds, rng):
        contexts = self.contexts(first, rounds, rng)
        means = contexts @ self.theta.T
        return Block(contexts, means, means + rng.standard_normal((rounds, 1, 2)))


class FixedProblem(Problem):
    def __init__(self, rounds, theta):
        super().__init__(rounds, theta)
        self.shape = self.shape._replace(fixed_arms=np.eye(3, 2))

    def contexts(self, first, rounds, rng):
        return self.shape.fixed_arms[None]


class OptimisticRewards(Problem):
    """Rewards that are better than their means, for one arm and objective."""

    def block(self, first, rounds, rng):
        block = super().block(first, rounds, rng)
        block.rewards[:, 1, 1] += 0.2
        return block


class ContextFreeRewards(Problem):
    """Rewards that are right on average, but ignore the context."""

    def block(self, first, rounds, rng):
        block = super().block(first, rounds, rng)
        average = np.full((1, 3, 2), 0.5) @ self.theta.T
        return block._replace(rewards=average + rng.standard_normal((rounds, 3, 2)))


class FullBlocksOnly(Problem):
    """Always 64 rounds, whatever was asked for."""

    def block(self, first, rounds, rng):
        return super().block(first, 64, rng)


class SharedAxis(Problem):
    """One row of contexts where the shape says that every arm has its own."""

    def contexts(self, first, rounds, rng):
        return rng.random((rounds, 1, 2))

    def block(self, first, rounds, rng):
        contexts = self.contexts(first, rounds, rng)
        means = np.repeat(contexts @ self.theta.T, 3, axis=1)
        return Block(contexts, means, means)


class HalfPrecision(Problem):
    def contexts(self, first, rounds, rng):
        return rng.random((rounds, 3, 2), np.float32)


class UnroundedMeans(Problem):
    """Claims decimals that its means do not keep."""

    def block(self, first, rounds, rng):
        return super().block(first, rounds, rng)._replace(decimals=1)


class MovingArms(FixedProblem):
    """Fixed arms that are drawn anew for every block."""

    def contexts(self, first, rounds, rng):
        return rng.random((1, 3, 2))


class FixedByTheSize(FixedProblem):
    """Means that depend on the size of the block, where nothing changes over rounds."""

    def block(self, first, rounds, rng):
        block = super().block(first, rounds, rng)
        means = block.means + 1.0 / rounds
        return block._replace(means=means, rewards=np.repeat(means, rounds, axis=0))


class CountsCalls(Problem):
    """A problem that remembers how often it was asked."""

    def contexts(self, first, rounds, rng):
        self.asked += 1
        return rng.random((rounds, 3, 2)) / self.asked


class RemembersFirst(Problem):
    """Drifts from where the first block left it: a resumed run would not."""

    def contexts(self, first, rounds, rng):
        drawn = rng.random((rounds, 3, 2))
        if first == 0:
            self.asked = drawn[-1, 0, 0]
        return drawn * (1.0 if first == 0 else self.asked)


class HorizonAware(Problem):
    """Contexts that shrink towards the end of the run."""

    def contexts(self, first, rounds, rng):
        time = (first + np.arange(rounds)) / self.shape.rounds
        return rng.random((rounds, 3, 2)) * (1.0 - 0.5 * np.minimum(time, 1.0))[:, None, None]


class GlobalChance(Problem):
    def contexts(self, first, rounds, rng):
        return np.random.default_rng().random((rounds, 3, 2))


class CountsPerRound(Problem):
    """A quantity without an axis of arms."""

    def quantities(self, first, rounds):
        return {"dollars": np.ones(rounds)}


@dataclass(frozen=True)
class Environment:
    """The environment of a kind of problem."""

    kind: type = Problem

    def problem(self, rounds, rng) -> Any:
        return self.kind(rounds, rng.random((2, 2)))


class Case(NamedTuple):
    environment: Environment
    check: str


MUTANTS = {
    "rewards above their means": Case(Environment(OptimisticRewards), "rewards-have-their-means"),
    "rewards ignore the context": Case(Environment(ContextFreeRewards), "rewards-have-their-means"),
    "full blocks only": Case(Environment(FullBlocksOnly), "shapes-are-as-agreed"),
    "a shared axis": Case(Environment(SharedAxis), "shapes-are-as-agreed"),
    "half precision": Case(Environment(HalfPrecision), "shapes-are-as-agreed"),
    "means not rounded": Case(Environment(UnroundedMeans), "shapes-are-as-agreed"),
    "moving arms": Case(Environment(MovingArms), "what-is-fixed-stays"),
    "means depend on the block size": Case(Environment(FixedByTheSize), "what-is-fixed-stays"),
    "remembers calls": Case(Environment(CountsCalls), "trials-repeat"),
    "chance from elsewhere": Case(Environment(GlobalChance), "trials-repeat"),
    "cannot resume": Case(Environment(RemembersFirst), "trials-resume"),
    "knows the horizon": Case(Environment(HorizonAware), "shorter-runs-are-prefixes"),
    "quantity per round": Case(Environment(CountsPerRound), "quantities-have-their-shape"),
}
