"""Logs that are read in pieces: the same answers as in memory, and clear refusals."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.errors import LogError
from mobandits.evaluation import (
    ConstantTarget,
    DirectMethod,
    DoublyRobust,
    Ips,
    LoggingPolicy,
    Snips,
    StoredProbabilities,
    SwitchDr,
    Trained,
    Uniform,
    compare,
    dominance,
    evaluate,
    tune,
)
from mobandits.evaluation.spread import moments_of, spread_of
from mobandits.evaluation.targets import probabilities_of
from mobandits.logs import Feedback, LogStream, ParquetTable, csv, stream
from mobandits.logs.objectives import Objective
from mobandits.policies import Doubling, Exp3P, MolTs, MolUcb, ParetoUcb1, WithFloor

ESTIMATORS = [
    Ips(),
    Ips(clip=1.5),
    Snips(),
    DoublyRobust(),
    SwitchDr(threshold=1.5),
    DirectMethod(),
]
NAMES = ["Ips(clip=None)", "Ips(clip=1.5)", "snips", "dr", "switch-dr", "dm"]


def with_ranges(log):
    """Rewards from 40 to 90 and, as they are kept, from 30 to 80."""
    quality, cost = log.objectives
    ranges = [replace(quality, low=40.0, high=90.0), replace(cost, low=-80.0, high=-30.0)]
    return replace(log, objectives=ranges)


def softmax(log):
    """A policy that depends on the context."""
    scores = np.exp(log.contexts[:, :1] * np.arange(len(log.arm_names)))
    return scores / scores.sum(1, keepdims=True)


def log_of(seed, rounds=400, objectives=2, *, missing=False, constant=False):
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rounds, 2))
    logging = rng.dirichlet(np.ones(3), rounds) * 0.7 + 0.1
    arms = np.array([rng.choice(3, p=law) for law in logging])
    rewards = contexts[:, :1] * arms[:, None] + rng.exponential(size=(rounds, objectives)) + 50.0
    if constant:
        rewards[:, 0] = 0.75
    if missing:
        rewards[rng.random(rewards.shape) < 0.2] = np.nan
    propensities = logging[np.arange(rounds), arms]
    names = ("quality", Objective("cost", minimise=True))[:objectives]
    return Feedback(contexts, arms, rewards, propensities, ("a", "b", "c", "never"), names)


def in_pieces(log, size):
    return LogStream(lambda: [log[first : first + size] for first in range(0, len(log), size)])


TARGETS = {
    "softmax": softmax,
    "b": ConstantTarget("b"),
    "even": Uniform(),
    "logged": LoggingPolicy(),
}


def assert_equal(found, wanted):
    close = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(found.value, wanted.value, **close)
    np.testing.assert_allclose(found.covariance, wanted.covariance, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.bias_bound, wanted.bias_bound, **close)
    assert found.spread.freedom == pytest.approx(wanted.spread.freedom, rel=1e-9)
    assert found.spread.joint_freedom == pytest.approx(wanted.spread.joint_freedom, rel=1e-9)
    np.testing.assert_allclose(found.spread.skew, wanted.spread.skew, **close)
    np.testing.assert_allclose(found.spread.joint_skew, wanted.spread.joint_skew, **close)
    assert vars(found.diagnostics) == pytest.approx(vars(wanted.diagnostics), rel=1e-9, nan_ok=True)
    assert (found.seen == wanted.seen).all()
    assert (found.rounds, found.objectives) == (wanted.rounds, wanted.objectives)


@pytest.mark.long
@settings(deadline=None, max_examples=10)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 500),
    missing=st.booleans(),
    constant=st.booleans(),
)
def test_pieces_give_the_answer_of_the_whole(seed, size, missing, constant):
    log = log_of(seed, missing=missing, constant=constant)
    found = compare(in_pieces(log, size), TARGETS, ESTIMATORS)
    wanted = compare(log, TARGETS, ESTIMATORS)
    for key, estimate in wanted.estimates.items():
        assert_equal(found[key], estimate)
        assert found[key].warnings == estimate.warnings

    for label in found.estimators:
        for other in ("b", "even", "logged"):
            pair = [found["softmax", label], found[other, label]]
            whole = [wanted["softmax", label], wanted[other, label]]
            for first, second in ((0, 1), (1, 0)):
                verdict = dominance(pair[first], pair[second])
                expected = dominance(whole[first], whole[second])
                np.testing.assert_allclose(
                    verdict.standard_error, expected.standard_error, rtol=1e-9, atol=1e-12
                )
                assert verdict.p_dominates == pytest.approx(expected.p_dominates, rel=1e-6)
                assert verdict.decision == expected.decision


def test_one_piece_is_the_whole():
    log = log_of(1)
    found = compare(in_pieces(log, 1000), TARGETS)
    wanted = compare(log, TARGETS)
    for key, estimate in wanted.estimates.items():
        assert_equal(found[key], estimate)
        assert found[key].warnings == estimate.warnings
    assert found.table().columns == wanted.table().columns


def test_a_single_weight_leaves_the_spread_unknown():
    log = log_of(2, rounds=60, objectives=1)
    law = np.zeros((60, 4))
    law[:, 3] = 1.0
    law[7] = np.eye(4)[log.arms[7]]

    def target(part):
        return law[np.isin(log.contexts[:, 0], part.contexts[:, 0])]

    found = evaluate(in_pieces(log, 13), target, "snips")
    wanted = evaluate(log, target, "snips")
    np.testing.assert_allclose(found.value, wanted.value)
    assert np.isnan(found.standard_error).all()
    assert np.isnan(wanted.standard_error).all()


def test_the_direct_method_needs_no_propensities():
    log = log_of(3)
    unknown = Feedback(
        log.contexts, log.arms, log.rewards, [np.nan] * len(log), log.arm_names, log.objectives
    )
    found = evaluate(in_pieces(unknown, 100), softmax, "dm")
    assert np.isfinite(found.value).all()
    assert np.isnan(found.diagnostics.effective_rounds)


RECIPES = {
    "ucb": MolUcb(scale=0.3, check=False),
    "whole": ParetoUcb1(check=False),
    "notes": Exp3P(check=False),
    "floor": WithFloor(MolUcb(scale=0.1, check=False), 0.2),
}


@pytest.mark.long
@pytest.mark.parametrize(("size", "missing"), [(7, False), (130, True), (1000, False)])
def test_recipes_learn_in_pieces_what_they_learn_in_memory(size, missing):
    log = log_of(11, missing=missing)
    log = replace(log, rewards=(log.rewards - 40.0) / 50.0)
    recipes = RECIPES | {"logged": LoggingPolicy()}
    if size == 7:
        recipes.pop("ucb")  # the policy below the floor is the same
    found = compare(in_pieces(log, size), recipes, ["ips", "dr"], folds=3, seed=2)
    wanted = compare(log, recipes, ["ips", "dr"], folds=3, seed=2)
    for key, estimate in wanted.estimates.items():
        assert_equal(found[key], estimate)
        assert found[key].warnings == estimate.warnings


@pytest.mark.long
def test_beliefs_that_are_drawn_have_draws_of_their_own_in_pieces():
    log = log_of(12, rounds=120, objectives=1)
    target = Trained(MolTs(scale=5.0, check=False), draws=60)
    wanted = evaluate(log, target, "snips", folds=2)
    found = evaluate(in_pieces(log, 50), target, "snips", folds=2)
    assert found.value == pytest.approx(wanted.value, abs=3 * float(wanted.standard_error[0]))
    assert found.value != wanted.value
    again = evaluate(in_pieces(log, 50), target, "snips", folds=2)
    assert (again.value == found.value).all()


@pytest.mark.long
def test_empty_pieces_change_nothing():
    log = log_of(13)
    parts = [log[:0], log[:150], log[150:150], log[150:], log[:0]]
    found = compare(LogStream(lambda: parts), TARGETS | {"ucb": RECIPES["ucb"]})
    wanted = compare(in_pieces(log, 250), TARGETS | {"ucb": RECIPES["ucb"]})
    for key, estimate in wanted.estimates.items():
        assert_equal(found[key], estimate)
    with pytest.raises(ValueError, match="at least one round, got none"):
        evaluate(LogStream(lambda: [log[:0]]), Uniform(), "ips")


def test_a_stream_that_cannot_be_read_twice_is_refused():
    log = log_of(14, rounds=30)
    once = iter([log[:10], log[10:20], log[20:]])
    with pytest.raises(LogError, match="same rounds whenever it is read, got 10, then 0"):
        evaluate(LogStream(lambda: once), Uniform(), "ips")


def test_an_agent_of_what_was_compared_in_pieces_has_learned_the_log():
    log = log_of(15, rounds=90)
    recipe = {"ucb": RECIPES["ucb"]}
    found = compare(in_pieces(log, 40), recipe, "ips").agent("ucb", seed=1)
    wanted = compare(log, recipe, "ips").agent("ucb", seed=1)
    assert found.to_bytes() == wanted.to_bytes()


@pytest.mark.parametrize(
    ("target", "estimator", "options", "message"),
    [
        (
            Doubling(ParetoUcb1(check=False), first=50),
            "ips",
            {},
            "target 'target': a recipe must be one policy",
        ),
        (np.full((400, 4), 0.25), "ips", {}, "needs the log as a whole"),
        (MolUcb, "ips", {}, "an object of that class"),
        (Uniform(), "replay", {}, "for a stream, got replay"),
        (Uniform(), Snips(clip=2.0), {}, "snips without clip"),
        (Uniform(), "ips", {"propensities": "estimated"}, "log must be in memory"),
        (Uniform(), "dr", {"model": np.zeros((400, 4, 2))}, "model must be a RidgePerArm"),
        (StoredProbabilities("new"), "ips", {}, "stored column of none"),
    ],
)
def test_what_is_no_sum_is_refused(target, estimator, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(in_pieces(log_of(4), 100), target, estimator, **options)


def test_what_needs_rounds_says_so():
    estimate = evaluate(in_pieces(log_of(5), 100), Uniform(), "ips")
    with pytest.raises(ValueError, match="got one of a stream"):
        estimate.bootstrap()
    with pytest.raises(ValueError, match="got one of a stream"):
        estimate.sequence(low=-100.0, high=100.0)
    with pytest.raises(ValueError, match="weight times reward must lie in"):
        estimate.bernstein(low=0.0, high=1.0, weight_bound=2.0)
    with pytest.raises(ValueError, match="must be given where objectives declare no range"):
        estimate.sequence()


@pytest.mark.long
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 300), missing=st.booleans())
def test_intervals_at_any_time_are_those_of_the_log_in_memory(seed, size, missing):
    log = with_ranges(log_of(seed, rounds=250, missing=missing))
    targets = {"softmax": softmax, "even": Uniform()}
    found = compare(in_pieces(log, size), targets, [Ips(clip=1.5), Ips(), Snips()])
    wanted = compare(log, targets, [Ips()])
    ranges = {"low": [40.0, 30.0], "high": [90.0, 80.0]}
    for name in targets:
        estimate = found[name, "Ips()"]
        box = estimate.sequence(0.9)
        twin = wanted[name, "ips"]
        for same in (
            twin.sequence(0.9),
            twin.sequence(0.9, **ranges),
            estimate.sequence(0.9, **ranges),
        ):
            np.testing.assert_allclose(box.low, same.low, rtol=1e-9)
            np.testing.assert_allclose(box.high, same.high, rtol=1e-9)

        assert box.contains(found[name, "snips"].value)
        bernstein = estimate.bernstein(0.9, low=30.0, high=90.0, weight_bound=10.0)
        whole = twin.bernstein(0.9, low=30.0, high=90.0, weight_bound=10.0)
        np.testing.assert_allclose(bernstein.low, whole.low, rtol=1e-9)
        np.testing.assert_allclose(bernstein.high, whole.high, rtol=1e-9)
        with pytest.raises(ValueError, match="Ips without clip"):
            found[name, "Ips(clip=1.5)"].sequence()


def test_a_reward_out_of_its_range_is_found_in_pieces():
    log = with_ranges(log_of(8, rounds=90))
    rewards = log.rewards.copy()
    rewards[73, 1] = 95.0
    outside = replace(log, rewards=rewards)
    for size in (20, 100):
        estimate = evaluate(in_pieces(outside, size), Uniform(), "ips")
        with pytest.raises(ValueError, match="outside in round 73, objective 1"):
            estimate.sequence()
    with pytest.raises(ValueError, match="outside in round 73, objective 1"):
        evaluate(outside, Uniform(), "ips").sequence()


def test_a_file_is_read_in_pieces(tmp_path):
    path = tmp_path / "log.csv"
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {"arm": rng.choice(["a", "b"], 300), "p": np.full(300, 0.5), "click": rng.random(300)}
    )
    table = table.with_columns(x=pl.Series(rng.random(300)))
    table.write_csv(path)
    columns = {"arm": "arm", "propensity": "p", "rewards": ["click"], "context": ["x"]}
    found = evaluate(stream(path, chunk=70, **columns), ConstantTarget("a"), "snips")
    (log,) = csv.scan(path, chunk=1000, **columns)
    assert_equal(found, evaluate(log, ConstantTarget("a"), "snips"))


def parquet_of(log, path, targets):
    law = {name: probabilities_of(target, log, None) for name, target in targets.items()}
    rounds = np.arange(len(log))
    columns = {str(each.name): log.own_rewards[:, l] for l, each in enumerate(log.objectives)}
    played = {name: table[rounds, log.arms] for name, table in law.items()}
    pl.DataFrame({**columns, "propensity": log.propensities, **played}).write_parquet(
        path, row_group_size=100
    )
    return ParquetTable(path, log.objectives, "propensity", list(targets), rows=100)


@pytest.mark.long
@pytest.mark.parametrize("missing", [False, True])
def test_a_parquet_table_gives_the_answer_of_the_log(tmp_path, missing):
    log = with_ranges(log_of(6, missing=missing))
    targets = {"softmax": softmax, "b": ConstantTarget("b")}
    table = parquet_of(log, tmp_path / "rounds.parquet", targets)
    stored = {name: StoredProbabilities(name) for name in targets} | {"logged": LoggingPolicy()}
    found = compare(table, stored, ["ips", "snips"])
    wanted = compare(log, targets | {"logged": LoggingPolicy()}, ["ips", "snips"])
    for key, estimate in wanted.estimates.items():
        np.testing.assert_allclose(found[key].value, estimate.value, rtol=1e-9)
        np.testing.assert_allclose(
            found[key].covariance, estimate.covariance, rtol=1e-9, atol=1e-14
        )
        assert found[key].diagnostics.effective_rounds == pytest.approx(
            estimate.diagnostics.effective_rounds
        )

    threaded = ParquetTable(table.path, log.objectives, "propensity", list(targets), 100, threads=3)
    again = compare(threaded, stored, ["ips", "snips"])
    assert again.table().equals(found.table())
    box = again["b", "ips"].sequence()
    assert box.low.tolist() == found["b", "ips"].sequence().low.tolist()
    np.testing.assert_allclose(box.low, wanted["b", "ips"].sequence().low, rtol=1e-9)


def test_a_parquet_table_names_what_it_lacks(tmp_path):
    log = log_of(7)
    table = parquet_of(log, tmp_path / "rounds.parquet", {"even": Uniform()})
    with pytest.raises(LogError, match="must have a column 'other'"):
        ParquetTable(table.path, log.objectives, "propensity", ["other"])
    with pytest.raises(ValueError, match="no reward model"):
        evaluate(table, StoredProbabilities("even"), "dr")
    with pytest.raises(ValueError, match="stored column of even"):
        evaluate(table, StoredProbabilities("odd"), "ips")


@pytest.mark.long
@pytest.mark.parametrize("size", [13, 130, 1000])
@pytest.mark.parametrize("weights", [None, [1.0, 0.5], [0.0, 2.0]])
def test_tune_in_pieces_is_tune_in_memory(size, weights):
    log = log_of(21, rounds=300)
    log = replace(log, rewards=(log.rewards - 40.0) / 50.0)
    candidates = {"b": ConstantTarget("b"), "ucb": RECIPES["ucb"], "softmax": softmax}
    wanted = tune(candidates, log, weights=weights, blocks=4, seed=1)
    found = tune(candidates, in_pieces(log, size), weights=weights, blocks=4, seed=1)
    assert (found.best_name, found.sure) == (wanted.best_name, wanted.sure)
    assert found.answer == wanted.answer
    for name in candidates:
        assert_equal(found.estimate(name), wanted.estimate(name))
        assert found.candidates[name].doubts == wanted.candidates[name].doubts

    for name, column in wanted.table().to_dict().items():
        if column.dtype == pl.Float64:
            np.testing.assert_allclose(found.table()[name], column, rtol=1e-7, atol=1e-12)
        else:
            assert found.table()[name].equals(column)


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    first=st.floats(-3.0, 3.0),
    second=st.sampled_from([0.0, 1.0, -2.0]),
    kind=st.sampled_from(["both", "same", "constant"]),
)
def test_moments_along_weights_are_those_of_the_weighted_sum(seed, first, second, kind):
    effects = np.random.default_rng(seed).exponential(size=(60, 2)) - 1.0
    effects[:, 1] *= 100.0
    if kind == "same":
        effects[:, 1] = 2.0 * effects[:, 0]
    if kind == "constant":
        effects[:, 1] = 0.0
    weights = np.array([first, second])
    if abs(effects @ weights).max() < 1e-6:
        return
    found = moments_of(effects, np.ones(2)).along(weights, 1.0)
    wanted = spread_of((effects @ weights)[:, None], np.ones(1))
    np.testing.assert_allclose(found.covariance, wanted.covariance, rtol=1e-9)
    np.testing.assert_allclose(found.skew, wanted.skew, rtol=1e-7)
    assert found.freedom == pytest.approx(wanted.freedom, rel=1e-7)


def test_a_budget_needs_the_log_in_memory():
    log = log_of(22)
    with pytest.raises(ValueError, match="log must be a Feedback"):
        tune(in_pieces(log, 100), budget={"cost": 1.0})
