"""The fit of `Text`: weights of words, and the directions in which texts differ most.

Counts of hashed words and pairs -> TF-IDF rows of norm 1 -> truncated singular value decomposition.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.terms import TextTerms

if TYPE_CHECKING:
    from scipy.sparse import csr_array

START_SEED = 0  # of the vector that the decomposition starts from
# Up to this size of the smaller side all singular vectors are computed, which is exact and fast.
DENSE = 400
# Directions with a smaller singular value, relative to the first, are rounding errors.
NEGLIGIBLE = 1e-9
UNKNOWN_PLACE = -1


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


def fitted_directions(terms: TextTerms, buckets: int, dimensions: int) -> Directions:
    """The directions of texts.

    idf = ln((1 + n) / (1 + df)) + 1, with n texts, of which df have the word; rows are (1 + ln tf)
    idf, divided by their norm. The sign of a direction is such that its largest entry is positive.

    Args:
        terms: of the texts; those without a term do not count.
        buckets: how many there are.
        dimensions: how many directions are wanted; those that texts do not span are zero.
    """
    texts = len(np.unique(terms.rows))
    # Every row has a bucket once, so that this counts the texts.
    having = np.bincount(terms.buckets, minlength=buckets)
    known = np.flatnonzero(having)
    frequencies = having[known].tolist()
    ratios = [(1.0 + texts) / (1.0 + df) for df in frequencies]
    weights = np.array([1.0 + math.log(ratio) for ratio in ratios])

    places = places_of_terms(known, buckets)
    rows = weighted_rows(terms, places, weights)
    sizes = np.diff(rows.indptr)
    rows = rows[sizes > 0]
    components = right_singular_vectors(rows, dimensions)
    projections = rows @ components
    mean = projections.mean(axis=0)
    centred = projections - mean
    square_norms = (centred * centred).sum(axis=1)
    spread = math.sqrt(square_norms.mean())
    if spread <= NEGLIGIBLE:
        spread = 1.0  # all texts are the same: there is nothing to divide by

    return Directions(known, weights, components, mean, spread)


def places_of_terms(known: IntArray, buckets: int) -> IntArray:
    """(buckets,) the position of each bucket in `known`, -1 where it is not there."""
    places = np.full(buckets, UNKNOWN_PLACE)
    places[known] = np.arange(len(known))
    return places


def weighted_rows(terms: TextTerms, places: IntArray, weights: Array) -> "csr_array":
    """(texts, words) TF-IDF rows of norm 1; a text without a known word has the row 0.

    The same bits for a text alone and among others.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - most encoders have no text

    columns = places[terms.buckets]
    is_known = columns >= 0
    columns = columns[is_known]
    rows = terms.rows[is_known]
    counts = terms.counts[is_known]
    # Not NumPy's logarithm: that of an array may differ in the last bit from that of one number.
    most = counts.max(initial=0)
    logarithms = np.array([1.0 + math.log(count) for count in range(1, most + 1)])
    frequencies = logarithms[counts - 1]
    values = frequencies * weights[columns]
    # Which adds one number after the other, whatever other rows there are.
    squares = np.bincount(rows, weights=values * values, minlength=terms.texts)
    norms = np.sqrt(squares)
    values /= norms[rows]
    sizes = np.bincount(rows, minlength=terms.texts)
    ends = np.concatenate([[0], np.cumsum(sizes)])

    return csr_array((values, columns, ends), shape=(terms.texts, len(weights)))


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
