"""Arrays of environments: tables that all trials share, constants in contexts, rewards of means."""

import numpy as np

from mobandits.contracts.protocols import Array, Rng
from mobandits.numerics.normals import normals


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


def coins(means: Array, rounds: int, rng: Rng) -> Array:
    """(rounds, arms, objectives) rewards 0 or 1 with these means.

    One uniform number per round and objective serves all arms: a policy sees one arm of each round,
    and comparisons are sharper.

    Example:
        >>> coins(np.ones((1, 2, 1)), 3, np.random.default_rng(0)).shape
        (3, 2, 1)
    """
    uniforms = rng.random((rounds, 1, means.shape[2]))
    return np.asarray(uniforms < means, np.float64)


def noisy(means: Array, rounds: int, noise: float, rng: Rng) -> Array:
    """(rounds, arms, objectives) the means with normal noise; one number serves all arms.

    Example:
        >>> noisy(np.ones((1, 2, 1)), 3, 0.1, np.random.default_rng(0)).shape
        (3, 2, 1)
    """
    z = normals(rng, (rounds, 1, means.shape[2]))
    rewards: Array = means + noise * z

    return rewards
