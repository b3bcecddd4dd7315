"""Hypervolume scalarisation: the law of the arms it plays, and what the scalarisation adds up to."""

import numpy as np
import pytest
from twins.regression import History
from twins.replay import decided, replay

from mobandits.contracts.protocols import Shape
from mobandits.estimators import SampleMean
from mobandits.explorers import Greedy, RandomHypervolume
from mobandits.policies import HypervolumeUcb

SHAPE = Shape(arms=6, features=2, objectives=3)


def shares(values, reference, n=4000, seed=0):
    """How often each arm has the largest scalarisation."""
    weights = np.abs(np.random.default_rng(seed).standard_normal((n, values.shape[1])))
    scores = (np.maximum(values - reference, 0)[None] / weights[:, None]).min(2)
    best = scores == scores.max(1, keepdims=True)
    return (best / best.sum(1, keepdims=True)).mean(0)


@pytest.mark.long
@pytest.mark.parametrize("exploration", ["ucb", "thompson"])
def test_shares_of_the_arms(exploration):
    """From the state after 60 rounds, arms are played as often as weights favour them."""
    recipe = HypervolumeUcb(scale=0.4, reference=-0.5, exploration=exploration)
    run, twin, policy = replay(recipe, SHAPE, 60), History(6, 2, 3), recipe.bind(SHAPE)
    for t, arm in enumerate(run.chosen):
        twin.learn(run.contexts[t, arm], arm, run.rewards[t, arm])
    context, (inverse, theta), rng = run.contexts[7], twin.ridge(), np.random.default_rng(1)
    mean, width = twin.linear(context)
    law = decided(policy, run.state, context, 4000)
    if exploration == "ucb":
        expected = shares(mean + 0.4 * width[:, None], -0.5)
    else:
        samples = [
            theta + 0.4 * rng.multivariate_normal(np.zeros(2), inverse, size=3) for _ in range(1500)
        ]
        expected = np.mean([shares(context @ s.T, -0.5, 4, i) for i, s in enumerate(samples)], 0)
    np.testing.assert_allclose(law, expected, atol=0.05)


@pytest.mark.long
def test_it_is_the_hypervolume_on_average():
    """The mean over w of max_a (min_l v / w)^L is proportional to the area that the arms dominate."""
    fronts = [
        np.array([[1.0, 1.0]]),
        np.array([[1.0, 0.5], [0.5, 1.0]]),
        np.array([[1.0, 0.2], [0.6, 0.6], [0.1, 1.0]]),
    ]
    areas, explorer, means = (
        [1.0, 0.75, 0.2 + 0.4 * 0.6 + 0.4 * 0.1],
        RandomHypervolume(Greedy(), [0.0, 0.0]),
        [],
    )
    for values in fronts:
        estimator, rng = SampleMean(len(values), 2), np.random.default_rng(0)
        state = estimator.init()._replace(seen=np.ones_like(values), total=values)
        ask = (estimator, state, np.zeros((1, 0)), np.arange(len(values)), rng)
        means.append(np.mean([explorer.beliefs(*ask).mean.max() ** 2 for _ in range(4000)]))
    np.testing.assert_allclose(means, np.array(areas) * means[0], rtol=0.05)


def test_arms_below_the_reference_are_equal():
    rewards = np.full((50, 6, 3), -5.0)
    run = replay(
        HypervolumeUcb(scale=0.01, reference=0.0), SHAPE, given=(np.full((1, 6, 2), 0.5), rewards)
    )
    assert run.fronts[5:].all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"exploration": "uct"}, "did you mean ucb"),
        (
            {"reference": (0.0, 1.0)},
            "HypervolumeUcb.reference must have one entry per objective, 3, got 2",
        ),
        ({"reference": ("a", 1.0)}, "HypervolumeUcb.reference must be a finite number"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        HypervolumeUcb(**given).bind(SHAPE)
