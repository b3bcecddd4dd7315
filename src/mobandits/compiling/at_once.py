"""Loops that answer at once: in Python, until their compiled code is at hand, with the same bits."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mobandits.compiling.at_hand import NotAtHand, is_at_hand, types_of
from mobandits.compiling.compiled import Compiled, interpreted, loop_for

__all__ = ["are_many", "as_compiled", "at_once", "pieces_for"]

# Numbers that a call may touch in Python, where each takes a tenth of a microsecond or more: of
# more of them, a few calls take longer than a compiler does.
MOST_IN_PYTHON = 50_000
FEW_ROUNDS = 16  # of a block that is played in Python: then it is asked again for compiled code


def at_once(function: Any, *parts: object, compiled: Compiled = "auto") -> Any:
    """As `loop_for`, for callers that go on in Python where the loop is in no cache.

    Calls with very many numbers wait for the compiler all the same.

    Args:
        function: as for `compile_loop`; a call of it takes a time that follows from how many
            numbers it is given.
        parts: as for `loop_for`.
        compiled: as for `loop_for`.
    """
    loop = loop_for(function, *parts, compiled=compiled)
    return function if loop is function else _at_once(loop)


def pieces_for(loop: Any, rounds: int) -> Iterator[slice]:
    """A block of rounds: whole for compiled code, and in small pieces for a loop in Python.

    Args:
        loop: as of `at_once`, which is called with each piece before the next one comes.
        rounds: of the block.
    """
    first = 0
    while first < rounds:
        is_whole = getattr(loop, "is_compiled", True)
        last = rounds if is_whole else min(rounds, first + FEW_ROUNDS)
        yield slice(first, last)
        first = last


class _AtOnce:
    """A loop that is called in Python while it is not at hand.

    Args:
        loop: as of `compile_loop`.

    Attributes:
        is_compiled: whether its last call was one of compiled code.
    """

    def __init__(self, loop: Callable[..., Any]) -> None:
        self.is_compiled = False
        self._loop: Any = loop

    def __call__(self, *args: Any) -> Any:
        """The value of the function."""
        if self.is_compiled:
            try:
                return self._loop(*args)
            except NotAtHand:  # for arguments of other types
                self.is_compiled = False

        if is_at_hand(self._loop, types_of(args), compiles=are_many(args)):
            self.is_compiled = True
            return self._loop(*args)

        with as_compiled():
            return self._loop.origin.function(*args)


_at_once = functools.cache(_AtOnce)  # what one caller has found at hand, all have


@contextlib.contextmanager
def as_compiled() -> Iterator[None]:
    """A context in which this thread calls parts and kernels in Python, which warn of nothing."""
    with interpreted(), np.errstate(all="ignore"):
        yield


def are_many(values: Any) -> bool:
    """Whether arguments have so many numbers that no call in Python should have to do with them."""
    return _numbers_in(values) > MOST_IN_PYTHON


def _numbers_in(value: Any) -> int:
    """How many numbers some arrays have, in tuples of any depth."""
    if isinstance(value, np.ndarray):
        return int(value.size)
    if isinstance(value, tuple):
        return sum(map(_numbers_in, value))

    return 0
