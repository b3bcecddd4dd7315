"""Policies and orders with one mistake each, at the line that says so."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.continuum import Aim
from mobandits.contracts.protocols import Choice, Recipe
from mobandits.estimators import ridge_for
from mobandits.explorers import Greedy
from mobandits.orders.order import BaseOrder
from mobandits.policies.composite import Composite


@dataclass(frozen=True)
class Bound(Recipe):
    """Binds to a policy of a class."""

    kind: Any

    def bind(self, shape):
        return self.kind(ridge_for(shape, penalty=1.0), 0.5)


@compiled
class Right:
    """Plays the first arm that is best in the first objective."""

    estimator: Any
    temperature: float

    def init(self):
        return self.estimator.init()

    def beliefs(self, state, context, arms, rng):
        return self.estimator.mean(state, context, arms)

    def draw(self, beliefs, rng):
        best = 0
        for a in range(len(beliefs)):
            if beliefs[a, 0] > beliefs[best, 0]:
                best = a
        return Choice(best, 0.0)

    def probabilities(self, beliefs):
        out = np.zeros(len(beliefs))
        out[0] = 1.0
        return out

    def update(self, state, x, arm, note, reward, rng):
        return self.estimator.update(state, x, arm, reward)


@compiled
class MisspeltField(Right):
    def draw(self, beliefs, rng):
        return Choice(int(self.temprature), 0.0)  # here


@compiled
class MisspeltMethod(Right):
    def beliefs(self, state, context, arms, rng):
        return self.estimator.meen(state, context, arms)  # here


@compiled
class MisspeltState(Right):
    def update(self, state, x, arm, note, reward, rng):
        state.invers[0, 0, 0, 0] = 1.0  # here
        return state


@compiled
class MisspeltName(Right):
    def draw(self, beliefs, rng):
        return Choice(int(temperatur), 0.0)  # noqa: F821 - here


@kernel
def root(x):
    return math.sqr(x)  # here


@compiled
class MisspeltFunction(Right):
    def draw(self, beliefs, rng):
        return Choice(int(root(self.temperature)), 0.0)


@compiled
class ReturnsZero(Right):
    def draw(self, beliefs, rng):  # here
        return 0


@compiled
class ReturnsTooMuch(Right):
    def draw(self, beliefs, rng):  # here
        return Choice(len(beliefs), 0.0)


@compiled
class ReturnsNothing(Right):
    def update(self, state, x, arm, note, reward, rng):  # here
        self.estimator.update(state, x, arm, reward)


@compiled
class ReturnsOneProbability(Right):
    def probabilities(self, beliefs):  # here
        return 1.0


@compiled
class TakesTooLittle(Right):
    def draw(self, beliefs):  # here
        return Choice(0, 0.0)


@compiled
class LeavesOutTheNote(Right):
    def draw(self, beliefs, rng):
        return Choice(0)  # here


@compiled
class ReadsBeyond(Right):
    def draw(self, beliefs, rng):
        return Choice(int(beliefs[len(beliefs), 0]), 0.0)  # here


@compiled
class AddsText(Right):
    def draw(self, beliefs, rng):
        return Choice(0, "0" + 1)  # here


@compiled
class DividesByZero(Right):
    def draw(self, beliefs, rng):
        return Choice(int(1 / (len(beliefs) - len(beliefs))), 0.0)  # here


@dataclass(frozen=True)
class Plain:
    """A policy in plain Python."""

    kind: str = "right"

    def init(self):
        return np.zeros(1)

    def beliefs(self, state, context, arms, rng):
        return np.zeros((len(arms), 2))

    def draw(self, beliefs, rng):
        return Choice(0, 0.0)

    def probabilities(self, beliefs):
        return np.full(len(beliefs), 1.0 / len(beliefs))

    def update(self, state, x, arm, note, reward, rng):
        return state + reward[0]


class PlainZero(Plain):
    def draw(self, beliefs, rng):  # here
        return 0


@dataclass(frozen=True)
class Anything(Recipe):
    """Binds to what it holds."""

    policy: Any

    def bind(self, shape):
        return self.policy


# What the first round does not reach: only a compiler finds these.


@compiled
class LaterField(Right):
    def draw(self, beliefs, rng):
        if beliefs[0, 0] > 1e9:
            return Choice(int(self.temprature), 0.0)  # here
        return Choice(0, 0.0)


@compiled
class LaterState(Right):
    def update(self, state, x, arm, note, reward, rng):
        if note > 0.0:
            state.invers[0, 0, 0, 0] = 1.0  # here
        return self.estimator.update(state, x, arm, reward)


@compiled
class LaterArray(Right):
    def draw(self, beliefs, rng):
        if beliefs[0, 0] > 1e9:
            return Choice(beliefs.ndimm, 0.0)  # here
        return Choice(0, 0.0)


@compiled
class LaterFunction(Right):
    def draw(self, beliefs, rng):
        if beliefs[0, 0] > 1e9:
            return Choice(int(root(self.temperature)), 0.0)
        return Choice(0, 0.0)


@compiled
class LaterName(Right):
    def draw(self, beliefs, rng):
        if beliefs[0, 0] > 1e9:
            return Choice(temperatur, 0.0)  # noqa: F821
        return Choice(0, 0.0)


# What is no mistake: numbers that Python refuses and compiled code takes, and calls that kernels take.


@compiled
class TakesLogarithms(Right):
    def draw(self, beliefs, rng):
        return Choice(0, 0.0 if math.log(abs(beliefs[0, 0]) * 0.0) < 0.0 else 1.0)


@compiled
class TakesExponents(Right):
    def draw(self, beliefs, rng):
        return Choice(0, 1.0 / math.exp(1000.0 + beliefs[0, 0]))


@kernel
def half(x, by=2.0):
    return x / by


@compiled
class NamesArguments(Right):
    def draw(self, beliefs, rng):
        return Choice(0, half(x=self.temperature, by=4.0))


@compiled
class CountsRewards(Right):
    """Has a bin for every tenth of a reward below 1."""

    def update(self, state, x, arm, note, reward, rng):
        counts = np.zeros(10)
        counts[int(10.0 * reward[0])] += 1.0
        return self.estimator.update(state, x, arm, reward)


# Orders.


@compiled
class Highest(BaseOrder):
    """The arm with the highest first objective."""

    def front(self, beliefs):
        return beliefs.high[:, 0] == beliefs.high[:, 0].max()

    def gap(self, means, arm):
        return means[:, 0].max() - means[arm, :1]


@compiled
class MisspeltOrder(Highest):
    def front(self, beliefs):
        return beliefs.hihg[:, 0] > 0.0  # here


@compiled
class MisspeltGap(Highest):
    def gap(self, means, arm):
        return means[arm, :1] - means.maximum()  # here


@compiled
class EmptyFront(Highest):
    def front(self, beliefs):  # here
        return np.zeros(len(beliefs.high), np.bool_)


@compiled
class TakesTooMuch(Highest):
    def front(self, beliefs, rng):  # here
        return beliefs.high[:, 0] > 0.0


@dataclass(frozen=True)
class Ordered(Recipe):
    """A policy of this library with an order of an author's."""

    order: Any

    def bind(self, shape):
        return Composite(ridge_for(shape, penalty=1.0), Greedy(), self.order)


# A continuum of arms.


@dataclass(frozen=True)
class Somewhere(Recipe):
    """Plays a point of a continuum."""

    continuum = True

    def bind(self, shape):
        return MisspeltPoint(shape.dimensions)


@compiled
class MisspeltPoint:
    """Aims at the middle."""

    dimensions: int

    def init(self):
        return np.zeros(1)

    def beliefs(self, state, context, rng):
        return state

    def draw(self, beliefs, rng):
        return Aim(np.full(self.dimension, 0.5), 0.0)  # here

    def update(self, state, x, point, note, reward, rng):
        return state
