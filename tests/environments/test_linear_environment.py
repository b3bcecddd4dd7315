"""The linear problems: shapes, seeds, laws, rounding, refusals."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.environments import Linear


def draw(environment, rounds=6, seed=0):
    problem = environment.problem(100, np.random.default_rng(seed))
    return problem, problem.block(0, rounds, np.random.default_rng(seed + 1))


@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 4), st.booleans(), st.integers(1, 8))
@settings(max_examples=30)
def test_shapes(arms, features, objectives, fixed, rounds):
    problem, block = draw(
        Linear(arms=arms, features=features, objectives=objectives, fixed_arms=fixed), rounds
    )
    n = 1 if fixed else rounds
    assert problem.shape[:5] == (arms, features, objectives, 100, False)
    assert block.contexts.shape == (n, arms, features)
    assert block.means.shape == (n, arms, objectives)
    assert block.rewards.shape == (rounds, arms, objectives)
    assert block.decimals is None
    assert all(
        array.flags.c_contiguous and array.flags.writeable for array in block[:3]
    )  # one Numba type for all


@pytest.mark.parametrize("fixed", [False, True])
def test_means_are_scalar_products(fixed):
    problem, block = draw(Linear(arms=4, features=3, objectives=2, fixed_arms=fixed))
    for t, context in enumerate(block.contexts):
        for a, x in enumerate(context):
            for i, theta in enumerate(problem.theta):
                assert block.means[t, a, i] == pytest.approx(
                    sum(u * v for u, v in zip(x, theta, strict=True))
                )


@pytest.mark.parametrize("fixed", [False, True])
def test_same_seed_same_problem(fixed):
    environment = Linear(fixed_arms=fixed)
    (one, first), (two, second) = draw(environment), draw(environment)
    assert np.array_equal(one.theta, two.theta)
    assert all(np.array_equal(a, b) for a, b in zip(first[:3], second[:3], strict=True))
    other, _ = draw(environment, seed=7)
    assert not np.array_equal(one.theta, other.theta)


def test_fixed_arms_are_told_and_kept():
    problem, block = draw(Linear(arms=5, features=3, fixed_arms=True))
    assert np.array_equal(problem.shape.fixed_arms, block.contexts[0])
    again = problem.block(6, 6, np.random.default_rng(9))
    assert np.array_equal(block.contexts, again.contexts)
    assert not np.array_equal(block.rewards, again.rewards)
    assert draw(Linear())[0].shape.fixed_arms is None


def test_new_arms_change_every_round():
    contexts = draw(Linear(arms=5), rounds=10)[1].contexts
    assert len(np.unique(contexts.reshape(-1, 5), axis=0)) == 50


def test_block_borders_do_not_matter_with_fixed_arms():
    problem = Linear(fixed_arms=True).problem(100, np.random.default_rng(0))
    rng, whole = np.random.default_rng(1), problem.block(0, 10, np.random.default_rng(1))
    parts = [problem.block(0, 4, rng), problem.block(4, 6, rng)]
    assert np.array_equal(whole.rewards, np.concatenate([part.rewards for part in parts]))


@pytest.mark.parametrize("fixed", [False, True])
def test_noise_is_one_normal_vector_per_round(fixed):
    _, block = draw(Linear(arms=3, objectives=2, noise=0.5, fixed_arms=fixed), rounds=20_000)
    noise = block.rewards - block.means
    assert np.allclose(noise, noise[:, :1], atol=1e-12)
    z = noise[:, 0] / 0.5
    assert np.allclose(z.mean(axis=0), 0.0, atol=0.03)
    assert np.allclose(np.cov(z.T), np.eye(2), atol=0.04)
    assert np.allclose((z**4).mean(axis=0), 3.0, atol=0.2)


@pytest.mark.parametrize("fixed", [False, True])
def test_no_noise_pays_the_means(fixed):
    _, block = draw(Linear(noise=0, fixed_arms=fixed))
    assert np.array_equal(block.rewards, np.broadcast_to(block.means, block.rewards.shape))


@pytest.mark.parametrize("fixed", [False, True])
def test_rounding_touches_means_and_rewards(fixed):
    exact, rounded = (
        draw(Linear(objectives=5, fixed_arms=fixed, theta="ball", round_decimals=decimals))
        for decimals in (None, 2)
    )
    assert rounded[1].decimals == 2
    assert np.array_equal(rounded[1].means, np.round(exact[1].means, 2))
    assert not np.array_equal(rounded[1].means, exact[1].means)
    moved = rounded[1].rewards - exact[1].rewards
    assert np.allclose(moved, rounded[1].means - exact[1].means, atol=1e-12)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("law", ["ball", "gauss_clipped", "sphere"])
def test_laws_of_theta_and_contexts(law, fixed):
    problem, block = draw(
        Linear(arms=40, objectives=40, fixed_arms=fixed, theta=law, context_law=law), rounds=5
    )
    for points in (problem.theta, block.contexts):
        norms = np.linalg.norm(points, axis=-1)
        assert np.all(norms <= 1.0 + 1e-12)
        assert np.allclose(norms, 1.0) == (law == "sphere")
        assert np.any(points < 0)
        assert np.any(points > 0)


def test_defaults_are_those_of_the_paper():
    problem, block = draw(Linear())
    assert problem.shape[:3] == (50, 5, 4)
    assert np.allclose(np.linalg.norm(problem.theta, axis=1), 1.0)
    assert np.all(np.linalg.norm(block.contexts, axis=2) < 1.0)


def test_a_recipe_of_plain_values():
    assert Linear(arms=3) == Linear(arms=3) != Linear(arms=4)
    assert repr(Linear(arms=3)).startswith(
        "Linear(arms=3, features=5, objectives=4, fixed_arms=False, theta='sphere'"
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"arms": 0}, "Linear.arms must be an integer of at least 1, got 0"),
        ({"features": 2.0}, "Linear.features must be an integer of at least 1, got 2.0"),
        ({"objectives": -1}, "Linear.objectives must be an integer of at least 1, got -1"),
        ({"fixed_arms": "no"}, "Linear.fixed_arms must be True or False, got 'no'"),
        (
            {"theta": "spere"},
            "Linear.theta: 'spere' is unknown; did you mean sphere? It must be one of ball, gauss_clipped, sphere",
        ),
        (
            {"context_law": "cube"},
            "Linear.context_law must be one of ball, gauss_clipped, sphere, got 'cube'",
        ),
        ({"noise": -1.0}, "Linear.noise must be at least 0, got -1.0"),
        ({"noise": float("nan")}, "Linear.noise must be a finite number, got nan"),
        ({"round_decimals": -1}, "Linear.round_decimals must be an integer of at least 0, got -1"),
        ({"round_decimals": 13}, "Linear.round_decimals must be at most 12, got 13"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Linear(**wrong)
