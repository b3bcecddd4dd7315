"""Objects as plain data: what comes back, and what is refused."""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from mobandits.support.serialiser import alternatives, from_description, to_description


@dataclass(frozen=True)
class Pair:
    """Two values, the first of them a number."""

    first: float
    second: Any = None


class Names:
    """`Pair` has a name; nothing else."""

    classes = (Pair,)

    def name_of(self, cls, where):
        """The class's own name."""
        if cls not in self.classes:
            raise ValueError(f"{where} has no name")
        return cls.__name__

    def class_of(self, name, where):
        """The class of that name."""
        for cls in self.classes:
            if cls.__name__ == name:
                return cls
        raise ValueError(f"{where} names nothing")


def crossed(value):
    text = json.dumps(to_description(value, "value", Names()))
    return from_description(json.loads(text), "value", Names())


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 0.1, "text", (1, [2.5, ("x",)]), Pair(1.0, Pair(2.0, (True, None)))],
    ids=repr,
)
def test_values_and_objects_come_back(value):
    again = crossed(value)
    assert again == value
    assert type(again) is type(value)


def test_files_get_numbers_of_arrays_without_padding():
    rows = np.array([[0, 1, 2], [3, -1, -1]])
    assert crossed(Pair(1.0, rows)).second == [[0, 1, 2], [3]]


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (Pair(math.nan), "recipe.first must be of a kind that files keep: .* must be finite"),
        (Pair("small"), "recipe.first must be of type .*float.*, got 'small'"),
        (Pair(1.0, object()), "recipe.second must be of a kind that files keep"),
        (Pair(1.0, Exception), "recipe.second must be of a kind that files keep"),
    ],
)
def test_files_are_not_written_with_what_they_cannot_keep(value, rule):
    with pytest.raises(ValueError, match=rule):
        to_description(value, "recipe", Names())


@pytest.mark.parametrize(
    ("description", "rule"),
    [
        (3, "recipe must be a description, got 3"),
        ({"class": "Pair"}, "recipe must be a description"),
        ({"class": "Popen", "with": {}}, "recipe names nothing"),
        ({"class": "Pair", "with": {"first": {"value": "x"}}}, "recipe.first must be of type"),
        ({"class": "Pair", "with": {}}, "recipe does not fit Pair"),
        ({"class": "Pair", "with": {"third": {"value": 1}}}, "recipe does not fit Pair"),
        ({"tuple": 3}, "recipe must hold a list, got 3"),
        ({"array": [["x"]]}, "recipe must hold numbers, got 'x'"),
        ({"value": math.nan}, "recipe must be finite"),
    ],
)
def test_files_of_others_make_nothing_else(description, rule):
    with pytest.raises(ValueError, match=rule):
        from_description(description, "recipe", Names())


def test_unions_of_unions_are_joined():
    assert list(alternatives(int | (float | None))) == [int, float, type(None)]
