"""Random names, values and events of logs, and what it means that two of them are the same."""

import math

import msgspec
from hypothesis import strategies as st

from mobandits.logs.events import LARGEST

TEXT = st.text(st.characters(codec="utf-8"))
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
NAMES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)
VALUES = st.recursive(
    NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def same(a, b):
    """Equal, and of equal types all the way down: 1, 1.0 and True are different names here."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, msgspec.Struct):
        return same(msgspec.structs.asdict(a), msgspec.structs.asdict(b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    return a == b and (not isinstance(a, float) or math.copysign(1.0, a) == math.copysign(1.0, b))


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
IDS = st.integers(0, LARGEST)


@st.composite
def contexts(draw):
    rows, features = draw(st.integers(1, 3)), draw(st.integers(0, 3))
    return draw(
        st.lists(
            st.lists(NUMBERS, min_size=features, max_size=features), min_size=rows, max_size=rows
        )
    )


DECISIONS = st.fixed_dictionaries(
    {"kind": st.just("decide"), "id": IDS, "arm": st.integers(0, 9)},
    optional={
        "time": NUMBERS,
        "context": contexts(),
        "eligible": st.none() | st.lists(st.integers(0, 9), max_size=3),
        "propensity": st.none() | st.floats(0.0, 1.0, exclude_min=True),
        "batch": st.booleans(),
        "own": st.booleans(),
        "rank": st.integers(0, 3),
    },
)
# A store keeps no sign of a zero.
REWARDS = st.dictionaries(NAMES, NUMBERS.map(lambda value: value + 0.0), min_size=1, max_size=3)
LESSONS = st.fixed_dictionaries(
    {"kind": st.just("learn"), "id": IDS, "rewards": REWARDS}, optional={"time": NUMBERS}
)
CHANGES = st.fixed_dictionaries(
    {"kind": st.just("add"), "arm": NAMES}, optional={"like": NAMES}
) | st.fixed_dictionaries({"kind": st.just("remove"), "arm": NAMES})
PREFERENCES = st.fixed_dictionaries(
    {"kind": st.just("preference"), "order": VALUES}, optional={"time": NUMBERS, "by": TEXT}
)
EVENTS = DECISIONS | LESSONS | CHANGES | PREFERENCES
