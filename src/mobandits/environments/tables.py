"""Contexts and tables that all trials share."""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.naming import quoted


def read_only(table: Array) -> Array:
    """The table in one piece of memory, which nobody can change.

    Example:
        >>> read_only(np.zeros((2, 3)).T).flags.writeable
        False
    """
    table = np.ascontiguousarray(table)
    table.setflags(write=False)
    return table


def with_constant(contexts: Array) -> Array:
    """A constant 1 after the last feature.

    Example:
        >>> with_constant(np.array([[[0.5, 0.2]]])).tolist()
        [[[0.5, 0.2, 1.0]]]
    """
    return np.concatenate([contexts, np.ones((*contexts.shape[:-1], 1))], axis=-1)


def flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False.

    Example:
        >>> flag("NetworkRouting.constant", "no")
        Traceback (most recent call last):
        ValueError: NetworkRouting.constant must be True or False, got 'no'
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {quoted(value)}")
