"""Folds of a log: what is fitted on all others, or on those before, is used on each.

So no round judges what it taught.
"""

from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import IntArray, Mask
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


def folds_of(rounds: int, folds: int, seed: int, kind: Any = np.int64) -> IntArray:
    """(rounds,) the fold of every round, from 0; random, and as even as can be.

    Args:
        rounds: length of the log.
        folds: their number, at least 2 and at most one per round.
        seed: of the random assignment.
        kind: of the numbers, which does not change them.

    Raises:
        ValueError: where there are too few folds or rounds.

    Example:
        >>> np.bincount(folds_of(10, 3, seed=0)).tolist()
        [4, 3, 3]
    """
    _check_parts("folds", folds, rounds)
    integer("seed", seed, at_least=0)
    # Shuffled and not drawn one by one, which would leave some folds larger than others.
    in_turn = np.resize(np.arange(folds, dtype=kind), rounds)
    shuffled: IntArray = np.random.default_rng(seed).permutation(in_turn)
    return shuffled


class PieceParts(NamedTuple):
    """The parts of a log in pieces, each of which is judged by what other parts taught.

    Attributes:
        of_rounds: (rounds,) the part of every round.
        ends: (pieces + 1,) how many rounds there are before each piece, and in all.
        forward: whether only earlier parts teach, in place of all others.

    Example:
        >>> parts = PieceParts(blocks_of(7, 3), np.array([0, 2, 4, 7]), forward=True)
        >>> parts.of(1).tolist(), parts.teach(1, parts.of(1)).tolist(), parts.later().of(1).tolist()
        ([0, 1], [True, False], [1, 2, 2])
    """

    of_rounds: IntArray
    ends: IntArray
    forward: bool

    @property
    def part_count(self) -> int:
        """The number of parts."""
        return int(self.of_rounds.max()) + 1

    def of(self, number: int) -> IntArray:
        """(rounds,) the parts of a piece."""
        first, end = self.ends[number : number + 2]
        return self.of_rounds[first:end].astype(np.int64)

    def teach(self, part: int, parts: IntArray) -> Mask:
        """(rounds,) whether rounds of these parts teach what judges a part."""
        return parts < part if self.forward else parts != part

    @property
    def first(self) -> int:
        """The rounds of the first part, which are those at the beginning."""
        return int(np.count_nonzero(self.of_rounds == 0))

    def later(self) -> "PieceParts":
        """The parts of the log without its first part, and without pieces that were in that alone."""
        ends = np.unique(np.maximum(self.ends - self.first, 0))
        return self._replace(of_rounds=self.of_rounds[self.first :], ends=ends)


def blocks_of(rounds: int, blocks: int, kind: Any = np.int64) -> IntArray:
    """(rounds,) the block of every round, from 0, in the order of the log; as even as can be.

    Raises:
        ValueError: where there are too few blocks or rounds.

    Example:
        >>> blocks_of(7, 3).tolist()
        [0, 0, 0, 1, 1, 2, 2]
    """
    _check_parts("blocks", blocks, rounds)
    # Block b begins at the first round i with i * blocks // rounds >= b.
    begins = -(-np.arange(blocks + 1) * rounds // blocks)
    return np.repeat(np.arange(blocks, dtype=kind), np.diff(begins))


def _check_parts(name: str, parts: int, rounds: int) -> None:
    integer(name, parts, at_least=2)
    if rounds < parts:
        rule = f"{name} must be at most the number of rounds, {rounds}"
        raise wrong_value(rule, parts)


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
