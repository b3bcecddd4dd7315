"""Players of blocks: a policy alone, or a policy and the orders that choose from its beliefs."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.at_once import at_once
from mobandits.compiling.compiled import Compiled
from mobandits.contracts.protocols import Block, IntArray, Mask, Order, Policy, Recipe, Rng, Shape
from mobandits.simulation.learner import Learner
from mobandits.simulation.play import play
from mobandits.simulation.preference_sweep import (
    MeanProbe,
    PreferenceSweep,
    initial_beliefs,
    play_order,
)
from mobandits.simulation.streams import POLICY, READER, stream
from mobandits.support.naming import quoted, short_repr, wrong_value

METHODS = ("init", "beliefs", "draw", "probabilities", "update")


class Played(NamedTuple):
    """The arms of one row of the table in one block.

    Attributes:
        row: its name.
        chosen: (rounds,) arms.
        fronts: (rounds, arms) the sets that these were drawn from; None where no metric needs them.
    """

    row: str
    chosen: IntArray
    fronts: Mask | None


class Reader(NamedTuple):
    """An order that chooses from the beliefs of a learner.

    Attributes:
        row: its name in the table.
        order: what chooses.
        loop: `play_order` for it.
        rng: its random stream, for ties.
    """

    row: str
    order: Order
    loop: Callable[..., None]
    rng: Rng


class Player:
    """One learner, which plays as it would alone, and a row for every order of a sweep."""

    def __init__(self, row: str, learner: Learner, readers: Sequence[Reader] = ()) -> None:
        self._row = row
        self._learner = learner
        self._readers = readers

    def play(self, block: Block, arms: IntArray, *, with_fronts: bool) -> Iterator[Played]:
        """The learner's row, then those of the orders."""
        played = _blank(self._row, block, with_fronts=with_fronts)
        means = np.empty(block.rewards.shape)
        self._learner.play(block, arms, played.chosen, played.fronts, means)
        yield played
        for reader in self._readers:
            played = _blank(reader.row, block, with_fronts=with_fronts)
            reader.loop(reader.order, means, reader.rng, played.chosen, played.fronts)
            yield played


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
        ValueError: naming the row, where the recipe does not fit the problem, or what `compiled`
            and `PreferenceSweep` ask for.
    """
    try:
        if isinstance(recipe, PreferenceSweep):
            return _sweep_player(row, recipe, shape, seed, trial, compiled)

        return Player(row, learner_for(row, recipe, shape, seed, trial, compiled))
    except ValueError as error:
        raise ValueError(f"policy {quoted(row)}: {error}") from error


def learner_for(
    row: str,
    recipe: Recipe,
    shape: Shape,
    seed: int,
    trial: int,
    compiled: Compiled,
    probe: MeanProbe | None = None,
) -> Learner:
    """A recipe at work in one trial; the arguments are those of `player`."""
    parts = [] if probe is None else [probe]

    def loop_of(policy: Policy) -> Any:
        _check_methods(recipe, policy)
        return at_once(play, policy, *parts, compiled=compiled)

    rng = stream(seed, trial, POLICY, short_repr(recipe))

    return Learner(row, recipe, shape, loop_of, rng, probe)


def _sweep_player(
    row: str,
    sweep: PreferenceSweep,
    shape: Shape,
    seed: int,
    trial: int,
    compiled: Compiled,
) -> Player:
    learner = learner_for(row, sweep.recipe, shape, seed, trial, compiled, MeanProbe())
    policy = learner.policy
    sweep.check(policy, shape, at_once(initial_beliefs, policy, compiled=compiled))
    readers = []
    for name, order in sweep.orders.items():
        # A stream of its own, or orders would change the arms of each other and of the learner.
        rng = stream(seed, trial, READER, f"{sweep.recipe!r} read by {order!r}")
        # `compiled=True` promises compiled policies; orders that only read may be any.
        loop = at_once(play_order, order, compiled="auto" if compiled else False)
        readers.append(Reader(name, order, loop, rng))

    return Player(row, learner, readers)


def _check_methods(recipe: Recipe, policy: object) -> None:
    missing = [name for name in METHODS if not callable(getattr(policy, name, None))]
    # What has none of them is no policy at all: often `bind` returns nothing.
    if missing == list(METHODS):
        name = type(recipe).__name__
        raise wrong_value(f"{name}.bind must return a policy", policy)
    if missing:
        name = type(policy).__name__
        raise ValueError(f"{name} must define {', '.join(missing)}")


def _blank(row: str, block: Block, *, with_fronts: bool) -> Played:
    """Arrays to write the arms and fronts of a block into."""
    rounds, arms, _ = block.rewards.shape
    chosen = np.empty(rounds, np.int64)
    # To ask a policy for its set in every round takes time, which only some metrics need.
    if not with_fronts:
        return Played(row, chosen, None)

    fronts = np.empty((rounds, arms), np.bool_)

    return Played(row, chosen, fronts)
