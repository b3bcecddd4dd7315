"""Arms that join: what a policy has learned, moved into a policy that has one arm more."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Policy, Recipe, Shape
from mobandits.contracts.states import ARMS, fields_of


def joined(
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
    many = recipe.bind(shape._replace(arms=shape.arms + 1))
    before = few.init()
    after = many.init()
    if slot == shape.arms:
        state = grown(state, before, after)
    else:
        state = rebuilt(state, (array.copy() for array in arrays(state)))
        copy_slot(state, before, before, after, slot, slot)
    if like is not None:
        copy_slot(state, state, before, after, slot, like)
    return (many if slot == shape.arms else few), state


def has_own_models(recipe: Recipe, shape: Shape) -> bool:
    """Whether something of the state belongs to single arms; so it is assumed where one more arm is not possible."""
    # States of few arms and features are small; but some recipes are for certain arms, or certain features.
    for arms, features in (
        (2, min(shape.features, 1)),
        (2, shape.features),
        (shape.arms, shape.features),
    ):
        small = shape._replace(arms=arms, features=features)
        try:
            before = recipe.bind(small).init()
            after = recipe.bind(small._replace(arms=arms + 1)).init()
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


def parts(state: Any) -> list[Any]:
    """A state and the states inside of it."""
    return [state, *(inner for part in state if isinstance(part, tuple) for inner in parts(part))]


def rebuilt(template: Any, given: Iterator[Any]) -> Any:
    """A state like `template`, with other arrays."""
    parts = (rebuilt(part, given) if isinstance(part, tuple) else next(given) for part in template)
    return type(template)(*parts)


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
    quadruples = zip(arrays(state), arrays(before), arrays(after), axes, strict=True)
    return rebuilt(state, (_grown(*each) for each in quadruples))


def _grown(now: Array, before: Array, after: Array, axis: int | None) -> Array:
    if axis is None:
        return now
    cells = after.shape[axis] - before.shape[axis]  # one more arm in each
    arms = before.shape[axis] // cells
    old = np.moveaxis(now, axis, 0).reshape(cells, arms, *_rest(now.shape, axis))
    new = np.moveaxis(after, axis, 0).reshape(cells, arms + 1, *_rest(after.shape, axis))
    out = np.empty((cells, arms + 1, *old.shape[2:]), now.dtype)
    # one Gram matrix of the new arm stands for all objectives
    out[:, :arms] = old
    out[:, arms] = new[:, arms]
    return np.ascontiguousarray(np.moveaxis(out.reshape(-1, *old.shape[2:]), 0, axis))


def copy_slot(state: Any, source: Any, before: Any, after: Any, to: int, of: int) -> None:
    """Overwrite what `state` knows of the arm in slot `to` with what `source` knows of the one in slot `of`."""
    axes = arm_axes(before, after)
    for now, known, less, more, axis in zip(
        arrays(state), arrays(source), arrays(before), arrays(after), axes, strict=True
    ):
        if axis is not None:
            cells = more.shape[axis] - less.shape[axis]
            arms = now.shape[axis] // cells
            others = known.shape[axis] // cells
            for cell in range(cells):
                np.moveaxis(now, axis, 0)[cell * arms + to] = np.moveaxis(known, axis, 0)[
                    cell * others + of
                ]


def arm_axes(before: Any, after: Any) -> list[int | None]:
    """Per array of a state the axis of arms, or of cells times arms; None where no axis depends on the arms.

    It is declared, or else the axis that is longer with one arm more.

    Args:
        before: the first state of a policy.
        after: that of the policy for one arm more.
    """
    axes: list[int | None] = []
    for (_, field), less, more in zip(
        fields_of(before), arrays(before), arrays(after), strict=True
    ):
        longer = [i for i in range(less.ndim) if less.shape[i] != more.shape[i]]
        declared = field.axis(ARMS)
        if declared is not None and longer:
            axes.append(declared)
        else:
            axes.append(longer[0] if longer else None)
    return axes


def _rest(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]
