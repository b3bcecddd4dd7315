"""Contexts, arms and rewards as applications hand them over: what cannot be taken is told apart, in one line."""

import numpy as np
import polars as pl
import pytest

import mobandits as mob

ROW = "3 numbers in the order of the features"
ROWS = f"{ROW}, or such a row for each of 2 arms"
TEXT = "3 numbers (of text, 0 or 1 per category) in the order of the features"
SHAPES = "(features,) = (3,) or (arms, features) = (2, 3)"
TEXTS = f"{TEXT}, or such a row for each of 2 arms"
BATCHES = "(n, features) = (3, 3) or (n, arms, features) = (3, 2, 3)"
NAMES = "arms 'small', 'large'"
WHICH = "arms, which are 'small', 'large'"
ARMS = "arms of the agent, which are 'small', 'large'"
NAMED = "name objectives of the agent, which are quality, cost"
GOALS = f"rewards must {NAMED}"
NUMBER = "a number, or NaN or None where it was not observed"
REWARDS = (
    "write a number for each of 'quality', 'cost', NaN where not observed, or {objective: number}"
)
MASK = "of a mask write [arm for arm, may in zip(agent.arms, mask) if may]"


def agent_of(**change):
    options = {"arms": ["small", "large"], "features": 3, "objectives": ["quality", "cost"]}
    return mob.Agent(mob.policies.RandomChoice(), **(options | change))


def worded(name, said):
    """A rule follows "must"; the unknown name that is near to another one follows a colon."""
    return f"{name}: {said}" if "is unknown" in said else f"{name} must {said}"


def refused(call, *given):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        call(*given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (
            {"age": 3},
            f"be numbers, or {{arm: row}} with the {NAMES}, got a dictionary with 'age'; write {ROWS}",
        ),
        (
            {"small": [1, 2, 3], "lrge": [1, 2, 3]},
            f"'lrge' is unknown; did you mean large? It must have rows of the agent's {WHICH}; write {ROWS}",
        ),
        ({"small": 1, "large": 2}, f"have rows of {ROW}, got shape (2,)"),
        ({"small": [1, 2]}, f"have rows of {ROW}, got shape (1, 2)"),
        ({"small": {"age": 3}}, f"be numbers, got [{{'age': 3}}]; write {ROWS}"),
        ({}, "name at least one arm, each once, got []"),
        ([{"age": 3}], f"be numbers, got [{{'age': 3}}]; write {ROWS}"),
        ("red", f"be numbers, got 'red'; write {TEXTS}"),
        (["1", "2", "3"], f"be numbers, got ['1', '2', '3']; write {TEXTS}"),
        (
            pl.Series(["1"]),
            f"be numbers, got shape: (1,) Series: '' [str] [ \"1\" ]; write {TEXTS}",
        ),
        ([[1, 2, 3], [1, 2]], f"be numbers, got [[1, 2, 3], [1, 2]]; write {ROWS}"),
        ({1, 2, 3}, f"be numbers, got {{1, 2, 3}}; write {ROWS}"),
        (None, f"be numbers, got None; write {ROWS}"),
        (3, f"have shape {SHAPES}, got (); write a list of 3 numbers"),
        ([1, 2], f"have shape {SHAPES}, got (2,)"),
        ([[1, 2, 3]], f"have shape {SHAPES}, got (1, 3); np.ravel(context) is one row"),
        ([[1], [2], [3]], f"have shape {SHAPES}, got (3, 1); np.ravel(context) is one row"),
        (
            pl.DataFrame({"a": 1, "b": 2, "c": 3}),
            f"have shape {SHAPES}, got (1, 3); np.ravel(context) is one row",
        ),
        (np.zeros((5, 3)), f"have shape {SHAPES}, got (5, 3); decide_batch takes many contexts"),
        (
            np.zeros((5, 2, 3)),
            f"have shape {SHAPES}, got (5, 2, 3); decide_batch takes many contexts",
        ),
    ],
)
def test_a_context_that_is_none(context, said):
    agent = agent_of()
    assert refused(agent.decide, context) == worded("context", said)
    agent.decide([1, 2, 3])  # nothing was settled, and nothing is waiting but this
    assert agent.waiting == 1


def test_advice_follows_what_was_settled():
    shared, own = agent_of(), agent_of()
    shared.decide([1, 2, 3])
    own.decide(np.zeros((2, 3)))
    assert refused(shared.decide, "red") == f"context must be numbers, got 'red'; write {TEXT}"
    assert (
        refused(own.decide, {1})
        == f"context must be numbers, got {{1}}; write {ROW}, such a row for each of 2 arms"
    )
    assert refused(agent_of(features=0).decide, {"age": 3}).endswith(
        "'age'; leave it out where features=0"
    )


@pytest.mark.parametrize(
    ("contexts", "said"),
    [
        ({"age": [3, 4]}, f"be numbers, got {{'age': [3, 4]}}; write for every context {ROWS}"),
        ([{"age": 3}], f"be numbers, got [{{'age': 3}}]; write for every context {ROWS}"),
        (["red"], f"be numbers, got ['red']; write for every context {TEXTS}"),
        ([1, 2, 3], f"have shape {BATCHES}, got (3,); decide takes one context"),
    ],
)
def test_contexts_that_are_none(contexts, said):
    agent = agent_of()
    assert refused(agent.decide_batch, contexts) == f"contexts must {said}"
    assert len(agent.decide_batch([[1, 2, 3]])) == agent.waiting == 1


def test_no_contexts_are_no_decisions():
    for settled in (None, [1, 2, 3], np.zeros((2, 3))):
        agent = agent_of()
        if settled is not None:
            agent.decide(settled)
        assert agent.decide_batch([]) == []
        assert agent.waiting == (settled is not None)
        agent.decide([1, 2, 3] if settled is None else settled)


@pytest.mark.parametrize(
    ("eligible", "said"),
    [
        ("small", "be a list of arms, got 'small'; write ['small']"),
        ("smal", "be a list of arms, got 'smal'; did you mean small?"),
        (1, "be a list of arms, got 1; a position i is written agent.arms[i]"),
        (["smal"], f"'smal' is unknown; did you mean small? It must name {ARMS}"),
        ([0, 1], f"name {ARMS}, got 0; a position i is written agent.arms[i]"),
        ([2], f"name {ARMS}, got 2"),
        ([True, False], f"name {ARMS}, got True; {MASK}"),
        (np.array([False, True]), f"name {ARMS}, got np.False_; {MASK}"),
        ([["small"]], f"['small'] is unknown; did you mean small? It must name {ARMS}"),
    ],
)
def test_arms_that_are_none(eligible, said):
    assert refused(agent_of().decide, [1, 2, 3], eligible) == worded("eligible", said)


@pytest.mark.parametrize("mask", [[True, False], np.array([True, False])])
def test_a_mask_is_no_list_of_the_arms_1_and_0(mask):
    """True is equal to 1: of an agent with arms 0 and 1, a mask of one arm would have allowed both."""
    said = refused(agent_of(arms=2).decide, [1, 2, 3], mask)
    assert said.endswith(MASK)
    yes = agent_of(arms=[True, False])
    assert yes.decide([1, 2, 3], mask[:1]).arm is True


def test_rows_of_more_arms_than_there_are_may_be_given_where_some_are_eligible():
    row = [1.0, 2.0, 3.0]
    assert agent_of().decide({"gone": row, "small": row}, ["small"]).arm == "small"
    said = refused(agent_of().decide, {"gone": row}, ["small"])
    assert (
        said
        == "context must have a row for every eligible arm, got none for 'small', and rows for 'gone'"
    )


@pytest.mark.parametrize(
    ("rewards", "said"),
    [
        ({"qualty": 1.0}, f"rewards: 'qualty' is unknown; did you mean quality? It must {NAMED}"),
        ({0: 1.0}, f"{GOALS}, got 0; position 0 is 'quality'"),
        ({2: 1.0}, f"{GOALS}, got 2"),
        ({"cost": 1.0, "quality": "good"}, f"rewards['quality'] must be {NUMBER}, got 'good'"),
        ({"quality": [1.0, 2.0]}, f"rewards['quality'] must be {NUMBER}, got [1.0, 2.0]"),
        ([1.0], f"rewards must have shape (objectives,) = (2,), got (1,); {REWARDS}"),
        (1.0, f"rewards must have shape (objectives,) = (2,), got (); {REWARDS}"),
        ([[1.0, 2.0]], f"rewards must have shape (objectives,) = (2,), got (1, 2); {REWARDS}"),
        (["1", "2"], f"rewards must be numbers, got ['1', '2']; {REWARDS}"),
        ([("quality", 1.0)], f"rewards must be numbers, got [('quality', 1.0)]; {REWARDS}"),
    ],
)
def test_rewards_that_are_none(rewards, said):
    agent = agent_of()
    decision = agent.decide([1, 2, 3])
    assert refused(agent.learn, decision.id, rewards) == said
    agent.learn(decision.id, {"quality": 1.0, "cost": None})
    assert agent.waiting == 1


def test_a_decision_is_no_id():
    agent = agent_of()
    decision = agent.decide([1, 2, 3])
    assert refused(agent.learn, decision, [1.0, 2.0]).endswith("; write decision.id")
    assert (
        refused(agent.learn, "small", [1.0, 2.0])
        == "decision_id must be of a decision that was made, got 'small'"
    )


@pytest.mark.parametrize(
    "given",
    [
        np.array(["small", "large"]),
        pl.Series(["small", "large"]),
        ("small", "large"),
        np.array(["small", "large"], object),
    ],
)
def test_names_may_come_in_an_array_or_a_series(given):
    agent = agent_of(arms=given, objectives=pl.Series(["quality", "cost"]))
    assert agent.arms == ("small", "large")
    assert [one.name for one in agent.objectives] == ["quality", "cost"]
    assert agent_of(arms=np.int64(2)).arms == (0, 1)


def test_a_place_where_nothing_can_be_written_is_named(tmp_path):
    agent = agent_of()
    with pytest.raises(
        FileNotFoundError, match=rf"No such file or directory: '{tmp_path}/nowhere/x.agent'"
    ):
        agent.save(tmp_path / "nowhere" / "x.agent")
    with pytest.raises(IsADirectoryError, match=rf"Is a directory: '{tmp_path}'"):
        agent.save(tmp_path)
    assert list(tmp_path.iterdir()) == []
