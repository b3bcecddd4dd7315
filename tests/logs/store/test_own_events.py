"""Events that agents make are written without a second look: they are in their canonical form."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mobandits as mob
from mobandits.logs.store import Store
from mobandits.logs.store.rows import INSERT_DECISION, own_statements, statements_of
from mobandits.policies import MolTs, MolUcb

FURTHER = 10  # the place of further fields in a row of a decision
OBJECTIVES = ["quality", mob.Objective("cost", minimise=True)]
REWARDS = st.one_of(
    st.fixed_dictionaries(
        {"quality": st.sampled_from([0.0, -0.0, 1, 0.25, True, np.float64(0.5)])}
    ),
    st.fixed_dictionaries({"cost": st.sampled_from([0.0, -0.0, 2, 1e-300])}),
    st.just([0.5, float("nan")]),
    st.just(np.array([0.25, 1.0])),
)
ARMS = st.sampled_from([None, ["small"], ["large", "small"], ["small", "large", "é"]])
CALLS = st.lists(
    st.one_of(
        st.tuples(
            st.just("decide"), ARMS, st.sampled_from([None, 1, 2]), st.booleans(), st.booleans()
        ),
        st.tuples(st.just("decide_batch"), ARMS, st.booleans()),
        st.tuples(st.just("adopt"), st.sampled_from([None, 1, 0.25]), st.booleans(), REWARDS),
        st.tuples(st.just("learn"), REWARDS),
        st.tuples(st.just("abandon")),
        st.tuples(st.just("add"), st.sampled_from(["huge", "größer"])),
    ),
    max_size=12,
)
RECIPES = [
    (MolUcb(scale=0.3), {}),
    (MolTs(scale=0.3), {"samples": 4}),
    (MolUcb(scale=0.3), {"propensity": "none"}),
]


class LookingStore(Store):
    """A store that looks at every event once more."""

    def extend(self, events, *, are_own=False):
        listed = list(events)
        if are_own:
            for event in listed:
                check_same(event)
        super().extend(listed, are_own=are_own)


def check_same(event):
    """The rows are those of the closer look, to the type of each value."""
    found = own_statements(3, 7, event)
    _, expected = statements_of(3, 7, event)
    for ours, theirs in zip(found, expected, strict=True):
        assert told(*ours) == told(*theirs)


def told(sql, row):
    """What a statement says; further fields of a decision may have any order."""
    values = list(row)
    if sql == INSERT_DECISION:
        values[FURTHER] = json.loads(values[FURTHER] or "{}")
        values.pop()  # the checksum is over their text
    return sql, values, [type(value) for value in values]


def play(agent, calls, per_arm):
    """Play calls; those that are refused are none."""
    shape = (len(agent.arms), 3) if per_arm else (3,)
    made = []
    for number, (kind, *options) in enumerate(calls):
        context = np.random.default_rng(number).normal(size=shape)
        try:
            if kind == "decide":
                eligible, top, is_keyed, active = options
                key = f"k{number}é" if is_keyed else None
                made.append(agent.decide(context, eligible, top=top, key=key, active=active))
            elif kind == "decide_batch":
                eligible, is_keyed = options
                keys = [None, f"b{number}"] if is_keyed else None
                made += agent.decide_batch([context] * 2, eligible, keys=keys)
            elif kind == "adopt":
                propensity, is_keyed, rewards = options
                key = f"a{number}" if is_keyed else None
                agent.adopt(context, "small", propensity=propensity, rewards=rewards, key=key)
            elif kind == "add":
                agent.add_arm(options[0], like="small")
                shape = (len(agent.arms), 3) if per_arm else (3,)
            elif made:
                decision = made.pop()
                if kind == "learn":
                    agent.learn(decision.id, options[0])
                else:
                    agent.abandon(decision.id)
        except ValueError:
            continue


@pytest.mark.long
@pytest.mark.parametrize(("recipe", "options"), RECIPES)
@settings(max_examples=25)
@given(calls=CALLS, per_arm=st.booleans())
def test_events_of_agents_are_canonical(tmp_path_factory, recipe, options, calls, per_arm):
    path = tmp_path_factory.mktemp("store") / "agent.db"
    names = ["small", "large"]
    store = LookingStore(path)
    with mob.Agent(
        recipe, arms=names, features=3, objectives=OBJECTIVES, log=store, **options
    ) as agent:
        play(agent, calls, per_arm)
    # Every checksum is that of what is read.
    with Store(path) as store:
        assert len(list(store.events())) == len(store)


@pytest.mark.long
@given(
    propensity=st.sampled_from([1, 0.5, np.float64(0.5), np.float32(0.5), True, None]),
    at=st.sampled_from([1, 0.0, -0.0, 2.5, np.float64(2.5)]),
)
def test_numbers_of_other_types_are_read_as_they_were_written(tmp_path_factory, propensity, at):
    path = tmp_path_factory.mktemp("store") / "agent.db"
    event = {"kind": "decide", "id": 0, "time": at, "arm": 0, "propensity": propensity}
    with Store(path) as store:
        store.describe({"arms": ["small"], "objectives": [{"name": "quality"}]})
        store.extend([event], are_own=True)
        [found] = store.events()
    assert (found["propensity"], found["time"]) == (propensity, at)
