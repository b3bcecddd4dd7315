"""Replay of recipes that learn: against a plain loop, and right on average where rejection evens the log."""

import dataclasses

import evaluation_twins as twins
import numpy as np
import pytest
from logs_for_tests import make_log

from mobandits.contracts.protocols import Choice, Recipe, Stage
from mobandits.evaluation import Replay, evaluate, replay
from mobandits.logs import Feedback
from mobandits.policies import MolUcb, RandomChoice, SingleArm


class FollowerPolicy:
    """Plays the arm whose sum of first rewards is largest; notes the round, which it must be told again."""

    def __init__(self, arms):
        self.arms = arms

    def init(self):
        return np.zeros(self.arms + 1)

    def beliefs(self, state, context, arms, rng):
        return state

    def draw(self, beliefs, rng):
        return Choice(int(beliefs[:-1].argmax()), float(beliefs[-1]))

    def update(self, state, x, arm, note, reward, rng):
        assert note == state[-1]
        state = state.copy()
        state[arm] += reward[0] - 0.5
        state[-1] += 1.0
        return state


@dataclasses.dataclass(frozen=True)
class Follower(Recipe):
    stage: int | None = None

    def bind(self, shape):
        return FollowerPolicy(shape.arms)

    def stages(self, shape):
        while True:
            yield Stage(self.bind(shape), self.stage)


@pytest.mark.parametrize("kind", [{}, {"eligible": True}])
def test_replay_is_a_plain_loop(kind):
    log = make_log(0, rounds=300, **kind)
    found = replay(log, MolUcb(scale=0.5), seed=3)
    rng = np.random.default_rng(3)
    kept = np.flatnonzero(rng.random(300) * log.propensities < log.propensities.min())
    wanted = twins.replayed(
        MolUcb(scale=0.5), log, kept, max(int(log.propensities.min() * 300), 1), rng
    )
    assert (found.terms.denominator[:, 0] == wanted).all()
    assert wanted.sum() == found.diagnostics.effective_rounds > 0
    np.testing.assert_allclose(found.value, log.rewards[wanted].mean(0))
    others = wanted.sum() - 1
    jackknife = ((log.rewards[wanted] - found.value) ** 2).sum(0) / others**2
    np.testing.assert_allclose(found.standard_error**2, jackknife, rtol=0.01)


def test_without_rejection_every_round_is_visited():
    log = make_log(1, rounds=300)
    found = replay(log, SingleArm(2), rejection=False)
    np.testing.assert_allclose(
        found.value, evaluate(log, np.tile([0.0, 0.0, 1.0], (300, 1)), Replay()).value
    )
    assert any(text.startswith("uneven logging") for text in found.warnings)
    assert not any(text.startswith("uneven logging") for text in replay(log, SingleArm(2)).warnings)


@pytest.mark.long
def test_rejection_makes_an_uneven_log_even():
    """A log that shows an arm where it pays best: the mean of its rounds is too high, that of replay is not."""
    rng = np.random.default_rng(2)
    good = rng.random(40_000) < 0.5
    logging = np.where(good, 0.8, 0.2)  # of arm 1
    arms = (rng.random(40_000) < logging).astype(np.int64)
    rewards = np.where(good, 1.0, 0.0)[:, None] * arms[:, None]
    log = Feedback(
        np.ones((40_000, 1)), arms, rewards, np.where(arms == 1, logging, 1 - logging), "ab", ("u",)
    )
    with_it, without = replay(log, SingleArm(1)), replay(log, SingleArm(1), rejection=False)
    assert abs(with_it.value[0] - 0.5) < 4.0 * with_it.standard_error[0]
    assert without.value[0] > 0.75
    assert with_it.diagnostics.matched == pytest.approx(0.2, abs=0.01)  # the least propensity


@pytest.mark.long
def test_what_a_learner_goes_through_is_what_it_would_have_gone_through():
    """The rewards at its n-th round, over many logs, against runs with all rewards known."""
    rng, horizon = np.random.default_rng(4), 12
    replays, runs = [], []
    for _ in range(600):
        arms, rewards = (
            rng.integers(0, 2, 80),
            rng.random((80, 2)) ** np.array([1.0, 0.5]),
        )  # arm 1 pays more
        log = Feedback(
            np.ones((80, 1)), arms, rewards[np.arange(80), arms][:, None], [0.5] * 80, "ab", ("u",)
        )
        found = replay(log, Follower(), seed=int(rng.integers(1 << 30)))
        replays.append(log.rewards[found.terms.denominator[:, 0] > 0, 0][:horizon])
        policy, fresh = FollowerPolicy(2), rng.random((horizon, 2)) ** np.array([1.0, 0.5])
        state, got = policy.init(), []
        for t in range(horizon):
            choice = policy.draw(state, None)
            got.append(fresh[t, choice.arm])
            state = policy.update(
                state, None, choice.arm, choice.note, fresh[t, [choice.arm]], None
            )
        runs.append(got)
    error = np.std(runs, axis=0) * np.sqrt(2.0 / 600.0)
    assert (np.abs(np.mean(replays, axis=0) - np.mean(runs, axis=0)) < 4.0 * error).all()


def test_stages_begin_after_as_many_rounds_that_count():
    log = dataclasses.replace(make_log(5, rounds=200), rewards=np.ones((200, 2)))
    found = replay(log, Follower(stage=7), rejection=False)
    assert found.diagnostics.effective_rounds == (log.arms == 0).sum() > 20
    whole = replay(log, Follower(), rejection=False)
    assert whole.diagnostics.effective_rounds == found.diagnostics.effective_rounds


def test_the_horizon_is_what_is_expected_or_said():
    heard = []

    class Listening(Follower):
        def stages(self, shape):
            heard.append(shape.rounds)
            return super().stages(shape)

    log = dataclasses.replace(make_log(6, rounds=100), propensities=np.full(100, 0.25))
    replay(log, Listening())
    replay(log, Listening(), rounds=7)
    assert heard == [25, 7]


def test_missing_rewards_count_for_the_others_and_teach_what_can_be_learned():
    log = make_log(7, rounds=300, missing=0.3)
    found = replay(log, RandomChoice())
    matched = found.diagnostics.effective_rounds
    assert (found.terms.denominator.sum(0) < matched).all()
    assert np.isfinite(found.value).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda log: replay(log, "mol-ucb"),
            r"^recipe must be a recipe such as MolUcb\(\), got 'mol-ucb'; names are for files and the .*$",
        ),
        (
            lambda log: replay(log[:0], RandomChoice()),
            r"^log must have at least one round, got none$",
        ),
        (
            lambda log: replay(log, RandomChoice(), seed=-1),
            r"^seed must be an integer of at least 0, got -1$",
        ),
        (
            lambda log: replay(
                dataclasses.replace(log, propensities=[np.nan] * 60), RandomChoice()
            ),
            r"NaN in 60 of 60; rejection=False needs none$",
        ),
    ],
)
def test_what_cannot_be_replayed_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(make_log(8))
