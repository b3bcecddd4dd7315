"""An honest order, and one wrong order for every promise that an order can break."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.numerics.masks import leaders
from mobandits.orders.order import BaseOrder


@kernel
def beats(values, b, a, least_better):
    """Whether arm b is nowhere worse than arm a, and better in at least so many objectives."""
    better = 0
    for l in range(values.shape[1]):
        if values[b, l] < values[a, l]:
            return False
        better += values[b, l] > values[a, l]
    return better >= least_better


@kernel
def unbeaten(values, least_better):
    out = np.ones(len(values), np.bool_)
    for a in range(len(values)):
        for b in range(len(values)):
            out[a] = out[a] and (b == a or not beats(values, b, a, least_better))
    return out


@compiled
class Honest(BaseOrder):
    """The Pareto order, the slow way."""

    def front(self, beliefs):
        return unbeaten(beliefs.high, 1)

    def gap(self, means, arm):
        out = np.zeros(1)
        for b in range(len(means)):
            least = math.inf
            for l in range(means.shape[1]):
                least = min(least, means[b, l] - means[arm, l])
            out[0] = max(out[0], least)
        return out


@compiled
class EmptiesTies(Honest):
    """Equal arms beat each other: nobody is left."""

    def front(self, beliefs):
        return unbeaten(beliefs.high, 0)


@compiled
class Tolerant(Honest):
    """Slack in the comparison is not transitive: three arms can beat each other in a circle."""

    def front(self, beliefs):
        values, out = beliefs.high, np.ones(len(beliefs.high), np.bool_)
        for a in range(len(values)):
            for b in range(len(values)):
                worse, better = False, False
                for l in range(values.shape[1]):
                    worse = worse or values[b, l] < values[a, l] - 0.5
                    better = better or values[b, l] > values[a, l] + 0.01
                out[a] = out[a] and (worse or not better)
        return out


@compiled
class StrictDominance(Honest):
    """Strictly better in every objective: weakly dominated arms stay."""

    def front(self, beliefs):
        return unbeaten(beliefs.high, beliefs.high.shape[1])


@compiled
class TiesToTheFirst(Honest):
    """Of equal arms, the first stays."""

    def front(self, beliefs):
        out = unbeaten(beliefs.high, 1)
        for a in range(len(out)):
            for b in range(a):
                out[a] = out[a] and not (
                    beats(beliefs.high, b, a, 0) and beats(beliefs.high, a, b, 0)
                )
        return out


@compiled
class AbsoluteSlack(Honest):
    """Nearly best by a number that does not grow with the means, and no `scaled`."""

    def front(self, beliefs):
        first = np.empty(len(beliefs.high))
        for a in range(len(first)):
            first[a] = math.floor(min(beliefs.high[a, 0], 1e6) * 2.0)
        return leaders(first, unbeaten(beliefs.high, 1))


@compiled
class BiasedDraw(Honest):
    def draw(self, beliefs, rng):
        return int(np.argmax(self.front(beliefs)))


@compiled
class DrawsOffTheFront(Honest):
    def draw(self, beliefs, rng):
        return int(rng.random() * len(beliefs.high))


@compiled
class GapPerObjective(Honest):
    """The distance to the best value of every objective: no arm of a front of two has none."""

    def gap(self, means, arm):
        out = np.zeros(1)
        for b in range(len(means)):
            for l in range(means.shape[1]):
                out[0] = max(out[0], means[b, l] - means[arm, l])
        return out


@compiled
class ForgivingGap(Honest):
    """Zero for everybody."""

    def gap(self, means, arm):
        return np.zeros(1)


@compiled
class OtherGaps(Honest):
    """`gaps` forgets the last arm."""

    def gaps(self, means):
        out = np.zeros((len(means), 1))
        for a in range(len(means) - 1):
            out[a, 0] = self.gap(means, a)[0]
        return out


@compiled
class WritesIntoMeans(Honest):
    """Measures from the arm, and leaves it that way."""

    def gap(self, means, arm):
        out, base = np.zeros(1), means[arm].copy()
        for b in range(len(means)):
            least = math.inf
            for l in range(means.shape[1]):
                means[b, l] -= base[l]
                least = min(least, means[b, l])
            out[0] = max(out[0], least)
        return out


@compiled
class TwoWorlds(Honest):
    def gap(self, means, arm):
        out = np.zeros(1)
        for b in range(len(means)):
            least = math.inf
            for l in range(means.shape[1]):
                least = min(least, means[b, l] - means[arm, l])
            # Integers of Python do not overflow.
            overflows = (len(means) + 2**62) * 2 < 0
            out[0] = max(out[0], least) * (1.0 + 1e-15 if overflows else 1.0)
        return out


MUTANTS: dict[str, tuple[Any, str]] = {  # the order, and the check that it must fail
    "equal arms beat each other": (EmptiesTies(), "front-never-empty"),
    "tolerance in the comparison": (Tolerant(), "front-never-empty"),
    "strict instead of weak": (StrictDominance(), "front-is-undominated"),
    "ties to the first": (TiesToTheFirst(), "relabelling-moves-front-and-gaps"),
    "absolute slack": (AbsoluteSlack(), "scaling-keeps-front"),
    "biased draw": (BiasedDraw(), "draws-are-uniform-on-the-front"),
    "draws off the front": (DrawsOffTheFront(), "draws-are-uniform-on-the-front"),
    "gap not zero on the front": (GapPerObjective(), "gaps-are-zero-on-the-front"),
    "gap zero everywhere": (ForgivingGap(), "worse-arms-pay"),
    "gaps without the last arm": (OtherGaps(), "gaps-hold-every-gap"),
    "writes into the means": (WritesIntoMeans(), "beliefs-and-means-are-left-alone"),
    "two worlds": (TwoWorlds(), "interpreted-equals-compiled"),
}
