"""Pareto-UCB1, Scalarized-UCB1, Pareto Thompson sampling and the floors, against their rules."""

import numpy as np
import pytest
from playing import OWN, K, L, T, close, pareto, played

from mobandits.estimators import MeanState
from mobandits.policies import ParetoTs, ParetoUcb1, RandomChoice, ScalarizedUcb1, SingleArm
from mobandits.policies.context_free.pareto_ts import BetaState


def means(arms, rewards):
    """Plays (arms,) and mean rewards (arms, objectives)."""
    plays = np.bincount(arms, minlength=K)
    total = np.array([rewards[arms == a].sum(0) for a in range(K)])
    return plays, total / np.maximum(plays, 1)[:, None]


@pytest.mark.long
@pytest.mark.parametrize("optimal_arms", [None, 2])
def test_pareto_ucb1_plays_the_front_of_its_indices(optimal_arms):
    run = played(ParetoUcb1(scale=0.5, optimal_arms=optimal_arms))
    assert sorted(run.chosen[:K]) == list(range(K))  # each once, in random order
    for t in range(T):
        plays, mean = means(*run.before(t)[1:])
        with np.errstate(divide="ignore"):
            width = 0.5 * np.sqrt(2 * np.log(max(t, 1) * (L * (optimal_arms or K)) ** 0.25) / plays)
        index = mean + width[:, None]
        assert run.fronts[t].tolist() == pareto(index).tolist()


def test_pareto_ucb1_starts_in_every_order():
    firsts = [played(ParetoUcb1(), rounds=1, seed=seed).chosen[0] for seed in range(300)]
    assert close(np.bincount(firsts, minlength=K), np.full(K, 1 / K), 300)


def scalarized(plays, mean, weights, chebyshev, scale=0.2, margin=0.1):
    """(arms,) the UCB1 index of one function."""
    utility = mean @ weights
    if chebyshev:
        floor = mean[plays > 0].min(0, initial=np.inf) - margin
        utility = (weights * (mean - floor)).min(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        index = utility + scale * np.sqrt(2 * np.log(max(plays.sum(), 1)) / plays)
    return np.where(plays > 0, index, np.inf)


@pytest.mark.parametrize("chebyshev", [False, True])
def test_scalarized_ucb1_with_one_function(chebyshev):
    weights = (0.2, 0.5, 0.3)
    run = played(ScalarizedUcb1(weights=(weights,), scale=0.2, chebyshev=chebyshev))
    for t in range(T):
        index = scalarized(*means(*run.before(t)[1:]), np.array(weights), chebyshev)
        assert (
            run.fronts[t].tolist() == (index == index.max()).tolist()
            or np.ptp(np.sort(index)[-2:]) < 1e-12
        )


@pytest.mark.long
def test_scalarized_ucb1_draws_a_function_and_teaches_all_where_they_share():
    run, weights = (
        played(ScalarizedUcb1(scale=0.2, shared=True), rounds=T),
        np.vstack([np.eye(L), np.full(L, 1 / L)]),
    )
    told = np.zeros(len(weights))
    for t in range(K, T):
        indices = [scalarized(*means(*run.before(t)[1:]), w, chebyshev=False) for w in weights]
        fronts = [(index == index.max()).tolist() for index in indices]
        assert run.fronts[t].tolist() in fronts
        if fronts.count(run.fronts[t].tolist()) == 1:
            told[fronts.index(run.fronts[t].tolist())] += 1
    assert (told > 0).sum() > 1
    assert run.state.seen.shape == (1, K, L)
    assert run.state.seen.sum() == T * L


def test_scalarized_ucb1_teaches_only_the_function_that_chose():
    run = played(ScalarizedUcb1())
    rounds = run.state.seen[:, :, 0].sum(1)
    assert rounds.sum() == T
    assert close(rounds, np.full(L + 1, 1 / (L + 1)), T)  # functions are drawn uniformly
    played_by = run.state.seen[:, :, 0].sum(0)
    np.testing.assert_array_equal(played_by, np.bincount(run.chosen, minlength=K))
    total = run.state.total.sum(0)
    np.testing.assert_allclose(
        total, [run.rewards[run.chosen == a].sum(0) for a in range(K)], atol=1e-9
    )


def test_beta_posteriors_count_successes_and_failures():
    run = played(ParetoTs(), kind="binary")
    for a in range(K):
        np.testing.assert_array_equal(run.state.alpha[a], 1 + run.rewards[run.chosen == a].sum(0))
        np.testing.assert_array_equal(
            run.state.beta[a], 1 + (1 - run.rewards[run.chosen == a]).sum(0)
        )


@pytest.mark.long
def test_rewards_that_are_not_binary_become_coins():
    run = played(ParetoTs(), rounds=4000, kind="unit")
    plays, mean = means(run.chosen, run.rewards)
    np.testing.assert_array_equal(run.state.alpha, run.state.alpha.round())
    np.testing.assert_array_equal(run.state.alpha + run.state.beta - 2, np.tile(plays[:, None], L))
    assert close(run.state.alpha - 1, mean, plays[:, None])


SEEN = np.array(
    [[3.0, 9.0, 30.0], [20.0, 2.0, 5.0], [6.0, 6.0, 6.0], [1.0, 1.0, 1.0], [15.0, 15.0, 15.0]]
)
MEAN = np.array(
    [[0.6, 0.3, 0.5], [0.5, 0.5, 0.4], [0.3, 0.6, 0.6], [0.2, 0.3, 0.1], [0.4, 0.4, 0.5]]
)


@pytest.mark.long
@pytest.mark.parametrize("prior", ["beta", "gaussian"])
def test_pareto_ts_plays_the_front_of_a_posterior_sample(prior):
    n, rng = 4000, np.random.default_rng(0)
    if prior == "beta":
        state, twin = (
            BetaState(SEEN * MEAN + 1, SEEN * (1 - MEAN) + 1),
            rng.beta(SEEN * MEAN + 1, SEEN * (1 - MEAN) + 1, (n, K, L)),
        )
    else:
        state = MeanState(seen=SEEN.copy(), total=SEEN * MEAN)
        twin = rng.normal(MEAN, 0.7 / np.sqrt(SEEN + 1), (n, K, L))
    run = played(ParetoTs(prior, noise=0.7), rounds=n, state=state, learn=False)
    law = np.array([pareto(values) for values in twin]).mean(0)
    assert close(run.fronts.sum(0), law, n, sigmas=7)  # both sides are sampled
    assert run.fronts[np.arange(n), run.chosen].all()


def test_random_choice_is_uniform():
    run = played(RandomChoice(), rounds=4000)
    assert run.fronts.all()
    assert close(np.bincount(run.chosen, minlength=K), np.full(K, 1 / K), 4000)


def test_single_arm_plays_its_arm():
    run = played(SingleArm(2), OWN)
    assert (run.chosen == 2).all()
    assert run.fronts.sum(0).tolist() == [0, 0, T, 0, 0]
