"""Events become records, and what is none is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from log_strategies import EVENTS, same

from mobandits.errors import LogError
from mobandits.logs.events import Decide, checked


@pytest.mark.long
@given(EVENTS)
def test_a_record_is_as_good_as_it_is(event):
    made = checked(event)
    assert checked(made) is made


@pytest.mark.long
@given(EVENTS)
def test_a_record_has_the_fields_of_its_dictionary(event):
    made = checked(event)
    fields = {name: getattr(made, name) for name in event}
    if fields.get("context") is not None:
        fields["context"] = fields["context"].tolist()
    if "time" in event:
        event["time"] += 0.0  # a store keeps no sign of a zero
    assert same(fields, event)


def test_arrays_and_integers_become_lists_and_floats():
    event = {
        "kind": "decide",
        "id": np.int64(3),
        "time": 1,
        "arm": np.int32(0),
        "context": np.ones((1, 2), np.float32),
    }
    known = checked(event | {"propensity": np.float32(0.5), "eligible": np.array([0, 2])})
    assert known.context.tolist() == [[1.0, 1.0]]
    known.context = None
    assert same(known, Decide(3, 0, 0.5, eligible=[0, 2], time=1.0))


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
        (None, "event must be a dictionary with text for keys, got None"),
        ({}, "event.kind must be one of decide, learn, .*, got None"),
        ({"kind": 3}, "event.kind must be one of .*, got 3"),
        ({"kind": ["decide"]}, r"event.kind: \['decide'\] is unknown"),
        ({"kind": "learnt"}, "event.kind: 'learnt' is unknown; did you mean learn?"),
        ({"kind": np.array([1, 2])}, r"event.kind must be one of .*, got array"),
        ({"kind": "abandon", 3: 1}, "text for keys, got"),
        (decision(**{"f" * 5000: 1}), r"event must not have the field f{50,}.{0,300}$"),
        (decision(note=1), "event must not have the field note, got {'id': 0"),
        ({"kind": "preference", "order": math.nan}, "event.order must be finite, got nan"),
        ({"kind": "preference", "order": {1, 2}}, "event.order must be text"),
        ({"kind": "preference", "order": "\ud800"}, "UTF-8"),
        (decision(id="x"), "event.id must be int, got 'x'"),
        (decision(id=-1), "event.id must be int >= 0, got -1"),
        (decision(id=2**63), "event.id must be int <= 9223372036854775807, got 92233720368547"),
        (decision(id=True), "event.id must be int, got True"),
        (decision(arm=None), "event.arm must be int, got None"),
        (decision(arm=1.0), "event.arm must be int, got 1.0"),
        ({"kind": "decide", "id": 0}, "event must have the field arm"),
        (decision(time=math.inf), "event.time must be finite, got inf"),
        (decision(time="now"), r"event.time must be float \| null, got 'now'"),
        (decision(time=10**400), "event.time must be in range, got 1000"),
        (decision(propensity=0.0), "event.propensity must be float > 0.0, got 0.0"),
        (decision(propensity=1.5), "event.propensity must be float <= 1.0, got 1.5"),
        (decision(propensity=math.nan), "event.propensity must be finite, got nan"),
        (decision(context=[1.0]), "event.context must be a list of rows"),
        (decision(context=[]), "event.context must be a list of rows"),
        (decision(context=np.empty((0, 2))), "at least one row"),
        (decision(context=[[1.0], [1.0, 2.0]]), "event.context must be a list of rows"),
        (decision(context=[["1"]]), "event.context must be a list of rows"),
        (decision(context=[[None]]), "event.context must be a list of rows"),
        (decision(context=[[math.nan]]), "event.context must be finite, got nan"),
        (decision(context=[[10**400]]), "event.context must be"),
        (decision(eligible=3), r"event.eligible must be array \| null, got 3"),
        (decision(eligible=[-1]), r"event.eligible\[0\] must be int >= 0, got \[-1\]"),
        (decision(made_by="them"), "event.made_by must not be 'them', got 'them'"),
        ({"kind": "learn", "id": 0}, "event must have the field rewards"),
        ({"kind": "learn", "id": 0, "rewards": {}}, "event.rewards must be object of length >= 1"),
        (
            {"kind": "learn", "id": 0, "rewards": {"q": None}},
            r"event.rewards\[...\] must be float, got {'q': None}",
        ),
        (
            {"kind": "learn", "id": 0, "rewards": {"q": math.inf}},
            "event.rewards.q must be finite, got inf",
        ),
        ({"kind": "learn", "id": 0, "rewards": {frozenset(): 1.0}}, "must be text"),
        ({"kind": "add"}, "event must have the field arm"),
        ({"kind": "remove", "arm": object()}, "event.arm must be text"),
        ({"kind": "remove", "arm": [1]}, "event.arm must be text"),
        (
            {"kind": "reprice", "arm": [1], "objective": "cost", "factor": 2.0, "next": 0},
            "event.arm must be text",
        ),
    ],
)
def test_what_is_no_event_is_refused_by_name(event, said):
    with pytest.raises(LogError, match=said):
        checked(event)
