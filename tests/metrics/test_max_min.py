"""The max-min fairness regret, against its definition in loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits import metrics
from mobandits.contracts.protocols import Block
from mobandits.environments import Linear, MultiArmed
from mobandits.metrics import MaxMinRegret
from mobandits.policies import MolTs, RandomChoice, SingleArm
from mobandits.simulation import simulate
from mobandits.simulation.truth import BlockGroundTruth


def regrets(means, chosen, reference, units):
    """max_a min_l g - min_l g of the chosen arm, round by round."""
    found = []
    for t, arm in enumerate(chosen):
        of_round = means[t if len(means) > 1 else 0]
        gains = (of_round - np.array(reference)) / np.array(units)
        worst = [min(row) for row in gains.tolist()]
        found.append(max(worst) - worst[arm])
    return found


def measured(metric, means, chosen):
    rounds, arms, objectives = len(chosen), means.shape[1], means.shape[2]
    block = Block(np.zeros((1, 1, 0)), means, np.zeros((rounds, arms, objectives)))
    values = metric.per_round(BlockGroundTruth(block), chosen, None)
    assert values.shape == (rounds, metric.components(None))
    return values[:, 0]


@given(
    sizes=st.tuples(st.integers(1, 8), st.integers(1, 6), st.integers(1, 4)),
    seed=st.integers(0, 10**6),
    stays=st.booleans(),
    in_units=st.booleans(),
)
def test_it_is_the_definition(sizes, seed, stays, in_units):
    rounds, arms, objectives = sizes
    rng = np.random.default_rng(seed)
    means = rng.integers(-4, 5, (1 if stays else rounds, arms, objectives)) / 4.0
    chosen = rng.integers(0, arms, rounds)
    reference = rng.integers(-2, 3, objectives).astype(float)
    units = 2.0 ** rng.integers(-2, 3, objectives)
    metric = MaxMinRegret(reference=reference, units=units) if in_units else MaxMinRegret()
    if not in_units:
        reference = np.zeros(objectives)
        units = np.ones(objectives)
    before = means.copy()
    found = measured(metric, means, chosen)
    assert found.tolist() == regrets(means, chosen, reference, units)
    assert (found >= 0.0).all()
    assert (means == before).all()


def test_objectives_are_compared_in_their_units_over_a_reference():
    means = np.array([[[1.0, 300.0], [2.0, 100.0]]])
    metric = MaxMinRegret(reference=[0.0, 100.0], units=[1.0, 100.0])
    # gains (1, 2) and (2, 0): the first arm's worst one is 1
    assert measured(metric, means, np.array([1, 0])).tolist() == [1.0, 0.0]


def test_a_single_arm_of_the_front_has_it_and_no_pareto_regret():
    environment = MultiArmed([[1.0, 0.0], [0.0, 1.0], [0.25, 0.25]])
    results = simulate(
        {"one": SingleArm(0), "all": RandomChoice()}, environment, rounds=400, trials=3, record=4
    )
    last = results.summary().filter(metric="max_min_regret")
    assert last.filter(policy="one")["mean"].to_list() == [100.0]
    assert results.summary().filter(metric="pareto_regret", policy="one")["mean"].to_list() == [0.0]


def test_defaults_are_what_the_problem_can_be_measured_by():
    still = simulate(RandomChoice(), MultiArmed(), rounds=20, trials=1)
    assert set(still.table["metric"]) == set(metrics.DEFAULT_METRICS)
    moving = simulate(MolTs(), Linear(arms=5), rounds=50, trials=1, record=50)
    assert set(metrics.DEFAULT_METRICS) - set(moving.table["metric"]) == {"front_recall"}
    assert "max_min_regret" not in metrics.default_metrics(continuum=True, changing=True)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"units": [1.0, 0.0]}, "units"),
        ({"reference": [float("nan"), 0.0]}, "reference"),
        ({"reference": "ab"}, "reference must be a list"),
        ({"units": 3}, "units must be a list"),
    ],
)
def test_wrong_parameters_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        MaxMinRegret(**parameters)


def test_a_parameter_of_another_length_is_refused_before_the_first_trial():
    with pytest.raises(ValueError, match="one entry per objective, 2, got 3"):
        simulate(
            RandomChoice(),
            MultiArmed([[1.0, 0.0]] * 2),
            rounds=10,
            trials=1,
            metrics=[MaxMinRegret(units=[1.0, 1.0, 1.0])],
        )
