"""Zooming by the book: balls with lists of rewards, every quantity from its definition, every time."""

import itertools
import math

import numpy as np

from mobandits.policies.zooming.active_balls import add_ball, no_balls
from mobandits.policies.zooming.similarity import ScaledEuclidean


class Ball:
    def __init__(self, centre, radius):
        self.centre, self.radius, self.rewards = np.array(centre, float), radius, []


class Zoom:
    """`doubt(n)` and `enough(n, radius)` as in `zooming.Rule`; `distance(z, w)` of two points."""

    def __init__(self, doubt, enough, objectives, distance=None):
        self.doubt, self.enough, self.objectives = doubt, enough, objectives
        self.distance = distance or (lambda z, w: math.sqrt(((z - w) ** 2).mean()))
        self.balls = [Ball([], 1.0)]

    def mean(self, ball):
        return np.mean(ball.rewards, axis=0) if ball.rewards else np.zeros(self.objectives)

    def reach(self, ball):
        return self.mean(ball) + self.doubt(len(ball.rewards)) + ball.radius

    def index(self, ball):
        reached = [self.reach(b) + self.distance(ball.centre, b.centre) for b in self.balls]
        return ball.radius + np.min(reached, axis=0)

    def owners(self, pair):
        """The smallest of the balls around a pair; the first ball is around everything."""
        around = [
            i
            for i, b in enumerate(self.balls)
            if i == 0 or self.distance(np.array(pair), b.centre) <= b.radius
        ]
        least = min(self.balls[i].radius for i in around)
        return {i for i in around if self.balls[i].radius == least}

    def pieces(self, x):
        """The slice {x} x [0, 1], cut where any ball begins or ends: (low, high, owners) of each piece."""
        cuts = {0.0, 1.0}
        for ball in self.balls[1:]:
            *centre, y = ball.centre
            half2 = (len(x) + 1) * ball.radius**2 - ((x - centre) ** 2).sum()
            if half2 > 0:
                cuts |= {y - math.sqrt(half2), y + math.sqrt(half2)}
        cuts = sorted(c for c in cuts if 0 <= c <= 1)
        return [
            (a, b, self.owners([*x, (a + b) / 2]))
            for a, b in itertools.pairwise(cuts)
            if b - a > 1e-12
        ]

    def front(self, relevant):
        index = {i: self.index(self.balls[i]) for i in relevant}
        beaten = {
            i
            for i in relevant
            for j in relevant
            if (index[j] >= index[i]).all() and (index[j] > index[i]).any()
        }
        return set(relevant) - beaten

    def learn(self, pair, i, reward):
        ball = self.balls[i]
        if len(self.balls) == 1 and not ball.rewards:
            ball.centre = np.array(pair, float)
        enough = self.enough(len(ball.rewards), ball.radius)
        ball.rewards.append(np.array(reward, float))
        if enough:
            self.balls.append(Ball(pair, ball.radius / 2))

    def agrees(self, state):
        """Assert that compiled balls are these."""
        assert len(state.radius) == len(self.balls)
        for i, ball in enumerate(self.balls):
            assert (state.radius[i], state.seen[i]) == (ball.radius, len(ball.rewards))
            np.testing.assert_array_equal(state.centre[:, i], ball.centre)
            mean = state.total / np.maximum(state.seen, 1.0)
            for got, expected in (
                (mean, self.mean),
                (state.reach, self.reach),
                (state.bound, self.index),
            ):
                np.testing.assert_allclose(
                    got[:, i], expected(ball), rtol=1e-12, atol=1e-12, err_msg=f"ball {i}"
                )


def ball_state(centres, levels, objectives=2):
    """Compiled balls with radius 2^-level and indices 0: all are on the front. The first has level 0."""
    balls = no_balls(len(centres[0]), objectives)
    for centre, level in zip(centres, levels, strict=True):
        balls = add_ball(balls, np.array(centre, float), 0.5**level, math.inf, ScaledEuclidean())
    balls.bound[:] = 0.0
    return balls


def twin_of(centres, levels):
    """The same balls by the book."""
    twin = Zoom(lambda n: math.inf, lambda n, r: False, 2)
    twin.balls = [Ball(c, 0.5**level) for c, level in zip(centres, levels, strict=True)]
    return twin
