"""Folds of a log: what is fitted on all others is used on each.

So no round judges what it taught.
"""

import numpy as np

from mobandits.contracts.protocols import IntArray
from mobandits.support.checks import integer
from mobandits.support.naming import quoted


def folds_of(rounds: int, folds: int, seed: int) -> IntArray:
    """(rounds,) the fold of every round, from 0; random, and as even as can be.

    Args:
        rounds: length of the log.
        folds: their number, at least 2 and at most one per round.
        seed: of the random assignment.

    Raises:
        ValueError: where there are too few folds or rounds.

    Example:
        >>> np.bincount(folds_of(10, 3, seed=0)).tolist()
        [4, 3, 3]
    """
    integer("folds", folds, at_least=2)
    integer("seed", seed, at_least=0)
    if rounds < folds:
        rule = f"folds must be at most the number of rounds, {rounds}"
        raise ValueError(f"{rule}, got {quoted(folds)}")

    rng = np.random.default_rng(seed)
    # Shuffled and not drawn one by one, which would leave some folds larger than others.
    in_turn = np.arange(rounds) % folds

    return rng.permutation(in_turn)
