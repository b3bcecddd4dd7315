"""A small problem and a plain Python policy, for tests of what stands around them."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Beliefs, Block, Choice, Recipe, Shape


@dataclass(frozen=True)
class Tiny:
    """Gaussian rewards around linear means; contexts of arms, shared contexts, or arms that stay."""

    arms: int = 4
    objectives: int = 2
    fixed: bool = False
    shared: bool = False
    decimals: int | None = None
    max_rounds: ClassVar[int | None] = None

    def problem(self, rounds, rng):
        shape = Shape(self.arms, 2, self.objectives, rounds, self.shared)
        fixed = rng.random((self.arms, 2)) if self.fixed else None
        theta = rng.random((self.arms if self.shared else 1, self.objectives, 2))
        return TinyProblem(shape._replace(fixed_arms=fixed), theta, self.decimals)


@dataclass(frozen=True)
class TinyData(Tiny):
    """The same, of which there are only 500 rounds."""

    max_rounds: ClassVar[int | None] = 500


class TinyProblem(NamedTuple):
    shape: Shape
    theta: np.ndarray
    decimals: int | None

    def block(self, first, rounds, rng):
        arms, features, objectives = self.shape[:3]
        if self.shape.fixed_arms is not None:
            contexts = self.shape.fixed_arms[None]
        else:
            contexts = rng.random((rounds, 1 if self.shape.shared else arms, features))
        means = (contexts[:, :, None, :] * self.theta).sum(3)
        if self.decimals is not None:
            means = np.round(means, self.decimals)
        return Block(
            contexts,
            means,
            means + 0.1 * rng.standard_normal((rounds, 1, objectives)),
            self.decimals,
        )

    def quantities(self, first, rounds):
        return {
            "dollars": np.arange(first, first + rounds)[:, None] + np.arange(self.shape.arms) / 8
        }


class PlainState(NamedTuple):
    total: np.ndarray
    count: np.ndarray


class PlainPolicy:
    """Mostly the arm with the best average in the first objective; plain Python, nothing compiled."""

    def __init__(self, shape, epsilon):
        self.shape, self.epsilon = shape, epsilon

    def init(self):
        return PlainState(
            np.zeros((self.shape.arms, self.shape.objectives)), np.zeros(self.shape.arms)
        )

    def beliefs(self, state, context, arms, rng):
        mean = state.total / np.maximum(state.count, 1)[:, None]
        return Beliefs(mean, mean, mean)

    def draw(self, beliefs, rng):
        if rng.random() < self.epsilon:
            return Choice(int(rng.integers(len(beliefs.mean))), 0.0)
        return Choice(int(beliefs.mean[:, 0].argmax()), 0.0)

    def probabilities(self, beliefs):
        out = np.full(len(beliefs.mean), self.epsilon / len(beliefs.mean))
        out[beliefs.mean[:, 0].argmax()] += 1 - self.epsilon
        return out

    def update(self, state, x, arm, note, reward, rng):
        state.total[arm] += reward
        state.count[arm] += 1
        return state


@dataclass(frozen=True)
class Plain(Recipe):
    epsilon: float = 0.1

    def bind(self, shape):
        return PlainPolicy(shape, self.epsilon)
