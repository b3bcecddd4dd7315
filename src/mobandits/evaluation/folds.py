"""Folds of a log: what is fitted on all others, or on those before, is used on each.

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
    _check_parts("folds", folds, rounds)
    integer("seed", seed, at_least=0)
    return _shuffled(rounds, folds, np.random.default_rng(seed))


def folds_of_chunk(rounds: int, folds: int, seed: int, number: int) -> IntArray:
    """As `folds_of`, for one chunk of a stream, whatever its length.

    Args:
        rounds: length of the chunk.
        folds: number of folds.
        seed: of the random assignment.
        number: of the chunk, from 0.

    Example:
        >>> folds_of_chunk(1, 5, seed=0, number=3).tolist()
        [0]
    """
    return _shuffled(rounds, folds, np.random.default_rng([seed, number]))


def _shuffled(rounds: int, folds: int, rng: np.random.Generator) -> IntArray:
    # Shuffled and not drawn one by one, which would leave some folds larger than others.
    in_turn = np.arange(rounds) % folds
    return rng.permutation(in_turn)


def blocks_of(rounds: int, blocks: int) -> IntArray:
    """(rounds,) the block of every round, from 0, in the order of the log; as even as can be.

    Raises:
        ValueError: where there are too few blocks or rounds.

    Example:
        >>> blocks_of(7, 3).tolist()
        [0, 0, 0, 1, 1, 2, 2]
    """
    _check_parts("blocks", blocks, rounds)
    return np.arange(rounds) * blocks // rounds


def _check_parts(name: str, parts: int, rounds: int) -> None:
    integer(name, parts, at_least=2)
    if rounds < parts:
        rule = f"{name} must be at most the number of rounds, {rounds}"
        raise ValueError(f"{rule}, got {quoted(parts)}")


def doubling_blocks(rounds: int, first: int = 64) -> IntArray:
    """(rounds,) blocks that end after 64, 128, 256, ... rounds.

    However long a log has become, its earlier rounds are in the same blocks.

    Args:
        rounds: of the log.
        first: the length of the first two blocks.

    Example:
        >>> doubling_blocks(9, 2).tolist()
        [0, 0, 1, 1, 2, 2, 2, 2, 3]
    """
    ends = first * 2 ** np.arange(64 - first.bit_length())
    return np.searchsorted(ends, np.arange(rounds), side="right")
