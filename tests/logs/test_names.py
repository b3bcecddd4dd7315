"""Names survive files: whatever they are, they come back the same and of the same type."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from log_strategies import NAMES, VALUES, same

from mobandits.errors import LogError
from mobandits.logs.names import checked_name, compact, decoded, encoded, name_of, name_text


@pytest.mark.long
@given(VALUES)
def test_values_survive_json(value):
    assert same(decoded(json.loads(compact(encoded(value)))), value)


@pytest.mark.long
@given(NAMES)
def test_names_survive_as_text(name):
    assert same(name_of(name_text(name)), name)


@pytest.mark.long
@given(NAMES, NAMES)
def test_different_names_have_different_texts(a, b):
    assert (name_text(a) == name_text(b)) == same(a, b)


@pytest.mark.parametrize(
    "text",
    ["small", "3", "3.0", "-", "null", "NaN", "1e400", '"3"', '{"tuple":[1]}', "[", " 1 ", ""],
)
def test_text_that_looks_like_json_stays_text(text):
    assert name_of(name_text(text)) == text


def test_numpys_numbers_are_numbers():
    assert [name_text(one) for one in (np.int64(3), np.float64(0.5), np.bool_(True), np.str_("a"))] == [
        "3", "0.5", "true", "a",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "arm must be finite, got nan"),
        (("a", math.inf), "must be finite, got inf"),
        (frozenset([1]), r"arm must be text, a number, .* got frozenset\(\{1\}\)"),
        (object, "arm must be text"),
        (["a"], "arm must be text"),
        ({"a": 1}, "arm must be text"),
        ("\ud800", "UTF-8"),
        (b"a", "arm must be text"),
    ],
)
def test_other_names_are_refused(value, said):
    with pytest.raises(LogError, match=said):
        checked_name(value, "arm")


@pytest.mark.parametrize(
    "value", [{"tuple": 1}, {"pairs": [[1]]}, {"pairs": [[[1], 2]]}, {"pairs": 3}, {"pairs": [3]}]
)
def test_malformed_marks_are_refused(value):
    with pytest.raises(LogError):
        decoded(value)


def test_what_cannot_be_written_is_refused():
    with pytest.raises(LogError, match=r"value\[0\] must be text, a number, .* got \{1\}"):
        encoded([{1}])
