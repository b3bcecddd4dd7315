"""A trial's problem, block by block, in arrays of one kind."""

from collections.abc import Iterator, Sequence

import numpy as np

from mobandits.contracts.continuum import SurfaceEnvironment
from mobandits.contracts.protocols import Array, Block, Environment, Problem, Rng, Shape
from mobandits.support.checks import as_float_array

BLOCK = 256  # rounds drawn at once; a part of every result, so never a parameter
STRETCH = (
    2**16
)  # numbers in blocks that are played at once: half a megabyte stays in a processor's cache


def merged_blocks(
    problem: Problem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[tuple[int, Block]]:
    """The trial's blocks, several in one where they are small, each with its first round (from 0).

    The rounds are the same, and so is what is played. A call from Python costs what a hundred rounds of four arms do.
    """
    held: list[Block] = []
    start = numbers = 0
    for first, block in trial_blocks(problem, rounds, limit, rng):
        if held and not can_be_merged(held[-1], block):
            yield start, merged(held)
            held = []
            numbers = 0
        start = start if held else first
        held.append(block)
        size = sum(array.size for array in block[:3])
        numbers += size
        if numbers + size > STRETCH or hasattr(
            problem, "quantities"
        ):  # these may be known of the last block only
            yield start, merged(held)
            held = []
            numbers = 0
    if held:
        yield start, merged(held)


def can_be_merged(before: Block, after: Block) -> bool:
    """Whether two blocks can be one: what changes over rounds does so in both, and what does not is the same."""
    pairs = zip(before[:2], after[:2], strict=True)
    return before.decimals == after.decimals and all(
        (_changes(one, before) and _changes(other, after))
        or (len(one) == 1 and np.array_equal(one, other))
        for one, other in pairs
    )


def merged(parts: Sequence[Block]) -> Block:
    """Blocks that continue each other as one.

    Example:
        >>> part = Block(contexts=np.zeros((1, 1, 0)), means=np.zeros((1, 2, 1)), rewards=np.zeros((9, 2, 1)))
        >>> [array.shape for array in merged([part, part])[:3]]
        [(1, 1, 0), (1, 2, 1), (18, 2, 1)]
    """
    if len(parts) == 1:
        return parts[0]
    contexts, means, rewards = (
        np.concatenate(column) if _changes(column[0], parts[0]) else column[0]
        for column in zip(*(part[:3] for part in parts), strict=True)
    )
    return Block(contexts, means, rewards, parts[0].decimals)


def _changes(array: Array, block: Block) -> bool:
    return len(array) == len(block.rewards)


def trial_blocks(
    problem: Problem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[tuple[int, Block]]:
    """The trial's blocks, each with its first round (from 0).

    Full blocks are asked for always, and the last is cut: a run is then a prefix of every longer run.
    """
    for first, asked in block_bounds(rounds, limit):
        yield (
            first,
            validated(problem.block(first, asked, rng), min(BLOCK, rounds - first), problem.shape),
        )


def block_bounds(rounds: int, limit: int | None) -> Iterator[tuple[int, int]]:
    """The first round of every block, from 0, and how many to ask for.

    Example:
        >>> list(block_bounds(300, limit=400))
        [(0, 256), (256, 144)]
    """
    for first in range(0, rounds, BLOCK):
        yield first, BLOCK if limit is None else min(BLOCK, limit - first)


def horizon_limit(environment: Environment | SurfaceEnvironment, problem: object) -> int | None:
    """The longest horizon, where there is one."""
    limit: int | None = getattr(environment, "max_rounds", None) or getattr(
        problem, "max_rounds", None
    )
    return limit


def validated(block: Block, rounds: int, shape: Shape) -> Block:
    """The first `rounds` of a block, as writable, C-contiguous float arrays: other arrays would be other compilations.

    Raises:
        ValueError: where an array has the wrong shape.

    Example:
        >>> block = Block(contexts=np.zeros((1, 1, 0)), means=np.zeros((1, 2, 1)), rewards=np.zeros((9, 3, 1)))
        >>> validated(block, 9, Shape(arms=2, features=0, objectives=1))
        Traceback (most recent call last):
        ValueError: Block.rewards must have shape (rounds, arms, objectives) = (9, 2, 1), got (9, 3, 1)
    """
    if not isinstance(block, Block):
        raise ValueError(f"block() must return a Block, got {type(block).__name__}")
    contexts, means, rewards = (
        as_float_array(f"Block.{name}", array)
        for name, array in zip(Block._fields[:3], block[:3], strict=True)
    )
    arms, features, objectives = shape[:3]
    seen_by = {1} if shape.shared else {arms} if features else {arms, 1}
    drawn = max(rounds, len(rewards)) if rewards.ndim else rounds
    for name, array, axes, lengths in (
        ("rewards", rewards, "(rounds, arms, objectives)", ({drawn}, {arms}, {objectives})),
        ("means", means, "(rounds or 1, arms, objectives)", ({drawn, 1}, {arms}, {objectives})),
        (
            "contexts",
            contexts,
            "(rounds or 1, arms, features), with 1 for the arms where Shape.shared,",
            ({drawn, 1}, seen_by, {features}),
        ),
    ):
        if array.ndim != 3 or any(
            n not in allowed for n, allowed in zip(array.shape, lengths, strict=True)
        ):
            wanted = ", ".join(
                " or ".join(map(str, sorted(allowed, reverse=True))) for allowed in lengths
            )
            raise ValueError(f"Block.{name} must have shape {axes} = ({wanted}), got {array.shape}")
    return Block(contexts[:rounds], means[:rounds], rewards[:rounds], block.decimals)
