"""Metrics, the slow obvious way: one round at a time, by their definitions."""

import itertools

import numpy as np


def dominates(v, u):
    return (v >= u).all() and (v > u).any()


def pareto_front(means):
    return {a for a, u in enumerate(means) if not any(dominates(v, u) for v in means)}


def pareto_gap(means, arm):
    return max(min(row - means[arm]) for row in means)


def lexicographic_best(means):
    return max(range(len(means)), key=lambda a: tuple(means[a]))


def level_gap(means, arm, levels):
    """Nested fronts; the first positive gap counts."""
    among, out = set(range(len(means))), [0.0] * len(levels)
    for i, level in enumerate(levels):
        part = means[:, level]
        out[i] = max(0.0, *(min(part[b] - part[arm]) for b in among))
        if out[i] > 0:
            break
        among = {a for a in among if not any(dominates(part[b], part[a]) for b in among)}
    return out


def chain_gap(means, arm, chains):
    """The least vector of digits that lifts the arm out of every other's dominance, found among all candidates."""
    width = max(map(len, chains))
    ahead = [
        min(
            tuple(means[b, c[k]] - means[arm, c[k]] if k < len(c) else 0.0 for k in range(width))
            for c in chains
        )
        for b in range(len(means))
    ]
    best = list(max(ahead))
    for k in range(width):
        if best[k] < 0:
            best[k:] = [0.0] * (width - k)
            break
    return best


def jaccard(front, other):
    return len(front & other) / len(front | other)


def averaged(values, points):
    """Means over the rounds since the point before."""
    return [np.mean(values[a:b]) for a, b in itertools.pairwise([0, *points])]
