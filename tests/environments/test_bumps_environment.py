"""Bumps: heights, exact ties, the optimum, the period, the slopes, refusals."""

import math
import re

import numpy as np
import pytest

from mobandits.environments import Bumps, PeriodicBumps
from mobandits.environments.bumps import PAPER


def draw(environment, rounds=300, first=0, seed=0):
    problem = environment.problem(1000, np.random.default_rng(seed))
    return problem, problem.block(first, rounds, np.random.default_rng(seed + 1))


def height(x, centre):
    return (
        0.0
        if centre is None
        else math.exp(-sum((a - b) ** 2 for a, b in zip(x, centre, strict=True)) / 0.6)
    )


def test_heights_and_ties():
    problem, block = draw(Bumps())
    assert problem.shape == (4, 2, 2, 1000, True, None)
    for x, means in zip(block.contexts[:, 0], block.means, strict=True):
        expected = [[height(x, centre) for centre in arm] for arm in PAPER]
        np.testing.assert_allclose(means, expected, rtol=1e-14)
    np.testing.assert_array_equal(block.means[:, 0, 0], block.means[:, 1, 0])  # to the last bit
    np.testing.assert_array_equal(block.means[:, 2, 1], block.means[:, 3, 1])


def test_the_lexicographic_optimum():
    _, block = draw(Bumps())
    for (x1, x2), means in zip(block.contexts[:, 0], block.means, strict=True):
        best = max(range(4), key=lambda a: tuple(means[a]))
        assert best == (2 if x1 > 0.5 else 0 if x2 > 0.5 else 1)


def test_coins_have_their_means():
    block = draw(Bumps(), rounds=20_000)[1]
    assert set(np.unique(block.rewards)) == {0, 1}
    np.testing.assert_allclose((block.rewards - block.means).mean(0), 0, atol=0.02)


@pytest.mark.parametrize("environment", [Bumps(), Bumps(variance=0.05)])
def test_the_slope_is_attained_and_never_exceeded(environment):
    line = np.stack([np.linspace(0, 1, 4001), np.full(4001, 0.5)], axis=1)
    problem = environment.problem(1, None)
    _, block = problem, problem.block(0, 4001, Scripted(line[:, None]))
    slopes = np.abs(np.diff(block.means, axis=0)).max() * 4000
    assert slopes <= environment.lipschitz
    assert slopes == pytest.approx(environment.lipschitz, rel=1e-3)


class Scripted:
    """A stream whose first numbers are given."""

    def __init__(self, first):
        self.first = first

    def random(self, shape):
        out, self.first = self.first if self.first is not None else np.zeros(shape), None
        return out.copy()


def test_own_centres_any_number_of_objectives():
    centres = [[(0, 0), (1, 1), None], [(1, 0), None, (0.5, 0.5)]]
    problem, block = draw(Bumps(centres=centres), rounds=3)
    assert problem.shape[:3] == (2, 2, 3)
    assert (block.means[:, 0, 2] == 0).all()
    assert Bumps(centres=centres) == Bumps(centres=tuple(map(tuple, centres)))


def test_the_period_moves_the_bumps_in_a_circle():
    environment = PeriodicBumps(period=40, orbit=0.2)
    problem, block = draw(environment, rounds=80, first=7)
    for i, (x, means) in enumerate(zip(block.contexts[:, 0], block.means, strict=True)):
        turn = 2 * math.pi * ((i + 8) % 40) / 40
        moved = [
            [c and (c[0] + 0.2 * math.cos(turn), c[1] + 0.2 * math.sin(turn)) for c in arm]
            for arm in PAPER
        ]
        np.testing.assert_allclose(
            means, [[height(x, c) for c in arm] for arm in moved], atol=1e-12
        )
    np.testing.assert_array_equal(block.means[:, 0, 0], block.means[:, 1, 0])
    assert problem.shape.features == 2


def test_the_clock_is_the_time_of_day():
    plain, told = (
        draw(PeriodicBumps(period=40, clock=clock), rounds=80, first=7)[1]
        for clock in (False, True)
    )
    np.testing.assert_array_equal(told.contexts[:, 0, :2], plain.contexts[:, 0])
    np.testing.assert_array_equal(told.contexts[:, 0, 2], [(t % 40) / 40 for t in range(8, 88)])
    np.testing.assert_array_equal(told.rewards, plain.rewards)


def test_no_orbit_is_no_motion():
    still = draw(PeriodicBumps(orbit=0))[1]
    np.testing.assert_array_equal(still.means, draw(Bumps())[1].means)
    assert PeriodicBumps(orbit=0).lipschitz == Bumps().lipschitz


def test_the_slope_over_time_and_contexts():
    environment, rng = PeriodicBumps(period=1000, orbit=0.3), np.random.default_rng(0)
    x = np.repeat(rng.random((200, 1, 2)), 1000, axis=0)[:1000]
    problem = environment.problem(1, None)
    means = problem.block(0, 1000, Scripted(x)).means
    assert np.abs(np.diff(means, axis=0)).max() * 1000 <= environment.lipschitz


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Bumps(variance=0), "Bumps.variance must be above 0, got 0"),
        (
            lambda: Bumps(centres=[[(0, 0)], [(0, 0), None]]),
            "Bumps.centres must hold (x1, x2) or None per arm and objective, got [[(0, 0)], [(0, 0), None]]",
        ),
        (
            lambda: Bumps(centres=[[(0, 0, 0)]]),
            "Bumps.centres must hold (x1, x2) or None per arm and objective, got [[(0, 0, 0)]]",
        ),
        (
            lambda: Bumps(centres=[]),
            "Bumps.centres must hold (x1, x2) or None per arm and objective, got []",
        ),
        (
            lambda: Bumps(centres=7),
            "Bumps.centres must hold (x1, x2) or None per arm and objective, got 7",
        ),
        (
            lambda: PeriodicBumps(period=0),
            "PeriodicBumps.period must be an integer of at least 1, got 0",
        ),
        (lambda: PeriodicBumps(orbit=-1), "PeriodicBumps.orbit must be at least 0, got -1"),
        (lambda: PeriodicBumps(clock=1), "PeriodicBumps.clock must be True or False, got 1"),
        (lambda: PeriodicBumps(variance=-1), "PeriodicBumps.variance must be above 0, got -1"),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        build()
