"""Keys of clients that a store cannot have, known without asking the database.

A service looks every key up before it decides, and nearly all of them are new. To ask the database
each time would cost more than the decision, so that a Bloom filter answers for it.
"""

import hashlib
from typing import Any

import numpy as np

DIGEST_BYTES = 8
BITS_PER_KEY = 16
PROBES = 4  # bits of a key: with 16 bits per key, one of 400 unknown keys looks known
LEAST_KEYS = 2**16
HALF = 32  # bits of a digest


class KeyFilter:
    """A set of keys that may hold some that were never added, and misses none that was.

    It takes two bytes per key. A filter that is full is kept, and another of twice its size begun.

    Args:
        digests: of the first keys, one after the other, as `digest` makes them.

    Example:
        >>> keys = KeyFilter()
        >>> keys.add("k1")
        >>> keys.may_have("k1"), keys.may_have("k2")
        (True, False)
    """

    def __init__(self, digests: bytes = b"") -> None:
        numbers = np.frombuffer(digests, ">u8").astype(np.uint64)
        layer = Layer(max(LEAST_KEYS, 2 * len(numbers)))
        layer.add_all(numbers)
        self._layers = [layer]

    def add(self, key: str) -> None:
        """Add a key."""
        layer = self._layers[-1]
        if layer.count >= layer.capacity:
            layer = Layer(2 * layer.capacity)
            self._layers.append(layer)

        layer.add(digest(key))

    def may_have(self, key: str) -> bool:
        """Whether a key may have been added; False is certain."""
        number = digest(key)
        return any(layer.may_have(number) for layer in self._layers)


class Layer:
    """A Bloom filter of a fixed size.

    Args:
        capacity: how many keys it is for.

    Attributes:
        capacity: as given.
        count: how many it has.
    """

    def __init__(self, capacity: int) -> None:
        # A power of two, so that places are cut out of a digest.
        bits = 1 << (capacity * BITS_PER_KEY - 1).bit_length()
        self.capacity = capacity
        self._mask = bits - 1
        self._bytes = bytearray(bits // 8)
        self.count = 0

    def add(self, number: int) -> None:
        """Add a digest."""
        self.count += 1
        for place in self._places(number):
            self._bytes[place >> 3] |= 1 << (place & 7)

    def may_have(self, number: int) -> bool:
        """Whether a digest may have been added."""
        places = self._places(number)
        return all(self._bytes[place >> 3] & (1 << (place & 7)) for place in places)

    def add_all(self, numbers: "np.ndarray[tuple[int], np.dtype[np.uint64]]") -> None:
        """Add many digests at once."""
        self.count += len(numbers)
        table = np.frombuffer(self._bytes, np.uint8)  # the same memory
        for places in self._places(numbers):
            bits = np.left_shift(1, places & 7).astype(np.uint8)
            np.bitwise_or.at(table, places >> 3, bits)

    def _places(self, number: Any) -> list[Any]:
        """The bits of a digest, or of an array of them, by double hashing of its halves."""
        first = number & (2**HALF - 1)
        step = (number >> HALF) | 1
        return [(first + probe * step) & self._mask for probe in range(PROBES)]


def digest(key: str) -> int:
    """The first bytes of a key's MD5, which the database computes as well."""
    hashed = hashlib.md5(key.encode(), usedforsecurity=False).digest()
    return int.from_bytes(hashed[:DIGEST_BYTES], "big")
