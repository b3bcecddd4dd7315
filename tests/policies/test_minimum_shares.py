"""Least probabilities of some arms: the law against a slow twin, agents whose arms change, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import OWN
from test_with_floor import ROWS, at_work

import mobandits as mob
from mobandits.contracts.composition import forced_probabilities
from mobandits.orders import Lexicographic, Weighted
from mobandits.policies import Exp3P, MolUcb, WithFloor
from mobandits.spec import build

K, D, L = OWN[:3]
SHARES = {0: 0.2, 2: 0.1, 4: 0.3}


def slow_law(inner, eligible, shares):
    """The definition, arm by arm: arms that are not eligible give their share back."""
    least = [shares.get(arm, 0.0) for arm in eligible]
    rest = max(0.0, 1.0 - math.fsum(least))
    return [floor + rest * p for floor, p in zip(least, inner, strict=True)]


@pytest.mark.long
@pytest.mark.parametrize(("recipe", "shape"), ROWS, ids=lambda part: str(part)[:40])
def test_the_law_is_the_mixture_and_draws_follow_it(recipe, shape):
    policy, state, beliefs = at_work(WithFloor(recipe, shares=SHARES), shape)
    eligible = [3, 0, 4]
    inner = policy.policy.probabilities(beliefs.beliefs)
    law = policy.probabilities(beliefs)
    assert law == pytest.approx(slow_law(inner, eligible, SHARES), rel=1e-12)
    rng = np.random.default_rng(1)
    draws = 4000
    choices = [policy.draw(beliefs, rng) for _ in range(draws)]
    counts = np.bincount([choice.arm for choice in choices], minlength=len(law))
    errors = (counts - draws * law) / np.sqrt(draws * law * (1.0 - law) + 1e-12)
    assert np.abs(errors).max() < 4.5
    for choice in choices[:20]:
        x = np.full(D, 0.5) if shape.fixed_arms is None else shape.fixed_arms[choice.arm]
        state = policy.update(state, x, choice.arm, choice.note, rng.random(L), rng)


@st.composite
def any_shares(draw):
    """Shares of some arms with a sum of at most 1, and sometimes of 1 but for rounding."""
    weights = draw(st.dictionaries(st.integers(0, K - 1), st.integers(1, 20), min_size=1))
    total = draw(st.sampled_from([0.01, 0.3, 0.7, 1.0]))
    shares = {arm: total * weight / sum(weights.values()) for arm, weight in weights.items()}
    excess = max(1.0, math.fsum(shares.values()))
    return {arm: share / excess * (1.0 - 1e-16 * (excess > 1.0)) for arm, share in shares.items()}


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(
    shares=any_shares(),
    eligible=st.lists(st.integers(0, K - 1), min_size=1, max_size=K, unique=True),
    seed=st.integers(0, 9),
)
def test_any_shares_and_any_eligible_arms(shares, eligible, seed):
    arms = np.array(eligible)
    policy = WithFloor(MolUcb(scale=0.3), shares=shares).bind(OWN)
    rng = np.random.default_rng(seed)
    beliefs = policy.beliefs(policy.init(), rng.random((len(arms), D)), arms, rng)
    inner = policy.policy.probabilities(beliefs.beliefs)
    law = policy.probabilities(beliefs)
    assert law == pytest.approx(slow_law(inner, eligible, shares), rel=1e-12, abs=1e-15)
    assert law.sum() == pytest.approx(1.0)
    # No rounding takes an arm below its share.
    assert all(p >= shares.get(arm, 0.0) for arm, p in zip(eligible, law, strict=True))
    assert law[policy.draw(beliefs, rng).arm] > 0.0
    nothing = slow_law(np.zeros(len(arms)), eligible, shares)
    assert forced_probabilities(policy, arms) == pytest.approx(nothing, rel=1e-12)


def test_equal_shares_of_all_arms_are_the_floor():
    equal = WithFloor(MolUcb(scale=0.3), shares=dict.fromkeys(range(K), 0.3 / K)).bind(OWN)
    floor = WithFloor(MolUcb(scale=0.3), 0.3).bind(OWN)
    rng = np.random.default_rng(0)
    context = rng.random((K, D))
    laws = [
        policy.probabilities(policy.beliefs(policy.init(), context, np.arange(K), rng))
        for policy in (equal, floor)
    ]
    assert laws[0] == pytest.approx(laws[1], rel=1e-12)


def test_a_noted_probability_is_that_of_the_mixture():
    policy, _, beliefs = at_work(WithFloor(Exp3P(), shares=SHARES), OWN)
    law = policy.probabilities(beliefs)
    rng = np.random.default_rng(2)
    for _ in range(50):
        choice = policy.draw(beliefs, rng)
        assert choice.note.probability == law[choice.arm]


def agent_of(recipe, **options):
    return mob.Agent(
        recipe,
        arms=["small", "medium", "large"],
        features=2,
        objectives=["quality", "speed"],
        propensity="exact",
        seed=4,
        **options,
    )


def play(agent, rng, rounds, shares):
    for t in range(rounds):
        context = rng.random(2)
        left_out = set(agent.arms[: t % 2])
        eligible = [arm for arm in agent.arms if arm not in left_out]
        inner = inner_law(agent, context, eligible)
        decision = agent.decide(context, eligible=eligible)
        law = slow_law(inner, eligible, shares)
        expected = law[eligible.index(decision.arm)]
        assert decision.propensity == pytest.approx(expected, rel=1e-12)
        rewards = {"quality": rng.random(), "speed": rng.random()}
        agent.learn(decision.id, rewards)


def inner_law(agent, context, eligible):
    """(eligible arms,) the probabilities of the recipe inside of an agent's, without the shares."""
    agent.decide(context)  # so that it has begun
    bound = agent.core.bound
    inner = bound.policy.policy
    slots = np.array([agent.core.arms.slot(arm) for arm in eligible])
    rng = np.random.default_rng(0)
    beliefs = inner.beliefs(bound.state(), context[None, :], slots, rng)
    return inner.probabilities(beliefs)


def test_an_agent_keeps_exact_shares_while_its_arms_change(tmp_path):
    shares = {"small": 0.25, "large": 0.5}
    recipe = WithFloor(MolUcb(scale=0.3, order=Weighted([1.0, 0.0])), shares=shares)
    rng = np.random.default_rng(5)
    with agent_of(recipe, log=tmp_path / "log") as agent:
        play(agent, rng, 12, shares)
        for arm in ("small", "large"):
            with pytest.raises(ValueError, match="arm must not be one that the recipe names"):
                agent.remove_arm(arm)
            with pytest.raises(ValueError, match="arm must not be one that the recipe names"):
                agent.rename_arm(arm, "other")
        agent.rename_arm("medium", "middle")
        play(agent, rng, 12, shares)
        agent.remove_arm("middle")
        play(agent, rng, 12, shares)
        # It takes the slot of the one that left.
        agent.add_arm("new")
        agent.add_arm("newer", like="large")
        play(agent, rng, 12, shares)
        sentence = agent.explain(agent.decide([0.5, 0.5])).sentence
        assert "With probability 0.75, small and large is played whatever is known." in sentence
        streams = agent.core.bound.streams()
        agent.save(tmp_path / "agent")
    with agent_of(recipe, log=tmp_path / "log") as agent:
        assert agent.core.bound.streams() == streams
        other = {"newer": 0.125, "small": 0.25}
        agent.retune(WithFloor(MolUcb(scale=0.3, order=Weighted([1.0, 0.0])), shares=other))
        play(agent, rng, 12, other)
        agent.preference = Lexicographic()
        play(agent, rng, 12, other)
        agent.remove_arm("large")
        play(agent, rng, 12, other)
    assert mob.Agent.load(tmp_path / "agent").recipe == recipe


def test_a_file_names_it():
    recipe = WithFloor(MolUcb(scale=0.3), shares={"small": 0.25, "large": 0.5})
    table = {"name": "mol-ucb", "scale": 0.3}
    made = build(
        "policies",
        {"name": "with-floor", "recipe": table, "shares": {"small": 0.25, "large": 0.5}},
        "policy",
    )
    assert made == recipe
    assert recipe.shares == (("small", 0.25), ("large", 0.5))
    assert recipe.epsilon is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epsilon": 0.1, "shares": {0: 0.1}}, r"either epsilon or shares, got 0\.1 and"),
        ({"shares": {0: 0.0}}, r"WithFloor\.shares\[0\] must be above 0, got 0\.0"),
        ({"shares": {0: 0.5, 1: 0.6}}, r"WithFloor\.shares, in sum, must be at most 1, got 1\.1"),
        ({"shares": {}}, r"WithFloor\.shares must be a dictionary"),
    ],
)
def test_bad_parameters(options, said):
    with pytest.raises(ValueError, match=said):
        WithFloor(MolUcb(), **options)


def test_an_arm_must_be_there():
    with pytest.raises(ValueError, match=r"WithFloor\.shares must be an arm below 5, got 7"):
        WithFloor(MolUcb(), shares={7: 0.5}).bind(OWN)
    with pytest.raises(ValueError, match=r"WithFloor\.shares must be an arm of the agent"):
        agent_of(WithFloor(MolUcb(), shares={"unknown": 0.5}))
    assert WithFloor(MolUcb(), shares=dict.fromkeys(range(10), 0.1)).shares is not None
