"""A floor that falls: its law against a slow twin, what counts as a round, logs, files and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import OWN, SHARED
from test_with_floor import ROWS, at_work

import mobandits as mob
from mobandits.contracts.composition import forced_probabilities
from mobandits.orders import Lexicographic
from mobandits.policies import Exp3P, Falling, MolTs, MolUcb, Rollout, WithFloor, Within
from mobandits.spec.building import recipe_named

K, D, L = OWN[:3]
FALL = Falling(factor=0.8, power=0.2)


def slow_law(inner, factor, power, t):
    """The definition, arm by arm."""
    epsilon = min(1.0, factor / t**power)
    return [epsilon / len(inner) + (1.0 - epsilon) * p for p in inner]


@pytest.mark.long
@pytest.mark.parametrize(("recipe", "shape"), ROWS, ids=lambda part: str(part)[:40])
def test_the_law_is_the_mixture_and_draws_follow_it(recipe, shape):
    policy, state, beliefs = at_work(WithFloor(recipe, FALL), shape, rounds=30)
    inner = policy.policy.probabilities(beliefs.beliefs)
    law = policy.probabilities(beliefs)
    assert law == pytest.approx(slow_law(inner, 0.8, 0.2, 31), rel=1e-12)
    assert law.sum() == pytest.approx(1.0)
    rng = np.random.default_rng(1)
    draws = 4000
    choices = [policy.draw(beliefs, rng) for _ in range(draws)]
    counts = np.bincount([choice.arm for choice in choices], minlength=len(law))
    errors = (counts - draws * law) / np.sqrt(draws * law * (1.0 - law) + 1e-12)
    assert np.abs(errors).max() < 4.5
    for choice in choices[:20]:
        x = np.full(D, 0.5) if shape.fixed_arms is None else shape.fixed_arms[choice.arm]
        state = policy.update(state, x, choice.arm, choice.note, rng.random(L), rng)
    assert state.observed.tolist() == [50.0] * L


@settings(max_examples=60, deadline=None)
@given(
    factor=st.floats(0.01, 3.0),
    power=st.floats(0.01, 0.24),
    rewards=st.lists(st.integers(1, 2**L - 1), max_size=12),
    eligible=st.lists(st.integers(0, K - 1), min_size=1, max_size=K, unique=True),
)
def test_any_fall_after_any_partial_rewards(factor, power, rewards, eligible):
    """Every bit of a number says whether an objective was observed: rounds are of the most."""
    arms = np.array(eligible)
    policy = WithFloor(MolUcb(scale=0.3), Falling(factor, power)).bind(OWN)
    rng = np.random.default_rng(0)
    state = policy.init()
    observed = [0] * L
    for which in rewards:
        known = [which >> objective & 1 == 1 for objective in range(L)]
        observed = [n + is_known for n, is_known in zip(observed, known, strict=True)]
        reward = np.where(known, rng.random(L), np.nan)
        state = policy.update(state, rng.random(D), int(rng.integers(K)), 0.0, reward, rng)
    beliefs = policy.beliefs(state, rng.random((len(arms), D)), arms, rng)
    inner = policy.policy.probabilities(beliefs.beliefs)
    law = policy.probabilities(beliefs)
    t = 1 + max(observed)
    assert law == pytest.approx(slow_law(inner, factor, power, t), rel=1e-12)
    assert law.sum() == pytest.approx(1.0)
    # No rounding takes an arm below its floor.
    assert (law >= min(1.0, factor * t**-power) / len(arms)).all()
    assert law[policy.draw(beliefs, rng).arm] > 0.0


def test_the_inner_policy_is_as_it_is_alone():
    """Same rewards, same beliefs: the floor adds a count, and nothing else."""
    floor, alone = WithFloor(MolUcb(scale=0.3), FALL).bind(SHARED), MolUcb(scale=0.3).bind(SHARED)
    rng = np.random.default_rng(0)
    mine, theirs = floor.init(), alone.init()
    for _ in range(20):
        x, arm, reward = rng.random(D), int(rng.integers(K)), rng.random(L)
        mine = floor.update(mine, x, arm, 0.0, reward, rng)
        theirs = alone.update(theirs, x, arm, 0.0, reward, rng)
    for one, other in zip(mine.policy, theirs, strict=True):
        assert np.array_equal(one, other)
    context = rng.random((1, D))
    beliefs = floor.beliefs(mine, context, np.arange(K), rng)
    for one, other in zip(
        beliefs.beliefs, alone.beliefs(theirs, context, np.arange(K), rng), strict=True
    ):
        assert np.array_equal(one, other)


def test_notes_are_of_the_mixture():
    policy, state, beliefs = at_work(WithFloor(Exp3P(), FALL), OWN)
    law = policy.probabilities(beliefs)
    rng = np.random.default_rng(2)
    for _ in range(50):
        choice = policy.draw(beliefs, rng)
        assert choice.note.probability == law[choice.arm]
    numbers = type(choice.note)(np.array([0.5, 2.0]))
    assert policy.possible_notes(state, numbers).tolist() == [True, False]


def test_wrappers_go_around_it():
    """Limits see its bounds; what is forced in every round is the least of the first and the last."""
    floor = WithFloor(MolUcb(scale=0.3), FALL)
    policy, _, beliefs = at_work(Within(floor, {0: 0.2}, relative_to=0), OWN)
    law = policy.probabilities(beliefs)
    left = len(beliefs.places)
    assert law.sum() == pytest.approx(1.0)
    assert law[beliefs.places].min() >= 0.8 * 31**-0.2 / left
    assert forced_probabilities(floor.bind(OWN), np.arange(4)).tolist() == [0.0] * 4
    rolled = WithFloor(Rollout(MolUcb(), 1, share=0.25), FALL).bind(OWN)
    assert forced_probabilities(rolled, np.arange(4)).tolist() == [0.0, 0.25, 0.0, 0.0]


def agent_of(recipe, **options):
    return mob.Agent(
        recipe,
        arms=["a", "b", "c"],
        features=2,
        objectives=["x", "y"],
        propensity="exact",
        seed=3,
        **options,
    )


def play(agent, rng, rounds, learned):
    """Rounds in which every other reward comes late, after the next decision."""
    waiting = []
    for _ in range(rounds):
        context = rng.random(2)
        inner = inner_law(agent, context, lambda state: state.policy)
        decision = agent.decide(context)
        law = slow_law(inner, 0.8, 0.2, 1 + learned)
        place = decision.eligible.index(decision.arm)
        assert decision.propensity == pytest.approx(law[place], rel=1e-12)
        waiting.append(decision.id)
        if len(waiting) == 2:
            for each in waiting:
                agent.learn(each, rng.random(2))
            learned += 2
            waiting = []
    return learned


def inner_law(agent, context, state_of):
    """(arms,) the probabilities of the recipe inside of an agent's, without the floor."""
    agent.decide(context, eligible=[agent.arms[0]])  # so that it has begun
    bound = agent.core.bound
    inner = bound.policy.policy
    slots = np.array([agent.core.arms.slot(arm) for arm in agent.arms])
    rng = np.random.default_rng(0)
    beliefs = inner.beliefs(state_of(bound.state()), context[None, :], slots, rng)
    return inner.probabilities(beliefs)


def test_an_agent_logs_exact_propensities_and_comes_back_from_its_log(tmp_path):
    recipe = WithFloor(MolUcb(scale=0.3, order=Lexicographic()), FALL)
    rng = np.random.default_rng(5)
    with agent_of(recipe, log=tmp_path / "log") as agent:
        learned = play(agent, rng, 20, 0)
        agent.add_arm("d")
        agent.rename_arm("b", "beta")
        agent.remove_arm("a")
        learned = play(agent, rng, 20, learned)
        assert agent.core.bound.state().observed.tolist() == [40.0, 40.0]
        agent.explain(agent.decide([0.5, 0.5]))
        after = agent.decide([0.5, 0.25])
        streams = agent.core.bound.streams()
        agent.save(tmp_path / "agent")
    with agent_of(recipe, log=tmp_path / "log") as agent:
        assert agent.core.bound.state().observed.tolist() == [40.0, 40.0]
        assert agent.core.bound.streams() == streams
        mine = agent.decide([0.5, 0.25])
        # Another share goes on with what was learned and counted.
        agent.retune(WithFloor(MolUcb(scale=0.3, order=Lexicographic()), Falling(0.5, 0.1)))
        assert agent.core.bound.state().observed.tolist() == [40.0, 40.0]
        # From and to a constant one, the log is learned again.
        agent.retune(WithFloor(MolUcb(scale=0.3, order=Lexicographic()), 0.2))
        agent.retune(recipe)
        assert agent.core.bound.state().observed.tolist() == [40.0, 40.0]
    loaded = mob.Agent.load(tmp_path / "agent")
    assert loaded.recipe == recipe
    theirs = loaded.decide([0.5, 0.25])
    assert (mine.arm, mine.propensity) == (theirs.arm, theirs.propensity)
    assert after.eligible == mine.eligible


@pytest.mark.long
def test_the_log_values_the_recipe_of_the_floor():
    """With weights of at most K / epsilon_t, whatever is played: here the worst arm."""
    rng = np.random.default_rng(1)
    agent = agent_of(WithFloor(MolUcb(scale=0.1, order=Lexicographic()), Falling(1.0, 0.2)))
    total, weights = 0.0, []
    for _ in range(1500):
        decision = agent.decide([1.0, 0.0])
        quality = {"a": 0.2, "b": 0.5, "c": 0.8}[decision.arm] + 0.1 * rng.standard_normal()
        if decision.arm == "a":
            weights.append(1.0 / decision.propensity)
            total += quality / decision.propensity
        agent.learn(decision.id, [quality, 0.0])
    assert max(weights) <= 3.0 * 1500**0.2 + 1e-9
    # The standard deviation of the mean is about .2 sqrt(3 * 1500^.2 / 1500) = .02.
    assert total / 1500 == pytest.approx(0.2, abs=0.08)


def test_a_command_line_names_it_and_it_is_printed():
    recipe = WithFloor(MolUcb(scale=0.3), Falling(1, 0.2))
    text = "with-floor:recipe={name=mol-ucb,scale=0.3},epsilon={factor=1,power=0.2}"
    assert recipe_named(text) == recipe
    assert "epsilon=Falling(factor=1.0, power=0.2)" in str(recipe)
    with pytest.raises(ValueError, match=r"--policy\.epsilon\.power is required"):
        recipe_named("with-floor:recipe=mol-ucb,epsilon={factor=1}")
    with pytest.raises(ValueError, match=r"--policy\.epsilon: Falling\.power must be below 0\.25"):
        recipe_named("with-floor:recipe=mol-ucb,epsilon={factor=1,power=0.5}")
    with pytest.raises(ValueError, match=r"must be a number or a table of factor, power, got 'x'"):
        recipe_named("with-floor:recipe=mol-ucb,epsilon=x")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0.0, 0.2), r"Falling\.factor must be above 0, got 0\.0"),
        ((1.0, 0.25), r"Falling\.power must be below 0\.25, got 0\.25"),
        ((1.0, 0.0), r"Falling\.power must be above 0, got 0\.0"),
    ],
)
def test_bad_parameters(arguments, said):
    with pytest.raises(ValueError, match=said):
        Falling(*arguments)


def test_a_constant_floor_is_what_it_was():
    """The state is the recipe's, and the policy has the parts that it had."""
    recipe = WithFloor(MolTs(scale=0.3))
    assert (recipe.epsilon, recipe.shares) == (0.05, None)
    policy = recipe.bind(OWN)
    assert type(policy.init()) is type(MolTs(scale=0.3).bind(OWN).init())
    assert (type(policy).__name__, policy.epsilon) == ("FloorPolicy", 0.05)
