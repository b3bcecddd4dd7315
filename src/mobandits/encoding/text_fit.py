"""The fit of `Text`: weights of words, and the directions in which texts differ most.

Counts of hashed words and pairs -> TF-IDF rows of norm 1 -> truncated singular value decomposition.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

START_SEED = 0  # of the vector that the decomposition starts from
# Up to this size of the smaller side all singular vectors are computed, which is exact and fast.
DENSE = 400
# Directions with a smaller singular value, relative to the first, are rounding errors.
NEGLIGIBLE = 1e-9

Counts = dict[int, int]


class Directions(NamedTuple):
    """What is fitted.

    Attributes:
        known: (words,) the buckets that some text of the fit has, ascending.
        weights: (words,) their inverse document frequencies.
        components: (words, dimensions) the leading right singular vectors.
        mean: (dimensions,) of the projections of the fit.
        spread: root of the mean square norm of the projections around their mean.
    """

    known: IntArray
    weights: Array
    components: Array
    mean: Array
    spread: float


def fitted_directions(counts: Sequence[Counts], dimensions: int) -> Directions:
    """The directions of texts.

    idf = ln((1 + n) / (1 + df)) + 1, with n texts, of which df have the word; rows are (1 + ln tf)
    idf, divided by their norm. The sign of a direction is such that its largest entry is positive.

    Args:
        counts: per text {bucket: how often}, none of them empty.
        dimensions: how many directions are wanted; those that texts do not span are zero.
    """
    known = np.array(sorted(set().union(*counts)), np.int64)
    places = {bucket: place for place, bucket in enumerate(known.tolist())}
    having = np.zeros(len(known))
    for count in counts:
        having[[places[bucket] for bucket in count]] += 1.0

    inverse_frequencies = [math.log((1.0 + len(counts)) / (1.0 + df)) for df in having.tolist()]
    weights = 1.0 + np.array(inverse_frequencies)
    rows = weighted_rows(counts, places, weights)
    components = right_singular_vectors(rows, dimensions)
    projections = rows @ components
    mean = projections.mean(axis=0)
    square_norms = ((projections - mean) ** 2).sum(axis=1)
    spread = math.sqrt(square_norms.mean())

    # Where all texts are the same there is nothing to divide by.
    return Directions(known, weights, components, mean, spread if spread > NEGLIGIBLE else 1.0)


def weighted_rows(counts: Iterable[Counts], places: dict[int, int], weights: Array) -> "csr_array":
    """(texts, words) TF-IDF rows of norm 1; a text without a known word has the row 0.

    The same bits for a text alone and among others.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - most encoders have no text

    columns: list[int] = []
    frequencies: list[float] = []
    ends = [0]
    for count in counts:
        for bucket, times in count.items():
            place = places.get(bucket)
            if place is not None:
                columns.append(place)
                # Not NumPy's logarithm: that of an array may differ in the last bit.
                frequencies.append(1.0 + math.log(times))
        ends.append(len(columns))

    indices = np.array(columns, np.int64)
    values = np.array(frequencies, np.float64) * weights[indices]
    sizes = np.diff(ends)
    row_of = np.repeat(np.arange(len(sizes)), sizes)
    # Which adds one number after the other, whatever else there is.
    squares = np.bincount(row_of, weights=values * values, minlength=len(sizes))
    values /= np.sqrt(squares)[row_of]

    return csr_array((values, indices, np.array(ends)), shape=(len(sizes), len(weights)))


def right_singular_vectors(rows: Any, count: int) -> Array:
    """(columns, count) the leading right singular vectors of sparse rows; zeros beyond their rank."""
    smaller = min(rows.shape)
    if smaller <= max(DENSE, count + 1):
        _, values, vectors = np.linalg.svd(rows.toarray(), full_matrices=False)
    else:
        from scipy.sparse.linalg import svds  # noqa: PLC0415

        start = np.random.default_rng(START_SEED).standard_normal(smaller)
        _, values, vectors = svds(rows, k=count, v0=start)
        by_size = np.argsort(-values)
        values = values[by_size]
        vectors = vectors[by_size]

    components = np.zeros((rows.shape[1], count))
    for place in range(min(count, len(values))):
        if values[place] <= NEGLIGIBLE * values[0]:
            break
        vector = vectors[place]
        largest = vector[np.argmax(np.abs(vector))]
        components[:, place] = vector if largest > 0.0 else -vector

    return components
