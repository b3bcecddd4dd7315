"""Who plays a block: a policy alone, or a policy and the orders that read its beliefs."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from mobandits.compiling.compiled import Compiled, loop_for
from mobandits.contracts.protocols import Block, IntArray, Mask, Policy, Recipe, Shape
from mobandits.simulation.learner import Learner
from mobandits.simulation.play import play
from mobandits.simulation.preference_sweep import (
    PreferenceSweep,
    initial_beliefs,
    play_aloud,
    play_order,
)
from mobandits.simulation.streams import POLICY, READER, stream
from mobandits.support.naming import quoted, short_repr

METHODS = ("init", "beliefs", "draw", "probabilities", "update")


class Played(NamedTuple):
    """What a row of the table did in a block.

    Attributes:
        row: its name.
        chosen: (rounds,) arms.
        fronts: (rounds, arms) the sets that these were drawn from; None where nobody asks.
    """

    row: str
    chosen: IntArray
    fronts: Mask | None


class Player(Protocol):
    """Plays the blocks of a trial, one after the other."""

    def play(self, block: Block, arms: IntArray, *, with_fronts: bool) -> Iterable[Played]:
        """Everything that was played in a block."""


class SinglePlayer:
    """One learner, one row."""

    def __init__(self, row: str, learner: Learner) -> None:
        self._row = row
        self._learner = learner

    def play(self, block: Block, arms: IntArray, *, with_fronts: bool) -> Iterator[Played]:
        """One row."""
        out = _blank(self._row, block, with_fronts=with_fronts)
        self._learner.play(block, arms, out.chosen, out.fronts)
        yield out


class SweepPlayer:
    """One learner, which plays as it would alone, and a row for every order that reads its beliefs."""

    def __init__(
        self,
        row: str,
        learner: Learner,
        readings: PreferenceSweep,
        seed: int,
        trial: int,
        compiled: Compiled,
    ) -> None:
        self._row = row
        self._learner = learner
        self._readers = [
            (
                name,
                order,
                loop_for(
                    play_order, order, compiled="auto" if compiled else False
                ),  # True refuses policies, not orders
                stream(seed, trial, READER, f"{readings.recipe!r} read by {order!r}"),
            )
            for name, order in readings.orders.items()
        ]

    def play(self, block: Block, arms: IntArray, *, with_fronts: bool) -> Iterator[Played]:
        """The learner's row, then the readers'."""
        out = _blank(self._row, block, with_fronts=with_fronts)
        believed = np.empty(block.rewards.shape)
        self._learner.play(block, arms, out.chosen, out.fronts, believed)
        yield out
        for row, order, loop, rng in self._readers:
            out = _blank(row, block, with_fronts=with_fronts)
            loop(order, believed, rng, out.chosen, out.fronts)
            yield out


def player(
    row: str,
    recipe: Recipe | PreferenceSweep,
    shape: Shape,
    seed: int,
    trial: int,
    compiled: Compiled,
) -> Player:
    """A recipe bound to a problem, ready to play.

    Raises:
        ValueError: naming the row, where the recipe does not fit the problem, or what `compiled` and
            `PreferenceSweep` ask for.
    """
    aloud = isinstance(recipe, PreferenceSweep)
    one = recipe.recipe if isinstance(recipe, PreferenceSweep) else recipe

    def loop(policy: Policy) -> Any:
        _check_methods(one, policy)
        return loop_for(play_aloud if aloud else play, policy, compiled=compiled)

    try:
        learner = Learner(row, one, shape, loop, stream(seed, trial, POLICY, short_repr(one)))
        if isinstance(recipe, PreferenceSweep):
            recipe.check(
                learner.policy, shape, loop_for(initial_beliefs, learner.policy, compiled=compiled)
            )
            return SweepPlayer(row, learner, recipe, seed, trial, compiled)
    except ValueError as error:
        raise ValueError(f"policy {quoted(row)}: {error}") from error
    return SinglePlayer(row, learner)


def _check_methods(recipe: Recipe, policy: object) -> None:
    lacking = [name for name in METHODS if not callable(getattr(policy, name, None))]
    if lacking == list(METHODS):
        raise ValueError(f"{type(recipe).__name__}.bind must return a policy, got {quoted(policy)}")
    if lacking:
        raise ValueError(f"{type(policy).__name__} must define {', '.join(lacking)}")


def _blank(row: str, block: Block, *, with_fronts: bool) -> Played:
    rounds, arms, _ = block.rewards.shape
    return Played(
        row, np.empty(rounds, np.int64), np.empty((rounds, arms), np.bool_) if with_fronts else None
    )
