"""What an encoder makes of a value, in plain Python: one value at a time, without tables."""

import hashlib
import itertools
import math
import re
import statistics
from collections import Counter
from datetime import datetime

import numpy as np


def standardised(numbers, value):
    """A number of a column, of which some are None."""
    present = [number for number in numbers if number is not None]
    deviation = statistics.pstdev(present) or 1.0
    features = [0.0 if value is None else (value - statistics.fmean(present)) / deviation]
    return features + [float(value is None)] * (len(present) < len(numbers))


def one_hot(texts, value):
    """A category of a column, with another one for what is not in it."""
    known = sorted(set(texts) - {None})
    return [float(value == text) for text in known] + [float(value not in known)]


def hashed(value, buckets):
    """A text in its bucket."""
    if value is None:
        return [0.0] * buckets
    digest = hashlib.blake2b(value.encode(), digest_size=8).digest()
    number = sum(byte << 8 * place for place, byte in enumerate(digest))
    return [float(number % buckets == bucket) for bucket in range(buckets)]


def on_circles(value):
    """A time as angles of the day, the week and the year."""
    if value is None:
        return [0.0] * 6
    minutes = 60 * value.hour + value.minute
    day = (value - datetime(value.year, 1, 1)).days
    turns = [minutes / (24 * 60), value.weekday() / 7, day / 366]
    return [part(2.0 * math.pi * turn) for turn in turns for part in (math.sin, math.cos)]


def terms(text, buckets):
    """How often the words and pairs of a text fall into each bucket."""
    words = re.findall(r"\b\w\w+\b", text.lower())
    digests = [hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words]
    numbers = [int.from_bytes(digest, "little") for digest in digests]
    pairs = []
    for first, second in itertools.pairwise(numbers):
        mixed = (0x9E3779B97F4A7C15 * first + second) % 2**64
        pairs.append(mixed ^ (mixed >> 29))
    return Counter(number % buckets for number in numbers + pairs)


def tfidf(counts, frequencies, texts):
    """The weighted row of a text over all buckets, of norm 1; None without a known word."""
    row = {}
    for bucket, times in counts.items():
        if bucket in frequencies:
            idf = math.log((1 + texts) / (1 + frequencies[bucket])) + 1
            row[bucket] = (1 + math.log(times)) * idf
    norm = math.sqrt(sum(value**2 for value in row.values()))
    return {bucket: value / norm for bucket, value in row.items()} if row else None


def projected(texts, value, dimensions, buckets):
    """The projections of a text onto the leading singular vectors of others."""
    counted = [terms(text, buckets) for text in texts]
    frequencies = Counter(bucket for counts in counted for bucket in counts)
    rows = [tfidf(counts, frequencies, len(texts)) for counts in counted]
    table = np.array([[row.get(bucket, 0.0) for bucket in range(buckets)] for row in rows])
    vectors = np.linalg.svd(table, full_matrices=False)[2][:dimensions]
    vectors = np.array([v * np.sign(v[np.abs(v).argmax()]) for v in vectors])
    known = np.array([vectors @ row for row in table])
    mean = known.mean(0)
    spread = math.sqrt(np.mean([np.sum((row - mean) ** 2) for row in known]))
    row = tfidf(terms(value, buckets), frequencies, len(texts))
    if row is None:
        return np.zeros(dimensions)
    dense = np.array([row.get(bucket, 0.0) for bucket in range(buckets)])
    return (vectors @ dense - mean) / spread
