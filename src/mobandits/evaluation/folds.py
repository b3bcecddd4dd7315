"""Folds of a log: a model is fitted on the others, so that it is never used on its own data."""

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
    in_turn = np.arange(rounds) % folds
    return rng.permutation(in_turn)
