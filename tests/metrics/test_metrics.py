"""Every metric against its slow twin, on blocks with ties."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import metric_twins as twins

from mobandits import metrics, report
from mobandits.contracts.protocols import Block, Shape
from mobandits.environments import Linear
from mobandits.metrics.traits import registry
from mobandits.orders import Lexicographic, pc_gap_authors
from mobandits.policies import MolUcb, RandomChoice
from mobandits.simulation import Results, simulate
from mobandits.simulation.truth import BlockGroundTruth

LEVELS, CHAINS = [[0, 2], [1]], [[0, 1], [2]]


@st.composite
def played(draw):
    """Means on a grid, so that ties are common, arms, and sets that contain them."""
    rounds, arms = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    fixed = draw(st.booleans())
    means = rng.integers(0, 4, (1 if fixed else rounds, arms, 3)) / 10.0
    chosen = rng.integers(arms, size=rounds)
    fronts = rng.random((rounds, arms)) < 0.5
    fronts[np.arange(rounds), chosen] = True
    truth = BlockGroundTruth(Block(np.zeros((1, 1, 0)), means, np.zeros((rounds, arms, 3)), 1))
    return truth, np.broadcast_to(means, (rounds, arms, 3)), chosen, fronts


def check(metric, truth, chosen, fronts, expected):
    values = metric.per_round(truth, chosen, fronts)
    arms, objectives = truth.block.means.shape[1:]
    assert values.shape == (len(chosen), metric.components(Shape(arms, 0, objectives)))
    np.testing.assert_allclose(values, np.array(expected).reshape(values.shape), atol=1e-12)


@pytest.mark.long
@settings(max_examples=60)
@given(played())
def test_metrics_equal_their_twins(case):
    truth, means, chosen, fronts = case
    whole = np.rint(means * 10)
    pairs = list(zip(whole, chosen, strict=True))
    regrets = [
        (metrics.ParetoRegret(), [twins.pareto_gap(m, a) for m, a in pairs]),
        (metrics.LevelRegret(LEVELS), [twins.level_gap(m, a, LEVELS) for m, a in pairs]),
        (metrics.ChainRegret(CHAINS), [twins.chain_gap(m, a, CHAINS) for m, a in pairs]),
        (metrics.ChainRegretAuthors(CHAINS), [pc_gap_authors(m, CHAINS)[a] for m, a in pairs]),
        (metrics.ObjectiveRegret(), [m[twins.lexicographic_best(m)] - m[a] for m, a in pairs]),
        (metrics.Reward(), [m[a] for m, a in pairs]),
    ]
    for metric, expected in regrets:
        check(metric, truth, chosen, None, np.array(expected) / 10)
    sets = [set(np.flatnonzero(row)) for row in fronts]
    best = [twins.pareto_front(m) for m in whole]
    agreement = [twins.jaccard(a, b) for a, b in zip(sets, best, strict=True)]
    check(metrics.Jaccard(), truth, chosen, fronts, agreement)
    check(metrics.Plays(), truth, chosen, None, np.eye(means.shape[1])[chosen])


@settings(max_examples=30)
@given(played())
def test_the_effective_regret_is_at_least_the_pareto_regret(case):
    truth, _, chosen, _ = case
    effective = metrics.EffectiveParetoRegret().per_round(truth, chosen, None)
    assert (effective >= metrics.ParetoRegret().per_round(truth, chosen, None) - 1e-12).all()


def truth_of(means, rounds, decimals=None, **more):
    means = np.array(means, float)
    return BlockGroundTruth(
        Block(np.zeros((1, 1, 0)), means, np.zeros((rounds, *means.shape[1:])), decimals), **more
    )


def test_front_plays_counts_arms_of_the_front_only():
    truth = truth_of([[[1, 0], [0, 1], [0, 0]]], 3)
    values = metrics.FrontPlays().per_round(truth, np.array([0, 2, 1]), None)
    np.testing.assert_array_equal(values, [[1, 0, np.nan], [0, 0, np.nan], [0, 1, np.nan]])


@pytest.mark.parametrize("rounds", [1, 4])
def test_front_rounds_are_those_with_an_arm_that_nobody_dominates(rounds):
    rng = np.random.default_rng(rounds)
    means, chosen = rng.integers(0, 3, (rounds, 5, 2)).astype(float), rng.integers(0, 5, 4)
    values = metrics.FrontRounds().per_round(truth_of(means, 4), chosen, None)
    for t, arm in enumerate(chosen):
        table = means[t if rounds > 1 else 0]
        beaten = any((other >= table[arm]).all() and (other > table[arm]).any() for other in table)
        assert values[t].tolist() == [0.0 if beaten else 1.0]


def test_front_plays_refuses_means_that_change():
    with pytest.raises(ValueError, match="FrontPlays needs arms whose means never change"):
        metrics.FrontPlays().per_round(truth_of(np.zeros((2, 3, 1)), 2), np.array([0, 1]), None)


def test_quantities_are_those_of_the_chosen_arm():
    truth = truth_of(
        [[[0], [0]]], 2, quantities=lambda: {"dollars": np.array([[1.0, 2.0], [3.0, 4.0]])}
    )
    assert metrics.Quantity("dollars").per_round(truth, np.array([1, 0]), None).tolist() == [
        [2.0],
        [3.0],
    ]
    with pytest.raises(ValueError, match="quantity must be one of dollars, got 'euros'"):
        metrics.Quantity("euros").per_round(truth, np.array([1, 0]), None)


def test_objective_regret_is_signed_and_knows_its_order():
    truth = truth_of([[[1, 0], [0, 5]]], 1)
    assert metrics.ObjectiveRegret().per_round(truth, np.array([1]), None).tolist() == [[1, -5]]
    tolerant = metrics.ObjectiveRegret(Lexicographic(tolerance=1.0))
    assert tolerant.per_round(truth, np.array([0]), None).tolist() == [[-1, 5]]


def test_rounded_means_tie_exactly():
    means = [[[0.3, 0.0], [0.1 + 0.2, 0.1]]]
    assert metrics.LevelRegret([[0], [1]]).per_round(
        truth_of(means, 1, 1), np.array([0]), None
    ).tolist() == [[0, 0.1]]
    assert (
        metrics.LevelRegret([[0], [1]]).per_round(truth_of(means, 1), np.array([0]), None)[0, 0] > 0
    )


def test_jaccard_needs_fronts():
    with pytest.raises(ValueError, match=r"Jaccard.per_round needs fronts"):
        metrics.Jaccard().per_round(truth_of([[[1.0]]], 1), np.array([0]), None)


def test_metrics_compare_and_print_as_what_they_are():
    assert metrics.ChainRegret(CHAINS) == metrics.ChainRegret(((0, 1), (2,)))
    assert repr(metrics.LevelRegret(LEVELS)) == "LevelRegret(levels=((0, 2), (1,)))"
    assert len({metrics.Jaccard(), metrics.Jaccard()}) == 1
    with pytest.raises(ValueError, match="must name each objective once, got 1 twice"):
        metrics.ChainRegret([[0, 1], [1]])


def test_names():
    assert set(metrics.DEFAULT_METRICS) <= set(metrics.registry())
    assert all(name == cls.name for name, cls in metrics.registry().items())
    assert [m.name for m in metrics.resolve(["reward", metrics.Jaccard()])] == ["reward", "jaccard"]


ADDED = """
from dataclasses import dataclass
from typing import ClassVar

from mobandits.metrics.metric import BaseMetric, of_chosen


@dataclass(frozen=True)
class Worst(BaseMetric):
    name: ClassVar[str] = "worst_reward"
    better = "larger"
    unit = "points"
    meaning = "the smallest mean reward of the arm that was played"
    references = ("guan2026",)

    def per_round(self, truth, chosen, fronts):
        return of_chosen(truth.block.means.min(axis=2, keepdims=True), chosen)
"""


@pytest.mark.long
def test_a_metric_is_one_file(tmp_path, monkeypatch):
    """A new file is found by its name: played, compared, drawn, defined on pages, and cited."""
    (tmp_path / "worst.py").write_text(ADDED)
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(tmp_path)])
    registry.cache_clear()
    try:
        policies = {"ucb": MolUcb(scale=0.3), "random": RandomChoice()}
        asked = {"rounds": 20, "trials": 6, "metrics": ["worst_reward"]}
        played = simulate(policies, Linear(arms=3), out=tmp_path / "run", **asked)
        assert played.compare().better == "larger"
        assert played.plot("worst_reward").axes[0].get_ylabel() == "worst reward (points)"
        assert "@misc{guan2026" in played.cite()
        page = report.write(tmp_path / "run").read_text(encoding="utf-8")
        assert "the smallest mean reward of the arm that was played" in page
    finally:
        registry.cache_clear()
        sys.modules.pop("mobandits.metrics.worst", None)


class Spent(metrics.Reward):
    """A metric of a user's own that says what its values are."""

    name = "spent"
    better = "smaller"
    unit = "USD"
    meaning = "what was paid"


@pytest.mark.long
def test_a_metric_of_ones_own_says_its_direction_once(tmp_path):
    """Direction, unit and words are stored in the run: nobody has to repeat them."""
    policies = {"ucb": MolUcb(scale=0.3), "random": RandomChoice()}
    folder = tmp_path / "run"
    asked = {"rounds": 20, "trials": 6, "metrics": [Spent()]}
    played = simulate(policies, Linear(arms=3, objectives=1), out=folder, **asked)
    page = report.write(folder).read_text(encoding="utf-8")
    assert "what was paid" in page
    assert "spent (USD)" in page
    for results in (played, Results.read(folder)):
        assert results.compare().better == "smaller"
        assert "downarrow" in results.to_latex()
        assert results.plot("spent").axes[0].get_ylabel() == "spent (USD)"


@pytest.mark.parametrize(
    ("attribute", "value", "rule"),
    [("better", "less", "smaller"), ("unit", 3, "a text"), ("least", "0", "a number")],
)
def test_a_wrong_description_is_refused_before_the_first_round(attribute, value, rule):
    wrong = type("Wrong", (Spent,), {attribute: value})
    with pytest.raises(ValueError, match=rf"Wrong.{attribute} must be .*{rule}"):
        metrics.resolve([wrong()])
