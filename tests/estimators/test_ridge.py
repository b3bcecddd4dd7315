"""`Ridge` and `DisjointRidge` against the closed form in NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training import asked, drawn, in_parts, lessons, trained

from mobandits.contracts.protocols import Shape
from mobandits.estimators import DisjointRidge, Ridge, ridge_for
from mobandits.estimators.linear import REFRESH

D, K, L, PENALTY = 3, 4, 2, 0.5
ARMS = np.arange(K)
SEEDS = st.integers(0, 2**32 - 1)


def ridge():
    return Ridge(D, L, PENALTY)


def disjoint():
    return DisjointRidge(D, L, K, PENALTY)


def closed_form(xs, rewards):
    """The Gram matrix, its inverse and the estimates (objectives, features) of one model."""
    gram = PENALTY * np.eye(D) + xs.T @ xs
    return gram, np.linalg.inv(gram), np.linalg.solve(gram, xs.T @ rewards).T


def models(estimator, xs, arms, rewards):
    """The closed form of every slot."""
    if isinstance(estimator, Ridge):
        return [closed_form(xs, rewards)]
    return [closed_form(xs[arms == a], rewards[arms == a]) for a in range(K)]


@pytest.mark.parametrize("estimator", [ridge(), disjoint()], ids=lambda e: type(e).__name__)
@given(n=st.integers(0, 40), seed=SEEDS)
@settings(max_examples=20)
def test_the_state_is_the_closed_form(estimator, n, seed):
    xs, arms, rewards = lessons(n, D, K, L, seed)
    state = trained(estimator, xs, arms, rewards)
    for s, (gram, inverse, theta) in enumerate(models(estimator, xs, arms, rewards)):
        np.testing.assert_allclose(state.gram[s, 0], gram, atol=1e-12)
        np.testing.assert_allclose(state.inverse[s, 0], inverse, atol=1e-11)
        np.testing.assert_allclose(state.theta[s], theta, atol=1e-11)
        volume = np.linalg.slogdet(gram)[1] - D * np.log(PENALTY)
        np.testing.assert_allclose(state.volume[s, 0], volume, atol=1e-11)
        assert state.seen[s, 0] == (n if len(state.seen) == 1 else (arms == s).sum())


@given(seed=SEEDS)
@settings(max_examples=20)
def test_means_and_widths_of_rows_of_their_own(seed):
    xs, arms, rewards = lessons(30, D, K, L, seed)
    rows, eligible = np.random.default_rng(seed).standard_normal((3, D)), np.array([3, 0, 2])
    for estimator in (ridge(), disjoint()):
        mean, width, _ = asked(estimator, trained(estimator, xs, arms, rewards), rows, eligible)
        known = models(estimator, xs, arms, rewards)
        for i, arm in enumerate(eligible):
            _, inverse, theta = known[arm if len(known) > 1 else 0]
            np.testing.assert_allclose(mean[i], theta @ rows[i], atol=1e-11)
            np.testing.assert_allclose(
                width[i, 0], np.sqrt(rows[i] @ inverse @ rows[i]), atol=1e-11
            )


def test_a_shared_context_is_the_same_row_for_every_arm():
    estimator, (xs, arms, rewards) = disjoint(), lessons(30, D, K, L, 1)
    state = trained(estimator, xs, arms, rewards)
    one, many = (asked(estimator, state, np.tile(xs[0], (rows, 1)), ARMS) for rows in (1, K))
    np.testing.assert_array_equal(one[0], many[0])
    np.testing.assert_array_equal(one[1], many[1])


@pytest.mark.parametrize("estimator", [ridge(), disjoint()], ids=lambda e: type(e).__name__)
@given(n=st.integers(1, 30), seed=SEEDS)
@settings(max_examples=20)
def test_parts_in_any_order_teach_what_the_whole_teaches(estimator, n, seed):
    known, (xs, arms, rewards) = lessons(5, D, K, L, 0), lessons(n, D, K, L, seed)
    start = [trained(estimator, *known) for _ in range(2)]
    full = trained(estimator, xs, arms, rewards, start[0])
    parts = trained(estimator, *in_parts(xs, arms, rewards, seed), start[1])
    for name, whole, pieces in zip(full._fields, full, parts, strict=True):
        np.testing.assert_allclose(
            np.broadcast_to(whole, pieces.shape), pieces, atol=1e-10, err_msg=name
        )


@given(seed=SEEDS)
@settings(max_examples=20)
def test_an_objective_learns_from_the_rewards_that_it_has_seen(seed):
    xs, arms, rewards = lessons(30, D, K, L, seed)
    seen = np.random.default_rng(seed).random(rewards.shape) < 0.6
    state = trained(ridge(), xs, arms, np.where(seen, rewards, np.nan))
    for l in range(L):
        gram, inverse, theta = closed_form(xs[seen[:, l]], rewards[seen[:, l]])
        g = l if state.gram.shape[1] > 1 else 0
        np.testing.assert_allclose(state.gram[0, g], gram, atol=1e-12)
        np.testing.assert_allclose(state.inverse[0, g], inverse, atol=1e-11)
        np.testing.assert_allclose(state.theta[0, l], theta[l], atol=1e-11)
        assert state.seen[0, g] == seen[:, l].sum()


def test_grams_split_at_the_first_partial_reward_only():
    xs, arms, rewards = lessons(3, D, K, L, 0)
    state = trained(ridge(), xs, arms, rewards)
    assert state.gram.shape == (1, 1, D, D)
    state = trained(ridge(), xs[:1], arms[:1], np.full((1, L), np.nan), state)
    assert state.gram.shape == (1, 1, D, D)
    assert state.seen[0, 0] == 3
    state = trained(ridge(), xs[:1], arms[:1], np.array([[1.0, np.nan]]), state)
    assert state.gram.shape == (1, L, D, D)
    assert state.seen.tolist() == [[4, 3]]


@pytest.mark.long
@pytest.mark.parametrize("partial", [False, True])
def test_the_inverse_does_not_drift(partial):
    xs, arms, rewards = lessons(12 * REFRESH, D, K, L, 2)
    xs *= np.array([10.0, 1.0, 1e-3])  # badly scaled: this is what makes rank-one updates drift
    if partial:
        rewards[::2, 0] = np.nan
    state = trained(ridge(), xs, arms, rewards)
    for g in range(state.gram.shape[1]):
        assert np.abs(state.gram[0, g] @ state.inverse[0, g] - np.eye(D)).max() < 1e-8
        np.testing.assert_array_equal(state.inverse[0, g], state.inverse[0, g].T)
    for l in range(L):
        seen = ~np.isnan(rewards[:, l])
        np.testing.assert_allclose(
            state.theta[0, l], closed_form(xs[seen], rewards[seen])[2][l], rtol=1e-8, atol=1e-10
        )


@pytest.mark.long
@pytest.mark.parametrize("draws", [1, 5])
@pytest.mark.parametrize("estimator", [ridge(), disjoint()], ids=lambda e: type(e).__name__)
def test_samples_have_the_law_of_sampled_parameters(estimator, draws):
    n, (xs, arms, rewards), rng = 20_000, lessons(12, D, K, L, 3), np.random.default_rng(4)
    state, rows, radius = trained(estimator, xs, arms, rewards), rng.standard_normal((K, D)), 0.7
    ours = drawn(
        estimator, state, rows, ARMS, draws, np.full((estimator.slots, 1), radius), n, seed=5
    )
    known, theirs = models(estimator, xs, arms, rewards), np.empty_like(ours)
    for l in range(L):
        for a in range(K) if len(known) > 1 else [slice(None)]:
            _, inverse, theta = known[a if len(known) > 1 else 0]
            sampled = rng.multivariate_normal(theta[l], radius**2 * inverse, (n, draws))
            theirs[:, a, l] = (
                (sampled @ np.atleast_2d(rows[a]).T).max(1).squeeze(-1 if len(known) > 1 else ())
            )
    error = np.sqrt(ours.var(0) / n + theirs.var(0) / n)
    assert (np.abs(ours.mean(0) - theirs.mean(0)) < 5 * error).all()
    flat = [s.reshape(n, -1) for s in (ours, theirs)]
    scale = np.sqrt(np.outer(*2 * [flat[1].var(0)]))
    assert (
        np.abs(np.cov(flat[0].T) - np.cov(flat[1].T)) < 0.06 * scale
    ).all()  # also between arms and between objectives


@pytest.mark.long
def test_samples_use_the_gram_of_their_objective():
    xs, arms, rewards = lessons(200, D, K, L, 3)
    rewards[20:, 1] = np.nan
    state, radius = trained(ridge(), xs, arms, rewards), np.ones((1, 2))
    ours = drawn(ridge(), state, xs[:K], ARMS, 1, radius, 20_000, seed=6)
    width = asked(ridge(), state, xs[:K], ARMS)[1]
    np.testing.assert_allclose(ours.std(0), width, rtol=0.05)
    assert (width[:, 1] > 1.5 * width[:, 0]).all()


def test_which_ridge_fits_a_problem():
    shape = Shape(arms=K, features=D, objectives=L)
    assert ridge_for(shape, PENALTY) == ridge()
    assert ridge_for(shape._replace(shared=True), PENALTY) == disjoint()
    with pytest.raises(ValueError, match="features must be at least 1 for a linear policy, got 0"):
        ridge_for(shape._replace(features=0), PENALTY)
