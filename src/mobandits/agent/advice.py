"""What to write instead: the ends of messages about contexts, arms and rewards that an agent cannot take."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean

LISTED = 10  # names that a message lists


def listed(names: Iterable[Hashable]) -> str:
    """Names as messages list them.

    Example:
        >>> listed(["small", ("large", 2)]), listed(range(12))[-9:]
        ("'small', ('large', 2)", '8, 9, ...')
    """
    texts = [quoted(name) for name in names]
    return shortened(", ".join(texts[:LISTED]) + ", ..." * (len(texts) > LISTED))


def on_numbers(value: Any, features: int, arms: int, *, shared: bool | None, batch: bool) -> str:
    """How to give a context, where what was given is not numbers.

    Args:
        value: what was given.
        features: length of a row.
        arms: their number.
        shared: whether one row serves all arms; None: not settled yet.
        batch: whether there are many contexts.

    Example:
        >>> on_numbers("red", 3, 2, shared=True, batch=False)
        '; write 3 numbers (of text, 0 or 1 per category) in the order of the features'
    """
    if features == 0:
        return "; leave it out where features=0"
    text = " (of text, 0 or 1 per category)" if _has_text(value) else ""
    row = f"{features} numbers{text} in the order of the features"
    own = f"such a row for each of {arms} arms"
    shape = {True: row, False: f"{row}, {own}", None: f"{row}, or {own}"}[shared]
    each = "for every context " if batch else ""
    return f"; write {each}{shape}"


def _has_text(value: Any) -> bool:
    try:
        parts = np.asarray(value, object).ravel().tolist()
    except (TypeError, ValueError):
        return False
    return any(isinstance(part, str | bytes) for part in parts)


def on_shape(shape: Sequence[int], features: int, arms: int, *, batch: bool) -> str:
    """How to give a context, where what was given has another shape.

    Example:
        >>> on_shape((1, 3), 3, 2, batch=False), on_shape((5, 3), 3, 2, batch=False)
        ('; np.ravel(context) is one row', '; decide_batch takes many contexts')
        >>> on_shape((3,), 3, 2, batch=True)
        '; decide takes one context'
    """
    layouts = [(features,), (arms, features)]
    if batch:
        return "; decide takes one context" if tuple(shape) == layouts[0] else ""
    if shape == () and features != 1:
        return f"; write a list of {features} numbers"
    if math.prod(shape) == features:
        return "; np.ravel(context) is one row"
    many = len(shape) > 1 and tuple(shape[1:]) in layouts
    return "; decide_batch takes many contexts" if many else ""


def on_rows(given: Iterable[Any], names: Sequence[Hashable]) -> str | None:
    """What to say of a dictionary in the place of a context whose keys are not arms, or None where all are.

    Example:
        >>> on_rows({"mid": [1.0], "large": [2.0]}, ["small", "large"])
        "context must have rows of the agent's arms, which are 'small', 'large', got one for 'mid'"
    """
    keys = list(given)
    unknown = [name for name in keys if name not in names]
    if not unknown:
        return None
    first = unknown[0]
    if len(unknown) < len(keys):
        wanted = f"context must have rows of the agent's arms, which are {listed(names)}"
        return f"{wanted}, got one for {quoted(first)}{did_you_mean(first, names)}"
    wanted = f"context must be numbers, or {{arm: row}} with the arms {listed(names)}"
    return f"{wanted}, got a dictionary with {quoted(first)}"


def on_arm(given: Any, names: Sequence[Hashable]) -> str:
    """How to name arms, where what was given is none.

    Example:
        >>> on_arm(True, ["small", "large"])
        '; of a mask write [arm for arm, may in zip(agent.arms, mask) if may]'
        >>> on_arm(1, ["small", "large"]), on_arm("smal", ["small", "large"])
        ('; a position i is written agent.arms[i]', '; did you mean small?')
    """
    if isinstance(given, bool | np.bool_):
        return "; of a mask write [arm for arm, may in zip(agent.arms, mask) if may]"
    if isinstance(given, int | np.integer) and 0 <= given < len(names):
        return "; a position i is written agent.arms[i]"
    return did_you_mean(given, names)


def on_rewards(objectives: Sequence[Hashable]) -> str:
    """How to give rewards.

    Example:
        >>> on_rewards(["quality", "cost"])
        "; write a number for each of 'quality', 'cost', NaN where not observed, or {objective: number}"
    """
    return f"; write a number for each of {listed(objectives)}, NaN where not observed, or {{objective: number}}"
