"""Numeric features of texts: hashed TF-IDF, then a truncated singular value decomposition."""

from collections.abc import Sequence

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.optional import missing_extra

# Of the hashed words and word pairs. 2**12 to 2**16 describe the prompts of `LlmRouting` equally
# well.
BUCKETS = 2**14
SEED = 0  # of the decomposition's starting vector


def text_features(fitted_on: Sequence[str], texts: Sequence[str], count: int) -> Array:
    """Feature rows of norm 1 for `texts`, by a map that is fitted on `fitted_on` only.

    Words and pairs of words are counted in hashed buckets and weighted by TF-IDF, with sublinear
    counts and rows of norm 1; the leading `count` right singular vectors of the weighted counts of
    `fitted_on` are the directions. The mean over `fitted_on` is subtracted, because a policy has a
    constant for it, and what is left is divided by its norm, because linear policies assume norms
    of at most 1.

    Args:
        fitted_on: the texts that the weights, the directions and the mean are fitted on, more than
            `count` of them.
        texts: the texts to describe, each by itself.
        count: number of features.

    Returns:
        (texts, count). The same bits whatever the number of processors.

    Raises:
        MissingExtraError: where scikit-learn is not installed.

    Example:
        >>> known = ["the cat sat", "a dog ran", "the dog sat", "two and two"]
        >>> rows = text_features(known, ["the cat ran"], 2)
        >>> rows.shape, bool(np.isclose(np.linalg.norm(rows), 1.0))
        ((1, 2), True)
    """
    try:  # here, because importing scikit-learn takes most of a second
        from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415
        from sklearn.feature_extraction import text as vectorizers  # noqa: PLC0415
        from threadpoolctl import threadpool_limits  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("text_features", "data") from error

    # Hashing needs no vocabulary: words that were never seen are counted like all others. Signed
    # hashes would let colliding words cancel.
    counter = vectorizers.HashingVectorizer(
        n_features=BUCKETS, ngram_range=(1, 2), alternate_sign=False, norm=None
    )
    weighting = vectorizers.TfidfTransformer(sublinear_tf=True)
    decomposition = TruncatedSVD(count, algorithm="arpack", random_state=SEED)
    fitted_counts = counter.transform(fitted_on)
    weighting.fit(fitted_counts)
    with threadpool_limits(1):  # sums split over threads differ in their last bits
        fitted_rows = decomposition.fit_transform(weighting.transform(fitted_counts))
        mean = fitted_rows.mean(axis=0)
        weighted = weighting.transform(counter.transform(texts))
        rows: Array = decomposition.transform(weighted) - mean

    norms = np.sqrt(np.vecdot(rows, rows))[:, None]
    # A text without a known word is the zero vector, and stays so.
    divisors = np.where(norms > 0.0, norms, 1.0)

    return rows / divisors
