"""A small synthetic problem of any shape, and tools for states: copy, compare, save, load."""

import hashlib
import io
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Rng, Shape

ROUNDS = 240  # four blocks of 60; enough for every arm to be played some tens of times
DEFAULT_SHAPE = Shape(arms=5, features=2, objectives=3, rounds=ROUNDS)
NOISE = 0.1  # standard deviation of Gaussian rewards
MISSING = 1 / 3  # the share of partly observed rewards


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
    if shape.features == 0:
        contexts = np.zeros((1, 1, 0))
        means = rng.random((1, shape.arms, shape.objectives))
    else:
        contexts = _contexts(shape, rng)
        means = _linear_means(shape, contexts, rng)

    size = (ROUNDS, shape.arms, shape.objectives)
    if rewards == "binary":
        uniforms = rng.random(size)
        coins = (uniforms < means).astype(np.float64)
        return Arena(contexts, coins)

    noise = rng.standard_normal(size)

    return Arena(contexts, means + NOISE * noise)


def _contexts(shape: Shape, rng: Rng) -> Array:
    rows = 1 if shape.shared else shape.arms
    cube = rng.random((ROUNDS, rows, shape.features))
    if shape.fixed_arms is not None:
        # Drawn nevertheless, so that theta and the noise are those of arms that change.
        arms = np.array(shape.fixed_arms, np.float64)
        return arms[None]

    # The cube's diagonal has length sqrt(features): policies may assume norms of at most 1.
    contexts: Array = cube / np.sqrt(shape.features)

    return contexts


def _linear_means(shape: Shape, contexts: Array, rng: Rng) -> Array:
    # Arms that share a context differ by their parameters, others by their contexts.
    models = shape.arms if shape.shared else 1
    theta = rng.random((models, shape.objectives, shape.features))
    squares = (theta**2).sum(2, keepdims=True)
    theta /= np.sqrt(squares)
    products = contexts[:, :, None, :] * theta
    means: Array = products.sum(3)

    return means


def in_parts(rewards: Array, seed: int) -> Array:
    """The rewards, of which a third is missing."""
    rng = np.random.default_rng([seed, 2])
    missing = rng.random(rewards.shape) < MISSING
    out = rewards.copy()
    out[missing] = np.nan

    return out


def check_stream(seed: int, *key: int) -> Rng:
    """The random stream of one check, apart from those of all others."""
    # 1 and 2 in the second place are the streams of the problem and of its missing rewards.
    entropy = [seed, 3, *key]
    return np.random.default_rng(entropy)


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
    if not isinstance(value, tuple):
        return change(value)

    parts = [rebuild(part, change) for part in value]
    if hasattr(value, "_fields"):
        return type(value)(*parts)

    return tuple(parts)


def copied(value: Any) -> Any:
    """A copy of a state or of beliefs that shares no array."""
    return rebuild(value, _copied_leaf)


def _copied_leaf(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return leaf.copy()
    return leaf


def same(first: Any, second: Any) -> bool:
    """Whether two states or beliefs agree to the last bit."""
    ours = list(leaves(first))
    theirs = list(leaves(second))
    if len(ours) != len(theirs):
        return False

    pairs = zip(ours, theirs, strict=True)

    return all(np.array_equal(one, other, equal_nan=True) for one, other in pairs)


def distance(first: Any, second: Any) -> float:
    """The largest difference between states or beliefs, relative where values exceed 1.

    Arrays are broadcast.
    """
    worst = 0.0
    for one, other in zip(leaves(first), leaves(second), strict=True):
        worst = max(worst, _array_distance(one, other))
    return worst


def _array_distance(first: Any, second: Any) -> float:
    ours = np.asarray(first, np.float64)
    theirs = np.asarray(second, np.float64)
    ours, theirs = np.broadcast_arrays(ours, theirs)
    both_nan = np.isnan(ours) & np.isnan(theirs)
    # Equal infinities have the difference NaN, and are left out before it is computed.
    differs = ~((ours == theirs) | both_nan)
    ours = ours[differs]
    theirs = theirs[differs]
    with np.errstate(invalid="ignore"):
        scale = np.maximum(1.0, np.abs(ours))
        relative = np.abs(ours - theirs) / scale

    # NaN or infinity on one side only: infinitely far apart.
    distances = np.where(np.isnan(relative), np.inf, relative)

    return float(distances.max(initial=0.0))


def snapshot(state: Any) -> bytes:
    """A state as the bytes of one file of arrays."""
    file = io.BytesIO()
    # Without pickle, as agents save their states: a state of other objects than arrays fails here.
    np.savez(file, *leaves(state), allow_pickle=False)
    return file.getvalue()


def state_from_snapshot(data: bytes, like: Any) -> Any:
    """A state of the type of `like` from its bytes."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = [file[name] for name in file.files]
    remaining = iter(arrays)
    return rebuild(like, lambda _: next(remaining))


def array_digest(array: Any) -> str:
    """A fingerprint of an array's type, shape and bits."""
    value = np.ascontiguousarray(array)
    kind = f"{value.dtype.str}{value.shape}"
    content = kind.encode() + value.tobytes()
    fingerprint = hashlib.sha256(content).hexdigest()

    # 64 bits tell the few thousand arrays of a run apart, and fit into a message.
    return fingerprint[:16]
