"""The front of candidates: by the values, by resampled logs, and by what is shown."""

import math

import numpy as np
import polars as pl
import pytest
from logs_for_tests import make_law, make_log

import mobandits as mob
from mobandits.evaluation import ConstantTarget, Feedback, Uniform, compare, front, plot_front
from mobandits.evaluation.front import outlines


def world(seed=0, rounds=3000):
    """Four arms: two on the front, one between them that they do not beat, one that is beaten by all."""
    means = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [-0.5, -0.5]])
    rng = np.random.default_rng(seed)
    arms = rng.integers(0, 4, rounds)
    rewards = means[arms] + 0.5 * rng.normal(size=(rounds, 2))
    log = Feedback(np.ones((rounds, 0)), arms, rewards, [0.25] * rounds, "abcd", ("u", "v"))
    return compare(log, {name: ConstantTarget(name) for name in "abcd"}, ["ips", "snips"])


def test_the_front_is_that_of_the_values():
    found = world()
    table = front(found, "snips")
    values = np.array([found[name, "snips"].value for name in "abcd"])
    on_front = table.filter(pl.col("objective") == "u")["on_front"].to_list()
    assert on_front == mob.front(values).tolist() == [True, True, True, False]
    assert table["policy"].to_list() == ["a", "a", "b", "b", "c", "c", "d", "d"]
    assert table.filter(pl.col("policy") == "d")["dominated_by"].unique().to_list() == ["a, b, c"]
    assert table.filter(pl.col("policy") != "d")["dominated_by"].unique().to_list() == [""]
    shares = table.filter(pl.col("objective") == "u")["front_share"].to_list()
    assert shares[:3] == [1.0, 1.0, 1.0]
    assert shares[3] == 0.0


def test_values_and_intervals_are_those_of_the_table():
    found = world()
    table = front(found, "ips", level=0.8)
    wanted = found.table(0.8).filter(pl.col("estimator") == "ips")
    assert table.select("policy", "objective", "value", "low", "high").equals(
        wanted.drop("estimator", "standard_error")
    )


def test_the_last_estimator_is_shown_and_samples_repeat_with_their_seed():
    found = world(rounds=100)
    assert front(found).equals(front(found, "snips"))
    assert front(found, samples=50, seed=1).equals(front(found, samples=50, seed=1))


def test_the_share_is_counted_one_log_at_a_time():
    found = world(rounds=60)
    rng, counted = np.random.default_rng(3), np.zeros(4)
    for _ in range(40):
        rows = rng.integers(0, 60, 60)
        values = []
        for name in "abcd":
            terms = found[name, "snips"].terms
            values.append(terms.numerator[rows].sum(0) / terms.denominator[rows].sum(0))
        counted += mob.front(np.array(values))
    table = front(found, samples=40, seed=3).filter(pl.col("objective") == "u")
    np.testing.assert_allclose(table["front_share"].to_numpy(), counted / 40)
    assert set(counted) - {0.0, 40.0}


@pytest.mark.long
def test_the_true_front_is_named_dominated_as_rarely_as_it_says():
    """Two equal targets on the front and one below: a claim against either of the first is wrong."""
    wrong = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        arms = rng.integers(0, 3, 300)
        rewards = np.array([0.0, 0.0, -2.0])[arms][:, None] + rng.normal(size=(300, 2))
        log = Feedback(np.ones((300, 0)), arms, rewards, [1 / 3] * 300, "abc", ("u", "v"))
        found = compare(log, {name: ConstantTarget(name) for name in "abc"}, ["snips"])
        table = front(found, level=0.8, samples=2)
        wrong += (
            table.filter(pl.col("policy").is_in(["a", "b"]) & (pl.col("dominated_by") != "")).height
            > 0
        )
        assert table.filter(pl.col("policy") == "c")["dominated_by"][0] == "a, b"
    assert wrong / 200 <= 0.2 + 3.0 * np.sqrt(0.2 * 0.8 / 200)


def test_outlines_are_the_borders_of_the_regions():
    found = world(rounds=200)
    lines = outlines(found, "ips", level=0.9)
    for one in lines.partition_by("policy"):
        region = found[one["policy"][0], "ips"].ellipsoid(0.9)
        assert one.select("x", "y").to_numpy().max(0) == pytest.approx(region.high, abs=1e-3)


def test_the_figure_is_drawn_from_the_table():
    figure = plot_front(world(rounds=200), "ips", samples=2)
    assert {text.get_text() for text in figure.axes[0].texts} == set("abcd")
    log = make_log(3, objectives=3)
    found = compare(log, {"u": Uniform(), "a": ConstantTarget("a")}, ["ips"])
    assert [
        panel.get_title(loc="left") for panel in plot_front(found, samples=2).axes if panel.axison
    ] == list("uvw")


def test_what_is_not_known_is_not_on_the_front():
    log = make_log(1)
    wider = Feedback(
        log.contexts, log.arms, log.rewards, log.propensities, "abcn", log.objective_names
    )
    found = compare(
        wider,
        {"uniform": np.column_stack([make_law(log), np.zeros(60)]), "new": ConstantTarget("n")},
        ["snips"],
    )
    table = front(found, samples=5)
    assert not table.filter(pl.col("policy") == "new")["on_front"].any()
    assert table.filter(pl.col("policy") == "uniform")["on_front"].all()
    assert outlines(found)["policy"].unique().to_list() == ["uniform"]
    assert all(math.isinf(end) for end in table.filter(pl.col("policy") == "new")["high"])


def test_names_are_checked():
    with pytest.raises(ValueError, match=r"^estimator must be one of ips, snips, got 'dr'$"):
        front(world(rounds=50), "dr")


def test_one_target_is_its_own_front():
    table = front(compare(make_log(2), {"u": Uniform()}, ["ips"]), samples=2)
    assert table["on_front"].all()
    assert table["front_share"].to_list() == [1.0, 1.0]
