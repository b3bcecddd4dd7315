"""How often each trial occurs in samples that are drawn with replacement."""

import functools

import numpy as np

from mobandits.contracts.protocols import Array

RESAMPLES = 10_000


@functools.lru_cache(maxsize=8)
def counts(trials: int, resamples: int = RESAMPLES) -> Array:
    """(resamples, trials) how often a resample has drawn a trial; always the same numbers.

    Args:
        trials: drawn from, and drawn in each resample.
        resamples: how many.

    Example:
        >>> counts(5, resamples=3).sum(axis=1).tolist()
        [5.0, 5.0, 5.0]
    """
    # One seed for all that is resampled, so that a number is judged alike whatever was before it.
    rng = np.random.default_rng(0)
    shares = np.full(trials, 1.0 / trials)
    drawn = rng.multinomial(trials, shares, resamples)
    return drawn.astype(np.float64)
