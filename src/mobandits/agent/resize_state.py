"""States of policies in another size: what was learned, moved into a policy with one arm more."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Policy, Recipe, Shape
from mobandits.contracts.states import ARMS, fields_of


class ResizedState(NamedTuple):
    """A policy and its state with one arm more.

    Attributes:
        shape: of the problem then.
        policy: bound to it.
        state: of the policy; None before the first stage.
    """

    shape: Shape
    policy: Policy
    state: Any


def with_arm_added(
    recipe: Recipe, shape: Shape, state: Any, slot: int, like: int | None
) -> tuple[Policy, Any]:
    """The policy with an arm more, and its state.

    Args:
        recipe: of the policy.
        shape: of the problem before.
        state: before; it stays as it is.
        slot: of the new arm: one below `shape.arms` that was left, or the next.
        like: the slot of the arm whose beliefs it starts from; None: the prior.
    """
    few = recipe.bind(shape)
    many = recipe.bind(shape.replaced(arms=shape.arms + 1))
    before = few.init()
    after = many.init()
    needs_room = slot == shape.arms
    if needs_room:
        state = grown(state, before, after)
    else:
        state = copy_of_state(state)
        # An arm that left its slot may have been known well: the new one starts from the prior.
        copy_slot(state, before, before, after, slot, slot)

    if like is not None:
        copy_slot(state, state, before, after, slot, like)

    return (many if needs_room else few), state


def has_own_models(recipe: Recipe, shape: Shape) -> bool:
    """Whether something of the state belongs to single arms.

    Where the recipe cannot be bound to one more arm, so it is assumed.
    """
    # States of few arms and features are small; but some recipes are for certain arms, or certain
    # features.
    sizes = (
        (2, min(shape.features, 1)),
        (2, shape.features),
        (shape.arms, shape.features),
    )
    for arms, features in sizes:
        small = Shape(arms, features, shape.objectives, shape.rounds, shape.shared)
        try:
            before = recipe.bind(small).init()
            after = recipe.bind(small.replaced(arms=arms + 1)).init()
        except ValueError:
            continue

        return any(axis is not None for axis in arm_axes(before, after))

    return True


def arrays(state: Any) -> Iterator[Any]:
    """The arrays of a state, in order."""
    for part in state:
        if isinstance(part, tuple):
            yield from arrays(part)
        else:
            yield part


def rebuilt(template: Any, given: Iterator[Any]) -> Any:
    """A state like `template`, with other arrays."""
    parts = []
    for part in template:
        is_state = isinstance(part, tuple)
        inner = rebuilt(part, given) if is_state else next(given)
        parts.append(inner)

    state_class = type(template)
    # States of others may be plain tuples, whose constructor takes one sequence.
    if state_class is tuple:
        return tuple(parts)

    return state_class(*parts)


def copy_of_state(state: Any) -> Any:
    """The same state in arrays of its own, which nobody changes."""
    copies = [array.copy() for array in arrays(state)]
    return rebuilt(state, iter(copies))


def grown(state: Any, before: Any, after: Any) -> Any:
    """`state` with room for the arms that `after` has and `before` has not; they know nothing yet.

    Args:
        state: of the policy with fewer arms; arrays without an axis of arms are shared.
        before: the first state of that policy.
        after: the first state of the policy with more.

    Example:
        >>> from mobandits.estimators import SampleMean
        >>> few, more = SampleMean(slots=2, objectives=1), SampleMean(slots=3, objectives=1)
        >>> state = few.update(few.init(), np.empty(0), 1, np.array([0.5]))
        >>> grown(state, few.init(), more.init()).total.ravel().tolist()
        [0.0, 0.5, 0.0]
    """
    axes = arm_axes(before, after)
    grown_arrays = []
    for now, less, more, axis in zip(
        arrays(state), arrays(before), arrays(after), axes, strict=True
    ):
        grown_arrays.append(now if axis is None else _grown_array(now, less, more, axis))

    return rebuilt(state, iter(grown_arrays))


def _grown_array(now: Array, before: Array, after: Array, axis: int) -> Array:
    # With one arm more, an axis of cells times arms is longer by one entry per cell.
    length = before.shape[axis]
    cells = after.shape[axis] - length
    arms = length // cells
    known = _by_cell(now, axis, cells)
    first = _by_cell(after, axis, cells)
    rest = known.shape[2:]
    together = np.empty((cells, arms + 1, *rest), now.dtype)
    together[:, :arms] = known
    # Rewards in part give every arm a Gram matrix per objective, and the first state has one: it
    # stands for all of them.
    together[:, arms] = first[:, arms]
    flat = together.reshape(-1, *rest)
    in_place = np.moveaxis(flat, 0, axis)

    # Compiled code was compiled for contiguous arrays.
    return np.ascontiguousarray(in_place)


def _by_cell(array: Array, axis: int, cells: int) -> Array:
    """(cells, arms, ...): an axis of cells times arms as two axes, and in front; a view."""
    front = np.moveaxis(array, axis, 0)
    length, *rest = front.shape
    arms = length // cells
    by_cell: Array = front.reshape(cells, arms, *rest)

    return by_cell


def copy_slot(state: Any, source: Any, before: Any, after: Any, to: int, of: int) -> None:
    """Overwrite the arm in slot `to` of a state with the one in slot `of` of another.

    Args:
        state: changed in place.
        source: of the same policy, or of the one for more arms; it may be `state`.
        before: the first state of a policy.
        after: that of the policy for one arm more.
        to: a slot of `state`.
        of: a slot of `source`.
    """
    axes = arm_axes(before, after)
    for now, known, less, more, axis in zip(
        arrays(state), arrays(source), arrays(before), arrays(after), axes, strict=True
    ):
        if axis is None:
            continue

        cells = more.shape[axis] - less.shape[axis]
        # Views, so that this writes into the state itself.
        _by_cell(now, axis, cells)[:, to] = _by_cell(known, axis, cells)[:, of]


def arm_axes(before: Any, after: Any) -> list[int | None]:
    """Per array of a state the axis of arms, or of cells times arms.

    None where no axis depends on the arms.

    It is declared, or else the axis that is longer with one arm more.

    Args:
        before: the first state of a policy.
        after: that of the policy for one arm more.
    """
    axes: list[int | None] = []
    for (_, field, less), more in zip(fields_of(before), arrays(after), strict=True):
        longer = [i for i in range(less.ndim) if less.shape[i] != more.shape[i]]
        declared = field.axis(ARMS)
        if not longer:
            axes.append(None)  # one entry of its axis of arms serves them all
        elif declared is None:
            axes.append(longer[0])
        else:
            axes.append(declared)

    return axes
