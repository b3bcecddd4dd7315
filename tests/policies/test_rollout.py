"""A policy for a share of the rounds: its law against a slow twin, notes, logs, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import OWN, SHARED
from scipy import stats

import mobandits as mob
from mobandits.contracts.composition import composite
from mobandits.policies import (
    CsUcb1,
    Doubling,
    Exp3P,
    MolTs,
    MolUcb,
    ParetoTs,
    RandomChoice,
    Rollout,
    ScalarizedUcb1,
    WithFloor,
)
from mobandits.policies.context_free.exp3p import Exp3PNote
from mobandits.spec import build

K, D, L = OWN[:3]
ROWS = [
    (MolUcb(scale=0.3), OWN),
    (WithFloor(MolUcb(scale=0.3), 0.2), SHARED),
    (MolTs(scale=0.3), OWN),
    (Exp3P(), OWN),
    (ParetoTs(), OWN),
    (ScalarizedUcb1(scale=0.1), OWN),
    (CsUcb1(scale=0.3, per_side=2, boundary="random", period=7), SHARED),
    (RandomChoice(), OWN),
]
BASELINE = 3
SHARES = {3: 3.0, 0: 1.0, 1: 2.0}  # arms of a mixture
WITH = np.array([4, 3, 0])
WITHOUT = np.array([2, 0, 4])
ARMS = ["new", "old", "other"]


def at_work(policy, shape, eligible, rounds=30):
    """A state that a policy learned from arms of its own, and its beliefs about some arms there."""
    rng = np.random.default_rng(0)
    state = policy.init()
    arms = np.arange(K)
    for _ in range(rounds):
        context = context_of(shape, rng)
        choice = policy.draw(policy.beliefs(state, context, arms, rng), rng)
        x = context[choice.arm if len(context) > 1 else 0]
        state = policy.update(state, x, choice.arm, choice.note, rng.random(L), rng)
    context = context_of(shape, rng)
    rows = context[eligible] if len(context) > 1 else context
    return state, policy.beliefs(state, rows, eligible, rng)


def context_of(shape, rng):
    return rng.integers(0, 5, (1 if shape.shared else K, D)) / 4


def slow_law(inner, eligible, share):
    """The definition, arm by arm."""
    law = [float(p) for p in inner]
    if BASELINE in eligible:
        law = [
            share * p + (1.0 - share) * (arm == BASELINE)
            for arm, p in zip(eligible, inner, strict=True)
        ]
    return law


@pytest.mark.long
@pytest.mark.parametrize("eligible", [WITH, WITHOUT], ids=["with", "without"])
@pytest.mark.parametrize(("recipe", "shape"), ROWS, ids=lambda part: str(part)[:40])
def test_the_law_is_the_mixture_and_draws_follow_it(recipe, shape, eligible):
    policy = Rollout(recipe, BASELINE, 0.4).bind(shape)
    state, beliefs = at_work(policy, shape, eligible)
    inner = policy.policy.probabilities(beliefs.beliefs)
    law = policy.probabilities(beliefs)
    assert law == pytest.approx(slow_law(inner, eligible, 0.4), rel=1e-12)
    assert law.sum() == pytest.approx(1.0)
    rng = np.random.default_rng(1)
    draws = 4000
    choices = [policy.draw(beliefs, rng) for _ in range(draws)]
    counts = np.bincount([choice.arm for choice in choices], minlength=len(law))
    errors = (counts - draws * law) / np.sqrt(draws * law * (1.0 - law) + 1e-12)
    assert np.abs(errors).max() < 4.5
    for choice in choices[:20]:
        state = policy.update(state, np.full(D, 0.5), choice.arm, choice.note, rng.random(L), rng)


@settings(max_examples=60, deadline=None)
@given(
    share=st.floats(0.0, 1.0),
    eligible=st.lists(st.integers(0, K - 1), min_size=1, max_size=K, unique=True),
    seed=st.integers(0, 9),
)
def test_any_share_and_any_eligible_arms(share, eligible, seed):
    arms = np.array(eligible)
    policy = Rollout(MolUcb(scale=0.3), BASELINE, share).bind(OWN)
    rng = np.random.default_rng(seed)
    beliefs = policy.beliefs(policy.init(), rng.random((len(arms), D)), arms, rng)
    inner = policy.policy.probabilities(beliefs.beliefs)
    law = policy.probabilities(beliefs)
    assert law == pytest.approx(slow_law(inner, arms, share), rel=1e-12)
    # The inner policy's own probabilities are left as they were.
    assert policy.policy.probabilities(beliefs.beliefs).tolist() == inner.tolist()
    assert law[policy.draw(beliefs, rng).arm] > 0.0


def slow_mixture(inner, eligible, share, shares):
    """The definition, arm by arm: shares of the arms of the mixture that are eligible."""
    total = sum(weight for arm, weight in shares.items() if arm in eligible)
    if total == 0.0:
        return [float(p) for p in inner]
    return [
        share * p + (1.0 - share) * shares.get(int(arm), 0.0) / total
        for arm, p in zip(eligible, inner, strict=True)
    ]


@settings(max_examples=60, deadline=None)
@given(
    share=st.floats(0.0, 1.0),
    shares=st.dictionaries(st.integers(0, K - 1), st.floats(0.01, 9.0), min_size=1),
    eligible=st.lists(st.integers(0, K - 1), min_size=1, max_size=K, unique=True),
    seed=st.integers(0, 9),
)
def test_any_mixture_in_place_of_the_baseline(share, shares, eligible, seed):
    arms = np.array(eligible)
    policy = Rollout(MolUcb(scale=0.3), share=share, mixture=shares).bind(OWN)
    rng = np.random.default_rng(seed)
    beliefs = policy.beliefs(policy.init(), rng.random((len(arms), D)), arms, rng)
    inner = policy.policy.probabilities(beliefs.beliefs)
    law = policy.probabilities(beliefs)
    assert law == pytest.approx(slow_mixture(inner, eligible, share, shares), rel=1e-12)
    assert law.sum() == pytest.approx(1.0)
    assert law[policy.draw(beliefs, rng).arm] > 0.0
    forced = slow_mixture(np.zeros(len(arms)), eligible, share, shares)
    assert policy.forced(arms) == pytest.approx(forced, rel=1e-12)
    if len(shares) == 1:
        (arm,) = shares
        single = Rollout(MolUcb(scale=0.3), arm, share).bind(OWN)
        assert policy == single


@pytest.mark.long
@pytest.mark.parametrize(("recipe", "shape"), ROWS, ids=lambda part: str(part)[:40])
def test_draws_follow_the_mixture_by_chi_square(recipe, shape):
    policy = Rollout(recipe, share=0.4, mixture=SHARES).bind(shape)
    _, beliefs = at_work(policy, shape, WITH)
    law = policy.probabilities(beliefs)
    assert law == pytest.approx(
        slow_mixture(policy.policy.probabilities(beliefs.beliefs), WITH, 0.4, SHARES), rel=1e-12
    )
    rng = np.random.default_rng(1)
    draws = 4000
    counts = np.bincount([policy.draw(beliefs, rng).arm for _ in range(draws)], minlength=len(law))
    assert not counts[law == 0.0].any()
    played = law > 0.0
    square = ((counts[played] - draws * law[played]) ** 2 / (draws * law[played])).sum()
    # 1 in 10,000 runs would be beyond.
    assert square < stats.chi2.ppf(0.9999, max(1, played.sum() - 1))


def test_an_agent_keeps_the_arms_of_its_mixture_and_comes_back(tmp_path):
    recipe = Rollout(MolUcb(scale=0.3), share=0.5, mixture={"old": 3, "new": 1})
    assert recipe.mixture == (("old", 3.0), ("new", 1.0))
    with agent_of(recipe, log=tmp_path / "log") as agent:
        for arm in ("old", "new"):
            with pytest.raises(ValueError, match="arm must not be one that the recipe names"):
                agent.remove_arm(arm)
        for _ in range(10):
            decision = agent.decide([0.5, 0.5])
            agent.learn(decision.id, [0.5, 0.5])
        streams = agent.core.bound.streams()
    with agent_of(recipe, log=tmp_path / "log") as agent:
        assert agent.core.bound.streams() == streams
        agent.save(tmp_path / "agent")
    assert mob.Agent.load(tmp_path / "agent").recipe == recipe
    table = {"name": "mol-ucb", "scale": 0.3}
    made = build(
        "policies",
        {"name": "rollout", "recipe": table, "share": 0.5, "mixture": {"old": 3, "new": 1}},
        "policy",
    )
    assert made == recipe


def test_a_noted_probability_is_that_of_the_mixture():
    policy = Rollout(Exp3P(), BASELINE, 0.4).bind(OWN)
    assert policy.notes_probability
    _, beliefs = at_work(policy, OWN, WITH)
    law = policy.probabilities(beliefs)
    rng = np.random.default_rng(2)
    for _ in range(50):
        choice = policy.draw(beliefs, rng)
        assert choice.note == Exp3PNote(law[choice.arm])


def test_it_is_as_its_recipe_otherwise():
    recipe = Rollout(MolUcb(), 0)
    assert recipe.share == 0.1
    assert recipe.assumptions() == MolUcb().assumptions()
    assert Rollout(MolUcb, 0).recipe == MolUcb()
    assert recipe.accepts_partial
    assert not Rollout(Exp3P(), 0).accepts_partial
    assert composite(recipe.bind(OWN)) == MolUcb().bind(OWN)
    stages = Rollout(Doubling(Exp3P(), first=10), 0).stages(OWN)
    assert [next(stages).rounds for _ in range(3)] == [10, 20, 40]


def agent_of(recipe, **more):
    options = {"arms": ARMS, "features": 2, "objectives": 2, "propensity": "exact", "seed": 5}
    return mob.Agent(recipe, **options, **more)


def rewards_of(arm, rng):
    return [0.3 + 0.4 * (arm == "new"), rng.random()]


def test_an_agent_learns_from_both_kinds_and_says_the_mixed_propensity():
    # Wide intervals: no arm is out of the front for long.
    agent = agent_of(Rollout(MolUcb(scale=3.0), "old", 0.25))
    twin = agent_of(MolUcb(scale=3.0))
    rng = np.random.default_rng(3)
    plays = {"old": 0, "others": 0}
    for _ in range(80):
        context = rng.random(2)
        decision = agent.decide(context)
        slots = np.arange(3)
        # The twin learned the same: what it would play is what the share plays.
        if twin.lessons:
            inner = twin.core.bound.probabilities(decision.context, slots, rng)
            place = ARMS.index(decision.arm)
            expected = 0.25 * inner[place] + 0.75 * (decision.arm == "old")
            assert decision.propensity == pytest.approx(expected, rel=1e-9)
        plays["old" if decision.arm == "old" else "others"] += 1
        rewards = rewards_of(decision.arm, rng)
        agent.learn(decision.id, rewards)
        twin.adopt(context, decision.arm, rewards=rewards)
    assert plays["old"] > plays["others"] > 0
    for mine, theirs in zip(agent.core.bound.state(), twin.core.bound.state(), strict=True):
        assert np.array_equal(mine, theirs)


def test_without_the_baseline_an_agent_decides_alone():
    agent = agent_of(Rollout(MolUcb(scale=0.3), "old", 0.25))
    twin = agent_of(MolUcb(scale=0.3))
    rng = np.random.default_rng(4)
    for _ in range(30):
        context = rng.random(2)
        mine = agent.decide(context, eligible=["other", "new"])
        theirs = twin.decide(context, eligible=["other", "new"])
        assert (mine.arm, mine.propensity) == (theirs.arm, theirs.propensity)
        rewards = rewards_of(mine.arm, rng)
        agent.learn(mine.id, rewards)
        twin.learn(theirs.id, rewards)


def test_an_agent_comes_back_from_its_log_and_goes_on_with_another_share(tmp_path):
    recipe = Rollout(MolUcb(scale=0.3), "old", 0.25)
    rng = np.random.default_rng(5)
    with agent_of(recipe, log=tmp_path / "log") as agent:
        for _ in range(20):
            decision = agent.decide(rng.random(2))
            agent.learn(decision.id, rewards_of(decision.arm, rng))
        state = [array.copy() for array in agent.core.bound.state()]
        position = agent.core.bound.streams()
    more = Rollout(MolUcb(scale=0.3), "old", 1.0)
    with agent_of(recipe, log=tmp_path / "log") as agent:
        for mine, before in zip(agent.core.bound.state(), state, strict=True):
            assert np.array_equal(mine, before)
        assert agent.core.bound.streams() == position
        agent.retune(more)
        for mine, before in zip(agent.core.bound.state(), state, strict=True):
            assert np.array_equal(mine, before)
        decision = agent.decide([0.5, 0.5])
        inner = agent.core.bound.policy.policy
        assert inner == MolUcb(scale=0.3).bind(agent.core.bound.shape)
        assert decision.propensity > 0.0
    with agent_of(more, log=tmp_path / "log") as agent:
        assert agent.recipe == more


def test_the_baseline_cannot_leave_and_must_be_there():
    agent = agent_of(Rollout(MolUcb(scale=0.3), "old", 0.25))
    with pytest.raises(ValueError, match="arm must not be one that the recipe names"):
        agent.remove_arm("old")
    agent.remove_arm("other")
    agent.add_arm("newer", like="new")
    assert agent.decide([0.5, 0.5]).arm in agent.arms
    with pytest.raises(ValueError, match=r"Rollout\.baseline must be an arm of the agent"):
        agent_of(Rollout(MolUcb(), "unknown"))
    with pytest.raises(ValueError, match=r"Rollout\.baseline must be an arm below 5, got 5"):
        Rollout(MolUcb(), 5).bind(OWN)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("MolUcb", 0), r"Rollout.recipe must be a recipe such as MolUcb\(scale=0.3\), got"),
        ((MolUcb(), 0, -0.1), "Rollout.share must be at least 0, got -0.1"),
        ((MolUcb(), 0, 1.5), "Rollout.share must be at most 1, got 1.5"),
        ((MolUcb(), 0, float("nan")), "Rollout.share must be a finite number, got nan"),
    ],
)
def test_bad_parameters(arguments, said):
    with pytest.raises(ValueError, match=said):
        Rollout(*arguments)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, r"Rollout must have either baseline or mixture, got neither"),
        ({"baseline": 0, "mixture": {1: 1.0}}, r"either baseline or mixture, got both"),
        ({"mixture": {1: 0.0}}, r"Rollout.mixture\[1\] must be above 0, got 0.0"),
        ({"mixture": {}}, r"Rollout.mixture must be a dictionary"),
    ],
)
def test_mixtures_that_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Rollout(MolUcb(), **options)
    with pytest.raises(ValueError, match=r"Rollout.mixture must be an arm below 5, got 7"):
        Rollout(MolUcb(), mixture={0: 1.0, 7: 1.0}).bind(OWN)
