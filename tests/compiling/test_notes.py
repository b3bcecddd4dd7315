"""Notes taken apart and put together: the same numbers and types in Python and in compiled code."""

from typing import NamedTuple

import numpy as np
import pytest

from mobandits.compiling.compiled import kernel
from mobandits.compiling.notes import note_like, numbers_of
from mobandits.contracts.notes import is_like, note_columns


class Ball(NamedTuple):
    ball: int


class Sided(NamedTuple):
    inner: Ball
    sides: int


class Timed(NamedTuple):
    inner: Sided
    round: float
    probability: float


NOTES = [0.5, Ball(3), Sided(Ball(3), 2), Timed(Sided(Ball(3), 2), 7.0, 0.25)]
OTHERS = [0.0, Ball(0), Sided(Ball(0), 0), Timed(Sided(Ball(0), 0), 0.0, 0.0)]


@kernel
def compiled_numbers(note):
    return numbers_of(note)


@kernel
def compiled_note(template, numbers):
    return note_like(template, numbers)


def types_of(note):
    return [*map(types_of, note)] if isinstance(note, tuple) else type(note)


@pytest.mark.parametrize(("note", "template"), [*zip(NOTES, OTHERS, strict=True)], ids=str)
def test_there_and_back(note, template):
    numbers = numbers_of(note)
    assert all(type(number) is float for number in numbers)
    assert compiled_numbers(note) == numbers
    for again in (note_like(template, numbers), compiled_note(template, numbers)):
        assert again == note
        assert type(again) is type(note)
        assert types_of(again) == types_of(note)


def test_what_is_like_a_note():
    timed = OTHERS[-1]
    assert all(is_like(note, note) for note in NOTES)
    assert is_like(np.float64(1.0), 0.0)
    assert is_like(2, 0.0)
    wrong = [Ball(0.5), Ball(np.nan), Sided(3, 2), (Ball(3), 2), None, "x"]
    assert not any(is_like(note, timed) or is_like(note, Ball(0)) for note in wrong)
    assert not is_like(np.inf, 0.0)


def test_columns_of_notes():
    table = np.array([[3.0, 2.0, 7.5, 0.5], [0.5, 0.0, 1.0, 1.0], [1e300, 0.0, np.nan, 1.0]])
    note, fits = note_columns(OTHERS[-1], table)
    assert fits.tolist() == [True, False, False]
    assert note.inner.inner.ball.dtype == np.int64
    assert (note.inner.inner.ball[0], note.inner.sides[0], note.round[0]) == (3, 2, 7.5)
