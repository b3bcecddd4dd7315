"""Estimates fitted to the whole history against an optimiser of somebody else's."""

import numpy as np
import pytest
from scipy import optimize, special

from mobandits.contracts.protocols import Shape
from mobandits.policies import MoglbUcb
from mobandits_papers.moglb2019.refitting import Refitted

SHAPE = Shape(arms=4, features=3, objectives=2)
ROUNDS, PENALTY = 60, 1.5


@pytest.fixture(scope="module")
def history():
    rng = np.random.default_rng(3)
    features = rng.standard_normal((ROUNDS, 3)) / 2.0
    theta = np.array([[1.0, -0.5, 0.2], [-1.0, 2.0, 0.0]])
    return features, (rng.random((ROUNDS, 2)) < special.expit(features @ theta.T)).astype(float)


@pytest.fixture(scope="module")
def estimators():
    online = MoglbUcb(links="logit", scale=0.1).bind(SHAPE).estimator
    return online, Refitted(online, PENALTY, ROUNDS, SHAPE.objectives, SHAPE.features)


def learned(estimator, history, rounds):
    state = estimator.init()
    for x, reward in zip(*(part[:rounds] for part in history), strict=True):
        state = estimator.update(state, x, 0, reward)
    return state


def fitted(features, rewards):
    """The minimiser of the penalised negative log-likelihood of one objective."""

    def loss(theta):
        z = features @ theta
        return np.logaddexp(0.0, z).sum() - rewards @ z + PENALTY / 2 * theta @ theta

    def slope(theta):
        return features.T @ (special.expit(features @ theta) - rewards) + PENALTY * theta

    return optimize.minimize(loss, np.zeros(3), jac=slope, method="BFGS", options={"gtol": 1e-10}).x


@pytest.mark.parametrize("rounds", [1, 7, ROUNDS])
def test_estimates_are_those_of_maximum_likelihood(estimators, history, rounds):
    state = learned(estimators[1], history, rounds)
    features, rewards = (part[:rounds] for part in history)
    twin = [fitted(features, rewards[:, l]) for l in range(2)]
    np.testing.assert_allclose(state.online.theta[0], twin, atol=1e-7)


def test_widths_and_evidence_are_the_online_estimators(estimators, history):
    context, arms = np.eye(4, 3) / 2.0, np.arange(4)
    online, refitted = (learned(one, history, 20) for one in estimators)
    for name in ("width", "evidence"):
        one, other = (
            getattr(estimator, name)(state, context, arms)
            for estimator, state in zip(estimators, (online, refitted), strict=True)
        )
        np.testing.assert_array_equal(np.hstack(one), np.hstack(other))
    means = estimators[1].mean(refitted, context, arms)
    np.testing.assert_allclose(means, context @ refitted.online.theta[0].T, atol=1e-15)
