"""Tables of environments: those that all trials share, and contexts with a constant."""

import numpy as np

from mobandits.contracts.protocols import Array


def read_only(table: Array) -> Array:
    """The table in one piece of memory that cannot be written to.

    Example:
        >>> read_only(np.zeros((2, 3)).T).flags.writeable
        False
    """
    table = np.ascontiguousarray(table)
    # Trials in several threads share it: a policy that writes into it fails, not its neighbours.
    table.setflags(write=False)
    return table


def with_constant(contexts: Array) -> Array:
    """The contexts with a constant 1 after the last feature, the intercept of linear policies.

    Example:
        >>> with_constant(np.array([[[0.5, 0.2]]])).tolist()
        [[[0.5, 0.2, 1.0]]]
    """
    *rows, _ = contexts.shape
    ones = np.ones((*rows, 1))
    return np.concatenate([contexts, ones], axis=-1)
