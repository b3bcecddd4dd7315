"""Loops that answer in Python until they are at hand: pieces of blocks, large calls, arguments of other types."""

import numpy as np
import pytest

from mobandits.compiling import at_hand
from mobandits.compiling.at_once import MOST_IN_PYTHON, are_many, at_once, pieces_for
from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.session import Session, stores_arguments
from mobandits.contracts.protocols import Shape
from mobandits.policies import RandomChoice

needs_a_compiler = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


def total(values):
    sum_of_all = 0.0
    for value in values:
        sum_of_all += value
    return sum_of_all


def largest(values):
    found = values[0]
    for value in values:
        found = max(found, value)
    return found


@stores_arguments
def put_first(session, values):
    session.state = session.state
    return values[0]


@pytest.fixture
def asked(monkeypatch):
    """The types of arguments for which a child process is asked; none ever ends."""
    kinds = []

    def has(_, wanted):
        kinds.append(wanted)
        return False

    monkeypatch.setattr(at_hand._waiting, "everywhere", False)
    monkeypatch.setattr(at_hand._helper, "has", has)
    return kinds


@needs_a_compiler
def test_small_calls_are_made_in_python_and_large_ones_wait(asked):
    loop = at_once(total)
    assert loop(np.ones(3)) == 3.0
    assert (len(asked), loop.is_compiled) == (1, False)
    assert loop(np.ones(MOST_IN_PYTHON + 1)) == MOST_IN_PYTHON + 1
    assert (len(asked), loop.is_compiled) == (1, True)
    # What one caller has waited for, all have.
    assert at_once(total) is loop


@needs_a_compiler
def test_arguments_of_other_types_are_no_reason_to_wait(asked):
    loop = at_once(largest)
    with at_hand.waiting():
        assert loop(np.array([1.0, 2.0])) == 2.0
    assert loop.is_compiled
    assert loop(np.array([1, 3])) == 3
    assert (len(asked), loop.is_compiled) == (1, False)
    assert loop(np.array([5.0, 4.0])) == 5.0
    assert (len(asked), loop.is_compiled) == (1, True)


@needs_a_compiler
def test_a_session_takes_arguments_of_other_types_in_python(asked):
    policy = RandomChoice().bind(Shape(arms=3, features=0, objectives=1))
    session = Session(policy, np.random.default_rng(0))
    with at_hand.waiting():
        assert session.call(put_first, np.array([1.5])) == 1.5
    assert session.call(put_first, np.array([2])) == 2
    assert len(asked) == 1
    assert session.call(put_first, np.array([3.5])) == 3.5
    assert len(asked) == 1


def test_blocks_are_whole_for_what_is_no_loop_of_this_kind():
    assert list(pieces_for(total, 40)) == [slice(0, 40)]
    assert list(pieces_for(total, 0)) == []


@needs_a_compiler
def test_blocks_are_cut_until_their_loop_is_compiled(asked):
    class Loop:
        is_compiled = False

    loop = Loop()
    pieces = []
    for piece in pieces_for(loop, 100):
        pieces.append((piece.start, piece.stop))
        loop.is_compiled = len(pieces) == 2
    assert pieces == [(0, 16), (16, 32), (32, 100)]


def test_numbers_are_counted_in_tuples_of_any_depth():
    half = np.zeros(MOST_IN_PYTHON // 2 + 1)
    assert not are_many((1.0, half, (None, "text")))
    assert are_many((half, (0, (half,))))
