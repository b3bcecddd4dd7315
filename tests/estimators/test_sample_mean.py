"""`SampleMean` against NumPy's mean."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from training import asked, in_parts, lessons, trained

from mobandits.estimators import SampleMean

K, L = 4, 2
ESTIMATOR = SampleMean(K, L)


@given(n=st.integers(0, 40), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_means_widths_and_counts_are_those_of_the_rewards_seen(n, seed):
    _, arms, rewards = lessons(n, 1, K, L, seed)
    rewards[np.random.default_rng(seed).random(rewards.shape) < 0.3] = np.nan
    eligible = np.array([2, 0, 3])
    mean, width, evidence = asked(
        ESTIMATOR, trained(ESTIMATOR, np.zeros((n, 0)), arms, rewards), np.zeros((1, 0)), eligible
    )
    for i, arm in enumerate(eligible):
        for l in range(L):
            seen = rewards[arms == arm, l][~np.isnan(rewards[arms == arm, l])]
            np.testing.assert_allclose(mean[i, l], seen.mean() if len(seen) else 0.0, atol=1e-12)
            np.testing.assert_allclose(
                width[i, l], 1.0 / np.sqrt(len(seen)) if len(seen) else np.inf
            )
    total = (~np.isnan(rewards[np.isin(arms, eligible)])).sum(0)
    np.testing.assert_array_equal(evidence.seen, total[None])
    np.testing.assert_array_equal(evidence.volume, 0.0)


@given(n=st.integers(1, 30), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_parts_in_any_order_teach_what_the_whole_teaches(n, seed):
    _, arms, rewards = lessons(n, 1, K, L, seed)
    full = trained(ESTIMATOR, np.zeros((n, 0)), arms, rewards)
    parts = trained(ESTIMATOR, *in_parts(np.zeros((n, 0)), arms, rewards, seed))
    np.testing.assert_array_equal(full.seen, parts.seen)
    np.testing.assert_allclose(full.total, parts.total, atol=1e-10)


@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=60),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60)
def test_coins_tie_exactly(coins, times, random):
    """Arms with the same share of successes have the same mean, to the last bit, in whatever order they came."""
    estimator, state = SampleMean(2, 1), SampleMean(2, 1).init()
    again = coins * times
    random.shuffle(again)
    for arm, rewards in enumerate((coins, again)):
        for reward in rewards:
            state = estimator.update(state, np.empty(0), arm, np.array([float(reward)]))
    mean = estimator.mean(state, np.empty((1, 0)), np.arange(2))[:, 0]
    assert mean[0] == mean[1] == sum(coins) / len(coins)
