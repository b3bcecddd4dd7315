"""Violation and the regret against the best mixture within budgets, against slow twins."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mobandits as mob
from mobandits.contracts.protocols import Block, Shape
from mobandits.environments import Linear
from mobandits.metrics import BudgetRegret, Violation, best_within_budgets
from mobandits.policies import RandomChoice
from mobandits.simulation.truth import BlockGroundTruth


def best_vertex(gains, costs, allowed):
    """The best mixture within budgets by trying every vertex: as many tight rows as there are arms."""
    arms, budgets = costs.shape
    # Rows that may be tight: an arm's share of 0, or a budget that is used up.
    rows = [(np.eye(arms)[a], 0.0) for a in range(arms)]
    rows += [(costs[:, j], allowed[j]) for j in range(budgets)]
    best = -math.inf
    for tight in itertools.combinations(rows, arms - 1):
        matrix = np.vstack([np.ones(arms), *[row for row, _ in tight]])
        if abs(np.linalg.det(matrix)) < 1e-9:
            continue
        weights = np.linalg.solve(matrix, [1.0, *[right for _, right in tight]])
        if (weights < -1e-9).any() or (weights @ costs > allowed + 1e-9).any():
            continue
        best = max(best, float(weights @ gains))
    return best


@pytest.mark.long
@settings(max_examples=80, deadline=None)
@given(st.integers(2, 4), st.integers(1, 2), st.integers(0, 10**6))
def test_the_best_mixture(arms, budgets, seed):
    rng = np.random.default_rng(seed)
    gains = rng.integers(0, 10, arms) / 10.0
    costs = rng.integers(0, 10, (arms, budgets)) / 10.0
    allowed = rng.integers(0, 10, budgets) / 10.0
    expected = best_vertex(gains, costs, allowed)
    mixture = best_within_budgets(gains, costs, allowed)
    if expected == -math.inf:
        assert math.isnan(mixture.value)
        return
    assert mixture.value == pytest.approx(expected, abs=1e-7)
    assert mixture.weights.sum() == pytest.approx(1.0)
    assert (mixture.weights >= -1e-9).all()
    assert (mixture.weights @ costs <= allowed + 1e-7).all()


def test_units_change_nothing():
    """Costs in millionths of a dollar, where a solver's tolerance would be larger than they are."""
    gains = [0.5, 0.7, 0.9]
    costs = np.array([[1.0], [4.0], [50.0]])
    weights = best_within_budgets(gains, costs, [10.0]).weights
    small = best_within_budgets(gains, 1e-9 * costs, [1e-8]).weights
    assert small == pytest.approx(weights, abs=1e-9)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"costs must have shape \(arms, budgets\) = \(2, 1\)"):
        best_within_budgets([1.0, 2.0], [[1.0]], [0.5])


def truth_with(means, rewards, dollars):
    block = Block(np.zeros((1, 1, 0)), means, rewards)
    return BlockGroundTruth(block, quantities=lambda: {"dollars": dollars})


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10**6), st.booleans())
def test_both_metrics_after_every_round(rounds, seed, stays):
    rng = np.random.default_rng(seed)
    arms = 3
    means = rng.integers(0, 10, (1 if stays else rounds, arms, 2)) / 10.0
    means[:, :, 1] *= -1.0
    rewards = np.broadcast_to(means, (rounds, arms, 2)) + rng.integers(0, 3, (rounds, 1, 1)) / 10.0
    dollars = rng.integers(0, 10, (rounds, arms)) / 10.0
    chosen = rng.integers(arms, size=rounds)
    truth = truth_with(means, rewards, dollars)
    budgets = {1: 0.4, "dollars": 0.45}
    violation, regret = Violation(budgets), BudgetRegret(0, budgets)
    every = np.broadcast_to(means, (rounds, arms, 2))
    shape = Shape(arms, 0, 2)
    per_round = [metric.per_round(truth, chosen, None) for metric in (violation, regret)]
    for metric, values in zip((violation, regret), per_round, strict=True):
        assert values.shape == (rounds, metric.components(shape))
    accumulators = [metric.accumulator(shape) for metric in (violation, regret)]
    for t in range(1, rounds + 1):
        for accumulator, values in zip(accumulators, per_round, strict=True):
            accumulator.add(values[t - 1 : t])
        paid = [-rewards[s, chosen[s], 1] for s in range(t)]
        bills = [dollars[s, chosen[s]] for s in range(t)]
        expected = [max(0.0, sum(paid) - 0.4 * t), max(0.0, sum(bills) - 0.45 * t)]
        assert accumulators[0].value() == pytest.approx(expected, abs=1e-12)
        costs = np.stack([-every[:t, :, 1].sum(0), dollars[:t].sum(0)], axis=1)
        best = best_vertex(every[:t, :, 0].sum(0), costs, np.array([0.4 * t, 0.45 * t]))
        earned = sum(every[s, chosen[s], 0] for s in range(t))
        (got,) = accumulators[1].value()
        if best == -math.inf:
            assert math.isnan(got)
        else:
            assert got == pytest.approx(best - earned, abs=1e-7)


def simulated(*metrics):
    environment = Linear(arms=3, features=2, objectives=2)
    return mob.simulate(RandomChoice(), environment, rounds=50, trials=2, metrics=list(metrics))


@pytest.mark.long
def test_in_a_simulation():
    results = simulated(Violation({1: 0.2}), BudgetRegret(0, {1: 0.2}))
    assert set(results.table["metric"].unique()) == {"violation", "budget_regret"}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Violation({}), r"Violation\.budgets must be a dictionary .* got none"),
        (lambda: Violation(3.0), r"Violation\.budgets must be a dictionary"),
        (lambda: Violation({-1: 0.5}), "got -1"),
        (lambda: Violation({True: 0.5}), "got True"),
        (lambda: Violation({1: -0.5}), r"Violation\.budgets\[1\] must be at least 0"),
        (lambda: BudgetRegret(-1, {1: 0.5}), r"BudgetRegret\.objective must be an integer"),
        (lambda: BudgetRegret(0, {}), r"BudgetRegret\.budgets must be a dictionary"),
        (lambda: simulated(Violation({2: 0.5})), "objectives must be below 2, got 2"),
        (lambda: simulated(BudgetRegret(2, {1: 0.5})), "objectives must be below 2, got 2"),
        (lambda: simulated(BudgetRegret(0, {2: 0.5})), "objectives must be below 2, got 2"),
    ],
)
def test_what_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_they_are_values():
    assert Violation({1: 1}) == Violation(((1, 1.0),))
    assert hash(BudgetRegret(0, {"dollars": 1})) == hash(BudgetRegret(0, [("dollars", 1.0)]))
