"""Words and pairs of words of many texts at once, hashed into buckets and counted."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import IntArray
from mobandits.encoding.hashed import digest_of

WORD = re.compile(r"\b\w\w+\b")
# 2^64 divided by the golden ratio, which is odd: a pair has another digest than its words, and than
# the same words the other way round.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)  # brings high bits, which depend on all bits of both words, down


class TextTerms(NamedTuple):
    """The counts of terms, each text's in the order of buckets, texts one after the other.

    Attributes:
        texts: how many texts there are.
        rows: (terms,) positions of texts.
        buckets: (terms,) of the words and pairs.
        counts: (terms,) how often they are in the text.
    """

    texts: int
    rows: IntArray
    buckets: IntArray
    counts: IntArray


def terms_of(texts: Sequence[str | None], buckets: int, *, pairs: bool) -> TextTerms:
    """The terms of texts: words of two letters and more, in lower case, and pairs of neighbours.

    A word's digest is that of `Hashed`; a pair's is, modulo 2^64, m xor (m >> 29) with
    m = 0x9E3779B97F4A7C15 first + second. The bucket is the digest modulo `buckets`.

    Args:
        texts: None where a text is missing.
        buckets: how many.
        pairs: whether pairs are counted.

    Example:
        >>> terms_of(["a cat, a cat", None], 64, pairs=False).counts.tolist()
        [2]
    """
    digests: list[int] = []
    sizes = []
    for text in texts:
        words = WORD.findall(text.lower()) if text else []
        digests += map(digest_of, words)
        sizes.append(len(words))

    terms = np.array(digests, np.uint64)
    numbers = np.arange(len(sizes))
    rows = np.repeat(numbers, np.array(sizes, np.int64))
    if pairs:
        first = terms[:-1]
        second = terms[1:]
        mixed = first * MULTIPLIER + second
        pair_digests = mixed ^ (mixed >> SHIFT)
        # The last word of a text and the first one of the next are no pair.
        is_pair = rows[1:] == rows[:-1]
        pair_rows = rows[1:][is_pair]
        terms = np.concatenate([terms, pair_digests[is_pair]])
        rows = np.concatenate([rows, pair_rows])

    remainders = terms % np.uint64(buckets)
    places = remainders.astype(np.int64)
    # One integer for a text and a bucket: sorted, they are in the order of both.
    keys, counts = np.unique(rows * buckets + places, return_counts=True)

    return TextTerms(len(sizes), keys // buckets, keys % buckets, counts)
