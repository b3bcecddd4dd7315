"""A floor under any recipe: its law against a slow twin, the notes of uniform arms, logs, and what is refused."""

import numpy as np
import pytest
from playing import OWN, SHARED

import mobandits as mob
from mobandits.contracts.composition import composite
from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import Choice, Recipe
from mobandits.orders import EffectivePareto, Lexicographic, Weighted
from mobandits.policies import (
    CsUcb1,
    Doubling,
    Exp3P,
    Forgetting,
    GapWeighted,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    ParetoTs,
    Pcz,
    PfiRls,
    RandomChoice,
    ScalarizedUcb1,
    SingleArm,
    WithFloor,
)
from mobandits.policies.context_free.exp3p import Exp3PNote
from mobandits.policies.wrappers.with_floor import FloorPolicy

K, D, L = OWN[:3]
FIXED = OWN._replace(fixed_arms=np.random.default_rng(1).random((K, D)))
ROWS = [
    (MolUcb(scale=0.3), OWN),
    (MolUcb(scale=0.3, order=EffectivePareto()), SHARED),
    (MolTs(scale=0.3), OWN),
    (GapWeighted(MolUcb(scale=0.3)), OWN),
    (Forgetting(MolUcb(scale=0.3), discount=0.9), OWN),
    (Exp3P(), OWN),
    (ParetoTs(), OWN),
    (ScalarizedUcb1(scale=0.1), OWN),
    (CsUcb1(scale=0.3, per_side=2, boundary="random", period=7), SHARED),
    (Pcz(scale=0.1), OWN),
    (PfiRls(scale=0.1), FIXED),
    (RandomChoice(), OWN),
    (SingleArm(1), OWN),
]


def at_work(recipe, shape, seed=0, rounds=30):
    """The policy, a state that it learned, and the beliefs of some eligible arms there."""
    rng = np.random.default_rng(seed)
    policy = recipe.bind(shape)
    state = policy.init()
    arms = np.arange(K)
    for _ in range(rounds):
        context = context_of(shape, rng)
        choice = policy.draw(policy.beliefs(state, context, arms, rng), rng)
        x = context[choice.arm if len(context) > 1 else 0]
        state = policy.update(state, x, choice.arm, choice.note, rng.random(L), rng)
    eligible = np.array([3, 0, 4])
    context = context_of(shape, rng)
    rows = context[eligible] if len(context) > 1 else context
    return policy, state, policy.beliefs(state, rows, eligible, rng)


def context_of(shape, rng):
    if shape.fixed_arms is not None:
        return shape.fixed_arms.copy()
    return rng.integers(0, 5, (1 if shape.shared else K, D)) / 4


@pytest.mark.parametrize(("recipe", "shape"), ROWS, ids=lambda part: str(part)[:40])
def test_the_law_is_the_mixture(recipe, shape):
    policy, _, beliefs = at_work(WithFloor(recipe, 0.3), shape)
    inner = policy.policy.probabilities(beliefs)
    law = policy.probabilities(beliefs)
    expected = [0.3 / len(inner) + 0.7 * p for p in inner]
    assert law == pytest.approx(expected, rel=1e-12)
    assert law.min() >= 0.3 / len(inner) - 1e-15
    assert law.sum() == pytest.approx(1.0)


@pytest.mark.long
@pytest.mark.parametrize(("recipe", "shape"), ROWS, ids=lambda part: str(part)[:40])
def test_draws_follow_the_law_and_can_be_learned(recipe, shape):
    policy, state, beliefs = at_work(WithFloor(recipe, 0.4), shape)
    rng = np.random.default_rng(1)
    law = policy.probabilities(beliefs)
    draws = 4000
    choices = [policy.draw(beliefs, rng) for _ in range(draws)]
    counts = np.bincount([choice.arm for choice in choices], minlength=len(law))
    errors = (counts - draws * law) / np.sqrt(draws * law * (1.0 - law) + 1e-12)
    assert np.abs(errors).max() < 4.5
    template = note_of(policy)
    assert {type(choice.note) for choice in choices} <= {type(template), float, int}
    for choice in choices[:20]:
        x = np.full(D, 0.5) if shape.fixed_arms is None else shape.fixed_arms[choice.arm]
        state = policy.update(state, x, choice.arm, choice.note, rng.random(L), rng)


def test_a_noted_probability_is_that_of_the_mixture():
    policy, _, beliefs = at_work(WithFloor(Exp3P(), 0.4), OWN)
    assert policy.notes_probability
    law = policy.probabilities(beliefs)
    rng = np.random.default_rng(2)
    for _ in range(50):
        choice = policy.draw(beliefs, rng)
        assert choice.note == Exp3PNote(law[choice.arm])


def test_exp3p_stays_unbiased():
    """The gains that a reward adds have the reward as their mean, whichever of the two drew the arm."""
    policy = WithFloor(Exp3P(objective=0), 0.5).bind(OWN)
    rng = np.random.default_rng(3)
    gains = np.array([0.0, 5.0, 10.0, 20.0, 40.0])
    state = policy.init()._replace(gains=gains)
    arms, x = np.arange(K), np.zeros(D)
    beliefs = policy.beliefs(state, np.zeros((K, D)), arms, rng)
    law, added = policy.probabilities(beliefs), np.zeros(K)
    for arm in range(K):
        note = policy.note_for(beliefs, arm, law[arm], rng)
        for reward in (0.0, 1.0):
            before = policy.init()._replace(gains=gains.copy())
            after = policy.update(before, x, arm, note, np.full(L, reward), rng)
            added += law[arm] * (2.0 * reward - 1.0) * after.gains
    # With reward 1 and with reward 0: the difference of the two is r / p on the arm, 1 in the mean.
    assert added == pytest.approx(np.ones(K))


def test_the_same_arms_as_epsilon_greedy():
    """`MolEpsGreedy` is a floor under a greedy policy: same coins, same arms."""
    policy = MolEpsGreedy(epsilon=0.3).bind(OWN)
    assert isinstance(policy, FloorPolicy)
    assert (policy.epsilon, policy.notes_probability) == (0.3, False)


def test_wrappers_nest():
    outside = WithFloor(Forgetting(MolUcb(scale=0.3), 0.9), 0.1).bind(OWN)
    inside = Forgetting(WithFloor(MolUcb(scale=0.3), 0.1), 0.9).bind(OWN)
    assert outside == inside
    stages = WithFloor(Doubling(Exp3P(), first=10), 0.1).stages(OWN)
    assert [next(stages).rounds for _ in range(3)] == [10, 20, 40]
    stage = next(WithFloor(Doubling(Exp3P(), first=10), 0.1).stages(OWN))
    assert stage.policy == WithFloor(Exp3P(), 0.1).bind(OWN._replace(rounds=10))
    with pytest.raises(ValueError, match=r"GapWeighted\.recipe must bind"):
        GapWeighted(WithFloor(MolUcb(), 0.1)).bind(OWN)


def test_it_is_as_its_recipe_otherwise():
    recipe = WithFloor(MolUcb(), 0.1)
    assert recipe.assumptions() == MolUcb().assumptions()
    assert WithFloor(MolUcb).recipe == MolUcb()
    assert recipe.accepts_partial
    assert not WithFloor(Exp3P(), 0.1).accepts_partial
    assert composite(recipe.bind(OWN)) == MolUcb().bind(OWN)


def test_an_agent_is_exact_where_the_recipe_is():
    agent = mob.Agent(
        WithFloor(MolUcb(scale=0.3, order=Weighted([1.0, 1.0])), 0.2),
        arms=4,
        features=2,
        objectives=2,
        propensity="exact",
    )
    rng = np.random.default_rng(0)
    for _ in range(60):
        decision = agent.decide(rng.random(2))
        assert decision.propensity >= 0.05 - 1e-12
        assert decision.error == 0.0
        assert decision.scores.shape == (4, 2)
        agent.learn(decision.id, rng.random(2))
    agent.preference = Lexicographic()
    assert agent.decide(rng.random(2)).propensity >= 0.05 - 1e-12


@pytest.mark.long
def test_an_agent_estimates_where_beliefs_are_drawn():
    options = {"arms": 4, "features": 2, "objectives": 2}
    with pytest.raises(ValueError, match="propensity must be 'sampled' or 'none'"):
        mob.Agent(WithFloor(MolTs(scale=0.3), 0.2), propensity="exact", **options)
    agent = mob.Agent(WithFloor(MolTs(scale=0.3), 0.2), propensity="sampled", **options)
    rng = np.random.default_rng(0)
    for _ in range(30):
        decision = agent.decide(rng.random(2))
        assert decision.propensity >= 0.05 - 1e-12
        agent.learn(decision.id, rng.random(2))


def test_agents_with_a_floor_merge_and_grow(tmp_path):
    options = {"arms": ["a", "b"], "features": 2, "objectives": 2}
    agents = [mob.Agent(WithFloor(MolUcb(scale=0.3), 0.2), seed=i, **options) for i in (1, 2)]
    for agent in agents:
        for _ in range(5):
            agent.learn(agent.decide([1.0, 0.5]).id, [0.5, 0.25])
    agents[0].merge(agents[1])
    agents[0].add_arm("c")
    agents[0].save(tmp_path / "agent")
    loaded = mob.Agent.load(tmp_path / "agent")
    assert loaded.decide([1.0, 0.5]) == agents[0].decide([1.0, 0.5])


class Bare:
    """A policy of somebody else that notes a number of its own, and says nothing of other arms."""

    def init(self):
        return ()

    def beliefs(self, state, context, arms, rng):
        return arms

    def draw(self, beliefs, rng):
        return Choice(0, 3.0)

    def probabilities(self, beliefs):
        return np.eye(len(beliefs))[0]

    def update(self, state, x, arm, note, reward, rng):
        return state


class BareRecipe(Recipe):
    def bind(self, shape):
        return Bare()


def test_a_policy_that_cannot_note_any_arm_is_refused_by_name():
    with pytest.raises(ValueError, match=r"must bind to a policy with note_for\(.*got Bare"):
        WithFloor(BareRecipe(), 0.1).bind(OWN)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("MolUcb",), r"WithFloor.recipe must be a recipe such as MolUcb\(scale=0.3\), got"),
        ((MolUcb(), 0.0), "WithFloor.epsilon must be above 0, got 0.0"),
        ((MolUcb(), 1.5), "WithFloor.epsilon must be at most 1, got 1.5"),
        ((MolUcb(), float("nan")), "WithFloor.epsilon must be a finite number, got nan"),
    ],
)
def test_bad_parameters(arguments, said):
    with pytest.raises(ValueError, match=said):
        WithFloor(*arguments)
