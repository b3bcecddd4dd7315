"""Errors quote what they were given on one line of bounded length, whatever it is; and every error does."""

import ast
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_trees import client_files, module_files, nodes, source

import mobandits as mob
from mobandits.agent import Objective
from mobandits.logs import Feedback, Store
from mobandits.logs.events import checked
from mobandits.logs.names import checked_name, encoded
from mobandits.orders.by_number import by_number
from mobandits.policies import MolTs, MolUcb, Pcz, RandomChoice, ScalarizedUcb1
from mobandits.spec import build, recipe_named
from mobandits.support.checks import as_float_array, choice, integer, matrix, number
from mobandits.support.naming import QUOTED, quoted, shortened

LONGEST = 1000  # characters of a message: two or three values, and what is said of them


class Rude:
    """What cannot be printed."""

    def __repr__(self):
        raise RuntimeError("not me")


class Verbose:
    """What prints much, on many lines."""

    def __repr__(self):
        return "line\n    and another\n" * 10_000


LONG = [
    "x" * 22_000,
    b"x" * 22_000,
    list(range(100_000)),
    tuple(range(100_000)),
    {i: i for i in range(100_000)},
    {"key" * 10_000: "value" * 10_000},
    [["nested" * 5_000] * 100],
    np.full((30, 30), 0.123456789),
    np.arange(900).astype(object),
    10**400,
    10**5000,
    -(10**5000),
    Verbose(),
    Rude(),
    [Rude()],
]


@pytest.mark.parametrize("value", LONG, ids=lambda value: type(value).__name__)
def test_long_values_are_quoted_on_one_short_line(value):
    text = quoted(value)
    assert len(text) <= QUOTED
    assert "\n" not in text


@given(
    st.one_of(
        st.text(max_size=150),
        st.integers(-(10**30), 10**30),
        st.floats(),
        st.lists(st.text(max_size=5)),
    )
)
def test_short_values_are_quoted_whole(value):
    if len(repr(value)) <= QUOTED:
        assert quoted(value) == repr(value)


@given(st.text(alphabet="ab \n", max_size=700))
def test_shortened_keeps_the_beginning(text):
    line = shortened(text)
    whole = re.sub(r"\s*\n\s*", " ", text)
    assert len(line) <= QUOTED
    assert line == whole or (len(whole) > QUOTED and line == whole[: QUOTED - 3] + "...")


def test_integers_that_cannot_be_printed_say_how_long_they_are():
    assert quoted(10**5000) == "an integer of 5001 digits"
    assert quoted(10**400).startswith("1000")


def values_in_errors(path):
    """What f-strings of errors and warnings interpolate by `!r`: line and text."""
    for node in nodes(path):
        name = (
            getattr(node.func, "attr", getattr(node.func, "id", ""))
            if isinstance(node, ast.Call)
            else ""
        )
        if isinstance(node, ast.Raise) or name == "warn" or name.endswith("Error"):
            for part in ast.walk(node):
                if isinstance(part, ast.FormattedValue) and part.conversion == ord("r"):
                    place = f"{path.name}:{part.lineno}"
                    yield place, ast.get_source_segment(source(path), part.value)


def test_errors_quote_by_the_one_function():
    bounded = {"metric"}  # figures import no kernel: it cuts by a format
    # `__init__.py` names attributes that modules do not have.
    paths = [path for path in [*module_files(), *client_files()] if path.name != "__init__.py"]
    unbounded = [
        (place, text)
        for path in paths
        for place, text in values_in_errors(path)
        if text not in bounded
    ]
    assert unbounded == []


def agent_of(**other):
    options = {"arms": ["a", "b"], "features": 2, "objectives": ["x", "y"], "propensity": "none"}
    return mob.Agent(**{"recipe": RandomChoice(), **options, **other})


def decided(**other):
    agent = agent_of(**other)
    agent.decide([0.0, 1.0])
    return agent


FACES = {
    "number": lambda value: number("n", value),
    "integer": lambda value: integer(
        "n", -abs(value) if isinstance(value, int) else value, at_least=1
    ),
    "choice": lambda value: choice("n", value, ["a"]),
    "doubles": lambda value: as_float_array("n", [value, "text"]),
    "matrix": lambda value: matrix("n", [[value], ["text"]], ("a", "b")),
    "recipe": lambda value: agent_of(recipe=value),
    "arms": lambda value: agent_of(arms=[value, value]),
    "features": lambda value: agent_of(features=value),
    "objectives": lambda value: agent_of(objectives=[value, value]),
    "seed": lambda value: agent_of(seed=-1 if isinstance(value, int) else value),
    "rounds": lambda value: agent_of(rounds=value),
    "propensity": lambda value: agent_of(propensity=value),
    "clock": lambda value: agent_of(clock=value),
    "time": lambda value: decided(clock=lambda: value, max_age=1.0),
    "log": lambda value: agent_of(log=[value]),
    "context": lambda value: agent_of().decide([value, "text"]),
    "named context": lambda value: agent_of().decide({"a": [value, "text"]}),
    "eligible": lambda value: agent_of().decide([0.0, 1.0], [value, value]),
    "eligible as text": lambda value: agent_of().decide([0.0, 1.0], "x" * 22_000),
    "decision_id": lambda value: decided().learn(value, [1.0, 2.0]),
    "rewards": lambda value: decided().learn(0, [value, "text"]),
    "named rewards": lambda value: decided().learn(0, {"z": value, str(type(value)): 1.0}),
    "add_arm": lambda value: agent_of().add_arm([value]),
    "like": lambda value: agent_of().add_arm("c", like=[value]),
    "remove_arm": lambda value: agent_of().remove_arm([value]),
    "preference": lambda value: setattr(agent_of(), "preference", value),
    "explain": lambda value: decided().explain(value),
    "merge": lambda value: agent_of().merge(value),
    "unit": lambda value: Objective("x", unit=[value]),
    "low": lambda value: Objective("x", low=[value]),
    "event": lambda value: checked(value if not isinstance(value, dict) else [value]),
    "event's rewards": lambda value: checked({"kind": "learn", "id": 0, "rewards": [value]}),
    "event's context": lambda value: checked(
        {"kind": "decide", "id": 0, "arm": 0, "context": [[value], "x"]}
    ),
    "event's field": lambda value: checked({"kind": "preference", "order": {"k": [value, {1, 2}]}}),
    "encoded": lambda value: encoded(
        {"k": {(1, "key" * 1000): [{1: {value if callable(value) else object()}}]}}
    ),
    "checked_name": lambda value: checked_name([value], "arm"),
    "weights": lambda value: ScalarizedUcb1(weights=[[value], [-1.0]]),
    "order": lambda value: MolUcb(order=value).bind(
        mob.environments.Linear(arms=3, features=2, objectives=2)
    ),
    "scale": lambda value: MolTs(scale=[value]),
    "similarity": lambda value: Pcz(similarity=value),
    "levels": lambda value: by_number(mob.orders.Levels([[value], ["text"]]), ["x"]),
    "Weighted": lambda value: mob.orders.Weighted([-1.0] * 50_000),
    "front": lambda value: mob.front([[value, "text"]]),
    "spec": lambda value: build("orders", [value], "order"),
    "--policy": lambda value: recipe_named(
        f"mol-ts:{value if isinstance(value, str) else 'x' * 22_000}"
    ),
    "Feedback": lambda value: Feedback(
        [[1.0]] * 900, [5] * 900, [[1.0]] * 900, [0.5] * 900, ["a"], ["x"]
    ),
    "propensities": lambda value: Feedback(
        [[1.0]] * 900, [0] * 900, [[1.0]] * 900, [-0.5] * 900, ["a"], ["x"]
    ),
    "simulate": lambda value: mob.simulate(
        [value], mob.environments.Linear(arms=3, features=2, objectives=2)
    ),
    "environment": lambda value: mob.simulate([MolUcb()], value, rounds=3),
}


@pytest.mark.parametrize("face", FACES)
def test_errors_are_short_whatever_they_are_given(face):
    for value in LONG:
        if callable(value):
            continue
        with pytest.raises((ValueError, TypeError, AttributeError)) as caught:
            FACES[face](value)
        message = str(caught.value)
        assert len(message) <= LONGEST, (face, type(value), message[:300])


def test_a_store_that_describes_something_else_is_short(tmp_path):
    with Store(tmp_path / "log") as store:
        store.describe({"arms": ["a"], "note": "x" * 22_000})
        with pytest.raises(ValueError, match="has an agent with note") as caught:
            store.describe({"arms": ["a"], "note": "y" * 22_000})
        assert len(str(caught.value)) <= LONGEST + len(str(tmp_path))
