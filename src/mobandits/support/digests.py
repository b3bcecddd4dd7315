"""Digests of what calls are given: the same call again is known by them."""

import hashlib
from collections.abc import Iterable

DIGEST_BYTES = 16  # two different calls meet by chance once in 2^64


def hex_digest(pieces: Iterable[bytes]) -> str:
    """A digest of some bytes, in hexadecimal digits.

    Example:
        >>> hex_digest([b"small", b"large"]) == hex_digest([b"smalllarge"])
        True
        >>> len(hex_digest([]))
        32
    """
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for piece in pieces:
        digest.update(piece)

    return digest.hexdigest()
