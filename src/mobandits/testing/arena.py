"""A small synthetic problem of any shape, and what the checks do with states: copy, compare, save, load."""

import hashlib
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Rng, Shape

ROUNDS = 240
DEFAULT_SHAPE = Shape(arms=5, features=2, objectives=3, rounds=ROUNDS)
NOISE = 0.1


class Arena(NamedTuple):
    """Rounds of a problem, as `Block` has them."""

    contexts: Array
    rewards: Array


def arena(shape: Shape, rewards: str, seed: int) -> Arena:
    """`ROUNDS` rounds of a linear problem, of fixed means where there is no context.

    Contexts lie in the unit cube and in the unit ball. `rewards` is "gaussian", means plus noise,
    or "binary", coins with these means.
    """
    rng = np.random.default_rng([seed, 1])
    size = (ROUNDS, shape.arms, shape.objectives)
    if shape.features == 0:
        contexts = np.zeros((1, 1, 0))
        means = rng.random((1, *size[1:]))
    else:
        contexts = rng.random(
            (ROUNDS, 1 if shape.shared else shape.arms, shape.features)
        ) / np.sqrt(shape.features)
        if shape.fixed_arms is not None:
            contexts = np.array(shape.fixed_arms, np.float64)[None]
        theta = rng.random((shape.arms if shape.shared else 1, shape.objectives, shape.features))
        theta /= np.sqrt((theta**2).sum(2, keepdims=True))
        means = (contexts[:, :, None, :] * theta).sum(3)
    if rewards == "binary":
        return Arena(contexts, (rng.random(size) < means).astype(np.float64))
    return Arena(contexts, means + NOISE * rng.standard_normal(size))


def in_parts(rewards: Array, seed: int) -> Array:
    """The rewards, of which a third is missing."""
    out = rewards.copy()
    out[np.random.default_rng([seed, 2]).random(rewards.shape) < 1 / 3] = np.nan
    return out


def stream(seed: int, *key: int) -> Rng:
    """A random stream of one check's own."""
    return np.random.default_rng([seed, 3, *key])


def twin_of(rng: Rng) -> Rng:
    """Another generator in the same state."""
    out = np.random.default_rng()
    out.bit_generator.state = rng.bit_generator.state
    return out


def leaves(value: Any) -> Iterator[Any]:
    """The arrays and numbers inside nested tuples."""
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def rebuild(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same nested NamedTuples with every leaf changed."""
    if isinstance(value, tuple):
        parts = [rebuild(part, change) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return change(value)


def copied(value: Any) -> Any:
    """A copy that shares no array."""
    return rebuild(value, lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf)


def same(first: Any, second: Any) -> bool:
    """Whether two states or beliefs agree to the last bit."""
    one = list(leaves(first))
    other = list(leaves(second))
    return len(one) == len(other) and all(
        np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True)
    )


def distance(first: Any, second: Any) -> float:
    """The largest difference between states or beliefs, relative where values exceed 1; arrays are broadcast."""
    worst = 0.0
    for a, b in zip(leaves(first), leaves(second), strict=True):
        one, other = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
        equal = (one == other) | (np.isnan(one) & np.isnan(other))
        with np.errstate(invalid="ignore"):
            apart = np.abs(one[~equal] - other[~equal]) / np.maximum(1.0, np.abs(one[~equal]))
        worst = max(worst, np.where(np.isnan(apart), np.inf, apart).max(initial=0.0))
    return float(worst)


def snapshot(state: Any) -> bytes:
    """A state as the bytes of one file of arrays."""
    file = io.BytesIO()
    np.savez(file, *leaves(state), allow_pickle=False)
    return file.getvalue()


def restored(data: bytes, like: Any) -> Any:
    """A state of the type of `like` from its bytes."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        saved = iter([file[name] for name in file.files])
    return rebuild(like, lambda _: next(saved))


def digest(array: Any) -> str:
    """A name for an array's type, shape and bits."""
    value = np.ascontiguousarray(array)
    return hashlib.sha256(f"{value.dtype.str}{value.shape}".encode() + value.tobytes()).hexdigest()[
        :16
    ]
