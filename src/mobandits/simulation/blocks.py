"""A trial's problem, block by block, in arrays of one kind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from mobandits.contracts.continuum import SurfaceEnvironment
from mobandits.contracts.protocols import Array, Block, Environment, Problem, Rng, Shape
from mobandits.support.checks import as_float_array

T = TypeVar("T")

BLOCK = 256  # rounds drawn at once; a part of every result, so never a parameter

# Numbers in blocks that are played at once: half a megabyte, which stays in a processor's cache.
CACHED_NUMBERS = 2**16


def merged_blocks(
    problem: Problem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[tuple[int, Block]]:
    """The trial's blocks, several in one where they are small, each with its first round (from 0).

    The rounds are those of `trial_blocks`, and so is what is played.
    """
    # A problem may know its quantities of the last block only.
    most = 0 if hasattr(problem, "quantities") else CACHED_NUMBERS
    batches = in_batches(
        trial_blocks(problem, rounds, limit, rng),
        lambda numbered: sum(array.size for array in numbered[1][:3]),
        lambda before, after: can_be_merged(before[1], after[1]),
        most,
    )
    for batch in batches:
        first, _ = batch[0]
        yield first, merge_blocks([block for _, block in batch])


def in_batches(
    blocks: Iterable[T],
    numbers_of: Callable[[T], int],
    can_follow: Callable[[T, T], bool],
    most: int,
) -> Iterator[list[T]]:
    """Consecutive blocks that are played at once.

    Args:
        blocks: of a trial.
        numbers_of: a block, how many there are.
        can_follow: whether a block and the next one can be one.
        most: numbers in a batch of several blocks, where these are of one size.

    Example:
        >>> list(in_batches([1, 1, 1, 2], lambda block: 10, lambda one, two: one == two, 20))
        [[1, 1], [1], [2]]
    """
    # A call of a loop from Python costs what a hundred rounds of four arms do.
    waiting: list[T] = []
    numbers = 0
    for block in blocks:
        if waiting and not can_follow(waiting[-1], block):
            yield waiting
            waiting = []
            numbers = 0

        waiting.append(block)
        size = numbers_of(block)
        numbers += size
        if numbers + size > most:
            yield waiting
            waiting = []
            numbers = 0

    if waiting:
        yield waiting


def can_be_merged(before: Block, after: Block) -> bool:
    """Whether two consecutive blocks can be one.

    What changes over rounds must do so in both, and what does not must be the same.
    """
    if before.decimals != after.decimals:
        return False

    for array, next_array in zip(before[:2], after[:2], strict=True):
        if _changes(array, before) and _changes(next_array, after):
            continue
        if len(array) != 1 or not np.array_equal(array, next_array):
            return False

    return True


def merge_blocks(parts: Sequence[Block]) -> Block:
    """Consecutive blocks as one.

    Example:
        >>> means = np.zeros((1, 2, 1))
        >>> part = Block(contexts=np.zeros((1, 1, 0)), means=means, rewards=np.zeros((9, 2, 1)))
        >>> [array.shape for array in merge_blocks([part, part])[:3]]
        [(1, 1, 0), (1, 2, 1), (18, 2, 1)]
    """
    first = parts[0]
    # Large blocks come alone, and a copy of one would be the largest of all.
    if len(parts) == 1:
        return first

    columns = []
    for i, array in enumerate(first[:3]):
        changes = _changes(array, first)
        columns.append(np.concatenate([part[i] for part in parts]) if changes else array)

    contexts, means, rewards = columns

    return Block(contexts, means, rewards, first.decimals)


def _changes(array: Array, block: Block) -> bool:
    """Whether there is an entry for every round."""
    rounds = len(block.rewards)
    return len(array) == rounds


def trial_blocks(
    problem: Problem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[tuple[int, Block]]:
    """The trial's blocks, each with its first round (from 0)."""
    # Full blocks are drawn always, and the last is cut: a run is then a prefix of every longer run.
    for first, drawn in block_bounds(rounds, limit):
        block = problem.block(first, drawn, rng)
        played = min(BLOCK, rounds - first)
        yield first, validated(block, played, problem.shape)


def block_bounds(rounds: int, limit: int | None) -> Iterator[tuple[int, int]]:
    """The first round of every block, from 0, and how many rounds to draw.

    Example:
        >>> list(block_bounds(300, limit=400))
        [(0, 256), (256, 144)]
    """
    for first in range(0, rounds, BLOCK):
        # Data that end have no rounds after the last.
        drawn = BLOCK if limit is None else min(BLOCK, limit - first)
        yield first, drawn


def horizon_limit(environment: Environment | SurfaceEnvironment, problem: object) -> int | None:
    """The longest horizon, where there is one."""
    # Data have a limit, and so may a problem that a trial drew from them.
    limit: int | None = getattr(environment, "max_rounds", None)
    if limit:
        return limit
    return getattr(problem, "max_rounds", None)


def validated(block: Block, rounds: int, shape: Shape) -> Block:
    """The first `rounds` of a block, as writable, C-contiguous float arrays.

    Other arrays would be other compilations.

    Raises:
        ValueError: where an array has the wrong shape.

    Example:
        >>> means = np.zeros((1, 2, 1))
        >>> block = Block(contexts=np.zeros((1, 1, 0)), means=means, rewards=np.zeros((9, 3, 1)))
        >>> validated(block, 9, Shape(arms=2, features=0, objectives=1))
        Traceback (most recent call last):
        ValueError: Block.rewards must have shape (rounds, arms, objectives) = (9, 2, 1), \
got (9, 3, 1)
    """
    if not isinstance(block, Block):
        raise ValueError(f"block() must return a Block, got {type(block).__name__}")

    contexts = as_float_array("Block.contexts", block.contexts)
    means = as_float_array("Block.means", block.means)
    rewards = as_float_array("Block.rewards", block.rewards)
    arms, features, objectives = shape[:3]
    # A block may have more rounds than are played, and all its arrays the same number or one.
    drawn = max(rounds, len(rewards)) if rewards.ndim else rounds
    if shape.shared:
        context_rows = {1}
    elif features:
        context_rows = {arms}
    else:
        context_rows = {arms, 1}

    _check_shape("rewards", rewards, "(rounds, arms, objectives)", ({drawn}, {arms}, {objectives}))
    _check_shape(
        "means", means, "(rounds or 1, arms, objectives)", ({drawn, 1}, {arms}, {objectives})
    )
    _check_shape(
        "contexts",
        contexts,
        "(rounds or 1, arms, features), with 1 for the arms where Shape.shared,",
        ({drawn, 1}, context_rows, {features}),
    )

    return Block(contexts[:rounds], means[:rounds], rewards[:rounds], block.decimals)


def _check_shape(name: str, array: Array, axes: str, lengths: Sequence[set[int]]) -> None:
    """Refuse an array whose axes do not have one of the allowed lengths each."""
    if array.ndim == len(lengths):
        pairs = zip(array.shape, lengths, strict=True)
        if all(length in allowed for length, allowed in pairs):
            return

    wanted = [" or ".join(map(str, sorted(allowed, reverse=True))) for allowed in lengths]
    raise ValueError(
        f"Block.{name} must have shape {axes} = ({', '.join(wanted)}), got {array.shape}"
    )
