"""Measures of whole runs and of sets of points, the slow obvious way."""

import itertools
import math

import numpy as np


def hypervolume(points, reference):
    """Inclusion and exclusion: the intersection of boxes is the box to the smallest coordinates."""
    inside = [np.array(p, float) - reference for p in points if (np.array(p) > reference).all()]
    total = 0.0
    for size in range(1, len(inside) + 1):
        for group in itertools.combinations(inside, size):
            total -= (-1) ** size * np.prod(np.min(group, axis=0))
    return total


def sampled_hypervolume(points, reference, top, rng, count=40_000):
    """The share of uniform points of a box that some point dominates; with its standard error."""
    reference, top = np.array(reference), np.array(top)
    hits = 0
    for z in reference + (top - reference) * rng.random((count, len(top))):
        hits += any((z <= p).all() for p in points)
    share, box = hits / count, np.prod(top - reference)
    return box * share, box * math.sqrt(share * (1 - share) / count)


def adversarial_pareto_regret(rewards, chosen):
    arms, objectives = rewards.shape[1:]
    earned = [sum(rewards[t, a, i] for t, a in enumerate(chosen)) for i in range(objectives)]
    best = [
        min(
            sum(rewards[t, b, i] for t in range(len(chosen))) - earned[i] for i in range(objectives)
        )
        for b in range(arms)
    ]
    return max(0.0, *best)


def shannon(counts):
    total = sum(counts)
    return sum(n / total * math.log(total / n) for n in counts if n) / math.log(len(counts))
