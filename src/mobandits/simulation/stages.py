"""The policy of the stage that a recipe is in, its loop and its state."""

from collections.abc import Callable, Iterator
from typing import Any

from mobandits.compiling.at_once import pieces_for


class Stages:
    """A recipe at work: bound, and bound anew whenever a stage ends.

    Args:
        stages: of the recipe, for a shape.
        loop_of: makes the loop for a policy, compiled or not; refuses policies that may not be
            played.

    Attributes:
        policy: of the present stage.
        loop: for that policy.
        state: of that policy; who calls the loop stores the new one here.
    """

    def __init__(self, stages: Iterator[Any], loop_of: Callable[[Any], Callable[..., Any]]) -> None:
        self._stages = stages
        self._loop_of = loop_of
        self._begin()

    def _begin(self) -> None:
        stage = next(self._stages)
        self.policy, self._rounds_left = stage
        self.loop = self._loop_of(self.policy)
        # From scratch: a stage knows nothing of the one before.
        self.state = self.policy.init()

    def pieces(self, rounds: int) -> Iterator[slice]:
        """A block of so many rounds, in pieces that lie within one stage each.

        Pieces are small as long as their loop is called in Python.

        Before a piece that begins a stage comes, the attributes are those of the new stage.
        """
        first = 0
        while first < rounds:
            # Not when a stage ends but when the next one has a round: a run that ends with a stage
            # binds no policy more.
            if self._rounds_left == 0:
                self._begin()

            last = rounds
            if self._rounds_left is not None:
                last = min(rounds, first + self._rounds_left)
                self._rounds_left -= last - first

            for piece in pieces_for(self.loop, last - first):
                yield slice(first + piece.start, first + piece.stop)

            first = last
