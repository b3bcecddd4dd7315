"""Loops borrow their arguments: what they return must own its memory, and nothing may leak."""

import gc
from typing import NamedTuple

import numpy as np
import pytest

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array

pytestmark = pytest.mark.skipif(INTERPRETED, reason="interpreted loops borrow nothing")


class Pair(NamedTuple):
    kept: Array
    made: Array


def same(pair, rng):
    return pair


def renewed(pair, rng):
    return Pair(pair.kept, pair.kept + rng.random())


def swapped(pair, rng):
    return Pair(pair.made, pair.kept)


def part_of(pair, rng):
    return Pair(pair.kept[2:], pair.made[1:2])


def fresh():
    return Pair(np.arange(5.0), np.ones(5))


def call(function, pair):
    return compile_loop(function)(pair, np.random.default_rng(0))


def test_what_is_handed_through_stays_the_same_object():
    pair = fresh()
    for _ in range(3):
        out = call(same, pair)
        assert out.kept is pair.kept
        assert out.made is pair.made
        pair = out


def test_new_arrays_are_new():
    pair = fresh()
    out = call(renewed, pair)
    assert out.kept is pair.kept
    assert not np.shares_memory(out.made, pair.made)
    np.testing.assert_array_equal(out.made, np.arange(5.0) + np.random.default_rng(0).random())


def test_fields_may_change_places():
    pair = fresh()
    out = call(swapped, pair)
    assert out.kept is pair.made
    assert out.made is pair.kept


def test_a_part_keeps_the_whole_alive():
    out = call(part_of, fresh())  # nobody else holds the arrays any more
    gc.collect()
    np.full(5, 9.0)
    np.testing.assert_array_equal(out.kept, [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(out.made, [1.0])


@pytest.mark.parametrize("function", [same, renewed, swapped, part_of])
def test_nothing_leaks(function, leaks):
    assert not leaks(lambda: call(function, fresh()))
