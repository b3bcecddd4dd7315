"""Targets: arrays, callables, the simple ones, and recipes that learn from the other folds."""

import dataclasses

import evaluation_twins as twins
import numpy as np
import pytest
from logs_for_tests import make_law, make_log

from mobandits.contracts.protocols import Choice, Recipe, Stage
from mobandits.errors import InputWarning
from mobandits.evaluation import (
    ConstantTarget,
    Ips,
    LoggingPolicy,
    Trained,
    Uniform,
    compare,
    dominance,
    evaluate,
)
from mobandits.evaluation.folds import folds_of
from mobandits.evaluation.targets import probabilities_of
from mobandits.evaluation.training import check_assumptions, log_shape, trained
from mobandits.logs import Feedback
from mobandits.policies import (
    Exp3P,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    Pcz,
    PfiRls,
    RandomChoice,
    SingleArm,
)


class SpyPolicy:
    """Draws the first arm that it may, remembers what it is told, and begins to make notes after some lessons."""

    def __init__(self, notes_from):
        self.notes_from = notes_from

    def init(self):
        return []

    def beliefs(self, state, context, arms, rng):
        return 7.0 if len(state) >= self.notes_from else 0.0

    def draw(self, beliefs, rng):
        return Choice(0, beliefs)

    def update(self, state, x, arm, note, reward, rng):
        return [*state, (x, arm, note, reward)]


@dataclasses.dataclass(frozen=True)
class Spy(Recipe):
    notes_from: int = 10**9
    stage: int | None = None

    def bind(self, shape):
        return SpyPolicy(self.notes_from)

    def stages(self, shape):
        while True:
            yield Stage(self.bind(shape), self.stage)


class SpyWhole(Spy):
    accepts_partial = False


def asked(target, log, folds=3, seed=0):
    return probabilities_of(target, log, folds_of(len(log), folds, seed), seed)


def test_the_simple_ones_keep_to_eligible_arms():
    log = make_log(0, eligible=True)
    uniform, always = asked(Uniform(), log), asked(ConstantTarget("b"), log)
    for t in range(len(log)):
        may = log.eligible[t]
        np.testing.assert_allclose(uniform[t], may / may.sum())
        np.testing.assert_allclose(always[t], [0.0, 1.0, 0.0] if may[1] else may / may.sum())
    assert asked(LoggingPolicy(), log) is None


def test_a_callable_and_an_array_are_the_same_target():
    log = make_log(1)
    law = make_law(log)
    assert asked(make_law, log).tolist() == asked(law, log).tolist() == law.tolist()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            np.ones((60, 2)) / 2,
            r"^target 't': target must have shape \(rounds, arms\) = \(60, 3\), got \(60, 2\)$",
        ),
        (
            np.ones((60, 3)) / 2,
            r"^target 't': target must sum to 1 over the arms, got 1.5 in round 0$",
        ),
        (
            np.full((60, 3), np.nan),
            r"^target 't': target must hold probabilities, at least 0, got nan in round 0, arm 0$",
        ),
        (
            np.tile([1.5, -0.5, 0.0], (60, 1)),
            r"probabilities, at least 0, got -0.5 in round 0, arm 1$",
        ),
        (
            "uniform",
            r"^target 't': target must be probabilities, a recipe, or a target such as .*, got 'uniform'; names",
        ),
        (ConstantTarget("z"), r"^target 't': ConstantTarget.arm must be one of a, b, c, got 'z'$"),
        (PfiRls(check=False), r"^target 't': PfiRls needs arms whose features never change"),
    ],
    ids=["shape", "sum", "nan", "negative", "text", "arm", "recipe"],
)
def test_what_is_no_target_is_refused(target, message):
    with pytest.raises(ValueError, match=message):
        compare(make_log(2), {"t": target}, ["ips"])


def test_arms_that_are_not_eligible_are_refused():
    log = make_log(3, eligible=True)
    with pytest.raises(
        ValueError, match=r"target must be 0 where an arm is not eligible, got 0.33"
    ):
        evaluate(log, np.full((60, 3), 1.0 / 3.0), "ips")


CASES = [
    (MolUcb(scale=0.5), {}),
    (MolUcb(scale=0.5), {"eligible": True}),
    (MolEpsGreedy(), {"own_rows": True}),
    (MolEpsGreedy(), {"own_rows": True, "eligible": True}),
]


@pytest.mark.parametrize(("recipe", "kind"), CASES, ids=repr)
def test_a_recipe_learns_from_the_other_folds_as_in_a_plain_loop(recipe, kind):
    log = make_log(4, missing=0.2, **kind)
    folds, rng = folds_of(60, 3, 5), np.random.default_rng(0)
    wanted = np.zeros((60, 3))
    for fold in range(3):
        policy, state = twins.taught(recipe, log, np.flatnonzero(folds != fold), rng)
        for t in np.flatnonzero(folds == fold):
            context, arms = twins.context_of(log, t)
            wanted[t, arms] = policy.probabilities(policy.beliefs(state, context, arms, rng))
    np.testing.assert_allclose(probabilities_of(recipe, log, folds, 5), wanted, atol=1e-12)


def test_no_round_is_asked_of_a_policy_that_learned_from_its_fold():
    log = make_log(5)
    folds = folds_of(60, 4, 0)
    other = log.rewards.copy()
    other[folds == 1] *= -1.0
    before, after = (
        probabilities_of(MolUcb(scale=0.1), one, folds)
        for one in (log, dataclasses.replace(log, rewards=other))
    )
    assert (before[folds == 1] == after[folds == 1]).all()
    assert (before[folds != 1] != after[folds != 1]).any()


def test_random_beliefs_are_averaged_and_repeat_with_the_seed():
    log = make_log(6)
    one, same, other, few = (
        asked(Trained(MolTs(scale=0.3, selection="weight"), draws=draws), log, seed=seed)
        for draws, seed in ((400, 0), (400, 0), (400, 1), (2, 0))
    )
    assert (one == same).all()
    assert (one != other).any()
    np.testing.assert_allclose(one.sum(1), 1.0)
    assert len(np.unique(few)) < len(np.unique(one))


def test_averaged_beliefs_come_near_the_exact_law():
    """Two arms without features: Thompson sampling draws independent normal means."""
    from math import erf  # noqa: PLC0415

    rounds = 40
    arms = np.arange(rounds) % 2
    log = Feedback(np.ones((rounds, 1)), arms, 0.2 * arms[:, None], [0.5] * rounds, "ab", ("u",))
    folds = np.arange(rounds) // 2 % 2
    found = probabilities_of(
        Trained(MolTs(scale=0.5, selection="weight"), draws=20_000), log, folds
    )
    plays = 10.0  # of each arm in the other fold; ridge with penalty 1
    gap, spread = 0.2 * plays / (plays + 1.0), 0.5 * np.sqrt(2.0 / (plays + 1.0))
    exact = 0.5 + 0.5 * erf(gap / spread / np.sqrt(2.0))
    np.testing.assert_allclose(found[:, 1], exact, atol=0.015)


def test_a_recipe_that_learns_nothing_is_the_simple_target():
    log = make_log(7, eligible=True)
    np.testing.assert_allclose(asked(RandomChoice(), log), asked(Uniform(), log))
    np.testing.assert_allclose(asked(SingleArm(1), log), asked(ConstantTarget("b"), log))


def test_a_recipe_with_notes_learns_where_it_draws_what_was_played():
    """It cannot be told a note that it did not make: fewer lessons, but none that is wrong."""
    log = make_log(9, rounds=200, arms=2)
    policy, state = trained(Exp3P(check=False), log, np.arange(200), np.random.default_rng(0))
    rng, gains = np.random.default_rng(0), 0
    policy.draw(
        policy.beliefs(policy.init(), log.contexts[:1], np.arange(2), rng), rng
    )  # the look that met the note
    again = policy.init()
    for t in range(200):
        choice = policy.draw(policy.beliefs(again, log.contexts[t][None], np.arange(2), rng), rng)
        if choice.arm == log.arms[t]:
            again = policy.update(
                again, log.contexts[t], int(log.arms[t]), choice.note, log.rewards[t], rng
            )
            gains += 1
    assert 60 < gains < 140
    np.testing.assert_allclose(state.gains, again.gains, rtol=1e-12)


@pytest.mark.parametrize("late", [100, 300])
def test_a_note_that_comes_late_is_met(late):
    log = make_log(9, rounds=800)
    matching = np.flatnonzero(log.arms == 0)  # the spy draws the first arm
    _, lessons = trained(Spy(notes_from=late), log, np.arange(800), np.random.default_rng(0))
    assert [x.tolist() for x, *_ in lessons] == log.contexts[matching].tolist()
    assert [note for *_, note, _ in lessons] == [0.0] * min(late, len(matching)) + [7.0] * max(
        len(matching) - late, 0
    )


@pytest.mark.parametrize(
    "kind", [{}, {"own_rows": True}, {"eligible": True}, {"own_rows": True, "eligible": True}]
)
def test_a_policy_is_told_what_it_could_have_seen(kind):
    log = make_log(10, **kind)
    rounds = np.array([3, 1, 40, 7])
    _, lessons = trained(Spy(), log, rounds, np.random.default_rng(0))
    assert [arm for _, arm, _, _ in lessons] == log.arms[rounds].tolist()
    for t, (x, arm, note, reward) in zip(rounds, lessons, strict=True):
        own = log.contexts[t, arm] if log.contexts.ndim == 3 else log.contexts[t]
        assert (x.tolist(), note, reward.tolist()) == (own.tolist(), 0.0, log.rewards[t].tolist())


def test_stages_begin_anew_while_training():
    log = make_log(10)
    _, lessons = trained(Spy(stage=25), log, np.arange(60), np.random.default_rng(0))
    assert [x.tolist() for x, *_ in lessons] == log.contexts[50:].tolist()


def test_a_recipe_that_needs_whole_rewards_learns_from_those():
    log = make_log(11, missing=0.5)
    whole = np.flatnonzero(~np.isnan(log.rewards).any(1))
    assert 5 < len(whole) < 30
    _, lessons = trained(SpyWhole(), log, np.arange(60), np.random.default_rng(0))
    assert [reward.tolist() for *_, reward in lessons] == log.rewards[whole].tolist()


def test_arms_that_stay_are_told_to_the_recipe():
    log = make_log(12, own_rows=True)
    fixed = dataclasses.replace(log, contexts=np.repeat(log.contexts[:1], 60, axis=0))
    assert (log_shape(fixed, 60).fixed_arms == log.contexts[0]).all()
    assert log_shape(log, 60) == (3, 2, 2, 60, False, None)
    assert log_shape(make_log(12, features=0), 7) == (3, 0, 2, 7, False, None)


def test_what_a_recipe_assumes_is_checked():
    log = make_log(13)
    with pytest.raises(ValueError, match=r"^target 't': Pcz needs contexts in \[0, 1\]"):
        compare(dataclasses.replace(log, contexts=log.contexts - 5.0), {"t": Pcz()}, ["ips"])
    far = dataclasses.replace(log, contexts=log.contexts + 5.0)
    with pytest.warns(InputWarning, match="MolUcb needs norms of features"):
        check_assumptions(MolUcb(scale="theory"), far)
    check_assumptions(MolUcb(scale="theory", check=False), far)
    check_assumptions(MolUcb(scale="theory"), dataclasses.replace(log, contexts=0.5 * log.contexts))


def test_trained_is_checked():
    with pytest.raises(
        ValueError,
        match=r"^Trained.recipe must be a recipe such as MolUcb\(\), got 'mol-ucb'; names ",
    ):
        Trained("mol-ucb")
    with pytest.raises(
        ValueError, match=r"^Trained.draws must be an integer of at least 1, got 0$"
    ):
        Trained(MolUcb(), draws=0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"log": "x.csv"},
            r"^log must be a Feedback, got 'x.csv'; write mobandits.logs.read\('x.csv'\)$",
        ),
        ({"log": {"u": Uniform()}}, r"^log must be a Feedback, got {'u': Uniform\(\)}$"),
        ({"targets": Uniform()}, r"^targets must be a dictionary {name: target}, got Uniform\(\)$"),
        (
            {"targets": {"u": Uniform}},
            r"^target 'u': target must be .*; write Uniform\(...\), an object of that class$",
        ),
        (
            {"targets": {"u": MolUcb}},
            r"^target 'u': target must be .*; write MolUcb\(...\), an object of that class$",
        ),
        (
            {"targets": {"u": "uniform"}},
            "^target 'u': target must be probabilities, a recipe, or a target such as Uniform",
        ),
        (
            {"targets": {"u": ConstantTarget("aa")}},
            r"^target 'u': ConstantTarget.arm: 'aa' is unknown; did you mean a\? .* one of a, b, c$",
        ),
        (
            {"estimators": [Ips]},
            r"^estimator must be .*; write Ips\(...\), an object of that class$",
        ),
        (
            {"estimators": ["ipss"]},
            r"^estimator: 'ipss' is unknown; did you mean ips\? It must be one of .*ips, ",
        ),
    ],
)
def test_what_is_no_comparison(change, said):
    good = {"log": make_log(0), "targets": {"u": Uniform()}, "estimators": ["ips"]}
    with pytest.raises(ValueError, match=said):
        compare(**good | change)


def test_one_estimator_needs_no_list():
    log = make_log(0)
    for one in ("ips", Ips()):
        assert (
            compare(log, {"u": Uniform()}, one)["u", "ips"].value.tolist()
            == evaluate(log, Uniform(), one).value.tolist()
        )


def test_an_estimate_that_is_not_there():
    found = compare(make_log(0), {"u": Uniform(), "a": ConstantTarget("a")}, ["ips"])
    with pytest.raises(
        KeyError, match=r"the key must be a target of u, a, and an estimator of ips, got 'u'"
    ):
        found["u"]
    with pytest.raises(
        ValueError,
        match=r"first must be an estimate such as comparison\[target, estimator\], got 'u'",
    ):
        dominance("u", "a")
