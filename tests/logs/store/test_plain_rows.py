"""Rows of ordinary events, made at a glance: those that a look at everything makes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.logs import LogError
from mobandits.logs.store.plain_rows import plain_statements
from mobandits.logs.store.rows import INSERT_DECISION, statements_of

NUMBERS = st.one_of(
    st.floats(),
    st.integers(min_value=-3, max_value=2**65),
    st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1e308, True, None, "1", np.float64(0.5), np.int64(3)]),
)
NAMES = st.one_of(
    st.text(max_size=5), st.integers(), st.sampled_from(["quality", "cost", "3", '"3"', "null"])
)
TABLES = st.one_of(
    st.integers(0, 100).map(lambda seed: np.random.default_rng(seed).normal(size=(2, 3))),
    st.sampled_from(
        [
            np.zeros((1, 0)),
            np.zeros((0, 2)),
            np.zeros(3),
            np.array([[1.0, -0.0, math.nan]]),
            np.array([[1.0, math.inf]]),
            np.array([[1e308, 1e308]]),
            np.array([[1, 2]]),
            np.array([[1.5]], np.float32),
            np.array([[1.5, 2.5]], ">f8"),
            np.arange(12.0).reshape(3, 4)[:, ::2],
            np.asfortranarray(np.arange(12.0).reshape(3, 4)),
            [[1.0, 2.0]],
            None,
        ]
    ),
)
DECISIONS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["decide", "decide", "learn", "note", None]),
        "id": NUMBERS,
        "arm": NUMBERS,
        "propensity": NUMBERS,
    },
    optional={
        "time": NUMBERS,
        "context": TABLES,
        "eligible": st.sampled_from([None, [], [0, 1], [2, True], [-1], [2**64], (0, 1), [1.0]]),
        "key": st.sampled_from(["a", "", "é", None, 3]),
        "request": st.sampled_from(["5f0a", "é", None]),
        "front": st.sampled_from([[1], [], [0.5], None]),
        "active": st.sampled_from([False, True, 0]),
        "batch": st.booleans(),
        "more": st.just(1),
    },
)
LESSONS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["learn", "learn", "decide"]),
        "id": NUMBERS,
        "rewards": st.dictionaries(NAMES, NUMBERS, max_size=3),
    },
    optional={"time": NUMBERS, "more": st.just(1)},
)


def check_same(event):
    """Where a glance is enough, the rows are those of the closer look."""
    found = plain_statements(3, 7, event)
    if found is None:
        return
    _, expected = statements_of(3, 7, event)
    assert found == expected
    for (_, ours), (_, theirs) in zip(found, expected, strict=True):
        assert [type(value) for value in ours] == [type(value) for value in theirs]


@given(event=st.one_of(DECISIONS, LESSONS))
def test_rows_are_those_of_the_closer_look(event):
    check_same(event)


@given(
    number=st.integers(0, 2**63 - 1),
    at=st.floats(min_value=0.0, exclude_min=True, allow_infinity=False),
    propensity=st.one_of(st.none(), st.floats(min_value=0.0, max_value=1.0, exclude_min=True)),
    seed=st.integers(0, 1000),
    further=st.fixed_dictionaries(
        {},
        optional={
            "eligible": st.lists(st.integers(0, 9)),
            "key": st.text("abc-3", min_size=1),
            "request": st.text("0123456789abcdef"),
            "front": st.lists(st.integers(0, 9)),
            "active": st.just(False),
        },
    ),
)
def test_ordinary_decisions_need_no_closer_look(number, at, propensity, seed, further):
    event = {"kind": "decide", "id": number, "time": at, "arm": 2, "propensity": propensity}
    if seed:
        event["context"] = np.random.default_rng(seed).normal(size=(1 + seed % 3, seed % 5))
    event |= further
    [(sql, _)] = plain_statements(3, 7, event)
    assert sql is INSERT_DECISION
    check_same(event)


@given(number=st.integers(0, 2**63 - 1), value=st.floats(min_value=1e-300, max_value=1e300))
def test_ordinary_rewards_need_no_closer_look(number, value):
    rewards = {"quality": value, "cost": -value}
    event = {"kind": "learn", "id": number, "time": 1.5, "rewards": rewards}
    assert len(plain_statements(3, 7, event)) == 2
    check_same(event)


@pytest.mark.parametrize("event", [None, [], "decide", {}, {"kind": "decide"}])
def test_what_is_no_event_is_looked_at_closely(event):
    assert plain_statements(3, 7, event) is None
    with pytest.raises(LogError):
        statements_of(3, 7, event)
