"""Checks of states that come from files.

They must be like the policy's first state, and as their classes declare their arrays.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.agent.resize_state import rebuilt
from mobandits.agent.sizes import matrix_entries
from mobandits.contracts.notes import note_columns, note_of, possible_notes
from mobandits.contracts.protocols import Array, Mask
from mobandits.contracts.states import BALLS, GRAMS, Field, fields_of
from mobandits.support.naming import quoted, wrong_value


def restored_state(policy: Any, given: Sequence[Array], objectives: int) -> Any:
    """A state of a policy with these arrays.

    Args:
        policy: whose first state the arrays must be like: in number, type and shape, except for
            Gram matrices, which rewards in part multiply by the number of objectives, and for
            balls, which are added.
        given: the arrays, which the state takes over.
        objectives: of the problem.

    Raises:
        ValueError: naming what does not fit.
    """
    # Before the first state takes memory for regressions that the arrays cannot hold.
    needed = matrix_entries(policy)
    held = sum(array.size for array in given)
    if needed > held:
        raise ValueError(f"state must have {needed} numbers of Gram matrices, got {held} in all")

    template = policy.init()
    wanted = list(fields_of(template))
    if len(wanted) != len(given):
        raise ValueError(f"state must have {len(wanted)} arrays, got {len(given)}")

    _check_shapes(wanted, given, objectives)
    state = rebuilt(template, iter(given))
    check_finite(state)
    for name, field, array in fields_of(state):
        _check_numbers(name, field, array, objectives)

    return state


def possible(policy: Any, state: Any, numbers: Array) -> Mask:
    """(decisions,) which notes the policy may have given before it came to this state.

    Args:
        policy: of the state.
        state: as it is now.
        numbers: (decisions, numbers of a note).

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import ScalarizedUcb1
        >>> policy = ScalarizedUcb1().bind(Shape(arms=4, features=0, objectives=2))
        >>> numbers = np.array([[0.0], [2.0], [3.0], [-1.0], [0.5]])
        >>> possible(policy, policy.init(), numbers).tolist()
        [True, True, False, False, False]
    """
    template = note_of(policy)
    note, fits = note_columns(template, numbers)
    may_be_given = possible_notes(policy, state, note)
    return fits & may_be_given


def _check_shapes(
    wanted: Sequence[tuple[str, Field, Array]], given: Sequence[Array], objectives: int
) -> None:
    lengths = set()
    grams = False
    for i, ((_, field, like), array) in enumerate(zip(wanted, given, strict=True)):
        shape = list(array.shape)
        free_axis = field.axis(GRAMS)
        if free_axis is None:
            free_axis = field.axis(BALLS)
        else:
            grams = True

        # Of more or fewer axes it does not fit anyway.
        if free_axis is not None and array.ndim == like.ndim:
            lengths.add(shape[free_axis])
            shape[free_axis] = like.shape[free_axis]

        if array.dtype != like.dtype or tuple(shape) != like.shape:
            rule = f"state[{i}] must be {like.dtype} of shape {like.shape}"
            raise ValueError(f"{rule}, got {array.dtype} of {quoted(array.shape)}")

        # Compiled code takes a byte for a truth value as it is, also where it is neither 0 nor 1.
        is_mask = array.dtype == np.bool_
        if is_mask and (array.view(np.uint8) > 1).any():
            raise ValueError(f"state[{i}] must hold truth values, got others")

    if len(lengths) > 1 or 0 in lengths or (grams and not lengths <= {1, objectives}):
        raise wrong_value("state must have one number of Gram matrices or balls", sorted(lengths))


def check_finite(state: Any) -> None:
    """Refuse a state with numbers that are not finite where they must be.

    Raises:
        ValueError: naming the array by its position.
    """
    for i, (_, field, array) in enumerate(fields_of(state)):
        allowed = np.isfinite(array)
        if not field.finite:
            allowed |= np.isinf(array)
        if not allowed.all():
            raise ValueError(f"state[{i}] must hold finite numbers, got others")


def _check_numbers(name: str, field: Field, array: Array, objectives: int) -> None:
    """Refuse numbers outside of their declared limits, such as counts below 0.

    An update would divide by them, or take them for a position.
    """
    if field.is_limited:
        fits = (array >= field.low) & (array <= field.high)
        kind = "numbers"
        if field.whole:
            fits &= array == np.floor(array)
            kind = "whole numbers"
        if not fits.all():
            bad = array[~fits][0]
            rule = f"{kind} in [{field.low:g}, {field.high:g}]"
            raise ValueError(f"state's {name} must hold {rule}, got {bad}")

    if field.positive_diagonal:
        diagonals = np.diagonal(array, axis1=-2, axis2=-1)
        if not (diagonals > 0.0).all():
            raise ValueError(f"state's {name} must be positive on the diagonal")
    if field.below_objectives:
        largest = array.max()
        if largest >= objectives:
            raise ValueError(f"state's {name} must be below {objectives}, got {largest}")
