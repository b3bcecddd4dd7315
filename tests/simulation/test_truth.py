"""The shared answers about a block."""

import numpy as np
import pytest

from mobandits.contracts.protocols import Block
from mobandits.orders import Levels, Lexicographic, Pareto
from mobandits.simulation.truth import BlockGroundTruth

RNG = np.random.default_rng(0)


def block(means, rounds=6):
    return Block(np.zeros((1, 1, 0)), means, np.zeros((rounds, *means.shape[1:])))


@pytest.mark.parametrize("order", [Pareto(), Lexicographic(), Levels([[0], [2, 1]])], ids=str)
def test_fixed_means_give_what_changing_means_give(order):
    means, chosen = RNG.random((1, 5, 3)), RNG.integers(5, size=6)
    digits = len(order.gap(means[0], 0))
    fixed, changing = (
        BlockGroundTruth(block(means)),
        BlockGroundTruth(block(np.repeat(means, 6, axis=0))),
    )
    np.testing.assert_array_equal(
        fixed.gaps(order, chosen, digits), changing.gaps(order, chosen, digits)
    )
    np.testing.assert_array_equal(np.repeat(fixed.front(order), 6, axis=0), changing.front(order))


class Counting:
    """A plain Python order that counts its work."""

    def __init__(self):
        self.tables = self.fronts = 0

    def gaps(self, means):
        self.tables += 1
        return np.zeros((len(means), 1))

    def front(self, beliefs):
        self.fronts += 1
        return np.ones(len(beliefs.mean), np.bool_)


def test_answers_are_kept_while_the_means_stay():
    order, means, chosen = Counting(), RNG.random((1, 5, 3)), np.zeros(6, np.int64)
    truth = None
    for _ in range(4):
        truth = BlockGroundTruth(block(means.copy()), before=truth)
        for _ in range(2):
            truth.gaps(order, chosen, 1)
            truth.front(order)
    assert (order.tables, order.fronts) == (1, 1)
    BlockGroundTruth(block(means + 1), before=truth).gaps(order, chosen, 1)
    assert order.tables == 2


def test_quantities_are_loaded_once_and_only_if_asked_for():
    calls = []
    truth = BlockGroundTruth(
        block(RNG.random((1, 2, 1))), lambda: calls.append(1) or {"a": np.ones((6, 2))}
    )
    assert not calls
    assert truth.quantity("a") is truth.quantity("a")
    assert len(calls) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_means_must_be_finite(bad):
    with pytest.raises(ValueError, match=r"Block.means must be finite"):
        BlockGroundTruth(block(np.array([[[bad]]])))
