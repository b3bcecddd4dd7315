"""MOL-TS with its options: selection by weights, generalized linear rewards."""

import numpy as np
import pytest
from scipy import special
from twins.regression import History
from twins.replay import believed, decided, replay, taught

from mobandits.contracts.protocols import Shape
from mobandits.orders import EffectivePareto, Pareto
from mobandits.policies import MoglbUcb, MolTs

SHAPE = Shape(arms=6, features=2, objectives=3)


@pytest.mark.long
def test_weights_play_the_best_arm_of_a_random_mixture():
    recipe = MolTs(scale=0.3, selection="weight", draws=2)
    run, twin = replay(recipe, SHAPE, 40), History(6, 2, 3)
    for t, arm in enumerate(run.chosen):
        twin.learn(run.contexts[t, arm], arm, run.rewards[t, arm])
    inverse, theta = twin.ridge()
    rng, context, n, expected = np.random.default_rng(0), run.contexts[3], 3000, np.zeros(6)
    for _ in range(n):
        samples = theta + 0.3 * rng.multivariate_normal(np.zeros(2), inverse, size=(2, 3))
        optimistic = (samples @ context.T).max(0)
        expected[(rng.dirichlet(np.ones(3)) @ optimistic).argmax()] += 1 / n
    law = decided(recipe.bind(SHAPE), run.state, context, n)
    np.testing.assert_allclose(law, expected, atol=0.05)


@pytest.mark.long
def test_generalized_linear_beliefs_are_those_of_moglb_ucb():
    """Same plays, same estimates; the samples are mean rewards around mu(theta . x)."""
    recipe = MolTs(scale=0.05, links="logit", draws=1)
    run = replay(recipe, SHAPE, 100, compiled=True)
    policy = recipe.bind(SHAPE)
    newton = MoglbUcb(links="logit").bind(SHAPE).estimator
    assert policy.estimator == newton
    each = range(100), run.chosen
    state = taught(newton, run.contexts[each], run.chosen, run.rewards[each])
    np.testing.assert_allclose(state.theta, run.state.theta, atol=1e-12)
    context = run.contexts[5]
    samples = believed(policy, run.state, context, 2000, 3)
    np.testing.assert_allclose(
        samples.mean(0), special.expit(context @ state.theta[0].T), atol=0.01
    )
    spread = special.logit(samples).std(0)
    width = 0.05 * np.sqrt(np.einsum("ij,jk,ik->i", context, state.inverse[0, 0], context))
    np.testing.assert_allclose(spread, np.tile(width[:, None], (1, 3)), rtol=0.1)


def test_radii_and_orders():
    theory = MolTs(scale="theory", links="logit", noise=2.0).bind(SHAPE)
    assert (
        theory.explorer.explorer.radius
        == MoglbUcb(scale="theory", links="logit", noise=2.0).bind(SHAPE).explorer.radius
    )
    assert theory.order == EffectivePareto()
    assert MolTs(links="logit", selection="weight").bind(SHAPE).order == Pareto()
    assert MolTs().accepts_partial
    assert not MolTs(links=["logit"] * 3).accepts_partial
    assert MolTs(links=["logit"] * 3) == MolTs(links=("logit",) * 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"selection": "weigth"}, "did you mean weight"),
        ({"links": "loggit"}, "MolTs.links: 'loggit' is unknown"),
        ({"links": ["logit"]}, "MolTs.links must have one entry per objective, 3, got 1"),
        ({"links": "logit", "penalty": 0.1}, "MolTs.penalty must be at least"),
        ({"bound": 0.0}, "MolTs.bound must be above 0"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        MolTs(**given).bind(SHAPE)
