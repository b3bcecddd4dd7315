"""Metrics of everything played so far, against their slow twins and through a whole simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import set_twins as twins

from mobandits import metrics, simulate
from mobandits.contracts.protocols import Block, Shape
from mobandits.environments import GeneralizedLinear, Linear, Logged, MultiArmed
from mobandits.metrics.hypervolume import positive_front
from mobandits.numerics.hypervolume import Reach, exact_volume
from mobandits.policies import MolUcb, RandomChoice
from mobandits.simulation.record import AccumulatorRecorder
from mobandits.simulation.truth import BlockGroundTruth

ONE = {"trials": 1, "compiled": False, "workers": 1}


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 7), st.integers(0, 10**6))
def test_hypervolume_equals_inclusion_and_exclusion(objectives, count, seed):
    points = (
        np.random.default_rng(seed).integers(-1, 5, (count, objectives)) / 2.0
    )  # ties, dominated and repeated
    expected = twins.hypervolume(points, np.full(objectives, 0.25))
    assert metrics.hypervolume(points, [0.25] * objectives) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_hypervolume_agrees_with_random_points(objectives):
    rng = np.random.default_rng(objectives)
    points = np.abs(rng.standard_normal((20, objectives)))
    points /= np.linalg.norm(points, axis=1)[:, None]
    expected, error = twins.sampled_hypervolume(points, [0] * objectives, [1] * objectives, rng)
    assert metrics.hypervolume(points, [0] * objectives) == pytest.approx(expected, abs=5 * error)


@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 6])
def test_directions_give_the_same_volume(objectives):
    rng = np.random.default_rng(1)
    points = 0.2 + rng.random((12, objectives))
    found = []
    for seed in range(5):
        reach = Reach(objectives, seed=seed)
        for part in (points[:5], points[5:]):
            reach.extend(part)
        found.append(reach.volume())
    assert np.mean(found) == pytest.approx(exact_volume(points), rel=0.01)


def test_large_sets_are_estimated_and_small_ones_exact():
    rng = np.random.default_rng(0)
    points = np.abs(rng.standard_normal((150, 4)))
    points /= np.linalg.norm(points, axis=1)[:, None]
    assert metrics.hypervolume(points, [0] * 4) == pytest.approx(exact_volume(points), rel=0.01)
    assert metrics.hypervolume(points[:100], [0] * 4) == exact_volume(positive_front(points[:100]))


def test_more_points_cover_more_and_order_does_not_matter():
    rng = np.random.default_rng(0)
    points = rng.random((30, 3))
    volumes = [metrics.hypervolume(points[:n], [-0.1] * 3) for n in range(1, 31)]
    assert np.all(np.diff(volumes) >= 0)
    shuffled = np.concatenate([points, points])[rng.permutation(60)]
    assert metrics.hypervolume(shuffled, [-0.1] * 3) == volumes[-1]


def test_points_below_the_reference_add_nothing():
    assert metrics.hypervolume([[1.0, 2.0], [5.0, -1.0]], [0.0, 0.0]) == 2.0
    assert metrics.hypervolume([[-1.0, -1.0]], [0.0, 0.0]) == 0.0


@settings(max_examples=40)
@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 3), st.integers(0, 10**6))
def test_adversarial_regret(rounds, arms, objectives, seed):
    rng = np.random.default_rng(seed)
    rewards, chosen = (
        rng.integers(0, 4, (rounds, arms, objectives)) / 1.0,
        rng.integers(arms, size=rounds),
    )
    expected = twins.adversarial_pareto_regret(rewards, chosen)
    assert metrics.adversarial_pareto_regret(rewards, chosen) == expected
    summed = rewards.sum(0)[:, 0].max() - rewards[np.arange(rounds), chosen, 0].sum()
    assert expected <= max(0, summed)  # at most the regret in any one objective


@settings(max_examples=40)
@given(st.lists(st.integers(0, 20), min_size=2, max_size=6).filter(any))
def test_measures_of_fairness(counts):
    n = np.array(counts)
    assert metrics.max_min_ratio(counts) == (max(counts) / min(counts) if min(counts) else math.inf)
    assert metrics.normalised_entropy(counts) == pytest.approx(twins.shannon(counts), abs=1e-12)
    assert metrics.jain_index(counts) == pytest.approx(n.sum() ** 2 / (len(n) * (n**2).sum()))
    assert metrics.unfairness(counts) == pytest.approx(sum((n - n.mean()) ** 2) / len(n))
    assert metrics.front_recall(counts) == sum(count > 0 for count in counts) / len(counts)


def test_jaccard_of_two_sets():
    assert metrics.jaccard([True, False, True], [True, True, False]) == 1 / 3
    assert metrics.jaccard([True, False], [True, False]) == 1.0
    assert metrics.jaccard([True, False], [False, True]) == 0.0
    assert metrics.jaccard([False, False], [False, False]) == 1.0


def test_extremes_of_fairness():
    assert (
        metrics.normalised_entropy([7])
        == metrics.jain_index([7])
        == metrics.max_min_ratio([7])
        == 1.0
    )
    nothing = [
        measure([0, 0])
        for measure in (metrics.max_min_ratio, metrics.normalised_entropy, metrics.jain_index)
    ]
    assert np.isnan(nothing).all()
    assert metrics.unfairness([0, 0]) == metrics.front_recall([0, 0]) == 0.0


FAIR = {
    "play_ratio": metrics.max_min_ratio,
    "play_entropy": metrics.normalised_entropy,
    "jain_index": metrics.jain_index,
    "unfairness": metrics.unfairness,
    "front_recall": metrics.front_recall,
}


def last(table, metric):
    found = table.filter((table["metric"] == metric) & (table["round"] == table["round"].max()))
    return found.sort("component")["value"].to_list()


def test_recorded_fairness_is_that_of_the_recorded_counts():
    table = simulate(
        RandomChoice(),
        MultiArmed(),
        rounds=700,
        metrics=["front_plays", *FAIR],
        record=[3, 300, 700],
        **ONE,
    ).table
    for point in (3, 300, 700):
        now = table.filter(table["round"] <= point)
        counts = last(now, "front_plays")
        assert len(counts) == 4
        for name, measure in FAIR.items():
            expected = measure(counts)
            assert last(now, name) == ([] if math.isnan(expected) else [expected])


def test_recorded_adversarial_regret():
    rewards = np.random.default_rng(0).random((600, 4, 2))
    results = simulate(
        RandomChoice(), Logged(rewards), rounds=600, metrics=["adversarial_pareto_regret", "plays"],
        record=range(1, 601), **ONE,
    )  # fmt: skip
    plays = (
        results.table.filter(results.table["metric"] == "plays")
        .sort("round", "component")["value"]
        .to_numpy()
    )
    chosen = np.diff(plays.reshape(600, 4), axis=0, prepend=0).argmax(1)
    recorded = results.table.filter(results.table["metric"] == "adversarial_pareto_regret")[
        "value"
    ].to_list()
    for t in (0, 255, 256, 599):
        expected = metrics.adversarial_pareto_regret(rewards[: t + 1], chosen[: t + 1])
        assert recorded[t] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("record", [[1, 2, 50, 400], [400]])
def test_recorded_hypervolume_with_fixed_arms(record):
    environment = GeneralizedLinear(features=3)
    table = simulate(
        RandomChoice(),
        environment,
        rounds=400,
        metrics=["hypervolume", "plays"],
        record=record,
        seed=5,
        **ONE,
    ).table
    from mobandits.simulation.streams import INSTANCE, stream  # noqa: PLC0415

    means = environment.problem(400, stream(5, 0, INSTANCE)).means[0]
    reference = means.min(0) - 0.1 * np.ptp(means, axis=0)
    for point in record:
        now = table.filter(table["round"] <= point)
        played = means[np.array(last(now, "plays")) > 0]
        assert last(now, "hypervolume") == [
            pytest.approx(metrics.hypervolume(played, reference), rel=1e-12)
        ]


def test_hypervolume_of_arms_that_change():
    environment = Linear(arms=5, features=2, objectives=2)
    with pytest.raises(
        ValueError, match=r"Hypervolume.reference must be given where means change over the rounds"
    ):
        simulate(RandomChoice(), environment, rounds=10, metrics=["hypervolume"])
    wanted = [metrics.Hypervolume(reference=[-1.1, -1.1])]
    table = simulate(
        [RandomChoice(), MolUcb(scale=0.1)], environment, rounds=300, metrics=wanted, **ONE
    ).table
    for row in table.partition_by("policy"):
        assert (np.diff(row["value"].to_numpy()) >= 0).all()


@pytest.mark.parametrize("objectives", [3, 6])
def test_a_growing_set_is_measured_as_a_whole(objectives):
    """Through exact sizes into estimated ones."""
    points = 1 + 0.3 * np.random.default_rng(0).standard_normal((240, objectives))
    covered = metrics.Hypervolume().accumulator(Shape(9, 0, objectives))
    for first in range(0, 240, 40):
        covered.add(points[first : first + 40])
        expected = metrics.hypervolume(points[: first + 40], [0] * objectives)
        assert covered.value()[0] == pytest.approx(expected, rel=1e-12)


def test_an_accumulator_sees_every_round_once():
    class Counter:
        seen = 0

        def add(self, values):
            self.seen += len(values)

        def value(self):
            return np.array([self.seen])

    running = AccumulatorRecorder((2, 3, 8), Counter())
    for rounds in (1, 4, 0, 3, 2):
        running.add(np.zeros((rounds, 1)))
    assert running.values().tolist() == [[2], [3], [8]]


def test_references():
    means = np.array([[[0.0, 5.0], [1.0, 5.0]]])
    truth = BlockGroundTruth(Block(np.zeros((1, 1, 0)), means, np.zeros((2, 2, 2))))
    over = metrics.Hypervolume().per_round(truth, np.array([0, 1]), None)
    np.testing.assert_allclose(over, [[0.1, 1.0], [1.1, 1.0]])  # a constant objective counts as 1
    with pytest.raises(ValueError, match="must have one entry per objective, 2, got 3"):
        metrics.Hypervolume([0, 0, 0]).per_round(truth, np.array([0, 1]), None)
    with pytest.raises(ValueError, match=r"Hypervolume.reference must be a finite number, got nan"):
        metrics.Hypervolume([math.nan, 0])
    assert metrics.Hypervolume([0, 1]) == metrics.Hypervolume((0.0, 1.0))
    assert metrics.Hypervolume().components(Shape(9, 0, 3)) == 3
