"""Fourier features: linear policies on them learn smooth functions of the context.

Symbols, of rahimi2007: D the number of features, omega_i their frequencies, b_i their phases.
"""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled
from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import (
    FeatureMap,
    refuse_many_features,
    refuse_no_features,
)
from mobandits.numerics.linalg import weigh
from mobandits.support.checks import integer, number

RANDOM_BITS = 53  # of a double
KEPT = 32  # maps that are drawn once: agents bind their recipe several times


@compiled
class FourierMap:
    """See `Fourier`.

    Attributes:
        frequencies: (features, D), a column per feature of phi.
        phases: (D,).
        size: the length of phi, 1 + features + D.
    """

    frequencies: Floats
    phases: Floats
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """1, x, and D waves."""
        features = len(x)
        count = len(self.phases)
        out[0] = 1.0
        for j in range(features):
            out[1 + j] = x[j]

        waves = out[1 + features :]
        weigh(self.frequencies, x, waves)
        amplitude = math.sqrt(2.0 / count)
        for i in range(count):
            angle = waves[i] + self.phases[i]
            waves[i] = amplitude * math.cos(angle)


@dataclass(frozen=True)
class Fourier(FeatureMap):
    """Random Fourier features: phi(x) = (1, x, sqrt(2 / D) cos(omega_i . x + b_i) for i = 1 ... D).

    The frequencies omega_i are normal with variance 1 / length^2, orthogonal to each other in
    blocks of as many as there are features; the phases b_i are uniform in [0, 2 pi). So the product
    of the waves of two contexts is near the Gaussian kernel, exp(-|x - y|^2 / (2 length^2)), with
    an error of the order of 1 / sqrt(D): a ridge regression on phi is near a regression with that
    kernel, plus a linear function. Orthogonal blocks make the error smaller at no cost.

    Frequencies and phases follow from `count`, `length`, `seed` and the number of features alone,
    by the raw numbers of PCG64, which NumPy promises not to change: agents that were saved find the
    same map again, to rounding.

    Args:
        count: D, at least 1; more follow the rewards more closely and need more rounds.
        length: the distance over which rewards vary, above 0. None is for `fit`, which takes the
            median distance between the contexts of a log. Policies refuse None: a length chosen
            from the first contexts would change phi, and what was learned of one phi says nothing
            about another.
            `median_distance` gives the length of any contexts.
        seed: of frequencies and phases.

    Raises:
        ValueError: where a number is out of range; on `bind`, where `length` is None.

    Reference:
        Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007; orthogonal
        blocks: Yu et al., "Orthogonal random features", NIPS 2016.

    Example:
        >>> Fourier(100, length=0.5)([[0.1, 0.2], [0.3, 0.4]]).shape
        (2, 103)
    """

    references = ("rahimi2007", "yu2016")

    count: int = 100
    length: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        integer("Fourier.count", self.count, at_least=1)
        integer("Fourier.seed", self.seed, at_least=0)
        if self.length is not None:
            number("Fourier.length", self.length, above=0.0)

    def bind(self, features: int) -> FourierMap:
        """The map for contexts of so many features."""
        refuse_no_features("Fourier", features)
        size = 1 + features + self.count
        refuse_many_features("Fourier.count", size)
        if self.length is None:
            raise ValueError(
                "Fourier.length must be a number to play: mob.features.fit(log, 'fourier').map has "
                "that of a log, mob.features.median_distance(contexts) is that of any contexts; "
                "got None"
            )

        return _bound(int(self.count), float(self.length), int(self.seed), features)


class Waves(NamedTuple):
    """Frequencies (count, features) of length 1, and phases (count,)."""

    frequencies: Array
    phases: Array


@functools.lru_cache(maxsize=KEPT)
def _bound(count: int, length: float, seed: int, features: int) -> FourierMap:
    waves = drawn_waves(count, seed, features)
    frequencies = waves.frequencies.T / length
    size = 1 + features + count
    return FourierMap(frequencies, waves.phases, size)


def drawn_waves(count: int, seed: int, features: int) -> Waves:
    """Frequencies with orthogonal blocks, for a length of 1, and phases.

    A row of a block is a row of a uniformly random rotation, times the norm of a normal vector:
    normal by itself, and orthogonal to the others of its block.

    Example:
        >>> waves = drawn_waves(5, seed=0, features=3)
        >>> products = waves.frequencies[:3] @ waves.frequencies[:3].T
        >>> bool(np.allclose(products, np.diag(np.diag(products))))
        True
    """
    blocks = math.ceil(count / features)
    shape = (blocks, features, features)
    rng = np.random.PCG64([seed, features, count])
    directions = _normals(rng, math.prod(shape))
    lengths = _normals(rng, math.prod(shape))
    phases = 2.0 * math.pi * _uniforms(rng, count)

    rotations = _rotations(directions.reshape(shape))
    squares = lengths.reshape(shape) ** 2
    norms = np.sqrt(squares.sum(2))
    frequencies = rotations * norms[:, :, None]
    rows = frequencies.reshape(-1, features)

    return Waves(rows[:count], phases)


def _rotations(matrices: Array) -> Array:
    """Uniformly random rotations or reflections, one per matrix of normal numbers."""
    rotations, triangles = np.linalg.qr(matrices)
    # With a positive diagonal of R the decomposition is unique, and what rotates it uniform.
    diagonals = np.diagonal(triangles, axis1=1, axis2=2)
    signs = np.where(diagonals < 0.0, -1.0, 1.0)
    signed: Array = rotations * signs[:, None, :]

    return signed


def _uniforms(rng: np.random.PCG64, count: int) -> Array:
    """Numbers in [0, 1) from raw bits: NumPy may change its distributions, and never these bits."""
    raw = rng.random_raw(count)
    bits = np.asarray(raw) >> np.uint64(64 - RANDOM_BITS)
    uniforms: Array = bits.astype(np.float64) / 2.0**RANDOM_BITS

    return uniforms


def _normals(rng: np.random.PCG64, count: int) -> Array:
    """Standard normal numbers by the method of Box and Muller."""
    pairs = math.ceil(count / 2)
    # In (0, 1], so that its logarithm is finite.
    uniforms = 1.0 - _uniforms(rng, pairs)
    radii = np.sqrt(-2.0 * np.log(uniforms))
    angles = 2.0 * math.pi * _uniforms(rng, pairs)
    across = radii * np.cos(angles)
    along = radii * np.sin(angles)
    normals = np.concatenate([across, along])

    return normals[:count]
