"""The max-min fairness regret, against a general solver on the program as it is defined."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from mobandits import metrics
from mobandits.contracts.protocols import Block, Shape
from mobandits.environments import Linear, MultiArmed
from mobandits.metrics import MaxMinRegret
from mobandits.metrics.best_worst_sums import spaced
from mobandits.policies import MolTs, RandomChoice, SingleArm
from mobandits.simulation import simulate
from mobandits.simulation.truth import BlockGroundTruth


def best_worst_sum(means):
    """B of (rounds, arms, objectives) means, by a general solver: a share per round and arm, and v."""
    rounds, arms, objectives = means.shape
    shares = rounds * arms
    cost = np.zeros(shares + 1)
    cost[-1] = -1.0
    worst = np.ones((objectives, shares + 1))
    worst[:, :-1] = -means.reshape(shares, objectives).T
    sums = np.zeros((rounds, shares + 1))
    for t in range(rounds):
        sums[t, t * arms : (t + 1) * arms] = 1.0
    bounds = [(0.0, None)] * shares + [(None, None)]
    solved = linprog(
        cost, A_ub=worst, b_ub=np.zeros(objectives), A_eq=sums, b_eq=np.ones(rounds), bounds=bounds
    )
    return -solved.fun


def measured(means, chosen, points, metric, size=3):
    """What the metric records of rounds that are cut into blocks of some size."""
    rounds, arms, objectives = len(chosen), means.shape[1], means.shape[2]
    accumulator = metric.accumulator(Shape(arms=arms, features=0, objectives=objectives))
    truth = None
    recorded = {}
    for first in range(0, rounds, size):
        part = slice(first, min(first + size, rounds))
        played = chosen[part]
        of_block = means if len(means) == 1 else means[part]
        block = Block(np.zeros((1, 1, 0)), of_block, np.zeros((len(played), arms, objectives)))
        truth = BlockGroundTruth(block, before=truth, first=first, points=points)
        values = metric.per_round(truth, played, None)
        for i in range(len(played)):
            accumulator.add(values[i : i + 1])
            recorded[first + i + 1] = accumulator.value()[0]
    return recorded


def tables(rounds, arms, objectives):
    entry = st.integers(-4, 4).map(lambda n: n / 4.0)
    flat = st.lists(entry, min_size=rounds * arms * objectives, max_size=rounds * arms * objectives)
    return flat.map(lambda values: np.array(values).reshape(rounds, arms, objectives))


@given(
    st.tuples(st.integers(1, 8), st.integers(1, 5), st.integers(1, 4)).flatmap(
        lambda sizes: tables(*sizes)
    ),
    st.integers(0, 10**6),
)
@settings(max_examples=40, deadline=None)
def test_it_is_the_best_worst_sum_less_the_worst_sum(means, seed):
    rounds, arms, _ = means.shape
    chosen = np.random.default_rng(seed).integers(0, arms, rounds)
    before = means.copy()
    recorded = measured(means, chosen, range(1, rounds + 1), MaxMinRegret())
    collected = means[np.arange(rounds), chosen]
    for point in spaced(range(1, rounds + 1)):
        best = best_worst_sum(means[:point])
        expected = best - collected[:point].sum(axis=0).min()
        assert recorded[point] == pytest.approx(expected, abs=1e-4)
    assert (means == before).all()


def test_means_that_stay_are_those_that_are_repeated():
    rng = np.random.default_rng(3)
    means = rng.random((1, 6, 3))
    chosen = rng.integers(0, 6, 40)
    once = measured(means, chosen, range(1, 41), MaxMinRegret())
    repeated = measured(np.repeat(means, 40, axis=0), chosen, range(1, 41), MaxMinRegret())
    points = sorted(spaced(range(1, 41)))
    assert [once[p] for p in points] == pytest.approx([repeated[p] for p in points], abs=5e-3)
    assert not np.isnan([once[p] for p in range(1, 41)]).any()
    best = best_worst_sum(means)
    worst = means[0, chosen[:7]].sum(axis=0).min()
    assert once[7] == pytest.approx(7 * best - worst, abs=1e-4)


def test_many_rounds_of_many_objectives_are_solved_too():
    rng = np.random.default_rng(0)
    means = rng.standard_normal((60, 8, 5))
    recorded = measured(means, np.zeros(60, np.int64), [60], MaxMinRegret(), size=16)
    expected = best_worst_sum(means) - means[:, 0].sum(axis=0).min()
    assert recorded[60] == pytest.approx(expected, abs=5e-3)


def test_objectives_are_compared_in_their_units_over_a_reference():
    means = np.array([[[1.0, 300.0], [2.0, 100.0]]])
    metric = MaxMinRegret(reference=[0.0, 100.0], units=[1.0, 100.0])
    # gains (1, 2) and (2, 0): two thirds of the first arm give 4/3 in both
    recorded = measured(means, np.array([1, 1, 1]), [3], metric)
    assert recorded[3] == pytest.approx(4.0, abs=1e-4)


def test_it_is_never_negative_and_a_single_arm_of_the_front_has_it():
    environment = MultiArmed([[1.0, 0.0], [0.0, 1.0], [0.1, 0.1]])
    results = simulate(
        {"one": SingleArm(0), "all": RandomChoice()}, environment, rounds=400, trials=3, record=4
    )
    last = results.summary().filter(metric="max_min_regret")
    assert last.filter(policy="one")["mean"].to_list() == pytest.approx([200.0], abs=1e-2)
    assert (results.table.filter(metric="max_min_regret")["value"] >= 0.0).all()
    # the Pareto regret sees nothing of it
    assert results.summary().filter(metric="pareto_regret", policy="one")["mean"].to_list() == [0.0]


def test_defaults_are_what_the_problem_can_be_measured_by():
    still = simulate(RandomChoice(), MultiArmed(), rounds=20, trials=1)
    assert set(still.table["metric"]) == set(metrics.DEFAULT_METRICS)
    moving = simulate(MolTs(), Linear(arms=5), rounds=50, trials=1, record=50)
    assert set(metrics.DEFAULT_METRICS) - set(moving.table["metric"]) == {"front_recall"}
    rounds = moving.table.filter(metric="max_min_regret")["round"].to_list()
    assert rounds == sorted(spaced(range(1, 51)))
    assert metrics.default_metrics(continuum=True, changing=True) == (
        "pareto_regret",
        "effective_pareto_regret",
        "reward",
    )


def test_very_long_runs_keep_no_means_unless_asked_to():
    assert "max_min_regret" in metrics.default_metrics(
        continuum=False, changing=True, means=50_000_000
    )
    long = metrics.default_metrics(continuum=False, changing=True, means=50_000_001)
    assert long == ("pareto_regret", "effective_pareto_regret", "reward")
    still = metrics.default_metrics(continuum=False, changing=False, means=50_000_001)
    assert still == metrics.DEFAULT_METRICS


def test_fronts_give_what_all_arms_give(monkeypatch):
    rng = np.random.default_rng(8)
    means = rng.standard_normal((30, 7, 3))
    chosen = rng.integers(0, 7, 30)
    every = measured(means, chosen, range(1, 31), MaxMinRegret())
    monkeypatch.setattr("mobandits.metrics.best_worst_sums.FEW", 0)
    fronts = measured(means, chosen, range(1, 31), MaxMinRegret())
    points = sorted(spaced(range(1, 31)))
    assert [every[p] for p in points] == pytest.approx([fronts[p] for p in points], abs=5e-3)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"reference": "ab"}, "MaxMinRegret.reference must be a list with a number per objective"),
        ({"units": [0.0, 1.0]}, "MaxMinRegret.units must be above 0, got 0.0"),
        ({"units": [1.0, float("nan")]}, "MaxMinRegret.units must be a finite number, got nan"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(given, error):
    with pytest.raises(ValueError, match=error):
        MaxMinRegret(**given)


def test_a_reference_of_another_length_is_refused_before_the_first_round():
    with pytest.raises(ValueError, match="one entry per objective, 2, got 3"):
        simulate(
            RandomChoice(), MultiArmed(), rounds=5, metrics=[MaxMinRegret(reference=[0.0] * 3)]
        )


def test_recall_counts_the_arms_of_the_front_that_were_found():
    environment = MultiArmed([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    results = simulate(SingleArm(0), environment, rounds=10, trials=1, metrics=["front_recall"])
    assert results.summary()["mean"].to_list() == [0.5]
    with pytest.raises(ValueError, match="FrontRecall needs arms whose means never change"):
        simulate(SingleArm(0), Linear(), rounds=10, trials=1, metrics=["front_recall"])


@pytest.mark.parametrize("metric", [MaxMinRegret(), metrics.FrontRecall()])
def test_blocks_are_recorded_as_single_rounds_are(metric):
    """What accumulators do with whole blocks, against the same rounds one by one."""
    rng = np.random.default_rng(5)
    shape = Shape(arms=6, features=0, objectives=2)
    whole, single = metric.accumulator(shape), metric.accumulator(shape)
    truth = None
    for block_number in range(4):
        means = np.array([[[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [0.1, 0.1], [0.7, 0.4], [0.0, 0.0]]])
        chosen = rng.integers(0, 6, 9)
        block = Block(np.zeros((1, 1, 0)), means, np.zeros((9, 6, 2)))
        truth = BlockGroundTruth(block, before=truth, first=9 * block_number, points=range(1, 37))
        values = metric.per_round(truth, chosen, None)
        ends = [1, 4, 9] if block_number != 2 else []
        recorded = whole.add_block(values, ends)
        expected = []
        for i in range(9):
            single.add(values[i : i + 1])
            if i + 1 in ends:
                expected.append(single.value())
        assert [float(each[0]) for each in recorded] == [float(each[0]) for each in expected]
        assert whole.value() == single.value()
