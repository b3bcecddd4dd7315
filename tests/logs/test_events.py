"""Events have one form, whatever way they are given."""

import math

import numpy as np
import pytest
from hypothesis import given
from log_strategies import EVENTS, same

from mobandits.errors import LogError
from mobandits.logs.events import checked


@pytest.mark.long
@given(EVENTS)
def test_the_canonical_form_is_stable(event):
    assert same(checked(checked(event)), checked(event))


def test_arrays_and_integers_become_lists_and_floats():
    event = {
        "kind": "decide",
        "id": np.int64(3),
        "time": 1,
        "arm": np.int32(0),
        "context": np.ones((1, 2), np.float32),
    }
    known = checked(event | {"propensity": np.float32(0.5), "eligible": np.array([0, 2])})
    assert same(
        known,
        {
            "kind": "decide",
            "id": 3,
            "time": 1.0,
            "context": [[1.0, 1.0]],
            "eligible": [0, 2],
            "arm": 0,
            "propensity": 0.5,
        },
    )


def decision(**changed):
    return {
        "kind": "decide",
        "id": 0,
        "time": 0.0,
        "context": [[1.0]],
        "arm": 0,
        "propensity": 0.5,
    } | changed


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (None, "event must be a dictionary, got None"),
        ({}, "event.kind must be text, got None"),
        ({"kind": 3}, "event.kind must be text, got 3"),
        ({"kind": "x", 3: 1}, "text for keys, got 3"),
        ({"kind": "x", "y": math.nan}, "event.y must be finite, got nan"),
        ({"kind": "x", "y": {1, 2}}, "event.y must be text"),
        ({"kind": "x", "\ud800": 1}, "UTF-8"),
        (decision(id="x"), "event.id must be an integer from 0 to 9223372036854775807, got 'x'"),
        (decision(id=-1), "event.id must be an integer"),
        (decision(id=2**63), "event.id must be an integer"),
        (decision(id=True), "event.id must be an integer"),
        (decision(arm=None), "event.arm must be an integer"),
        (decision(arm=1.0), "event.arm must be an integer"),
        (decision(time=math.inf), "event.time must be a finite number, got inf"),
        (decision(time="now"), "event.time must be a finite number"),
        (decision(time=10**400), "event.time must be a finite number"),
        (decision(propensity=0.0), r"event.propensity must be in \(0, 1\]"),
        (decision(propensity=1.5), r"event.propensity must be in \(0, 1\]"),
        (decision(propensity=math.nan), "event.propensity must be a finite number"),
        (decision(context=[1.0]), "event.context must be a list of rows"),
        (decision(context=[]), "event.context must be a list of rows"),
        (decision(context=np.empty((0, 2))), "at least one row"),
        (decision(context=[[1.0], [1.0, 2.0]]), "event.context must be a list of rows"),
        (decision(context=[["1"]]), "event.context must be a list of rows"),
        (decision(context=[[None]]), "event.context must be a list of rows"),
        (decision(context=[[math.nan]]), "event.context must be finite, got nan"),
        (decision(context=[[10**400]]), "event.context must be"),
        (decision(eligible=3), "event.eligible must be a list of positions"),
        (decision(eligible=[-1]), "event.eligible must be an integer"),
        ({"kind": "learn", "id": 0}, "event.rewards must be {objective: number}, got None"),
        (
            {"kind": "learn", "id": 0, "rewards": {"q": None}},
            "event.rewards must be a finite number, got None",
        ),
        (
            {"kind": "learn", "id": 0, "rewards": {"q": math.inf}},
            "event.rewards must be a finite number, got inf",
        ),
        ({"kind": "learn", "id": 0, "rewards": {frozenset(): 1.0}}, "objective must be text"),
        ({"kind": "add"}, "event.arm must be the name of an arm"),
        ({"kind": "remove", "arm": object()}, "event.arm must be text"),
    ],
)
def test_what_is_no_event_is_refused_by_name(event, said):
    with pytest.raises(LogError, match=said):
        checked(event)
