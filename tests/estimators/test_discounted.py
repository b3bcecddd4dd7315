"""`Discounted` against the closed form in NumPy: every lesson of a model makes its earlier ones count less."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training import asked, drawn, in_parts, lessons, trained

from mobandits.estimators import Discounted, DisjointRidge, Ridge

D, K, L, PENALTY = 3, 4, 2, 0.5
ARMS = np.arange(K)
SEEDS = st.integers(0, 2**32 - 1)


def forgetful(discount, *, disjoint):
    return Discounted(
        DisjointRidge(D, L, K, PENALTY) if disjoint else Ridge(D, L, PENALTY), discount
    )


def closed_form(xs, rewards, discount):
    """The matrix V, the estimate, and the discounted number of lessons of one objective of one model."""
    weights = discount ** np.arange(len(xs))[::-1]
    gram = PENALTY * np.eye(D) + (weights[:, None] * xs).T @ xs
    return gram, np.linalg.solve(gram, xs.T @ (weights * rewards)), weights.sum()


def models(xs, arms, rewards, discount, *, disjoint):
    """For every arm and objective its closed form, from the lessons in which that was observed."""
    out = []
    for a in range(K):
        mine = arms == a if disjoint else np.ones(len(arms), bool)
        seen = [mine & ~np.isnan(rewards[:, l]) for l in range(L)]
        out.append([closed_form(xs[seen[l]], rewards[seen[l], l], discount) for l in range(L)])
    return out


def check(estimator, state, given_lessons, *, disjoint):
    context = np.random.default_rng(1).standard_normal((K, D))
    mean, width, evidence = asked(estimator, state, context, ARMS)
    grams = width.shape[1]
    for a, per_objective in enumerate(
        models(*given_lessons, estimator.discount, disjoint=disjoint)
    ):
        slot = a if disjoint else 0
        for l, (gram, theta, seen) in enumerate(per_objective):
            g, x = l if grams > 1 else 0, context[a]
            np.testing.assert_allclose(mean[a, l], x @ theta, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(
                width[a, g], np.sqrt(x @ np.linalg.solve(gram, x)), rtol=1e-9
            )
            np.testing.assert_allclose(evidence.seen[slot, g], seen, rtol=1e-12)
            volume = np.linalg.slogdet(gram)[1] - D * np.log(PENALTY)
            np.testing.assert_allclose(evidence.volume[slot, g], volume, rtol=1e-9, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("disjoint", [False, True], ids=["own", "shared"])
@given(seed=SEEDS, discount=st.sampled_from([0.2, 0.9, 0.99]), n=st.integers(0, 120))
@settings(max_examples=15)
def test_is_the_closed_form(disjoint, seed, discount, n):
    estimator, given_lessons = forgetful(discount, disjoint=disjoint), lessons(n, D, K, L, seed)
    check(estimator, trained(estimator, *given_lessons), given_lessons, disjoint=disjoint)


@pytest.mark.parametrize("disjoint", [False, True], ids=["own", "shared"])
@given(seed=SEEDS, whole=st.integers(0, 30))
@settings(max_examples=15)
def test_every_objective_forgets_by_its_own_rewards(disjoint, seed, whole):
    estimator = forgetful(0.9, disjoint=disjoint)
    first, rest = lessons(whole, D, K, L, seed), in_parts(*lessons(25, D, K, L, seed + 1), seed)
    given_lessons = tuple(np.concatenate(pair) for pair in zip(first, rest, strict=True))
    check(estimator, trained(estimator, *given_lessons), given_lessons, disjoint=disjoint)


def test_what_is_not_observed_forgets_nothing():
    estimator = forgetful(0.5, disjoint=False)
    xs, arms, rewards = lessons(10, D, K, L, 3)
    state = trained(estimator, xs, arms, rewards)
    before = [array.copy() for array in state]
    after = trained(estimator, xs[:1], arms[:1], np.full((1, L), np.nan), state)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("disjoint", [False, True], ids=["own", "shared"])
def test_without_forgetting_it_is_the_regression(disjoint):
    estimator, given_lessons = forgetful(1.0 - 1e-14, disjoint=disjoint), lessons(300, D, K, L, 4)
    mine, plain = trained(estimator, *given_lessons), trained(estimator.model, *given_lessons)
    for one, other in zip(mine, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


@pytest.mark.long
def test_a_model_remembers_so_many_rewards():
    estimator = forgetful(0.98, disjoint=False)
    xs, arms, rewards = lessons(3000, D, K, L, 5)
    state = trained(estimator, xs, arms, rewards)
    assert state.seen[0, 0] == pytest.approx(1.0 / 0.02)
    again = trained(
        estimator, xs[-1500:], arms[-1500:], rewards[-1500:]
    )  # the older half is forgotten
    np.testing.assert_allclose(again.theta, state.theta, rtol=0, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("disjoint", [False, True], ids=["own", "shared"])
def test_samples_have_the_estimates_mean_and_width(disjoint):
    estimator = forgetful(0.9, disjoint=disjoint)
    state, context = (
        trained(estimator, *lessons(60, D, K, L, 6)),
        np.random.default_rng(7).standard_normal((K, D)),
    )
    mean, width, _ = asked(estimator, state, context, ARMS)
    n, radius = 4000, 0.7
    samples = drawn(
        estimator, state, context, ARMS, 1, np.full(state.seen.shape, radius), n, 8, objectives=L
    )
    deviation = radius * np.broadcast_to(width, (K, L))
    np.testing.assert_allclose(
        samples.mean(0), mean, rtol=0, atol=5.0 * deviation.max() / np.sqrt(n)
    )
    np.testing.assert_allclose(samples.std(0), deviation, rtol=0.08)
