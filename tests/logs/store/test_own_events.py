"""Events that agents make are written without a second look: they pass the door as they are."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mobandits as mob
from mobandits.errors import LogError
from mobandits.logs.events import Learn, checked, record
from mobandits.logs.store import Store
from mobandits.logs.store.rows import checksum, reward_event, statements_of
from mobandits.policies import MolTs, MolUcb

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

    def extend(self, events):
        listed = list(events)
        for event in listed:
            check_same(event)
        super().extend(listed)


def check_same(event):
    """The rows are those of the same event as a dictionary, to the type of each value."""
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    given = {name: value for name, value in fields.items() if is_given(value)}
    nested = {"further", "instead"} & given.keys()
    plain = {name: msgspec.to_builtins(given[name]) for name in nested}
    again = checked({"kind": event.kind, **given, **plain})
    for ours, theirs in zip(statements_of(3, 7, event), statements_of(3, 7, again), strict=True):
        assert told(*ours) == told(*theirs)


def is_given(value):
    return isinstance(value, np.ndarray) or (value is not msgspec.UNSET and value not in (None, ()))


def told(sql, row):
    """What a statement says."""
    return sql, row, [type(value) for value in row]


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


def test_what_older_stores_kept_of_zeros_is_passed_over():
    """Once, a zero with a sign stood beside the columns, which keep none."""
    pairs = [("quality", 0.0)]
    other = '{"rewards":{"quality":-0.0},"time":-0.0}'
    check = checksum(7, 3, None, other, *pairs)
    row = (3, 0, 7, None, other, "quality", 0.0, check)
    assert reward_event([row], "store") == Learn(7, {"quality": 0.0}, time=0.0)


def test_kinds_that_there_are_not_are_named(tmp_path):
    with Store(tmp_path / "agent.db") as store:
        store.describe({"arms": ["small"], "objectives": [{"name": "quality"}]})
        with pytest.raises(LogError, match=r"event.rewards must have an objective"):
            store.append(Learn(0, {}))
    with pytest.raises(LogError, match=r"event.kind must be one of .*, got 'note'"):
        record("note", {"text": "hi"})
