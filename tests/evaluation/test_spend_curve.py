"""Quality against spending: the least spending within a loss and the knee, against slow twins; on real prompts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from test_budget_tuning import LEARNER, ORDER, uniform_log

import mobandits as mob
from mobandits.evaluation.spend_curve import SpendCurve, spend_curve
from mobandits.logs import Feedback
from mobandits.policies import Paced

# So much money that no arm is too dear for what is left.
PACED = Paced(LEARNER, {"cost": 1000.0}, horizon=10**9, start={"cost": 1.0})


def curve_of(seed, rounds=40, prices=6):
    rng = np.random.default_rng(seed)
    spend = np.sort(rng.random(prices))[::-1] + 0.05 * rng.normal(size=(rounds, prices))
    quality = np.sort(rng.random(prices))[::-1] + 0.2 * rng.normal(size=(rounds, prices))
    return SpendCurve(np.arange(1.0, prices + 1.0), quality, spend), quality, spend


def slow_least(quality, spend, within, level):
    """Price by price: Student's one-sided interval of the loss, further where the tail is longer."""
    rounds, prices = quality.shape
    means = [sum(quality[:, i]) / rounds for i in range(prices)]
    best = means.index(max(means))
    least = float("inf")
    for i in range(prices):
        losses = [quality[t, best] - quality[t, i] for t in range(rounds)]
        loss = sum(losses) / rounds
        upper = loss
        variance = sum((each - loss) ** 2 for each in losses) / (rounds - 1)
        if i != best:
            m2 = sum((each - loss) ** 2 for each in losses) / rounds
            m3 = sum((each - loss) ** 3 for each in losses) / rounds
            m4 = sum((each - loss) ** 4 for each in losses) / rounds
            lightest = 2.0 * rounds / (rounds - 1)
            freedom = 2.0 * rounds / max(m4 / m2**2 - 1.0, lightest)
            quantile = stats.t.ppf(level, freedom)
            upper += quantile * (variance / rounds) ** 0.5
            upper += max(0.0, quantile**2 * m3 / (3.0 * rounds * m2))
        if upper <= within or i == best:
            least = min(least, sum(spend[:, i]) / rounds)
    return least


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 1.0), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_least_spending_is_that_of_the_slow_twin(seed, within, level):
    curve, quality, spend = curve_of(seed)
    assert curve.least_spend(within, level) == pytest.approx(
        slow_least(quality, spend, within, level)
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_loss_costs_no_more(seed, within, more):
    curve, _, _ = curve_of(seed)
    assert curve.least_spend(within + more, 0.8) <= curve.least_spend(within, 0.8)
    assert curve.least_spend(within, 0.7) <= curve.least_spend(within, 0.9)
    assert curve.least_spend(10.0, 0.8) == curve.spend.min()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_the_knee_is_furthest_above_the_line(seed):
    curve, quality, spend = curve_of(seed)
    knee = curve.knee(samples=20)
    points = list(zip(spend.mean(0), quality.mean(0), strict=True))
    cheapest, best = min(points), max(points, key=lambda point: point[1])
    ahead = []
    for cost, value in points:
        if best[0] <= cheapest[0] or best[1] <= cheapest[1]:
            ahead.append(value)
            continue
        money = (cost - cheapest[0]) / (best[0] - cheapest[0])
        ahead.append((value - cheapest[1]) / (best[1] - cheapest[1]) - money)
    assert (knee.spend, knee.quality) == pytest.approx(points[int(np.argmax(ahead))])
    # Neither unit nor zero of both axes matters.
    other = SpendCurve(curve.prices, 5.0 - 3.0 + 3.0 * quality, 7.0 * spend).knee(samples=20)
    assert other.spend == pytest.approx(7.0 * knee.spend)
    assert (other.low, other.high) == pytest.approx((7.0 * knee.low, 7.0 * knee.high))


def test_missing_rewards_leave_their_rounds_out_of_their_objective():
    log = uniform_log(7, 500)
    rewards = log.rewards.copy()
    rewards[::7, 0] = np.nan
    rewards[3::9, 1] = np.nan
    partial = Feedback(
        log.contexts, log.arms, rewards, log.propensities, log.arm_names, log.objectives
    )
    whole = spend_curve(PACED, log, np.array(ORDER.weights), 1)
    curve = spend_curve(PACED, partial, np.array(ORDER.weights), 1)
    # Of all prices together: at a single one, the policies that were learned differ.
    assert np.abs(curve.quality - whole.quality).mean() < 0.05
    assert np.abs(curve.spend - whole.spend).mean() < 0.05
    # Dear to cheap.
    assert curve.spend[0] > 2 * curve.spend[-1]
    assert curve.quality[0] > curve.quality[-1]


def test_the_interval_of_the_knee_covers_that_of_a_long_log():
    weights = np.array(ORDER.weights)
    truth = spend_curve(PACED, uniform_log(99, 20_000), weights, 1).knee(samples=2).spend
    covered = []
    for seed in range(30):
        knee = spend_curve(PACED, uniform_log(seed, 800), weights, 1).knee()
        covered.append(knee.low <= truth <= knee.high)
    print(truth, np.mean(covered))
    # 0.95 less three standard errors of 0.04; what a shorter log learns has another knee.
    assert np.mean(covered) >= 0.8


@pytest.mark.slow
def test_within_two_points_is_met_on_prompts_that_come_later():
    """20 logs of the first file of prompts; quality on the second, as the agent plays there and learns on."""
    from mobandits_papers.paretobandit2026 import routing  # noqa: PLC0415

    prompts = routing.published_routing()
    second = prompts.second
    is_met, found = [], []
    for trial in range(20):
        rng = np.random.default_rng([0, trial])
        log = routing.uniform_log(prompts, rng)
        tuned = mob.tune(log, within=0.02)
        order = rng.permutation(len(second.contexts))
        # The best that the learned policy reaches: with more money than it can spend.
        rich = mob.tune(log, budget={"cost": 1.0})
        best, _ = played(rich.agent(), second, order)
        quality, dollars = played(tuned.agent(), second, order)
        is_met.append(quality >= best - 0.02 - 0.005)
        found.append((best - quality, tuned.budget["cost"], dollars / tuned.budget["cost"]))
        print(trial, *(f"{number:.4g}" for number in found[-1]), flush=True)
    assert np.sum(is_met) >= 19
    assert np.mean([spent for _, _, spent in found]) <= 1.01


def played(agent, prompts, order):
    """Mean quality and dollars of an agent that goes on learning."""
    names = mob.environments.LlmRouting.models
    quality, dollars = [], []
    for prompt in order:
        decision = agent.decide(prompts.contexts[prompt])
        arm = names.index(decision.arm)
        quality.append(prompts.quality[prompt, arm])
        dollars.append(prompts.dollars[prompt, arm])
        agent.learn(decision.id, {"quality": quality[-1], "cost": dollars[-1]})
    return np.mean(quality), np.mean(dollars)
