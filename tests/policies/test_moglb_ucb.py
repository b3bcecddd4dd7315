"""MOGLB-UCB against the algorithm in NumPy, and the constants of its paper."""

import numpy as np
import pytest
from scipy import optimize, special, stats
from twins.cubic import Cubic
from twins.replay import pareto_front, replay, watched

from mobandits.contracts.protocols import Shape
from mobandits.estimators.linear import REFRESH
from mobandits.policies import MoglbUcb

SHAPE = Shape(arms=8, features=3, objectives=3)
LINKS = ("probit", "logit", "identity")
MEANS = (stats.norm.cdf, special.expit, float)
TUNED = 0.1


class Twin:
    """The algorithm line by line, with an optimiser of somebody else's for the projection."""

    def __init__(self, means, kappa, bound, gamma=lambda t, volume: TUNED * volume):
        self.z, self.theta, self.t, self.projections = (
            np.eye(SHAPE.features),
            np.zeros((3, SHAPE.features)),
            0,
            0,
        )
        self.means, self.kappa, self.bound, self.gamma = means, kappa, bound, gamma

    def front(self, context):
        if self.t == 0:
            return np.ones(len(context), bool)
        width = np.sqrt(np.einsum("ij,jk,ik->i", context, np.linalg.inv(self.z), context))
        radius = np.sqrt(self.gamma(self.t, np.linalg.slogdet(self.z)[1]))
        return pareto_front(context @ self.theta.T + radius * width[:, None])

    def learn(self, x, arm, reward):
        self.t += 1
        self.z += self.kappa / 2 * np.outer(x, x)
        for l, mean in enumerate(self.means):
            error = reward[l] - mean(self.theta[l] @ x)
            self.theta[l] = self.project(self.theta[l] + error * np.linalg.inv(self.z) @ x)

    def project(self, x):
        if np.linalg.norm(x) <= self.bound:
            return x
        self.projections += 1

        def shrunk(nu):
            return np.linalg.solve(self.z + nu * np.eye(len(x)), self.z @ x)

        return shrunk(
            optimize.brentq(
                lambda nu: np.linalg.norm(shrunk(nu)) - self.bound, 0.0, 1e6, xtol=1e-13
            )
        )


def signed(seed, rounds=400):
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((rounds, 8, 3)) / 3.0
    rewards = contexts @ (2.0 * rng.standard_normal((3, 3))) + 0.5 * rng.standard_normal(
        (rounds, 8, 3)
    )
    return contexts, rewards


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_tuned_width(seed):
    twin = Twin(MEANS, special.expit(0.6) * special.expit(-0.6), bound=0.6)
    run = replay(
        MoglbUcb(links=LINKS, scale=TUNED, bound=0.6), SHAPE, given=signed(seed), seed=seed
    )
    watched(run, twin)
    assert twin.projections > 20
    np.testing.assert_allclose(run.state.theta[0], twin.theta, atol=1e-9)


@pytest.mark.long
def test_the_inverse_does_not_drift():
    contexts, rewards = signed(7, REFRESH + 50)
    run = replay(
        MoglbUcb(links=LINKS, scale=TUNED), SHAPE, given=(contexts * [3.0, 1.0, 0.01], rewards)
    )
    np.testing.assert_allclose(
        run.state.gram[0, 0] @ run.state.inverse[0, 0], np.eye(3), atol=1e-12
    )
    np.testing.assert_allclose(
        run.state.volume[0, 0], np.linalg.slogdet(run.state.gram[0, 0])[1], atol=1e-10
    )


@pytest.mark.long
def test_theory_width():
    kappa, reach, delta = special.expit(1.0) * special.expit(-1.0), 1.0 + 1.0, 0.01

    def gamma(t, volume):
        first = 16 * reach**2 / kappa * np.log(3 / delta * np.sqrt(1 + 4 * t))
        return first + 1.0 + 2 * reach**2 / kappa * volume + kappa / 2

    watched(
        replay(MoglbUcb(links=LINKS, scale="theory"), SHAPE, given=signed(5)),
        Twin(MEANS, kappa, 1.0, gamma),
    )


def test_constants_of_the_experiment():
    policy = MoglbUcb(links=["probit"] * 2 + ["logit"] * 3, scale="theory").bind(
        Shape(arms=20, features=5, objectives=5)
    )
    assert policy.estimator.curvature == pytest.approx(0.196612, abs=1e-6)
    radius = policy.explorer.radius
    assert radius.reach == pytest.approx(1.841345, abs=1e-6)
    assert radius.reach**2 / radius.curvature == pytest.approx(17.2, abs=0.05)
    assert radius.at(3000.0, 0.0) ** 2 == pytest.approx(3.0e3, rel=0.01)


@pytest.mark.long
def test_a_link_of_ones_own():
    twin = Twin([lambda z: z + z**3] * 3, 1.0, 1.0)
    run = replay(MoglbUcb(links=Cubic(), scale=TUNED), SHAPE, given=signed(1), compiled=True)
    watched(run, twin)
    np.testing.assert_allclose(run.state.theta[0], twin.theta, atol=1e-9)


def test_arms_that_share_a_context_have_models_of_their_own():
    policy = MoglbUcb(scale=TUNED).bind(SHAPE._replace(shared=True))
    assert policy.estimator.init().theta.shape == (8, 3, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scale": 0.0}, "MoglbUcb.scale must be above 0"),
        ({"bound": -1.0}, "MoglbUcb.bound must be above 0"),
        ({"delta": 1.0}, "MoglbUcb.delta must be below 1"),
        ({"links": ["logit"]}, "MoglbUcb.links must have one entry per objective, 3, got 1"),
        ({"links": "loggit"}, "did you mean logit"),
        ({"penalty": 0.5}, r"MoglbUcb.penalty must be at least max\(1, kappa / 2\) = 1, got 0.5"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        MoglbUcb(**given).bind(SHAPE)
