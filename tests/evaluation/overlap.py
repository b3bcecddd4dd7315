"""Worlds with a set overlap: as many effective rounds as asked for, on average over logs."""

import functools

import numpy as np
from worlds import World, softmax

POPULATION, ARMS, FEATURES = 20_000, 4, 3
FLOOR = 0.1  # no weight is above 40
ROUNDS = {60: 1000, 134: 1000, 372: 1000, 1000: 2500}
SHARPNESS = {
    60: 2.55,
    134: 1.1,
    372: 0.55,
    1000: 0.52,
}  # of both policies, for so many effective rounds
REWARDS = ("binary", "skewed", "heavy")


@functools.cache
def overlap_world(effective, objectives, rewards):
    """Two policies that look at the context in different ways, the sharper the less they overlap.

    Args:
        effective: one of ROUNDS.
        objectives: their number.
        rewards: "binary": one or zero; "skewed": exponential, with means between 0 and 2; "heavy": exponential,
            with means that are large in few contexts.
    """
    rng = np.random.default_rng(21)
    contexts = rng.normal(size=(POPULATION, FEATURES))
    sharpness = SHARPNESS[effective]
    logging = softmax(sharpness * contexts @ rng.normal(size=(FEATURES, ARMS)), FLOOR)
    target = softmax(sharpness * contexts @ rng.normal(size=(FEATURES, ARMS)), FLOOR)
    slopes = rng.normal(size=(FEATURES, ARMS * objectives))
    scores = (contexts @ slopes).reshape(POPULATION, ARMS, objectives)
    logistic = 1.0 / (1.0 + np.exp(-scores))
    if rewards == "binary":
        table = (rng.random(scores.shape) < logistic).astype(float)
    elif rewards == "skewed":
        table = 2.0 * logistic * rng.exponential(size=scores.shape)
    else:
        table = np.log1p(np.exp(scores)) * rng.exponential(size=scores.shape)
    return World(contexts[:, None], table, logging, target)
