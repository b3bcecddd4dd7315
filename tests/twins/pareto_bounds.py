"""Identification of the Pareto set from the whole history, pair by pair, as the papers write it."""

import math

import numpy as np
from scipy.special import zeta
from twins.regression import History
from twins.replay import pareto_front

from mobandits.numerics.pareto_bounds import exploration_threshold


def threshold(x):
    """C(x) on a fine grid."""
    s = np.linspace(0.5, 1.0, 200_001)[1:-1]
    g = 2 * s - 2 * s * np.log(4 * s) + np.log(zeta(2 * s)) - np.log(1 - s) / 2
    return ((g + x) / s).min()


class Pairs:
    """M and its half width for every pair of arms, from means and counts (arms, objectives)."""

    def __init__(self, mean, seen, delta, epsilon, sigma):
        self.k, l = mean.shape
        self.epsilon = epsilon
        # Not the grid's, and added up as the product does: ties of differences are decided by the last bit.
        c = exploration_threshold(0.5 * math.log(max(1, self.k * (self.k - 1) // 2 * l) / delta))
        self.m, self.beta = np.zeros((2, self.k, self.k))
        for i in range(self.k):
            for j in range(self.k):
                self.m[i, j] = max(mean[i] - mean[j])
                few = np.array([seen[i].min(), seen[j].min()])
                if few.min() == 0:
                    self.beta[i, j] = math.inf
                    continue
                excess = [0.5 * c + math.log(4 + math.log(seen[a].max())) for a in (i, j)]
                self.beta[i, j] = 2 * sigma * math.sqrt(sum(excess) * (1 / few).sum())

    def others(self, i):
        return [j for j in range(self.k) if j != i]

    def outside(self, i):
        return any(-self.m[i, j] - self.beta[i, j] > 0 for j in self.others(i))

    def inside(self, i):
        rivals = [j for j in self.others(i) if not self.outside(j)]
        return not self.outside(i) and all(
            self.m[i, j] - self.beta[i, j] + self.epsilon > 0 for j in rivals
        )

    def masks(self):
        inside = np.array([self.inside(i) for i in range(self.k)])
        return inside, np.array([self.outside(i) for i in range(self.k)])


class Bounded(History):
    """What `Ape` and `Elimination` play from."""

    def __init__(self, recipe, shape):
        super().__init__(*shape[:3])
        self.recipe, self.decided = recipe, 0

    def front(self, context):
        counts, mean = self.means()
        seen = np.repeat(counts[:, None], self.l, 1)
        pairs = Pairs(mean, seen, self.recipe.delta, self.recipe.epsilon, self.recipe.sigma)
        inside, outside = pairs.masks()
        if (inside | outside).all():
            self.decided += 1
            return inside
        return self.choose(pairs, inside, outside, counts)


class ApeTwin(Bounded):
    def choose(self, pairs, inside, outside, counts):
        worst = [
            min(pairs.m[i, j] + pairs.beta[i, j] for j in pairs.others(i)) for i in range(self.k)
        ]
        top = max(worst[i] for i in range(self.k) if not inside[i])
        play = np.zeros(self.k, bool)
        for b in range(self.k):
            if inside[b] or worst[b] < top:
                continue
            closeness = {j: pairs.m[b, j] - pairs.beta[b, j] for j in pairs.others(b)}
            rivals = [j for j in closeness if closeness[j] == min(closeness.values())]
            fewest = min(counts[j] for j in [b, *rivals])
            play[[j for j in [b, *rivals] if counts[j] == fewest]] = True
        return play


class EliminationTwin(Bounded):
    def choose(self, pairs, inside, outside, counts):
        undecided = ~inside & ~outside
        active = undecided.copy()
        for j in np.flatnonzero(inside):
            active[j] = any(
                pairs.m[i, j] - pairs.beta[i, j] + pairs.epsilon <= 0
                for i in np.flatnonzero(undecided)
            )
        return active & (counts == counts[active].min())


def ege_gaps(mean):
    """(arms,) gaps of empirical gap elimination, and who is on the front, of arms that are all active."""
    front, arms = pareto_front(mean), range(len(mean))
    star = [max(0.0, *(min(mean[j] - mean[i]) for j in arms if j != i)) for i in arms]
    gaps = list(star)
    for i in np.flatnonzero(front):
        to_rivals = [
            (max(mean[i] - mean[j]), max(0.0, *(mean[j] - mean[i])) + star[j])
            for j in arms
            if j != i
        ]
        gaps[i] = min(map(min, to_rivals))
    return np.array(gaps), front
