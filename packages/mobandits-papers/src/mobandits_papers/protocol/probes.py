"""Probes that compare what a policy believes with the truth, and a block played with one."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compile_loop, compiled
from mobandits.contracts.protocols import (
    Array,
    Beliefs,
    Block,
    Environment,
    IntArray,
    Metric,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.numerics.linalg import quadratic
from mobandits.orders.intervals import half_width
from mobandits.simulation.play import Probe, Watch, play
from mobandits.simulation.truth import BlockGroundTruth
from mobandits.support.naming import short_repr
from mobandits_papers.protocol.protocol import trial


class Probed(NamedTuple):
    """What was played, (rounds,), and what was seen, (rounds, columns)."""

    chosen: IntArray
    seen: Array


def probed(policy: Policy, probe: Probe, columns: int, block: Block, rng: Rng) -> Probed:
    """A block that a policy plays from its first state on, with a look at every round."""
    rounds, arms, _ = block.rewards.shape
    out = Probed(np.empty(rounds, np.int64), np.empty((rounds, columns)))
    watch = Watch(probe, block.means, out.seen)
    loop = compile_loop(play, policy, probe)
    loop(
        policy,
        policy.init(),
        block.contexts,
        block.rewards,
        np.arange(arms),
        rng,
        out.chosen,
        None,
        watch,
    )

    return out


class LinearPlay(NamedTuple):
    """The record of one run of a policy with linear estimates, round by round.

    Attributes:
        shape: of the problem.
        truth: what metrics may ask.
        means: (arms, objectives) of the first round, of all rounds where arms stay.
        chosen: (rounds,) the arm that was played.
        deviation: (rounds,) max_l ||theta_l - estimate_l||_V.
        width: (rounds,) ||x||_{V^-1} of the arm that was played.
        widest: (rounds,) the largest ||x_a||_{V^-1}.
        volume: (rounds,) log det V - log det V_1.
    """

    shape: Shape
    truth: BlockGroundTruth
    means: Array
    chosen: IntArray
    deviation: Array
    width: Array
    widest: Array
    volume: Array

    @property
    def t(self) -> IntArray:
        """(rounds,) the numbers of the rounds, from 1."""
        rounds = len(self.chosen)
        return np.arange(1, rounds + 1)

    def regret(self, metric: Metric) -> Array:
        """(rounds, components) what a metric finds in every round."""
        per_round: Array = metric.per_round(self.truth, self.chosen, None)
        return per_round


def linear_play(
    environment: Environment, recipe: Recipe, run: int, rounds: int, seed: int
) -> LinearPlay:
    """One run of a policy, with a look at its ellipsoids before every round."""
    now = trial(environment, rounds, seed, run, short_repr(recipe))
    problem: Any = now.problem  # of `Linear` or `GeneralizedLinear`, which know their parameters
    probe = EllipsoidProbe(problem.theta)
    policy = recipe.bind(problem.shape)
    chosen, seen = probed(policy, probe, 4, now.block, now.rng)
    means = now.block.means[0]

    # The columns of the probe are the last four fields, in this order.
    return LinearPlay(problem.shape, now.truth, means, chosen, *seen.T)


@compiled
class EllipsoidProbe:
    """How far the estimates of linear parameters are off, and how wide intervals are; one model for all arms.

    Columns: max_l ||theta_l - estimate_l||_V, ||x||_{V^-1} of the arm that is played, the largest ||x_a||_{V^-1}, and
    log det V - log det V_1.

    Args:
        theta: (objectives, features) the truth.
    """

    theta: Floats

    def look(
        self, state: Any, beliefs: Beliefs, context: Array, means: Array, arm: int, seen: Array
    ) -> None:
        """Fill the columns."""
        off = np.empty(self.theta.shape[1])
        image = np.empty(self.theta.shape[1])
        seen[0] = 0.0
        seen[2] = 0.0
        seen[3] = state.volume[0, 0]
        for l in range(len(self.theta)):
            for i in range(len(off)):
                off[i] = self.theta[l, i] - state.theta[0, l, i]

            seen[0] = max(seen[0], math.sqrt(max(quadratic(state.gram[0, 0], off, image), 0.0)))

        for a in range(len(context)):
            width = math.sqrt(max(quadratic(state.inverse[0, 0], context[a], image), 0.0))
            seen[2] = max(seen[2], width)
            if a == arm:
                seen[1] = width


@compiled
class IntervalProbe:
    """How far the means are from the estimates, in units of the intervals.

    Columns: max over arms and objectives of |mean - estimate| / (half-width + margin), and in objective 0 the
    half-widths of the arm that is played and of the arm with the largest upper bound. Arms that were never played have
    no interval.

    Args:
        margin: what may be added to every half-width.
    """

    margin: float

    def look(
        self, state: Any, beliefs: Beliefs, context: Array, means: Array, arm: int, seen: Array
    ) -> None:
        """Fill the columns."""
        seen[0] = 0.0
        seen[1] = half_width(beliefs.low[arm, 0], beliefs.high[arm, 0])
        leader = 0
        for a in range(len(means)):
            if beliefs.high[a, 0] > beliefs.high[leader, 0] or (
                beliefs.high[a, 0] == beliefs.high[leader, 0]
                and beliefs.low[a, 0] > beliefs.low[leader, 0]
            ):
                leader = a

            for l in range(means.shape[1]):
                if beliefs.high[a, l] < math.inf:
                    off = abs(means[a, l] - beliefs.mean[a, l])
                    seen[0] = max(
                        seen[0],
                        off / (half_width(beliefs.low[a, l], beliefs.high[a, l]) + self.margin),
                    )

        seen[2] = half_width(beliefs.low[leader, 0], beliefs.high[leader, 0])
