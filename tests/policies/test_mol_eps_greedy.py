"""An intercept of `MolEpsGreedy`: the same as contexts that have the constant already, with budgets and without."""

import numpy as np
import pytest

import mobandits as mob
from mobandits.logs import Feedback
from mobandits.orders import Weighted
from mobandits.policies import Forgetting, MolEpsGreedy, Paced, WithFloor, Within

pytestmark = pytest.mark.usefixtures("interpreted")
ARMS = ["a", "b", "c"]
COST = mob.Objective("cost", minimise=True)
QUALITY = Weighted([1.0, 0.0])
WEIGHT = 30.0
ROUNDS = 120
FEATURES = 2

WRAPPERS = {
    "alone": lambda recipe: recipe,
    "paced": lambda recipe: Paced(recipe, {"cost": 0.3}),
    "paced with a floor": lambda recipe: WithFloor(Paced(recipe, {"cost": 0.3}, horizon=80), 0.1),
    "forgetting": lambda recipe: Forgetting(recipe, 0.95),
    "paced and forgetting": lambda recipe: Paced(Forgetting(recipe, 0.95), {"cost": 0.3}),
    "within": lambda recipe: Within(recipe, {"cost": 0.4}),
}


def history(rng):
    contexts = rng.normal(size=(ROUNDS, FEATURES))
    arms = rng.integers(3, size=ROUNDS)
    quality = 0.6 + 0.1 * arms + 0.1 * contexts[:, 0] * (arms - 1)
    costs = 0.1 * (1 + arms) * rng.exponential(size=ROUNDS)
    rewards = np.column_stack([quality, -costs])
    return contexts, arms, rewards


def with_constant(contexts):
    ones = np.full((len(contexts), 1), WEIGHT)
    return np.concatenate([ones, contexts], axis=1)


def agent_on(recipe, contexts, arms, rewards):
    features = contexts.shape[1]
    objectives = ["quality", COST]
    agent = mob.Agent(recipe, arms=ARMS, features=features, objectives=objectives, seed=3)
    logged = [mob.Objective("quality"), COST]
    log = Feedback(contexts, arms, rewards, np.full(ROUNDS, 1 / 3), ARMS, logged)
    agent.learn_log(log)
    return agent


@pytest.mark.long
@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_it_is_a_constant_in_every_context(wrap):
    rng = np.random.default_rng(0)
    contexts, arms, rewards = history(rng)
    recipe = MolEpsGreedy(epsilon=0.2, penalty=10.0, order=QUALITY)
    own = MolEpsGreedy(epsilon=0.2, penalty=10.0, order=QUALITY, intercept=WEIGHT)
    slow = agent_on(wrap(recipe), with_constant(contexts), arms, rewards)
    fast = agent_on(wrap(own), contexts, arms, rewards)
    for x in rng.normal(size=(40, FEATURES)):
        one = slow.decide(with_constant(x[None])[0])
        two = fast.decide(x)
        assert (one.arm, one.propensity) == (two.arm, two.propensity)
        paid = {"quality": float(rng.random()), "cost": float(rng.exponential())}
        slow.learn(one.id, paid)
        fast.learn(two.id, paid)


def test_few_rewards_are_not_drawn_to_nothing():
    """The rule of the docstring: n m / (n + penalty / weight^2), where contexts are alike."""
    rows = np.zeros((20, 1))
    arms = np.zeros(20, int)
    rewards = np.full((20, 1), 0.9)
    log = Feedback(rows, arms, rewards, np.full(20, 0.5), ARMS, ["quality"])
    for intercept, expected in ((None, 0.0), (30.0, 20 * 0.9 / (20 + 10.0 / 900.0))):
        recipe = MolEpsGreedy(epsilon=0.0, penalty=10.0, intercept=intercept)
        agent = mob.Agent(recipe, arms=ARMS, features=1, objectives=["quality"])
        agent.learn_log(log)
        decision = agent.decide(np.zeros(1))
        means = agent.explain(decision).estimates[0]
        assert means[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("weight", [0.0, -1.0, 1001.0, float("nan"), "x"])
def test_other_weights_are_refused(weight):
    with pytest.raises(ValueError, match=r"MolEpsGreedy\.intercept must be"):
        MolEpsGreedy(intercept=weight)
