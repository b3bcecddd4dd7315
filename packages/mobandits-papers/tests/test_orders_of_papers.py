"""Theorem 1 of molts2025 and Remark 1 of moslb2024: they hold on random tables, and a wrong order is found."""

import json

import numpy as np
import pytest
from toys import without_pages

from mobandits.contracts.protocols import Beliefs
from mobandits.orders import Chains, EffectivePareto, Levels, Lexicographic, Pareto
from mobandits_papers import reproduce
from mobandits_papers.experiment import RunOptions
from mobandits_papers.molts2025 import theorem1
from mobandits_papers.moslb2024 import remark1
from mobandits_papers.rows import LAWS, random_means, random_tables


@pytest.mark.long
@pytest.mark.parametrize("name", ["molts2025/theorem1", "moslb2024/remark1"])
def test_they_hold_as_checks(name, tmp_path, monkeypatch):
    without_pages(monkeypatch)
    monkeypatch.setattr(theorem1, "TABLES", 3)
    monkeypatch.setattr(remark1, "TABLES", 5)
    reproduce.reproduce([name], tmp_path, workers=1)
    claims = json.loads((tmp_path / "claims.json").read_text())
    assert len(claims) == 2
    assert {(one["kind"], one["verdict"], one["holds"]) for one in claims} == {
        ("check", "reported", True)
    }
    assert all(part["measured"] == 0.0 for one in claims for part in one["parts"])


def grid_lead(means, arm, steps=200):
    """The largest lead over a grid of weights of two objectives."""
    first = np.linspace(0.0, 1.0, steps + 1)
    values = np.stack([first, 1.0 - first], axis=1) @ means.T
    others = np.delete(values, arm, axis=1)
    return float((values[:, arm] - others.max(axis=1)).max())


def test_the_largest_lead_is_that_of_the_best_weights():
    rng = np.random.default_rng(4)
    for _ in range(5):
        means = rng.standard_normal((6, 2))
        for arm in range(6):
            lead, least = theorem1.largest_lead(means, arm), grid_lead(means, arm)
            assert least - 1e-9 <= lead <= least + 0.05


def test_several_best_arms_need_not_be_on_the_front():
    """The theorem asks for a unique arm: for the weights (1, 0), both are best, and one is dominated."""
    means = np.array([[1.0, -1.0], [1.0, 0.0]])
    assert theorem1.largest_lead(means, 0) == pytest.approx(0.0)
    assert EffectivePareto().front(Beliefs(means, means, means)).tolist() == [False, True]


@pytest.mark.long
def test_a_wrong_front_is_found(monkeypatch):
    """The Pareto front has arms that no weights choose; the front of the first objective lacks some that they do."""
    part = random_tables(theorem1.contradictions, 5, theorem1.ARMS, theorem1.OBJECTIVES)
    for order, metric in ((Pareto(), theorem1.NEVER), (Pareto(on=(0,)), theorem1.OUTSIDE)):
        monkeypatch.setattr(theorem1, "EffectivePareto", lambda order=order: order)
        table = part.compute(0, RunOptions())
        assert table.filter(metric=metric)["value"].min() > 0.0


def test_other_orders_differ():
    rng = np.random.default_rng(0)
    means = random_means(LAWS[1], 8, 3, rng)
    alone = remark1.singletons(3)
    assert remark1.differs(Chains(alone), Pareto(), means) == (False, False)
    assert remark1.differs(Levels(alone), Lexicographic(), means) == (False, False)
    assert remark1.differs(Levels(alone), Pareto(), means)[0]
    assert remark1.differs(Chains([[0, 1], [2]]), Pareto(), means) != (False, False)


def test_rounded_means_have_ties():
    rng = np.random.default_rng(0)
    means = np.stack([random_means(LAWS[1], 8, 2, rng) for _ in range(50)])
    assert any(len(np.unique(table[:, 0])) < remark1.ARMS for table in means)
