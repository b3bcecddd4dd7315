"""The test of dominance: its p-values by hand, how often it is wrong, and what it refuses."""

import dataclasses

import evaluation_twins as twins
import numpy as np
import pytest

from mobandits.evaluation import (
    ConstantTarget,
    DoublyRobust,
    Feedback,
    Ips,
    LoggingPolicy,
    Snips,
    compare,
    dominance,
    evaluate,
)
from mobandits.evaluation.terms import influence


def pair(gap, seed=0, rounds=400, noise=1.0):
    """Two arms, played evenly; the second pays `gap` more, (objectives,): estimates of always the second and first."""
    rng = np.random.default_rng(seed)
    arms = rng.integers(0, 2, rounds)
    rewards = arms[:, None] * np.array(gap) + noise * rng.normal(size=(rounds, len(gap)))
    log = Feedback(np.ones((rounds, 0)), arms, rewards, [0.5] * rounds, "ab", "uvwxyz"[: len(gap)])
    found = compare(log, {"a": ConstantTarget("a"), "b": ConstantTarget("b")}, ["snips"])
    return found["b", "snips"], found["a", "snips"]


@pytest.mark.parametrize(
    ("gap", "margin", "decision"),
    [
        ([0.8, 0.8], 0.0, "dominates"),
        ([-0.8, -0.8], 0.0, "dominated"),
        ([0.8, -0.8], 0.0, "incomparable"),
        ([0.8, 0.0], 0.0, "undecided"),
        ([0.8, 0.0], 0.4, "dominates"),
        ([-0.8, 0.0], 0.4, "dominated"),
        ([0.0, 0.0], 0.4, "undecided"),
        ([0.2, -0.2], 0.5, "undecided"),
        ([0.8, -0.2], [0.0, 0.6], "dominates"),
        ([1.2, -1.2], 0.5, "incomparable"),
    ],
)
def test_decisions(gap, margin, decision):
    assert dominance(*pair(gap, rounds=2000), margin=margin).decision == decision


def test_p_values_are_those_of_the_differences_of_a_plain_mean():
    """With weights of 1 or 0 that do not overlap, terms of IPS: the mean of the rounds' differences."""
    rng = np.random.default_rng(3)
    values = rng.exponential(size=(50, 2)) * [1.0, -1.0] + [0.2, 0.5]
    log = Feedback(np.ones((50, 0)), np.zeros(50, np.int64), values, np.ones(50), "ab", "uv")
    mixed = np.column_stack([np.linspace(0.0, 1.0, 50), 1.0 - np.linspace(0.0, 1.0, 50)])
    whole, part = evaluate(log, ConstantTarget("a"), Ips()), evaluate(log, mixed, Ips())
    found = dominance(whole, part, margin=0.05)
    difference = values * mixed[:, 1:]
    mean, error = difference.mean(0), difference.std(0, ddof=1) / 50**0.5
    _, freedom, _, skew, _ = twins.spread(difference - mean)
    assert skew[0] > 0.0 > skew[1]

    def above(bound, sign):
        """(objectives,) p-values of sign * difference > bound."""
        given = zip(sign * mean, error, sign * skew, strict=True)
        return np.array([twins.tail(*one, freedom, bound) for one in given])

    not_worse, better, ahead, behind = (
        above(-0.05, 1),
        above(0.0, 1),
        above(0.05, 1),
        above(0.05, -1),
    )
    assert found.p_dominates == pytest.approx(
        max(not_worse.max(), min(2 * better.min(), 1.0)), rel=1e-7
    )
    assert found.p_incomparable == pytest.approx(
        max(min(2 * ahead.min(), 1), min(2 * behind.min(), 1)), rel=1e-7
    )
    np.testing.assert_allclose(found.difference, mean)


def test_one_objective_is_a_one_sided_test():
    ours, theirs = pair([0.1])
    found = dominance(ours, theirs)
    effects = influence(ours.terms) - influence(theirs.terms)
    _, freedom, _, (skew,), _ = twins.spread(effects)
    (difference,), (error,) = found.difference, found.standard_error
    assert found.p_dominates == pytest.approx(
        twins.tail(difference, error, skew, freedom, 0.0), rel=1e-7
    )
    assert found.p_dominated == pytest.approx(
        twins.tail(-difference, error, -skew, freedom, 0.0), rel=1e-7
    )
    assert found.p_incomparable >= 0.5  # one objective is always comparable


def test_the_other_way_round_is_the_mirror():
    ours, theirs = pair([0.1, -0.05])
    there, back = dominance(ours, theirs, margin=0.02), dominance(theirs, ours, margin=0.02)
    assert (there.p_dominates, there.p_dominated) == (back.p_dominated, back.p_dominates)
    assert there.p_incomparable == back.p_incomparable
    assert (there.difference == -back.difference).all()


def test_a_target_is_compared_with_itself_without_a_claim():
    ours, _ = pair([0.5, 0.5])
    found = dominance(ours, ours, margin=0.1)
    assert (found.decision, found.p_dominates, found.p_incomparable) == ("undecided", 1.0, 1.0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("gap", "margin", "wrong"),
    [
        ([0.0, 0.0], 0.0, ("dominates", "dominated", "incomparable")),
        (
            [0.0, 3.0],
            0.0,
            ("dominates",),
        ),  # the boundary of the null: equal in one, far better in the other
        ([0.0, 3.0], 0.0, ("dominated", "incomparable")),
        ([-0.3, 3.0], 0.3, ("dominates",)),
        ([0.0, 0.0], 0.3, ("dominates",)),
    ],
)
def test_each_claim_is_wrong_as_rarely_as_it_says(gap, margin, wrong):
    claims = [dominance(*pair(gap, seed), margin=margin, level=0.9).decision for seed in range(400)]
    for decision in wrong:
        assert claims.count(decision) / 400 <= 0.1 + 3.0 * np.sqrt(0.1 * 0.9 / 400)


@pytest.mark.long
def test_at_the_boundary_the_test_uses_up_its_level():
    claims = [dominance(*pair([0.0, 3.0], seed), level=0.9).decision for seed in range(400)]
    assert claims.count("dominates") / 400 >= 0.1 - 3.0 * np.sqrt(0.1 * 0.9 / 400)


def test_pairs_are_compared_on_the_same_rounds():
    """Two targets that differ in few rounds: their difference is known far better than either value."""
    rng = np.random.default_rng(5)
    rewards = rng.normal(size=(2000, 2)) * 5.0
    log = Feedback(np.ones((2000, 0)), rng.integers(0, 2, 2000), rewards, [0.5] * 2000, "ab", "uv")
    law = np.full((2000, 2), 0.5)
    near = np.column_stack([law[:, 0] + 0.02, law[:, 1] - 0.02])
    found = compare(log, {"one": law, "two": near}, ["ips"])
    verdict = dominance(found["two", "ips"], found["one", "ips"])
    assert (verdict.standard_error < 0.1 * found["one", "ips"].standard_error).all()


def test_a_tie_that_is_only_rounding_is_no_lead():
    """Weighted means of a constant differ in their last digits, and so do their standard errors from 0."""
    rng = np.random.default_rng(7)
    propensities = rng.uniform(0.2, 0.8, 400)
    arms = (rng.random(400) < propensities).astype(np.int64)
    rewards = np.column_stack([arms + 0.1 * rng.normal(size=400), np.full(400, 0.3)])
    log = Feedback(
        np.ones((400, 0)),
        arms,
        rewards,
        np.where(arms == 1, propensities, 1 - propensities),
        "ab",
        "uv",
    )
    found = compare(log, {"a": ConstantTarget("a"), "b": ConstantTarget("b")}, ["snips"])
    verdict = dominance(found["b", "snips"], found["a", "snips"])
    assert verdict.difference[1] == 0.0
    assert verdict.p_dominates >= 0.5
    assert verdict.decision == "undecided"


def test_one_round_with_all_the_weight_shows_nothing():
    rewards = np.array([[0.9, 0.9]] + [[0.1, 0.1]] * 30)
    arms = np.array([1] + [0] * 30)
    log = Feedback(np.ones((31, 0)), arms, rewards, [0.5] * 31, "ab", "uv")
    found = compare(log, {"a": ConstantTarget("a"), "b": ConstantTarget("b")}, ["snips"])
    verdict = dominance(found["b", "snips"], found["a", "snips"])
    assert (verdict.decision, verdict.p_dominates) == ("undecided", 1.0)
    assert np.isnan(verdict.standard_error).all()


def test_what_is_not_known_is_never_claimed():
    ours, theirs = pair([0.5, 0.5])
    log = Feedback(
        np.ones((400, 0)), np.zeros(400, np.int64), np.ones((400, 2)), [0.5] * 400, "ab", "uv"
    )
    unknown = evaluate(log, ConstantTarget("b"), "snips")
    assert dominance(ours, unknown).decision == "undecided"
    assert dominance(unknown, theirs).decision == "undecided"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounds": 300}, r"^rounds must be the same in both estimates, got 400 and 300$"),
        (
            {"estimator": DoublyRobust()},
            r"^estimator must be the same in both estimates, got Snips",
        ),
        (
            {"objectives": ("u", "w")},
            r"^objectives must be the same in both estimates, got \('u', 'v'\) and",
        ),
        ({"margin": -0.1}, r"^margin must be at least 0, got \[-0.1, -0.1\]$"),
        ({"margin": float("nan")}, r"^margin must be at least 0, got \[nan, nan\]$"),
        ({"level": 1.5}, r"^level must be below 1, got 1.5$"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, message):
    ours, theirs = pair([0.5, 0.5])
    if "rounds" in change:
        theirs = pair([0.5, 0.5], rounds=change.pop("rounds"))[1]
    options = {key: change[key] for key in ("margin", "level") if key in change}
    theirs = dataclasses.replace(
        theirs, **{key: value for key, value in change.items() if key not in options}
    )
    with pytest.raises(ValueError, match=message):
        dominance(ours, theirs, **options)


def test_the_logging_policy_may_be_compared_too():
    rng = np.random.default_rng(6)
    arms = (rng.random(2000) < 0.5).astype(np.int64)
    rewards = arms[:, None] + 0.1 * rng.normal(size=(2000, 2))
    log = Feedback(np.ones((2000, 0)), arms, rewards, [0.5] * 2000, "ab", "uv")
    found = compare(log, {"now": LoggingPolicy(), "b": ConstantTarget("b")}, [Snips()])
    assert dominance(found["b", "snips"], found["now", "snips"]).decision == "dominates"
