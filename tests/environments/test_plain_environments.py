"""Channels, arms without context, and logged rewards."""

import math
import re

import numpy as np
import pytest

from mobandits import front
from mobandits.environments import Logged, MultiArmed, Multichannel
from mobandits.spec import build


def draw(environment, rounds=300, seed=0):
    problem = environment.problem(rounds, np.random.default_rng(seed))
    return problem, problem.block(0, rounds, np.random.default_rng(seed + 1))


@pytest.mark.parametrize("rate", [4.0, 0.25])
def test_channels_pay_what_they_say(rate):
    _, block = draw(Multichannel(rate=rate), rounds=20_000)
    for x, means in zip(block.contexts[:50, 0], block.means, strict=False):
        for a, (channel, speed) in enumerate(Multichannel.actions):
            success = math.exp(-rate * (2**speed - 1) / (5 * x[channel]))
            assert means[a] == pytest.approx([speed * success, success], abs=1e-14)
    np.testing.assert_allclose((block.rewards - block.means).mean(0), 0, atol=0.02)
    speeds = np.array([speed for _, speed in Multichannel.actions])
    np.testing.assert_array_equal(
        block.rewards[:, :, 0], block.rewards[:, :, 1] * speeds
    )  # one success for both
    slower = block.rewards[:, 1:4, 1] >= block.rewards[:, :3, 1]
    assert slower.all()  # one gain per channel: what goes through fast also goes through slowly


def test_the_oracle_of_the_channels():
    """Mean reward of the lexicographic optimum: 0.3145 and 0.435, the figures of an independent calculation."""
    _, block = draw(Multichannel(), rounds=200_000)
    best = block.means[:, :, 0].argmax(axis=1)
    earned = block.means[np.arange(len(best)), best].mean(axis=0)
    assert earned == pytest.approx([0.3145, 0.435], abs=0.003)


def test_no_signal_no_success():
    problem = Multichannel().problem(3, None)
    assert not problem.block(0, 3, Silent()).means.any()


class Silent:
    def random(self, shape):
        return np.zeros(shape)

    def exponential(self, mean, shape):
        return np.ones(shape)


def test_the_twenty_arms_of_drugan2013():
    problem, block = draw(MultiArmed())
    assert problem.shape[:3] == (20, 0, 2)
    assert block.contexts.shape == (1, 1, 0)
    assert front(block.means[0]).tolist() == [True] * 4 + [False] * 16


@pytest.mark.parametrize("rewards", ["bernoulli", "gaussian"])
def test_arms_pay_their_means(rewards):
    _, block = draw(
        MultiArmed([[0.1, 0.9, 0.5], [0.3, 0.2, 0.5]], rewards, noise=0.5), rounds=20_000
    )
    np.testing.assert_allclose(block.rewards.mean(0), block.means[0], atol=0.02)
    spread = (
        np.full((2, 3), 0.5)
        if rewards == "gaussian"
        else np.sqrt(block.means[0] * (1 - block.means[0]))
    )
    np.testing.assert_allclose(block.rewards.std(0), spread, atol=0.02)


def test_arms_from_a_specification():
    assert (
        build("environments", {"name": "multi-armed", "means": "drugan2013"}, "environment")
        == MultiArmed()
    )
    table = {"name": "multi-armed", "means": [[1, 2], [3, 4]], "rewards": "gaussian"}
    assert build("environments", table, "environment") == MultiArmed([[1, 2], [3, 4]], "gaussian")


def test_logged_rewards_are_replayed(tmp_path):
    rewards = np.random.default_rng(0).random((50, 3, 2))
    environment = Logged(rewards)
    problem = environment.problem(50, None)
    np.testing.assert_array_equal(problem.block(10, 5, None).rewards, rewards[10:15])
    np.testing.assert_array_equal(problem.block(10, 5, None).means, rewards[10:15])
    np.save(tmp_path / "log.npy", rewards)
    same = Logged(str(tmp_path / "log.npy"))
    assert same == environment
    assert hash(same) == hash(environment)
    assert environment != Logged(rewards[:49])
    assert repr(environment).startswith("Logged(50x3x2 rewards, SHA-256 ")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Multichannel(rate=0), "Multichannel.rate must be above 0, got 0"),
        (
            lambda: MultiArmed([[0.5, 1.5]]),
            "MultiArmed.means must lie in [0, 1] for Bernoulli rewards, got 1.5",
        ),
        (
            lambda: MultiArmed([0.5]),
            "MultiArmed.means must have shape (arms, objectives), got (1,)",
        ),
        (
            lambda: MultiArmed("drugan"),
            "MultiArmed.means: 'drugan' is unknown; did you mean drugan2013? It must be one of drugan2013",
        ),
        (
            lambda: MultiArmed(rewards="beta"),
            "MultiArmed.rewards must be one of bernoulli, gaussian, got 'beta'",
        ),
        (lambda: MultiArmed(noise=-1), "MultiArmed.noise must be at least 0, got -1"),
        (
            lambda: Logged([[1.0]]),
            "Logged.rewards must have shape (rounds, arms, objectives), got (1, 1)",
        ),
        (lambda: Logged("text"), "Logged.rewards must be an array or an .npy file, got 'text': "),
        (
            lambda: Logged([[["a"]]]),
            "Logged.rewards must be numbers of shape (rounds, arms, objectives)",
        ),
        (
            lambda: Logged([[[1.0]], [[math.nan]]]),
            "Logged.rewards must be finite, got nan at round 1, arm 0, objective 0",
        ),
        (lambda: Logged([[[1.0]]]).problem(2, None), "rounds must be at most 1 in Logged("),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        build()
