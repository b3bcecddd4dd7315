"""MOL-UCB, MOL-eps-Greedy and MOL-TS against their rules, recomputed from the whole history in every round."""

import math

import numpy as np
import pytest
from playing import OWN, SHARED, D, K, L, close, estimates, pareto, played, regressions

from mobandits.orders import EffectivePareto
from mobandits.policies import MolEpsGreedy, MolTs, MolUcb

ROUNDS = range(0, 240, 7)


def theory(count, models, delta, noise, penalty):
    growth, doubt = math.log(1 + count / (penalty * D)), math.log(models / delta)
    return noise * math.sqrt(max(D * (growth + doubt), D * growth + 2 * doubt)) + math.sqrt(penalty)


@pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])
def test_mol_ucb_with_a_constant_radius(shape):
    run = played(MolUcb(scale=0.3, penalty=2.0), shape)
    for t in ROUNDS:
        mean, width = estimates(regressions(*run.before(t), 2.0, shape.shared), run.rows(t))
        assert run.fronts[t].tolist() == pareto(mean + 0.3 * width).tolist()
        assert run.fronts[t, run.chosen[t]]


@pytest.mark.parametrize("shape", [OWN, SHARED], ids=["own", "shared"])
def test_mol_ucb_with_the_theorys_radius(shape):
    run = played(MolUcb(scale="theory", delta=0.1, noise=0.02, penalty=0.01), shape)
    for t in ROUNDS:
        models = regressions(*run.before(t), 0.01, shape.shared)
        mean, width = estimates(models, run.rows(t))
        union = L * (K if shape.shared else 1)
        radius = np.array([[theory(count, union, 0.1, 0.02, 0.01)] for _, _, count in models])
        assert run.fronts[t].tolist() == pareto(mean + radius * width).tolist()


@pytest.mark.long
def test_mol_eps_greedy_mixes_uniform_play_with_the_front_of_the_estimates():
    learned, n = played(MolEpsGreedy(epsilon=0.3)), 8000
    run = played(MolEpsGreedy(epsilon=0.3), rounds=n, seed=4, state=learned.state, learn=False)
    mean, _ = estimates(
        regressions(*learned.before(len(learned.chosen)), 1.0, shared=False), run.rows(0)
    )
    front = pareto(mean)
    assert 1 <= front.sum() < K
    assert run.fronts.all()
    assert close(np.bincount(run.chosen, minlength=K), 0.3 / K + 0.7 * front / front.sum(), n)


@pytest.mark.long
@pytest.mark.parametrize(("shape", "draws"), [(OWN, None), (SHARED, 1)], ids=["own", "shared"])
def test_mol_ts_plays_the_effective_front_of_optimistic_samples(shape, draws):
    recipe, n, rng = MolTs(scale=0.5, draws=draws), 3000, np.random.default_rng(0)
    learned = played(MolUcb(scale=0.5), shape, rounds=20)  # the same regression
    run = played(recipe, shape, rounds=n, seed=4, state=learned.state, learn=False)
    many = draws or math.ceil(1 - math.log(L) / math.log(0.85))
    assert many == (8 if draws is None else 1)
    models, rows, twin = (
        regressions(*learned.before(20), 1.0, shape.shared),
        run.rows(0),
        np.empty((n, K, L)),
    )
    for l in range(L):
        if not shape.shared:
            inverse, theta, _ = models[0]
            twin[:, :, l] = (
                rng.multivariate_normal(theta[l], 0.25 * inverse, (n, many)) @ rows.T
            ).max(1)
        else:
            for a, (inverse, theta, _) in enumerate(models):
                twin[:, a, l] = (
                    rng.multivariate_normal(theta[l], 0.25 * inverse, (n, many)) @ rows[a]
                ).max(1)
    law = np.array([effective(values) for values in twin]).mean(0)
    assert close(
        run.fronts.sum(0), np.clip(law, 1 / n, 1 - 1 / n), n, sigmas=7
    )  # both sides are sampled
    assert run.fronts[np.arange(n), run.chosen].all()


def effective(values):
    """Arms that are best for some of many positive weights: a slightly too small front, almost never at K = 5."""
    weights = WEIGHTS @ values.T
    out = np.zeros(len(values), bool)
    out[np.unique(weights.argmax(1))] = True
    return out


GRID = np.array([(i, j, 40 - i - j) for i in range(41) for j in range(41 - i)]) / 40
WEIGHTS = np.vstack([GRID, GRID**4]) + 1e-6


def test_any_order_can_be_played():
    assert MolUcb(order=EffectivePareto()).bind(OWN).order == EffectivePareto()
