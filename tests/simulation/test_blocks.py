"""Blocks are asked for whole, cut at the horizon, and checked."""

import numpy as np
import pytest
from twins.tiny import Tiny

from mobandits.contracts.protocols import Block, Shape
from mobandits.simulation.blocks import STRETCH, merged_blocks, trial_blocks, validated

SHAPE = Shape(arms=3, features=2, objectives=1)


class Asked:
    shape = SHAPE

    def __init__(self):
        self.said = []

    def block(self, first, rounds, rng):
        self.said.append((first, rounds))
        return Block(np.zeros((rounds, 3, 2)), np.zeros((1, 3, 1)), np.zeros((rounds, 3, 1)))


@pytest.mark.parametrize(("limit", "last"), [(None, 256), (1000, 256), (600, 88), (520, 8)])
def test_full_blocks_are_asked_for_up_to_the_limit(limit, last):
    problem = Asked()
    played = [
        (first, len(block.rewards)) for first, block in trial_blocks(problem, 520, limit, None)
    ]
    assert problem.said == [(0, 256), (256, 256), (512, last)]
    assert played == [(0, 256), (256, 256), (512, 8)]


def test_arrays_become_writable_contiguous_floats():
    fixed = np.zeros((1, 3, 2), np.float32)
    fixed.setflags(write=False)
    rewards = np.zeros((1, 3, 4), np.int64).transpose(2, 1, 0)
    block = validated(
        Block(fixed, np.broadcast_to(np.zeros((3, 1)), (4, 3, 1)), rewards, 2), 4, SHAPE
    )
    for array in block[:3]:
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.dtype == np.float64
    assert block.decimals == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"rewards": np.zeros((4, 3))},
            "Block.rewards must have shape .rounds, arms, objectives. = .5, 3, 1., got .4, 3.",
        ),
        ({"rewards": np.zeros((4, 3, 1))}, "Block.rewards must have shape"),
        (
            {"means": np.zeros((2, 3, 1))},
            r"Block.means must have shape .* = \(5 or 1, 3, 1\), got \(2, 3, 1\)",
        ),
        (
            {"contexts": np.zeros((5, 2, 2))},
            r"Block.contexts must have shape .* = \(5 or 1, 3, 2\), got \(5, 2, 2\)",
        ),
        ({"contexts": np.zeros((5, 3, 1))}, "Block.contexts must have shape"),
        (
            {"rewards": np.ma.masked_equal(np.eye(5, 3)[:, :, None], 1.0)},
            r"Block.rewards must have no masked entries, got masked_array\(",
        ),
    ],
)
def test_wrong_shapes_are_refused(change, message):
    good = Block(np.zeros((5, 3, 2)), np.zeros((1, 3, 1)), np.zeros((5, 3, 1)))
    with pytest.raises(ValueError, match=message):
        validated(good._replace(**change), 5, SHAPE)


def test_blocks_are_cut_not_drawn_shorter():
    problem = Tiny().problem(300, np.random.default_rng(1))
    short = [block for _, block in trial_blocks(problem, 260, None, np.random.default_rng(2))]
    long = [block for _, block in trial_blocks(problem, 300, None, np.random.default_rng(2))]
    np.testing.assert_array_equal(short[1].rewards, long[1].rewards[:4])


class Drawn:
    """Rewards that change, contexts that do where asked to, means that change every `shift` blocks."""

    def __init__(self, arms, *, contexts=True, shift=100):
        self.shape = Shape(arms=arms, features=2, objectives=2)
        self.contexts, self.shift = contexts, shift

    def block(self, first, rounds, rng):
        seen = (
            rng.random((rounds if self.contexts else 1, self.shape.arms, 2))
            if self.contexts
            else np.ones((1, 1, 2))
        )
        means = np.full((1, self.shape.arms, 2), float(first // 256 // self.shift))
        return Block(
            np.broadcast_to(seen, (len(seen), self.shape.arms, 2)),
            means,
            rng.random((rounds, self.shape.arms, 2)),
        )


class Priced(Drawn):
    def quantities(self, first, rounds):
        return {"dollars": np.zeros((rounds, self.shape.arms))}


def lengths(problem, rounds):
    found = list(merged_blocks(problem, rounds, None, np.random.default_rng(0)))
    ends = np.cumsum([0, *[len(block.rewards) for _, block in found]])
    assert [first for first, _ in found] == ends[:-1].tolist()
    return [len(block.rewards) for _, block in found]


def spelled(pieces, what):
    """Every round of some blocks, whatever their borders."""
    rows = [
        np.broadcast_to(block[what], (len(block.rewards), *block[what].shape[1:]))
        for _, block in pieces
    ]
    return np.concatenate(rows)


@pytest.mark.parametrize("shift", [1, 3, 100])
@pytest.mark.parametrize("contexts", [True, False])
@pytest.mark.parametrize("rounds", [1, 256, 257, 512, 3000])
def test_stretches_are_the_same_rounds_as_blocks(rounds, contexts, shift):
    problem = Drawn(4, contexts=contexts, shift=shift)
    one, other = (
        list(cut(problem, rounds, None, np.random.default_rng(0)))
        for cut in (trial_blocks, merged_blocks)
    )
    for what in range(3):
        np.testing.assert_array_equal(spelled(one, what), spelled(other, what))


def test_small_blocks_are_played_several_at_a_time():
    numbers = 256 * 4 * 2 * 2 + 4 * 2
    at_once = STRETCH // numbers * 256
    assert lengths(Drawn(4), 2 * at_once + 300) == [at_once, at_once, 300]
    assert lengths(Drawn(100), 600) == [256, 256, 88]  # a block alone is more than a stretch


def test_what_is_constant_in_blocks_but_not_between_them_ends_a_stretch():
    assert lengths(Drawn(4, shift=3), 256 * 8) == [768, 768, 512]


def test_quantities_are_asked_for_block_by_block():
    assert lengths(Priced(4), 600) == [256, 256, 88]
