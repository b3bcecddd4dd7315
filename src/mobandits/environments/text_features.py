"""Short numeric descriptions of texts: hashed TF-IDF, then a truncated singular value decomposition."""

from collections.abc import Sequence

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.optional import missing_extra

BUCKETS = (
    2**14
)  # of the hashed words and word pairs: 2**12 to 2**16 describe these prompts equally well
SEED = 0  # of the decomposition's starting vector


def text_features(fitted_on: Sequence[str], texts: Sequence[str], count: int) -> Array:
    """Rows of norm 1 that describe `texts`, by a map that only `fitted_on` has shaped.

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
        >>> rows = text_features(["the cat sat", "a dog ran", "the dog sat", "two and two"], ["the cat ran"], 2)
        >>> rows.shape, bool(np.isclose(np.linalg.norm(rows), 1.0))
        ((1, 2), True)
    """
    try:  # here, because importing scikit-learn takes most of a second
        from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415
        from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer  # noqa: PLC0415
        from threadpoolctl import threadpool_limits  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("text_features", "data") from error

    counts = HashingVectorizer(
        n_features=BUCKETS, ngram_range=(1, 2), alternate_sign=False, norm=None
    )
    known = counts.transform(fitted_on)
    weights = TfidfTransformer(sublinear_tf=True).fit(known)
    directions = TruncatedSVD(count, algorithm="arpack", random_state=SEED)
    with threadpool_limits(1):  # sums split over threads differ in their last bits
        mean = directions.fit_transform(weights.transform(known)).mean(axis=0)
        rows: Array = directions.transform(weights.transform(counts.transform(texts))) - mean
    norms = np.sqrt(np.vecdot(rows, rows))[:, None]
    return rows / np.where(norms > 0.0, norms, 1.0)
