"""Orders that name objectives: an agent, a log and a service put numbers in the place of the names."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mobandits as mob
from mobandits.contracts.protocols import Shape
from mobandits.logs import Feedback
from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    ExploreWide,
    Levels,
    Pareto,
    Ratio,
    Weighted,
)
from mobandits.orders.by_number import by_number
from mobandits.policies import Features, MolUcb, WithFloor, Within
from mobandits.spec import build

NAMES = ("quality", "cost", "delay")
PAIRS = [
    (Weighted({"cost": 2, "quality": 1}), Weighted([1, 2, 0])),
    (
        Chebyshev({"quality": 1}, {"delay": 3, "cost": 2, "quality": 1}),
        Chebyshev([1, 0, 0], [1, 2, 3]),
    ),
    (Pareto(on=["delay", "quality"]), Pareto(on=[2, 0])),
    (Levels([["quality", "delay"], ["cost"]]), Levels([[0, 2], [1]])),
    (Levels([["quality", 2], ["cost"]]), Levels([[0, 2], [1]])),
    (Chains([["cost"], ["quality", "delay"]]), Chains([[1], [0, 2]])),
    (ChainFilter([["cost"], ["quality", "delay"]]), ChainFilter([[1], [0, 2]])),
    (Weighted({"delay": 2, 0: 3}), Weighted([3, 0, 2])),
    (Ratio("quality", "delay", 0.5), Ratio(0, 2, 0.5)),
    (ExploreWide(Weighted({"delay": 1}), 0.5), ExploreWide(Weighted([0, 0, 1]), 0.5)),
]


@pytest.mark.parametrize(("named", "numbered"), PAIRS, ids=str)
def test_names_stand_for_numbers(named, numbered):
    assert by_number(named, NAMES) == numbered
    assert by_number(numbered, NAMES) is numbered
    inner = Within(WithFloor(MolUcb(order=named)), {"cost": 1.0})
    assert by_number(inner, NAMES) == Within(WithFloor(MolUcb(order=numbered)), {"cost": 1.0})


@given(
    st.permutations(NAMES).flatmap(
        lambda names: st.tuples(st.just(names), st.sets(st.sampled_from(names), min_size=1))
    )
)
def test_the_order_of_the_objectives_does_not_matter(drawn):
    names, listed = drawn
    weights = {name: 1.0 + len(name) for name in sorted(listed)}
    found = by_number(Weighted(weights), names).weights
    expected = [1.0 + len(name) if name in listed else 0.0 for name in names]
    assert found.tolist() == expected
    places = by_number(Pareto(on=sorted(listed)), names).on.tolist()
    assert [names[place] for place in places] == sorted(listed)


def test_it_is_a_value_that_prints_as_it_was_written():
    order = Weighted({"quality": 1, "cost": 2})
    assert repr(order) == "Weighted(weights={'quality': 1, 'cost': 2})"
    assert repr(Levels([["a"], ["b", "c"]])) == "Levels(levels=[['a'], ['b', 'c']])"
    for same in (copy.deepcopy(order), pickle.loads(pickle.dumps(order))):
        assert same == order
        assert hash(same) == hash(order)
    assert order != Weighted({"quality": 1})


WRONG = [
    (
        Weighted({"qualty": 1}),
        "Weighted.weights: an objective: 'qualty' is unknown; did you mean q",
    ),
    (Weighted({"cost": 1, 3: 1}), "Weighted.weights: an objective must be one of quality, cost, d"),
    (Weighted({"cost": 1, True: 1}), "Weighted.weights: an objective must be one of quality, co"),
    (Weighted({"cost": 1, 1: 2}), "Weighted.weights must name each objective once, got 'cost' twi"),
    (Pareto(on=["speed"]), "Pareto.on: an objective must be one of quality, cost, delay, got 'sp"),
    (Chebyshev({"cost": 1}, {"cost": 1}), "Chebyshev.reference must name each objective, got no"),
    (Levels([["cost"], ["delay"]]), "Levels.levels must name each of the 3 objectives, got no 0"),
    (Pareto(on=["cost", "cost"]), "Pareto.on must name each objective once, got 1 twice"),
    (Weighted({"cost": -1}), "Weighted.weights must be finite, at least 0 and not all 0"),
    (Weighted({"cost": "dear"}), "Weighted.weights must be an array of numbers"),
]


@pytest.mark.parametrize(("order", "message"), WRONG, ids=str)
def test_what_the_objectives_do_not_allow_is_refused(order, message):
    with pytest.raises(ValueError, match=message):
        mob.Agent(MolUcb(order=order), arms=2, features=1, objectives=NAMES)
    agent = mob.Agent(MolUcb(), arms=2, features=1, objectives=NAMES)
    with pytest.raises(ValueError, match=message):
        agent.preference = order
    assert agent.preference == Pareto()


def test_where_objectives_have_no_names_numbers_are_asked_for():
    message = "Weighted.weights must be numbers here, where objectives have no names, got {'cost'"
    order = Weighted({"cost": 1})
    with pytest.raises(ValueError, match=message):
        mob.gaps([[1.0, 2.0]], order)
    with pytest.raises(ValueError, match=message):
        MolUcb(order=order).bind(Shape(2, 1, 2))
    with pytest.raises(ValueError, match=message):
        mob.gaps([[1.0, 2.0]], ExploreWide(order, 0.5))


def test_only_orders_take_names():
    with pytest.raises(ValueError, match="must be an integer of at least 0, got 'a'"):
        Features(mob.features.Columns(["a"]), MolUcb()).bind(Shape(2, 2, 2))


def decisions_of(agent, contexts):
    return [agent.decide(context).arm for context in contexts]


def test_an_agent_a_log_and_an_evaluation_play_as_with_numbers(tmp_path):
    rng = np.random.default_rng(3)
    contexts = rng.uniform(size=(40, 2))
    arms = rng.integers(0, 2, 40)
    rewards = rng.uniform(size=(40, 3))
    log = Feedback(contexts, arms, rewards, [0.5] * 40, ["a", "b"], NAMES)
    options = {"arms": ["a", "b"], "features": 2, "objectives": NAMES, "seed": 1}
    plays = []
    for order in PAIRS[0]:
        agent = mob.Agent(MolUcb(order=order), **options, log=tmp_path / f"{len(plays)}.db")
        agent.learn_log(log)
        plays.append(decisions_of(agent, contexts))
        agent.close()
    assert plays[0] == plays[1]
    with mob.Agent(MolUcb(order=PAIRS[0][1]), **options, log=tmp_path / "0.db") as again:
        assert again.lessons == 40

    recipes = {"named": MolUcb(order=PAIRS[0][0]), "numbered": MolUcb(order=PAIRS[0][1])}
    comparison = mob.evaluation.compare(log, recipes)
    table = comparison.table()
    named, numbered = table.partition_by("policy", include_key=False)
    assert named.equals(numbered)
    told = Feedback(contexts, arms, rewards, [0.5] * 40, ["a", "b"], NAMES, preference=PAIRS[0][0])
    learned = mob.evaluation.compare(told, {"by the log": MolUcb()})
    assert learned.agent("by the log").recipe.order == PAIRS[0][1]


def test_files_and_command_lines_name_objectives():
    weights = {"name": "weighted", "weights": {"cost": 2, "quality": 1}}
    assert by_number(build("orders", weights, "order"), NAMES) == PAIRS[0][1]
    levels = {"name": "levels", "levels": [["quality", "delay"], ["cost"]]}
    recipe = build("policies", {"name": "mol-ucb", "order": levels}, "policy")
    assert by_number(recipe, NAMES).order == PAIRS[3][1]
    ratio = {"name": "ratio", "numerator": "quality", "denominator": "delay", "floor": 1}
    assert by_number(build("orders", ratio, "order"), NAMES) == Ratio(0, 2, 1.0)
    with pytest.raises(ValueError, match=r"order.levels must be a list, got {'cost': 1}"):
        build("orders", {"name": "levels", "levels": {"cost": 1}}, "order")
