"""Text values in a fixed number of buckets, by a hash: for identifiers, of which there are many."""

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.category import text_of
from mobandits.encoding.column import SourceColumn
from mobandits.encoding.kind import KNOWN, MISSING, Kind, codes_of
from mobandits.support.checks import integer

MOST_HASHED = 512  # buckets: each is a feature, and Gram matrices grow with the square
DIGEST_BYTES = 8
CACHED = 2**16  # values whose buckets are remembered, since most come again


@dataclass(frozen=True)
class Hashed(Kind):
    """A value as one of D features: that of its bucket, the BLAKE2b digest modulo D, is 1.

    Nothing is fitted, and no value is unknown: values that share a bucket are not told apart. A
    missing value has no bucket; all features are 0. Values are text as in `Category`.

    Args:
        buckets: D, at most 512.

    Reference:
        Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009, without
        signs, since a value has one bucket only.

    Example:
        >>> len(Hashed(64).names("user"))
        64
    """

    NAME = "hashed"

    buckets: int = 64

    def __post_init__(self) -> None:
        integer("Hashed.buckets", self.buckets, at_least=2, at_most=MOST_HASHED)

    def names(self, column: str) -> list[str]:
        """A name per bucket."""
        return [f"{column}#{bucket}" for bucket in range(self.buckets)]

    def write(self, value: Any, out: Array, first: int) -> int:
        """1 in the value's bucket."""
        text = text_of(value)
        if text is None:
            return MISSING

        out[first + bucket_of(text, self.buckets)] = 1.0

        return KNOWN

    def write_column(self, column: SourceColumn, out: Array) -> IntArray:
        """As `write`."""
        texts = column.mapped(text_of)
        count = self.buckets
        # What is missing has a place like all others, where 0 is written.
        listed = [0 if text is None else bucket_of(text, count) for text in texts]
        missing = np.array([text is None for text in texts], bool)
        places = np.array(listed, np.int64)
        rows = np.arange(len(texts))
        out[rows, places] = ~missing

        return codes_of(missing)

    def value_text(self, features: Sequence[float]) -> str | None:
        """The bucket: of the value nothing else is left."""
        return f"#{list(features).index(1.0)}" if 1.0 in features else "missing"

    @property
    def treatment(self) -> str:
        """Zeros."""
        return "missing: zeros"


def bucket_of(text: str, buckets: int) -> int:
    """The bucket of a text: its BLAKE2b digest of 8 bytes, little-endian, modulo `buckets`.

    Example:
        >>> 0 <= bucket_of("user 17", 64) < 64
        True
    """
    return digest_of(text) % buckets


@functools.lru_cache(maxsize=CACHED)
def digest_of(text: str) -> int:
    """The BLAKE2b digest of 8 bytes of a text in UTF-8, as a little-endian integer.

    Example:
        >>> digest_of("user 17") < 2**64
        True
    """
    # Python's own hash differs from one process to the next. Half of a character is no UTF-8.
    data = text.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()
    return int.from_bytes(digest, "little")
