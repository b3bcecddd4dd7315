"""Ratios of two objectives: corners of intervals, and rewards in their own units wherever an order is played."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins import orders as twins

import mobandits as mob
from mobandits.agent import Objective
from mobandits.contracts.protocols import Beliefs, Shape
from mobandits.contracts.terms import in_terms
from mobandits.environments import Linear
from mobandits.logs import Feedback
from mobandits.logs.objectives import learned_rewards, terms_of
from mobandits.orders import ExploreWide, Pareto, Ratio
from mobandits.orders.by_number import by_number
from mobandits.policies import MoglbUcb, MolUcb, WithFloor

ARMS = ("slow", "good", "hasty")
MEANS = np.array([[4.5, 10.0], [3.0, 2.0], [0.5, 1.0]])  # quality and seconds
OBJECTIVES = [
    Objective("quality", low=0.0, high=5.0),
    Objective("seconds", minimise=True, low=0.0, high=20.0),
]
BY_NAME = Ratio("quality", "seconds", 0.5)
BY_NUMBER = Ratio(0, 1, 0.5)

GRID = st.integers(-4, 4).map(float)
SIZES = st.tuples(st.integers(1, 6), st.just(2))


@st.composite
def boxes(draw):
    """The lower and the upper ends of intervals (arms, 2)."""
    one = draw(arrays(np.float64, draw(SIZES), elements=GRID))
    other = draw(arrays(np.float64, one.shape, elements=GRID))
    return np.minimum(one, other), np.maximum(one, other)


@st.composite
def descriptions(draw):
    """Objectives whose lines are exact in binary: quality, and seconds in either direction."""
    lows = draw(st.lists(st.sampled_from([-2.0, 0.0, 0.5]), min_size=2, max_size=2))
    spans = draw(st.lists(st.sampled_from([0.25, 1.0, 8.0]), min_size=2, max_size=2))
    ends = [{"low": low, "high": low + span} for low, span in zip(lows, spans, strict=True)]
    minimise = draw(st.booleans())
    return [Objective("quality", **ends[0]), Objective("seconds", minimise=minimise, **ends[1])]


def orders(floors=(0.25, 0.5, 2.0)):
    return st.builds(Ratio, st.just(0), st.just(1), st.sampled_from(floors))


@pytest.mark.long
@settings(max_examples=200)
@given(boxes(), orders())
def test_the_front_is_that_of_the_best_corners(box, order):
    low, high = box
    best = twins.largest_ratios(low, high, 0, 1, order.floor)
    assert twins.front_of(order, low, high).tolist() == (best == best.max()).tolist()


@pytest.mark.long
@settings(max_examples=200)
@given(twins.tables(objectives=3, grid=True), st.permutations(range(3)))
def test_gaps_are_differences_of_ratios(means, places):
    numerator, denominator, _ = places
    front, gaps = twins.survey(Ratio(numerator, denominator, 0.5), means)
    ratios = means[:, numerator] / np.maximum(means[:, denominator], 0.5)
    np.testing.assert_array_equal(gaps[:, 0], ratios.max() - ratios)
    np.testing.assert_array_equal(front, ratios == ratios.max())


def test_a_loss_is_least_where_it_is_spread_over_the_most():
    low = np.array([[-2.0, 1.0], [-2.0, 1.0]])
    high = np.array([[-1.0, 2.0], [-1.0, 4.0]])
    assert twins.front_of(BY_NUMBER, low, high).tolist() == [False, True]
    assert twins.front_of(BY_NUMBER, low + 3.0, high + 3.0).tolist() == [True, True]


@pytest.mark.long
@given(boxes(), st.data())
def test_what_is_not_known_may_be_best(box, data):
    low, high = (ends.copy() for ends in box)
    arm = data.draw(st.integers(0, len(low) - 1))
    low[arm], high[arm] = -math.inf, math.inf
    front = twins.front_of(BY_NUMBER, low, high)
    assert front.tolist() == [a == arm for a in range(len(low))]


def test_infinite_numbers_are_no_ratio_of_none():
    low = np.array([[-math.inf, -math.inf], [math.inf, math.inf], [1.0, math.inf]])
    assert twins.front_of(BY_NUMBER, low).tolist() == [False, True, False]
    assert twins.front_of(BY_NUMBER, low[[0, 2]]).tolist() == [False, True]


# --- units


@pytest.mark.long
@settings(max_examples=200)
@given(boxes(), descriptions(), orders())
def test_learned_rewards_are_compared_in_their_own_units(box, objectives, order):
    low, high = box
    played = in_terms(order, terms_of(objectives, {}))
    ends = [learned_rewards(objectives, each) for each in (low, high)]
    learned = Beliefs(ends[1], np.minimum(*ends), np.maximum(*ends))
    assert played.front(learned).tolist() == order.front(Beliefs(high, low, high)).tolist()
    np.testing.assert_array_equal(played.gaps(ends[1]), order.gaps(high))
    rows = [played.gap(ends[1], arm) for arm in range(len(high))]
    np.testing.assert_array_equal(np.array(rows), order.gaps(high))


def test_other_units_take_the_place_of_the_first():
    terms = terms_of(OBJECTIVES, {})
    others = terms_of([Objective("quality"), OBJECTIVES[1]], {})
    for order in (BY_NUMBER, ExploreWide(BY_NUMBER, 0.5)):
        played = in_terms(order, terms)
        assert played != order
        assert in_terms(in_terms(played, others), terms) == played != in_terms(played, others)
        assert in_terms(played, None) == order
        assert hash(in_terms(order, terms)) == hash(played)
    recipe = WithFloor(MolUcb(order=ExploreWide(BY_NUMBER, 0.5)))
    assert in_terms(recipe, terms).recipe.order.order == in_terms(BY_NUMBER, terms)
    assert in_terms(Pareto(), terms) == Pareto()


def agent_of(recipe, objectives=OBJECTIVES, **options):
    return mob.Agent(recipe, arms=ARMS, features=1, objectives=objectives, seed=2, **options)


def taught(order, rounds=60, recipe=None, objectives=OBJECTIVES, **options):
    """An agent that has learned noisy rewards of all three arms."""
    agent = agent_of(recipe or MolUcb(scale=0.3, order=order), objectives, **options)
    rng = np.random.default_rng(5)
    for t in range(rounds):
        arm = t % 3
        decision = agent.decide([1.0], [ARMS[arm]])
        quality, seconds = MEANS[arm] + rng.normal(size=2) * 0.1
        agent.learn(decision.id, {"quality": quality, "seconds": seconds})
    return agent


@pytest.mark.parametrize("rounds", [3, 9, 60])
def test_an_agent_plays_the_best_corners_of_the_intervals_that_it_reports(rounds):
    agent = taught(BY_NAME, rounds, propensity="exact")
    decision = agent.decide([1.0])
    table = agent.explain(decision).table
    ends = [table[end].to_numpy().reshape(3, 2) for end in ("low", "high")]
    assert table["objective"].to_list() == ["quality", "seconds"] * 3
    best = twins.largest_ratios(*ends, 0, 1, 0.5)
    on_front = best >= best.max() - 1e-9
    assert decision.front == tuple(np.array(ARMS)[on_front].tolist())


def exact(order=None):
    """A recipe that believes in means, nearly as they were."""
    return MolUcb(scale=1e-6, order=order, penalty=1e-6)


def test_ranges_do_not_change_what_is_best():
    # On a scale of [0, 1], more is better: (0.9, 0.5), (0.6, 0.9), (0.1, 0.95) have another order.
    free = [Objective("quality"), Objective("seconds", minimise=True)]
    wide = [Objective("quality", low=-100, high=100), OBJECTIVES[1]]
    for objectives in (OBJECTIVES, free, wide):
        agent = taught(BY_NAME, recipe=exact(BY_NAME), objectives=objectives)
        assert agent.decide([1.0]).arm == "good"
        agent.preference = Ratio("quality", "seconds", floor=9.0)
        assert agent.decide([1.0]).arm == "slow"


def answers(agent):
    return [agent.decide([1.0]).arm for _ in range(20)]


def test_a_preference_is_played_as_the_order_of_the_recipe(tmp_path):
    expected = answers(taught(BY_NAME))
    agent = taught(Pareto(), recipe=MolUcb(scale=0.3), log=tmp_path / "log.db")
    assert agent.preference == Pareto()
    agent.preference = BY_NAME
    assert agent.preference == BY_NUMBER
    agent.save(tmp_path / "agent")
    # The stream of decisions is the same: one arm leaves nothing to chance.
    assert answers(mob.Agent.load(tmp_path / "agent")) == expected
    agent.close()
    stored = agent_of(MolUcb(scale=0.3), log=tmp_path / "log.db")
    assert stored.preference == BY_NUMBER
    assert answers(stored) == expected
    stored.close()


def test_a_recipe_with_a_ratio_is_saved_and_stored(tmp_path):
    agent = taught(BY_NAME, log=tmp_path / "log.db")
    assert agent.recipe == MolUcb(scale=0.3, order=BY_NUMBER)
    assert agent.preference == BY_NUMBER
    agent.save(tmp_path / "agent")
    expected = answers(agent)
    agent.close()
    assert answers(mob.Agent.load(tmp_path / "agent")) == expected
    with agent_of(MolUcb(scale=0.3, order=BY_NAME), log=tmp_path / "log.db") as stored:
        assert stored.preference == BY_NUMBER
        assert stored.recipe == MolUcb(scale=0.3, order=BY_NUMBER)


@pytest.mark.parametrize("as_preference", [True, False])
def test_objectives_of_other_ranges_have_other_units(tmp_path, as_preference):
    recipe = exact() if as_preference else exact(BY_NAME)
    agent = taught(None, recipe=recipe, log=tmp_path / "log.db")
    if as_preference:
        agent.preference = BY_NAME
    assert agent.decide([1.0]).arm == "good"
    others = [OBJECTIVES[0], dataclasses.replace(OBJECTIVES[1], low=-80.0)]
    agent.retune(objectives=others)
    assert agent.decide([1.0]).arm == "good"
    agent.close()
    with agent_of(agent.recipe, others, log=tmp_path / "log.db") as stored:
        assert stored.decide([1.0]).arm == "good"


def some_log(**options):
    rng = np.random.default_rng(4)
    arms = rng.integers(0, 3, 300)
    own = MEANS[arms] + rng.normal(size=(300, 2)) * 0.1
    rewards = own * [1.0, -1.0]  # logs maximise
    return Feedback(np.ones((300, 1)), arms, rewards, [1 / 3] * 300, ARMS, OBJECTIVES, **options)


@pytest.mark.long
def test_an_evaluation_plays_a_ratio_in_the_units_of_the_log():
    recipes = {"named": MolUcb(0.01, BY_NAME), "numbered": MolUcb(0.01, BY_NUMBER)}
    told = some_log(preference=BY_NAME)
    tables = [
        mob.evaluation.compare(some_log(), recipes).table(),
        mob.evaluation.compare(told, {"told": MolUcb(0.01)}).table(),
    ]
    for table in tables:
        rows = table.filter(table["objective"] == "quality", table["estimator"] == "snips")
        for quality in rows["value"]:
            assert quality == pytest.approx(3.0, abs=0.1)  # that of "good"
    learned = mob.evaluation.compare(told, {"told": MolUcb(0.01)}).agent("told")
    assert learned.preference == BY_NUMBER
    assert learned.decide([1.0]).arm == "good"


def test_simulations_compare_rewards_as_they_are_paid():
    recipe = MolUcb(scale=0.05, order=BY_NUMBER)
    assert recipe.bind(Shape(3, 1, 2)).order == BY_NUMBER
    mob.simulate(recipe, Linear(arms=3, features=2, objectives=2), rounds=20, trials=1)
    assert mob.front(MEANS, BY_NUMBER).tolist() == [False, True, False]
    assert mob.gaps(MEANS, BY_NUMBER).ravel().tolist() == pytest.approx([1.05, 0.0, 1.0])


# --- refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 0.0), r"Ratio.floor must be .* got 0"),
        ((0, 1, -1.0), r"Ratio.floor must be .* got -1"),
        ((0, 1, math.nan), r"Ratio.floor must be .* got nan"),
        ((-1, 1, 1.0), r"Ratio.numerator must be an objective of at least 0, got -1"),
        ((0, -2, 1.0), r"Ratio.denominator must be an objective of at least 0, got -2"),
        ((1, 1, 1.0), r"Ratio.denominator must be another objective than the numerator, got 1"),
        ((0.5, 1, 1.0), r"Ratio.numerator must be an integer, got 0.5"),
        ((None, 1, 1.0), r"Ratio.numerator must be an integer, got None"),
    ],
)
def test_parameters_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        Ratio(*arguments)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (Ratio("quality", "second", 1.0), "Ratio.denominator: an objective: 'second' is unknown"),
        (Ratio("quality", 0, 1.0), "Ratio.denominator must be another objective than the nu"),
        (Ratio(0, 2, 1.0), "Ratio.denominator must name objectives below 2, got 2"),
        (
            Ratio("seconds", "quality", 1.0),
            "Ratio.numerator must be an objective of which more is better, got 'seconds', which",
        ),
    ],
)
def test_what_the_objectives_do_not_allow_is_refused(order, message):
    with pytest.raises(ValueError, match=message):
        taught(order, rounds=0)
    agent = taught(Pareto(), rounds=0)
    with pytest.raises(ValueError, match=message):
        agent.preference = order
    assert agent.preference == Pareto()


def test_names_need_an_agent_and_linear_predictors_have_no_units():
    with pytest.raises(ValueError, match=r"Ratio.numerator must be numbers here, where objectives"):
        mob.front(MEANS, BY_NAME)
    with pytest.raises(ValueError, match="must name objectives below 2, got 2"):
        mob.front(MEANS, Ratio(0, 2, 1.0))
    agent = taught(None, rounds=0, recipe=MoglbUcb())
    with pytest.raises(ValueError, match=r"preference must be of linear predictors with .* got L"):
        agent.preference = BY_NAME
    assert by_number(BY_NAME, ["quality", "seconds"]) == BY_NUMBER
    assert repr(BY_NAME) == "Ratio(numerator='quality', denominator='seconds', floor=0.5)"
