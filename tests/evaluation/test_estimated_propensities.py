"""Propensities from contexts: the fit against a slow one, and what they do to estimates, commands and pages."""

import dataclasses
import json

import evaluation_twins as twins
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs_for_tests import make_log
from scipy import optimize
from worlds import linear_world

from mobandits.evaluation import ConstantTarget, LoggingPolicy, compare, evaluate, sensitivity_table
from mobandits.evaluation import estimated_propensities as module
from mobandits.evaluation.estimated_propensities import with_estimated_propensities
from mobandits.evaluation.folds import folds_of
from mobandits.policies import MolUcb

OPTIONS = {"propensities": "estimated", "progress": False}


def without(log):
    """The same log, without propensities."""
    return dataclasses.replace(log, propensities=np.full(len(log), np.nan))


@settings(max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    own_rows=st.booleans(),
    eligible=st.booleans(),
    penalty=st.sampled_from([1.0, 10.0]),
)
def test_probabilities_are_those_of_the_slow_fit(seed, own_rows, eligible, penalty):
    log = make_log(seed, rounds=40, own_rows=own_rows, eligible=eligible)
    folds = folds_of(40, 2, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PENALTIES", (penalty,))
        found = with_estimated_propensities(without(log), folds).propensities
    axes = tuple(range(log.contexts.ndim - 1))
    z = (log.contexts - log.contexts.mean(axes)) / log.contexts.std(axes)
    z = z if own_rows else np.repeat(z[:, None], 3, 1)
    for fold in range(2):
        training = np.flatnonzero(folds != fold)
        slow = optimize.minimize(twins.logit_loss, np.zeros(9), (log, training, penalty)).x
        for t in np.flatnonzero(folds == fold):
            law = twins.logit_law(slow.reshape(3, 3), z[t], log, t)
            assert found[t] == pytest.approx(law[log.arms[t]], abs=2e-3)


def test_no_round_has_a_propensity_from_its_own_fold():
    log = without(make_log(1, rounds=200))
    folds = folds_of(200, 4, 0)
    other = log.arms.copy()
    other[folds == 2] = 0
    changed = dataclasses.replace(log, arms=other)
    same = (folds == 2) & (log.arms == 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PENALTIES", (10.0,))  # which all rounds choose together
        before, after = (with_estimated_propensities(one, folds) for one in (log, changed))
    # Up to where the optimiser stops: it begins with the coefficients of the fold before.
    np.testing.assert_allclose(before.propensities[same], after.propensities[same], atol=1e-3)
    assert np.abs(before.propensities - after.propensities)[folds == 1].max() > 0.01


def test_units_of_the_contexts_do_not_matter():
    log = without(make_log(2, rounds=300))
    other = dataclasses.replace(log, contexts=1e4 * log.contexts - 3.0)
    folds = folds_of(300, 5, 0)
    one, two = (with_estimated_propensities(each, folds).propensities for each in (log, other))
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_propensities_are_at_least_the_floor_and_that_is_said():
    log = without(make_log(3, rounds=400, arms=2))
    clear = dataclasses.replace(log, contexts=50.0 * log.arms[:, None] + log.contexts)
    # Two rounds against all reason.
    clear.contexts[:2] = 50.0 - clear.contexts[:2]
    estimated = with_estimated_propensities(clear, folds_of(400, 5, 0))
    assert estimated.propensities.min() == module.FLOOR
    found = evaluate(clear, ConstantTarget("a"), "snips", propensities="estimated")
    assert any("were below 0.01, and were raised to it" in each for each in found.warnings)


def test_estimates_are_unbiased_where_nothing_is_hidden():
    world = linear_world()
    truth = world.value(world.target)
    scores = {"snips": [], "dr": []}
    held = []
    for seed in range(40):
        log, rows = world.log(1500, 1000 + seed)
        targets = {"target": world.target[rows]}
        found = compare(without(log), targets, list(scores), **OPTIONS)
        for name, own in scores.items():
            estimate = found["target", name]
            own.append((estimate.value - truth) / estimate.standard_error)
            held.append(bool(estimate.box(0.95).contains(truth)))
    for own in scores.values():
        # A mean of 40 standard scores has a standard error of 0.16.
        assert np.abs(np.mean(own, axis=0)).max() < 0.48
    assert np.mean(held) > 0.9


def test_the_same_seed_gives_the_same_and_another_seed_other_folds():
    log = without(make_log(4, rounds=300))
    one, two, other = (
        evaluate(log, ConstantTarget("a"), "snips", propensities="estimated", seed=seed).value
        for seed in (0, 0, 1)
    )
    assert one.tolist() == two.tolist() != other.tolist()


def test_estimated_propensities_are_named_and_go_no_further():
    log = without(make_log(5, rounds=300))
    targets = {"a": ConstantTarget("a"), "as logged": LoggingPolicy(), "learned": MolUcb(scale=0.3)}
    found = compare(log, targets, ["snips", "dm"], **OPTIONS)
    assert "estimated propensities" in repr(found["a", "snips"])
    assert "estimated propensities" in repr(found)
    assert any(each.startswith("estimated propens") for each in found["a", "snips"].warnings)
    assert found.table()["propensities"].unique().to_list() == ["estimated"]
    # The logging policy's weights are 1, and the direct method has none.
    for key in (("as logged", "snips"), ("a", "dm")):
        assert not any(each.startswith("estimated") for each in found[key].warnings)
    assert found["as logged", "snips"].sensitivity is None
    assert sensitivity_table(found)["policy"].unique(maintain_order=True).to_list() == [
        "a",
        "learned",
    ]
    # An agent that learns the log is told nothing that was never logged.
    assert np.isnan(found.log.propensities).all()
    assert found.agent("learned").propensity != "estimated"
    logged = compare(make_log(5, rounds=300), targets, "snips", progress=False)
    assert sensitivity_table(logged).height == 0
    assert "propensities" not in logged.table().columns


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contexts": np.ones((60, 0))}, "estimated propensities need contexts, got a log without"),
        (
            {"arm_names": ("a", "b", "c", "new", "old")},
            "need every arm to be played in the log, got none of new, old",
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused(changes, message):
    log = dataclasses.replace(without(make_log(6)), **changes)
    with pytest.raises(ValueError, match=message):
        evaluate(log, ConstantTarget("a"), "snips", propensities="estimated")


def test_ways_to_propensities_are_two():
    with pytest.raises(ValueError, match="did you mean estimated"):
        evaluate(make_log(0), ConstantTarget("a"), propensities="estimatd")


@pytest.fixture
def table(tmp_path):
    """A log without propensities: long prompts go to the large model, which is better at them."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=2000)
    large = rng.random(2000) < 1.0 / (1.0 + np.exp(-size))
    quality = 0.4 + 0.2 * large + 0.1 * rng.normal(size=2000)
    cost = np.where(large, 10.0, 1.0) + rng.random(2000)
    columns = {"model": np.where(large, "large", "small"), "size": size, "q": quality, "usd": cost}
    path = tmp_path / "log.csv"
    pl.DataFrame(columns).write_csv(path)
    columns = ("arm=model", "rewards=q,usd", "context=size", "minimise=usd")
    return [path, *(f"--column={each}" for each in columns)]


def test_the_command_says_how_wrong_odds_may_be(program, table, tmp_path):
    out = tmp_path / "out"
    policies = ("--policy=arm:small", "--policy=arm:large", "--policy=logging")
    options = ("--propensities=estimated", "--seed=3", "--out", out)
    status, said, _ = program("evaluate", *table, *policies, *options)
    assert status == 0
    lines = said.splitlines()
    assert lines[-1] == str(out / "report.html")
    kept = json.loads((out / "evaluation.json").read_text())
    rows = {(row["policy"], row["objective"]): row for row in kept["sensitivity"]}
    assert list(rows) == [
        (f"arm:{name}", each) for name in ("small", "large") for each in ("q", "usd")
    ]
    worse, cheaper = rows["arm:small", "q"], rows["arm:small", "usd"]
    assert (worse["direction"], cheaper["direction"]) == (-1, 1)
    odds = "the true odds of an arm differ from the estimated ones by"
    assert lines[0] == (
        f"arm:small: q stays worse than the log's unless {odds} more than a factor {worse['gamma']:g}."
    )
    # A call to the small model never costs as much as the mean, whatever decided on it.
    assert (cheaper["gamma"], cheaper["at_least"]) == (10.0, True)
    assert lines[1] == f"arm:small: usd stays better than the log's even if {odds} a factor 10."
    for row in rows.values():
        one, inner, outer = row["bounds"]
        assert [bound["gamma"] for bound in row["bounds"]] == [1.0, 1.5, 2.0]
        assert outer["least"] < inner["least"] < one["least"] <= one["most"] < inner["most"]
        assert all(
            bound["low"] < bound["least"] <= bound["most"] < bound["high"]
            for bound in row["bounds"]
        )
    assert kept["options"]["propensities"] == "estimated"
    page = (out / "report.html").read_text()
    assert "the doubly robust estimator, with estimated propensities" in page
    assert "If estimated odds are wrong" in page
    assert "odds within<br>1.5" in page
    values = pl.read_csv(out / "values.csv")
    assert values["propensities"].unique().to_list() == ["estimated"]
    (out / "report.html").unlink()
    assert program("report", out)[0] == 0
    assert (out / "report.html").read_text() == page


def test_where_a_rule_decides_nothing_is_shown(program, tmp_path):
    rng = np.random.default_rng(1)
    size = rng.normal(size=2000)
    columns = {"model": np.where(size > 0, "large", "small"), "size": size, "q": rng.random(2000)}
    pl.DataFrame(columns).write_csv(tmp_path / "log.csv")
    named = [f"--column={each}" for each in ("arm=model", "rewards=q", "context=size")]
    options = ("--policy=arm:small", "--propensities=estimated", "--out", tmp_path / "out")
    status, said, _ = program("evaluate", tmp_path / "log.csv", *named, *options)
    assert status == 0
    assert said.startswith("arm:small: q is in doubt, whatever the odds: wrong propensities: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--propensities=guessed"],
            "--propensities must be one of estimated, logged, got 'guessed'",
        ),
        (
            ["--propensities=estimated", "--column=propensity=p"],
            "--propensities estimated must go without --column propensity=, got both",
        ),
        (
            ["--propensities=estimated", "--any-time"],
            "--any-time must have logged propensities, got --propensities estimated",
        ),
        ([], "--propensities estimated fits them, --estimator dm and replay need none"),
    ],
)
def test_mistakes_are_one_line(program, table, tmp_path, arguments, message):
    given = ["evaluate", *table, "--policy=arm:small", "--out", tmp_path / "out", *arguments]
    status, said, err = program(*given)
    assert (status, said) == (2, "")
    assert err.splitlines()[-1].startswith("error: ")
    assert message in err.splitlines()[-1]


def test_a_table_without_contexts_is_refused(program, table, tmp_path):
    path, *columns = (each for each in table if "context=" not in str(each))
    options = ("--policy=arm:small", "--propensities=estimated", "--out", tmp_path / "out")
    status, _, err = program("evaluate", path, *columns, *options)
    assert status == 2
    assert "estimated propensities need contexts, got a log without any" in err.splitlines()[-1]
