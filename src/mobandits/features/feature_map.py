"""The contract of feature maps: what people write, and what compiled loops call.

A `FeatureMap` is to a `BoundMap` what a recipe is to a policy: frozen parameters, which `bind`
resolves for contexts of so many features. It prints shortly, because it is a part of the names of
rows in tables, and compares by value, because agents with equal maps can be merged.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.protocols import Array
from mobandits.support.checks import as_float_array
from mobandits.support.digests import hex_digest
from mobandits.support.naming import wrong_value

# Of phi(x): a Gram matrix of so many features has 0.8 GB.
MOST_FEATURES = 10_000
SHOWN_DIGITS = 8  # of the digest of a map's arrays, in its text


class BoundMap(Protocol):
    """A map for contexts of a known number of features: a `compiled` part."""

    @property
    def size(self) -> int:
        """The length of phi(x)."""

    def apply(self, x: Array, out: Array) -> None:
        """Write phi(x) into `out`, (size,), for a context row x; `x` is left as it is."""


class FeatureMap:
    """Base of feature maps: frozen dataclasses of numbers, tuples and arrays.

    A call gives phi of every row of some contexts, in NumPy. `Features(map, recipe)` plays a recipe
    on phi.

    Example:
        >>> from mobandits.features import Crosses
        >>> Crosses(degree=2)([[2.0, 3.0]]).tolist()
        [[2.0, 3.0, 4.0, 6.0, 9.0]]
    """

    def bind(self, features: int) -> Any:
        """The `BoundMap` for contexts of so many features.

        Raises:
            ValueError: where the map does not fit them, by name.
        """
        raise NotImplementedError

    def __call__(self, contexts: Any) -> Array:
        """Phi of every row.

        Args:
            contexts: (..., features).

        Returns:
            (..., size).

        Raises:
            ValueError: where they are not finite numbers, or do not fit the map.
        """
        table = as_float_array("contexts", contexts)
        if table.ndim == 0 or table.shape[-1] == 0:
            raise wrong_value("contexts must have shape (..., features)", table.shape)
        if not np.isfinite(table).all():
            raise ValueError("contexts must be finite, got a number that is not")

        *places, features = table.shape
        bound = self.bind(features)
        rows = table.reshape(-1, features)
        mapped = np.empty((len(rows), bound.size))
        map_every_row = loop_for(map_rows, bound)
        map_every_row(bound, rows, mapped)

        return mapped.reshape(*places, bound.size)


class ArrayMap(FeatureMap):
    """Base of maps whose fields are arrays or tuples of them: equal by value, printed by a digest.

    Subclasses are dataclasses with ``eq=False, repr=False`` and give the beginning of their text.
    """

    def sizes_text(self) -> str:
        """The sizes of the map, for its text."""
        raise NotImplementedError

    def _bytes(self) -> Iterator[bytes]:
        # Subclasses are dataclasses.
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            arrays = value if isinstance(value, tuple) else (value,)
            for array in arrays:
                # Shapes too: the same numbers in another shape are another map.
                yield str(array.shape).encode()
                yield array.tobytes()

    def digest(self) -> str:
        """A digest of all arrays."""
        known: str | None = vars(self).get("_digest_")
        if known is None:
            known = hex_digest(self._bytes())
            # Kept, because recipes are compared and printed often, and arrays never change.
            object.__setattr__(self, "_digest_", known)

        return known

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ArrayMap) or type(other) is not type(self):
            return False
        return self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash((type(self), self.digest()))

    def __repr__(self) -> str:
        # The text is a part of the names of rows and of the keys of random streams: thousands of
        # numbers are too many for it, and sizes alone would give two networks one name.
        digits = self.digest()[:SHOWN_DIGITS]
        return f"{type(self).__name__}({self.sizes_text()}, {digits})"


def map_rows(bound: Any, rows: Array, out: Array) -> None:
    """Write phi of every row (rows, features) into `out` (rows, size)."""
    for i in range(len(rows)):
        bound.apply(rows[i], out[i])


def refuse_other_features(name: str, wanted: int, features: int) -> None:
    """Refuse contexts of another number of features than a map was made for.

    Example:
        >>> refuse_other_features("Bins.edges", 2, 3)
        Traceback (most recent call last):
        ValueError: Bins.edges must be of as many features as contexts have, 3, got 2
    """
    if features != wanted:
        rule = f"{name} must be of as many features as contexts have, {features}"
        raise ValueError(f"{rule}, got {wanted}")


def refuse_many_features(name: str, size: int) -> None:
    """Refuse a map to more features than a regression can hold."""
    if size > MOST_FEATURES:
        raise wrong_value(f"{name} must lead to at most {MOST_FEATURES} features", size)


def refuse_no_features(name: str, features: int) -> None:
    """Refuse problems without contexts."""
    if features < 1:
        raise ValueError(f"{name} needs contexts of at least 1 feature, got {features}")
