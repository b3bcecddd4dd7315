"""Limits, budgets and baselines in agents: names and units, what decisions say, files, logs, sums, refusals."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

import mobandits as mob
from mobandits import Objective
from mobandits.agent.resize_state import arrays
from mobandits.evaluation.training import trained
from mobandits.logs import Feedback
from mobandits.orders import Pareto, Weighted
from mobandits.policies import Conservative, MolUcb, Paced, PrimalDual, WithFloor, Within

ARMS = ["small", "medium", "large"]
COSTS = {"small": 0.001, "medium": 0.004, "large": 0.02}
GRADES = {"small": 0.6, "medium": 0.75, "large": 0.9}
QUALITY = Weighted([1.0, 0.0])
LIMIT = Within(MolUcb(scale=0.3, order=QUALITY), {"cost": 0.005})
PACE = Paced(MolUcb(scale=0.3, order=QUALITY), {"cost": 0.004})
DUAL = PrimalDual(MolUcb(scale=0.3, order=QUALITY), {"cost": 0.004}, {"cost": 0.02})
GUARD = Conservative(MolUcb(scale=0.1, order=QUALITY), "small", 0.1, "quality")


def agent_of(recipe, *, high=0.05, **options):
    cost = Objective("cost", minimise=True, unit="USD", low=0.0, high=high)
    fields = {"arms": ARMS, "features": 1, "objectives": ["quality", cost], "rounds": 400}
    return mob.Agent(recipe, **{**fields, **options})


def live(agent, rounds, seed=0, *, costs=COSTS):
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(rounds):
        decision = agent.decide([1.0])
        made.append(decision)
        grade = GRADES[decision.arm] + 0.02 * rng.standard_normal()
        agent.learn(decision.id, {"quality": grade})
        agent.learn(decision.id, {"cost": costs[decision.arm]})
    return made


def test_a_limit_is_in_the_units_of_the_objective():
    """Dollars, less is better, learned on [0, 1]; another range is another prior, and the same limit."""
    for high in (0.05, 0.03):
        agent = agent_of(LIMIT, high=high, propensity="exact")
        made = live(agent, 300)
        assert {one.arm for one in made[100:]} == {"medium"}
        assert {one.propensity for one in made[100:]} == {1.0}
        assert not any(one.all_break for one in made[100:])


@pytest.mark.long
def test_a_decision_says_that_all_arms_break_a_limit():
    # With a scale of 1, the interval of an unknown arm is all of the range.
    hopeless = Within(MolUcb(scale=1.0, order=QUALITY), {"cost": 0.0005})
    agent = agent_of(hopeless, propensity="exact")
    bills = {"small": 0.01, "medium": 0.02, "large": 0.04}
    made = live(agent, 300, costs=bills)
    assert not made[0].all_break
    assert made[-1].all_break
    assert made[-1].arm == "small"
    assert "all break a limit" in repr(made[-1])
    explanation = agent.explain(made[-1])
    assert "Every one of them broke a limit" in explanation.sentence
    kept = agent_of(LIMIT, propensity="exact")
    last = live(kept, 300)[-1]
    assert not last.all_break
    assert "Every one" not in kept.explain(last).sentence
    assert [one.all_break for one in agent.decide_batch([[1.0]] * 2)] == [True, True]
    quiet = agent_of(hopeless)
    live(quiet, 300, costs=bills)
    assert [one.all_break for one in quiet.decide_batch([[1.0]] * 2)] == [True, True]


def test_scores_and_explanations_are_in_units():
    agent = agent_of(PACE, propensity="exact")
    live(agent, 200)
    decision = agent.decide([1.0])
    explanation = agent.explain(decision)
    # What is explained is estimated, and not what it was charged.
    place = ARMS.index(decision.arm)
    assert explanation.estimates[place, 1] == pytest.approx(COSTS[decision.arm], rel=0.2)
    assert explanation.estimates[place, 0] == pytest.approx(GRADES[decision.arm], rel=0.1)


def test_a_budget_is_kept_by_name():
    agent = agent_of(PACE)
    made = live(agent, 400)
    spent = sum(COSTS[one.arm] for one in made)
    assert 0.9 < spent / (400 * 0.004) < 1.02
    # Medium alone uses it up; small and large together could too.
    assert "medium" in {one.arm for one in made[200:]}


def test_a_budget_that_is_used_up_leaves_the_cheapest():
    """The algorithm would stop: the decisions say so, and a new budget begins anew."""
    small = PrimalDual(MolUcb(scale=0.3, order=QUALITY), {"cost": 0.002}, {"cost": 0.02})
    agent = agent_of(small, rounds=50, propensity="exact")
    made = live(agent, 50)
    bills = np.array([COSTS[one.arm] for one in made])
    ended = [one.all_break for one in made]
    over = np.flatnonzero(np.cumsum(bills) >= 50 * 0.002)
    # The decision after the bill that used it up is the first one to know.
    assert ended == [i > over[0] for i in range(50)]
    assert {one.propensity for one in made[:8]} == {1 / 3}
    last = made[-1]
    assert (last.arm, last.propensity) == ("small", 1.0)
    assert "the least bad was left" in agent.explain(last).sentence
    learned = agent.core.bound.state().model
    agent.retune(PrimalDual(MolUcb(scale=0.3, order=QUALITY), {"cost": 0.01}, {"cost": 0.02}))
    state = agent.core.bound.state()
    assert state.spent.tolist() == [0.0]
    for mine, theirs in zip(state.model, learned, strict=True):
        assert np.array_equal(mine, theirs)
    assert not agent.decide([1.0]).all_break


def test_prices_are_those_of_what_is_learned_on_a_range():
    """An agent with a range, and the same rewards in their own unit: the same costs and prices."""
    agent = agent_of(DUAL)
    live(agent, 60)
    state, policy = agent.core.bound.state(), agent.core.bound.policy
    shape = mob.contracts.protocols.Shape(3, 1, 2, 400, shared=True)
    plain = PrimalDual(DUAL.recipe, {1: 0.004}, {1: 0.02}).bind(shape)
    other = plain.init()
    other.spent[:], other.observed[:], other.worth[:] = state.spent, state.observed, state.worth
    assert policy.prices(state) == pytest.approx(plain.prices(other), rel=1e-12)
    assert state.observed.tolist() == [60.0, 60.0]
    assert policy.cost(0, np.array([0.0, 0.75])) == pytest.approx(0.0125)


def uniform_log(rounds=300, seed=0):
    """A log of uniform decisions, whose costs are those of `COSTS` and a little more or less."""
    rng = np.random.default_rng(seed)
    arms = rng.integers(len(ARMS), size=rounds)
    grades = np.array([GRADES[ARMS[arm]] for arm in arms]) + 0.1 * rng.standard_normal(rounds)
    costs = np.array([COSTS[ARMS[arm]] for arm in arms]) * rng.uniform(0.5, 1.5, rounds)
    cost = Objective("cost", minimise=True, unit="USD", low=0.0, high=0.05)
    rewards = np.column_stack([grades, -costs])
    propensities = np.full(rounds, 1 / 3)
    return Feedback(np.ones((rounds, 1)), arms, rewards, propensities, ARMS, ["quality", cost])


def adopt_all(agent, log, *, late=False):
    """The rounds of a log one after the other, each cost apart or with the rest."""
    for arm, (grade, cost) in zip(log.arms.tolist(), log.own_rewards.tolist(), strict=True):
        if late:
            decision = agent.adopt([1.0], ARMS[arm], 1 / 3, {"quality": grade})
            agent.learn(decision.id, {"cost": cost})
        else:
            agent.adopt([1.0], ARMS[arm], 1 / 3, [grade, cost])


PLAIN = MolUcb(scale=0.3, order=QUALITY)


@pytest.mark.long
@pytest.mark.parametrize("way", ["log", "adopt", "late"])
@pytest.mark.parametrize(
    "recipe", [PACE, DUAL, WithFloor(PACE, 0.1)], ids=["paced", "dual", "floor"]
)
def test_what_a_log_teaches_uses_up_no_budget(recipe, way):
    """Models are those of the plain recipe; nothing is spent, and no round of the horizon is gone."""
    budget = mob.Budget("cost", 1.0)
    agent, plain = agent_of(recipe, budgets=[budget]), agent_of(PLAIN)
    log = uniform_log()
    for each in (agent, plain):
        if way == "log":
            each.learn_log(log)
        else:
            adopt_all(each, log, late=way == "late")
    state = agent.core.bound.state()
    assert state.spent.tolist() == [0.0]
    counted = state.observed if isinstance(recipe, PrimalDual) else state.settled
    assert not counted.any()
    assert agent.balances[0][1:4] == (0.0, 0.0, 1.0)
    assert agent.lessons == plain.lessons
    for mine, theirs in zip(arrays(state.model), leaves(plain), strict=True):
        assert np.array_equal(mine, theirs)
    live(agent, 3)
    state = agent.core.bound.state()
    assert state.spent[0] > 0.0
    assert agent.balances[0].spent > 0.0


def test_costs_of_decisions_of_others_may_come_after_a_file(tmp_path):
    """Whose decisions wait is in the file: a bill of others counts in no budget, an own one does."""
    agent = agent_of(PACE, budgets=[mob.Budget("cost", 1.0)])
    theirs = agent.adopt([1.0], "large", 0.5, {"quality": 0.9})
    mine = agent.decide([1.0])
    agent.save(tmp_path / "agent")
    again = mob.Agent.load(tmp_path / "agent")
    for each in (agent, again):
        each.learn(theirs.id, {"cost": 0.02})
        assert each.core.bound.state().spent.tolist() == [0.0]
        assert each.balances[0].spent == 0.0
        each.learn(mine.id, {"quality": 0.5, "cost": 0.01})
        assert each.core.bound.state().spent == pytest.approx([0.01])
        assert each.balances[0].spent == 0.01
        assert not each.core.pending.adopted


@pytest.mark.long
@pytest.mark.parametrize("inside", [PACE, WithFloor(PACE, 0.1)], ids=["plain", "floor"])
def test_a_log_tells_the_first_price(inside):
    """Learned inside, or before a change to it: the same price, at which the log spends the budget."""
    log = uniform_log()
    agent, other = agent_of(inside), agent_of(PLAIN)
    for each in (agent, other):
        each.learn_log(log)
    other.retune(inside)
    prices = [each.core.bound.state().price.tolist() for each in (agent, other)]
    assert prices[0] == prices[1]
    state = agent.core.bound.state()
    assert 0.003 / state.large[0] < state.price[0] < 1e5 / state.large[0]
    made = live(agent, 200)
    spent = sum(COSTS[one.arm] for one in made)
    assert spent == pytest.approx(200 * 0.004, rel=0.2)
    # In the middle of its life a log teaches, and moves no price.
    before = agent.core.bound.state().price.copy()
    agent.learn_log(uniform_log(seed=1))
    assert agent.core.bound.state().price.tolist() == before.tolist()


@pytest.mark.long
def test_what_is_evaluated_on_a_log_begins_as_an_agent_does():
    """The same first price, and nothing spent; up to the range of the cost, which agents learn on [0, 1]."""
    log = uniform_log()
    agent = agent_of(PACE)
    agent.learn_log(log)
    _, theirs = trained(PACE, log, np.arange(len(log)), np.random.default_rng(0))
    assert theirs.spent.tolist() == theirs.settled.tolist() == [0.0]
    mine = agent.core.bound.state()
    assert mine.large == pytest.approx(theirs.large)
    assert mine.cheapest == pytest.approx(theirs.cheapest)
    assert 0.003 / theirs.large[0] < theirs.price[0] < 1e5 / theirs.large[0]


@pytest.mark.long
@pytest.mark.parametrize("way", ["inside", "retuned"])
def test_the_first_price_is_replayed_bit_for_bit(way, tmp_path):
    """Without a snapshot the store leads to the same state, and does not look for the price again."""
    path = tmp_path / "log.db"
    agent = agent_of(PACE if way == "inside" else PLAIN, log=path, propensity="exact")
    agent.learn_log(uniform_log())
    if way == "retuned":
        live(agent, 5)
        agent.retune(PACE)
    live(agent, 20)
    adopt_all(agent, uniform_log(7, seed=2), late=True)
    live(agent, 20, seed=3)
    state = [np.array(each) for each in leaves(agent)]
    assert agent.core.bound.state().settled.tolist() == [40.0]
    agent.close()
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DELETE FROM snapshots")
    with agent_of(PACE, log=path, propensity="exact") as again:
        for mine, theirs in zip(state, leaves(again), strict=True):
            assert np.array_equal(mine, theirs)


def test_a_baseline_has_a_name():
    agent = agent_of(GUARD)
    assert live(agent, 3)[0].arm == "small"
    with pytest.raises(ValueError, match=r"arm must not be one that the recipe names.*got 'small'"):
        agent.remove_arm("small")
    agent.remove_arm("large")
    agent.add_arm("huge")
    assert agent.decide([1.0], ["medium", "huge"]).arm in ("medium", "huge")
    relative = agent_of(Within(MolUcb(scale=0.3), {"quality": 0.1}, relative_to="large"))
    with pytest.raises(ValueError, match="arm must not be one that the recipe names"):
        relative.remove_arm("large")
    inside = agent_of(WithFloor(GUARD, 0.1))
    with pytest.raises(ValueError, match="arm must not be one that the recipe names"):
        inside.remove_arm("small")


@pytest.mark.long
@pytest.mark.parametrize("recipe", [LIMIT, PACE, DUAL, GUARD], ids=lambda one: type(one).__name__)
def test_files_and_logs_keep_all_of_it(recipe, tmp_path):
    agent = agent_of(recipe, log=tmp_path / "log.db", propensity="exact")
    live(agent, 40)
    agent.remove_arm("medium")
    agent.add_arm("medium")
    agent.save(tmp_path / "agent")
    before = [np.array(each) for each in leaves(agent)]
    agent.close()
    loaded = mob.Agent.load(tmp_path / "agent")
    replayed = agent_of(recipe, log=tmp_path / "log.db", propensity="exact")
    for other in (loaded, replayed):
        assert other.recipe == recipe
        for mine, theirs in zip(before, leaves(other), strict=True):
            assert np.array_equal(mine, theirs)
    assert live(loaded, 20, seed=1) == live(replayed, 20, seed=1)
    replayed.close()


def leaves(agent):
    return arrays(agent.core.bound.state())


def test_sums_of_agents():
    """Limits have no state, and a baseline has sums; prices depend on the order of costs."""
    for recipe in (LIMIT, GUARD):
        whole = agent_of(recipe)
        shards = [agent_of(recipe, seed=1), agent_of(recipe, seed=2)]
        rng = np.random.default_rng(0)
        for i in range(30):
            arm = ARMS[i % 3]
            rewards = [GRADES[arm] + 0.1 * rng.random(), COSTS[arm]]
            for each in (whole, shards[i % 2]):
                each.adopt([1.0], arm, rewards=rewards)
        shards[0].merge(shards[1])
        for mine, theirs in zip(leaves(shards[0]), leaves(whole), strict=True):
            assert mine == pytest.approx(theirs)
    for recipe in (PACE, DUAL):
        name = type(recipe).__name__
        paced = [agent_of(recipe, seed=1), agent_of(recipe, seed=2)]
        for each in paced:
            live(each, 5)
        with pytest.raises(ValueError, match=rf"merge needs .* but {name} keeps more than sums"):
            paced[0].merge(paced[1])


def test_retuning():
    agent = agent_of(LIMIT)
    live(agent, 40)
    looser = Within(MolUcb(scale=0.3, order=QUALITY), {"cost": 0.05})
    agent.retune(looser)
    assert agent.recipe == looser
    live(agent, 5)
    guarded = agent_of(GUARD)
    live(guarded, 10)
    other = Conservative(MolUcb(scale=0.1, order=QUALITY), "large", 0.1, "quality")
    with pytest.raises(ValueError, match="retune"):
        guarded.retune(other)


def test_a_preference_before_the_first_context_of_a_recipe_for_shared_ones():
    """A learned baseline needs contexts that the arms share: before the first one that is not known."""
    guard = Conservative(MolUcb(scale="theory"), "small", 0.1, "quality")
    options = {"arms": ARMS, "features": 1, "objectives": ["quality", "cost"]}
    agent = mob.Agent(guard, **options)
    assert agent.preference == Pareto()
    agent.preference = QUALITY
    assert agent.preference == QUALITY
    assert agent.decide([1.0]).arm == "small"


def test_another_preference_keeps_the_limits():
    agent = agent_of(LIMIT, propensity="exact")
    live(agent, 200)
    agent.preference = Pareto(on=[0])
    assert agent.decide([1.0]).arm == "medium"


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (
            Within(MolUcb(), {"money": 1.0}),
            r"Within\.limits must name objectives of the agent.*'mon",
        ),
        (Within(MolUcb(), {1: 1.0}), r"Within\.limits must name objectives of the agent"),
        (Within(MolUcb(), {"cost": 0.1}, relative_to="tiny"), "must be an arm of the agent"),
        (Paced(MolUcb(), {"quality": 1.0}), "objectives with minimise=True, which are costs"),
        (Paced(MolUcb(), {"money": 1.0}), r"Paced\.budgets must name objectives of the agent"),
        (
            PrimalDual(MolUcb(order=QUALITY), {"quality": 1.0}, {"quality": 1.0}),
            "objectives with minimise=True, which are costs",
        ),
        (
            PrimalDual(MolUcb(order=QUALITY), {"money": 1.0}, {"money": 1.0}),
            r"PrimalDual\.budgets must name objectives of the agent",
        ),
        (Conservative(MolUcb(), "tiny", 0.1, "quality"), r"Conservative\.baseline must be an arm"),
        (Conservative(MolUcb(), "small", 0.1, "cost"), "must be maximised"),
        (WithFloor(Within(MolUcb(), {"money": 1.0})), r"Within\.limits must name objectives"),
    ],
    ids=str,
)
def test_what_is_refused(recipe, said):
    with pytest.raises(ValueError, match=said):
        agent_of(recipe)
