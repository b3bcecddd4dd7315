"""Explanations against the formulas of ridge regression, and what the sentence says."""

import re

import numpy as np
import pytest
from slow_twin import Clock

import mobandits as mob
from mobandits.agent import Objective
from mobandits.orders import Lexicographic
from mobandits.policies import MolUcb, ParetoKg

D, SCALE, PENALTY = 2, 0.3, 0.7
ARMS = ["small", ("large", 2), "tiny", "huge"]
COST, QUALITY = Objective("cost", minimise=True, unit="USD"), "quality"


@pytest.fixture(scope="module")
def taught():
    """An agent whose arms share contexts, and its lessons by arm."""
    agent = mob.Agent(
        MolUcb(scale=SCALE, penalty=PENALTY),
        arms=ARMS,
        features=D,
        objectives=[COST, QUALITY],
        clock=Clock(),
        propensity="exact",
    )
    rng, lessons = np.random.default_rng(0), {arm: [] for arm in ARMS}
    for i in range(41):
        arm, x = ARMS[i % 3], rng.random(D)
        reward = [0.1 + 0.2 * (i % 3) + 0.01 * rng.normal(), [0.6, 0.9, 0.3][i % 3] + 0.01 * rng.normal()]
        agent.learn(agent.decide(x, [arm]).id, reward)
        lessons[arm].append((x, reward))
    return agent, lessons


def ridge(lessons, x):
    """(objectives,) the estimate at x and the half-width of its interval."""
    rows = np.array([row for row, _ in lessons]).reshape(-1, D)
    rewards = np.array([reward for _, reward in lessons]).reshape(-1, 2)
    inverse = np.linalg.inv(PENALTY * np.eye(D) + rows.T @ rows)
    return x @ inverse @ rows.T @ rewards, SCALE * np.sqrt(x @ inverse @ x)


def test_the_table_is_what_ridge_regression_says(taught):
    agent, lessons = taught
    x = np.array([0.4, 0.8])
    decision = agent.decide(x, ["huge", "tiny", ("large", 2)])
    table = agent.explain(decision).table
    assert table.columns == [
        "arm",
        "played",
        "on_front",
        "dominated_by",
        "objective",
        "estimate",
        "low",
        "high",
        "unit",
    ]
    for row in table.iter_rows(named=True):
        (arm,) = (name for name in ARMS if str(name) == row["arm"])
        estimate, half = ridge(lessons[arm], x)
        l = ["cost", "quality"].index(row["objective"])
        assert row["estimate"] == pytest.approx(estimate[l], abs=1e-12)  # in the direction of the objective
        assert row["low"] == pytest.approx(estimate[l] - half, abs=1e-12)
        assert row["high"] == pytest.approx(estimate[l] + half, abs=1e-12)
        assert row["unit"] == ("USD", "")[l]
        assert row["played"] == (arm == decision.arm)
        assert row["on_front"] == (arm in decision.front)
    assert table.height == 6


def test_scores_are_the_estimates(taught):
    agent, _ = taught
    decision = agent.decide([0.4, 0.8])
    np.testing.assert_array_equal(agent.explain(decision).estimates, decision.scores)
    assert (decision.scores[:3, 0] > 0.0).all()  # costs


def test_who_dominates_whom(taught):
    agent, lessons = taught
    x = np.array([0.5, 0.5])
    decision = agent.decide(x)
    said = agent.explain(decision)
    values = {arm: ridge(lessons[arm], x)[0] * [-1.0, 1.0] for arm in ARMS}
    for arm, by in zip(decision.eligible, said.dominated_by, strict=True):
        better = [b for b in ARMS if (values[b] >= values[arm]).all() and (values[b] > values[arm]).any()]
        assert list(by) == better
    assert said.dominated_by[2] == ("small", ("large", 2))  # which are cheaper, and better
    assert said.dominated_by[0] == ()


def test_the_sentence_names_the_dominators(taught):
    agent, _ = taught
    decision = agent.decide([0.9, 0.9], ["small", "tiny"])._replace(arm="tiny", propensity=0.25)
    said = agent.explain(decision)
    estimate = said.estimates[1]
    assert said.sentence.startswith(
        "tiny was played with probability 0.25, one of 2 eligible arms of 4. "
        f"It is now estimated at cost {estimate[0]:.3g} USD, quality {estimate[1]:.3g}, and dominated by small."
    )
    assert said.front == ("small",)
    assert said.sentence.endswith(" No more on the front of Pareto(on=[]) within what is not known yet, with small.")
    other = agent.explain(decision._replace(arm="small"))
    assert "; no arm is estimated to dominate it, and it dominates tiny. On the front of Pareto" in other.sentence
    assert other.sentence.endswith(", alone.")
    assert str(other) == other.sentence


def test_it_says_what_is_known_now(taught):
    agent, _ = taught
    decision = agent.decide([0.4, 0.8], ["huge"])
    before = agent.explain(decision)
    agent.learn(decision.id, [5.0, 0.0])
    after = agent.explain(decision)
    assert after.estimates[0, 0] > before.estimates[0, 0] == 0.0
    assert after.high[0, 0] - after.low[0, 0] < before.high[0, 0] - before.low[0, 0]


def test_decisions_of_a_batch_and_preferences():
    agent = mob.Agent(MolUcb(scale=SCALE), arms=ARMS, features=D, objectives=[COST, QUALITY])
    one, _ = agent.decide_batch(np.random.default_rng(1).random((2, D)))
    assert " was played, one of 4 eligible arms of 4. " in agent.explain(one).sentence
    agent.preference = Lexicographic()
    assert "the front of Lexicographic(tolerance=0.0)" in agent.explain(one).sentence
    agent.add_arm("another")
    assert agent.explain(one).table.height == 8
    agent.remove_arm("tiny")
    with pytest.raises(ValueError, match="decision must be between arms that are still there, got 'tiny'"):
        agent.explain(one)


def test_many_arms_are_said_in_short():
    agent = mob.Agent(MolUcb(scale=SCALE), arms=20, features=D, objectives=1)
    rng = np.random.default_rng(2)
    for arm in range(20):
        agent.learn(agent.decide(rng.random(D) + 1.0, [arm]).id, [float(arm)])
    said = agent.explain(agent.decide([1.0, 1.0])._replace(arm=3)).sentence
    assert re.search(r"dominated by 4, 5, 6, 7, 8 and 11 more", said)


@pytest.mark.parametrize("bad", [None, 3, mob.Decision(0, "small")])
def test_what_is_no_decision_is_refused(taught, bad):
    with pytest.raises(ValueError, match="decision must be one that decide returned, got"):
        taught[0].explain(bad)


def test_policies_without_estimates_are_named():
    agent = mob.Agent(ParetoKg(), arms=2, features=0, objectives=2, rounds=10)
    decision = mob.Decision(0, 0, context=np.zeros((1, 0)), eligible=(0, 1))
    with pytest.raises(ValueError, match="ParetoKg has no estimates per arm and objective to explain it by"):
        agent.explain(decision)
