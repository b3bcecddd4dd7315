"""Explanations against the formulas of ridge regression, and what the sentence says."""

import re

import numpy as np
import pytest
from scipy import stats
from slow_twin import Clock

import mobandits as mob
from mobandits.agent import Objective
from mobandits.orders import Lexicographic
from mobandits.policies import (
    CpUcb1,
    Forgetting,
    GapWeighted,
    MoglbUcb,
    MolTs,
    MolUcb,
    ParetoKg,
    Rollout,
    WithFloor,
)

pytestmark = pytest.mark.filterwarnings("ignore:MolUcb.scale = 0.3 is in USD")
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
        reward = [
            0.1 + 0.2 * (i % 3) + 0.01 * rng.normal(),
            [0.6, 0.9, 0.3][i % 3] + 0.01 * rng.normal(),
        ]
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
        assert row["estimate"] == pytest.approx(
            estimate[l], abs=1e-12
        )  # in the direction of the objective
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
        better = [
            b for b in ARMS if (values[b] >= values[arm]).all() and (values[b] > values[arm]).any()
        ]
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
    start, order = ". Given the remaining uncertainty, it is", "(Pareto front over all objectives)"
    assert said.sentence.endswith(f"{start} no longer on the front, but small {order}.")
    other = agent.explain(decision._replace(arm="small"))
    assert "; no arm is estimated to dominate it, and it dominates tiny. " in other.sentence
    assert other.sentence.endswith(f"{start} the only arm that may be best {order}.")
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
    assert "(lexicographic: cost, then quality)" in agent.explain(one).sentence
    agent.add_arm("another")
    assert agent.explain(one).table.height == 8
    agent.remove_arm("tiny")
    with pytest.raises(
        ValueError, match="decision must be between arms that are still there, got 'tiny'"
    ):
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
    with pytest.raises(
        ValueError, match="ParetoKg has no estimates per arm and objective to explain it by"
    ):
        agent.explain(decision)


CURVATURE, BOUND = 0.2, 50.0  # the bound is never met, so that nothing is projected
BUY = Objective("buy")
WAIT = Objective("wait", minimise=True, unit="min", low=2.0, high=6.0)
LINKS = ["logit", "probit"]


def newton(lessons, x, scale):
    """(objectives,) the mean rewards at x, and (2, objectives) their bounds, on [0, 1], by the paper's formulas."""
    gram = np.eye(D)
    theta = np.zeros((2, D))
    means = [lambda z: 1.0 / (1.0 + np.exp(-z)), stats.norm.cdf]
    for row, rewards in lessons:
        gram += CURVATURE / 2.0 * np.outer(row, row)
        for l in range(2):
            theta[l] += (rewards[l] - means[l](theta[l] @ row)) * np.linalg.solve(gram, row)
    radius = np.sqrt(scale * np.log(np.linalg.det(gram)))
    half = radius * np.sqrt(x @ np.linalg.solve(gram, x)) if lessons else np.inf
    return [np.array([means[l](theta[l] @ x + by) for l in range(2)]) for by in (0.0, -half, half)]


def generalized(recipe, **options):
    """An agent with generalized linear rewards, whose arms share contexts, and its lessons by arm on [0, 1]."""
    agent = mob.Agent(recipe, arms=ARMS, features=D, objectives=[BUY, WAIT], **options)
    rng = np.random.default_rng(3)
    lessons = {arm: [] for arm in ARMS}
    for i in range(60):
        arm, x = ARMS[i % 3], rng.random(D)
        buys = float(rng.random() < 0.05)
        minutes = 2.0 + 4.0 * rng.random()
        agent.learn(agent.decide(x, [arm]).id, {"buy": buys, "wait": minutes})
        lessons[arm].append((x, [buys, (6.0 - minutes) / 4.0]))
    return agent, lessons


def test_generalized_linear_policies_are_explained_in_rewards():
    scale = 0.3
    recipe = MoglbUcb(links=LINKS, scale=scale, curvature=CURVATURE, bound=BOUND)
    agent, lessons = generalized(recipe, propensity="exact")
    x = np.array([0.4, 0.8])
    decision = agent.decide(x)
    said = agent.explain(decision)
    np.testing.assert_array_equal(said.estimates, decision.scores)
    for a, arm in enumerate(decision.eligible):
        mean, low, high = newton(lessons[arm], x, scale)
        np.testing.assert_allclose(said.estimates[a], [mean[0], 6.0 - 4.0 * mean[1]], atol=1e-12)
        np.testing.assert_allclose(said.low[a], [low[0], 6.0 - 4.0 * high[1]], atol=1e-12)
        np.testing.assert_allclose(said.high[a], [high[0], 6.0 - 4.0 * low[1]], atol=1e-12)
    unseen = decision.eligible.index("huge")
    assert said.estimates[unseen].tolist() == [0.5, 4.0]
    assert [said.low[unseen].tolist(), said.high[unseen].tolist()] == [[0.0, 2.0], [1.0, 6.0]]
    best = said.estimates[:3, 0]
    assert (best > 0.0).all()
    assert (best < 0.3).all()
    assert re.search(r"estimated at buy 0\.\d+, wait [2-6]\.?\d* min", said.sentence)


@pytest.mark.long
@pytest.mark.parametrize("propensity", ["none", "sampled"])
@pytest.mark.parametrize(
    "recipe", [MolTs(scale=0.3, links=LINKS), MoglbUcb(links="probit", check=False)]
)
def test_every_generalized_linear_policy_is_explained_on_the_scale_of_its_objectives(
    recipe, propensity
):
    agent, _ = generalized(recipe, propensity=propensity)
    decision = agent.decide([0.4, 0.8])
    said = agent.explain(decision)
    tables = [
        said.estimates,
        said.low,
        said.high,
        *([decision.scores] if propensity == "sampled" else []),
    ]
    for table in tables:
        assert ((table >= [0.0, 2.0]) & (table <= [1.0, 6.0])).all()


def test_rewards_without_links_and_cells_are_explained_as_before():
    agent = mob.Agent(CpUcb1(scale=0.3, per_side=2), arms=2, features=1, objectives=1, rounds=100)
    for reward in (0.25, 0.75):
        agent.learn(agent.decide([0.2], [1]).id, [reward])
    assert agent.explain(agent.decide([0.3])).estimates.tolist() == [[0.0], [0.5]]
    assert agent.explain(agent.decide([0.9])).estimates.tolist() == [[0.0], [0.0]]
    drifting = mob.Agent(
        Forgetting(MolUcb(scale=0.3), discount=0.5), arms=2, features=1, objectives=1
    )
    for reward in (1.0, 3.0):
        drifting.learn(drifting.decide([1.0], [0]).id, [reward])
    discounted = (0.5 * 1.0 + 3.0) / (1.0 + 0.5 + 1.0)
    assert drifting.explain(drifting.decide([1.0])).estimates[0, 0] == pytest.approx(discounted)


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (WithFloor(MolUcb(), 0.1), "With probability 0.1, any arm is played whatever is known."),
        (Rollout(MolUcb(), "b", 0.25), "With probability 0.75, b is played whatever is known."),
        (Forgetting(WithFloor(MolUcb(), 0.2), 0.99), "With probability 0.2, any arm is played"),
        (GapWeighted(MolUcb()), "it is the only arm that may be best"),
    ],
    ids=str,
)
def test_arms_that_are_played_whatever_is_known_are_not_on_the_front(recipe, said):
    agent = mob.Agent(recipe, arms=["a", "b", "c"], features=1, objectives=["q"], seed=1)
    rewards = {"a": 0.1, "b": 0.2, "c": 0.9}
    for arm in list(rewards) * 20:
        agent.adopt([1.0], arm, rewards=[rewards[arm]])
    for _ in range(30):
        decision = agent.decide([1.0])
        found = agent.explain(decision)
        assert found.front == ("c",)
        assert said in found.sentence or decision.arm != "c"
        alone, elsewhere = (
            "is the only arm that may be best",
            "is (not|no longer) on the front, but c",
        )
        assert re.search(alone if decision.arm == "c" else elsewhere, found.sentence)
        assert {row["arm"] for row in found.rows if row["on_front"]} == {"c"}
