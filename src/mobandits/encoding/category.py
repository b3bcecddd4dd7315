"""Categories: a feature for each one that the fit has seen, and one for all others."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.column import SourceColumn, is_missing, refused
from mobandits.encoding.kind import KNOWN, MISSING, UNKNOWN, Kind
from mobandits.encoding.number import require_values
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


@dataclass(frozen=True)
class Category(Kind):
    """One of some values, one-hot: 1 for the value, 0 for all others.

    The last feature, "other", is 1 where a value is missing, or is none of `values`: an unknown
    value is counted, and never refused. Values are compared as text without blanks around it, so
    that 3, 3.0 and "3" are one category, and so are True and "true".

    Args:
        values: the categories; None: those of the fit, sorted.
        most: how many categories of the fit have a feature, the most frequent ones.

    Example:
        >>> kind = Category().fitted(SourceColumn("city", ["Rome", "Paris", "Rome"]))
        >>> kind.names("city")
        ['city=Paris', 'city=Rome', 'city other']
    """

    NAME = "category"

    values: Sequence[str] | None = None
    most: int = 64
    places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        integer("Category.most", self.most, at_least=1)
        values = self.values
        if values is not None:
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise wrong_value("Category.values must be a list of values", values)

            values = tuple(_present_text(value) for value in values)
            if len(set(values)) < len(values):
                raise wrong_value("Category.values must be different", values)

            object.__setattr__(self, "values", values)

        places = {value: place for place, value in enumerate(values or ())}
        object.__setattr__(self, "places", places)

    @property
    def is_fitted(self) -> bool:
        """Whether the categories are known."""
        return self.values is not None

    def fitted(self, column: SourceColumn) -> "Category":
        """With the most frequent values of a column, where none are given."""
        if self.values is not None:
            return self

        texts = [text for text in column.mapped(text_of) if text is not None]
        require_values(len(texts), column)
        counts: Counter[str] = Counter(texts)
        # Of equally frequent ones the first by name, so that the order of rows does not matter.
        by_frequency = sorted(counts, key=lambda text: (-counts[text], text))
        kept = sorted(by_frequency[: self.most])

        return dataclasses.replace(self, values=tuple(kept))

    def names(self, column: str) -> list[str]:
        """A name per category, and that of all others."""
        names = [f"{column}={value}" for value in self.values or ()]
        return [*names, f"{column} other"]

    def write(self, value: Any, out: Array, first: int) -> int:
        """1 in the place of the value."""
        text = text_of(value)
        other = len(self.places)
        if text is None:
            out[first + other] = 1.0
            return MISSING

        place = self.places.get(text, other)
        out[first + place] = 1.0

        return UNKNOWN if place == other else KNOWN

    def write_column(self, column: SourceColumn, out: Array) -> IntArray:
        """As `write`."""
        texts = column.mapped(text_of)
        other = len(self.places)
        find = self.places.get
        # A missing value is no key, so that its place is that of all others too.
        listed = [find(text, other) for text in texts]  # type: ignore[arg-type]
        places = np.array(listed, np.int64)
        rows = np.arange(len(places))
        out[rows, places] = 1.0

        missing = np.array([text is None for text in texts], bool)
        codes = np.where(places == other, UNKNOWN, KNOWN)
        codes[missing] = MISSING

        return codes

    def value_text(self, features: Sequence[float]) -> str | None:
        """The category."""
        place = list(features).index(1.0) if 1.0 in features else len(self.places)
        known = self.values or ()
        return known[place] if place < len(known) else "other"

    @property
    def treatment(self) -> str:
        """Both are "other"."""
        return 'unknown or missing: "other"'


def text_of(value: Any) -> str | None:
    """A value as text that is compared, None where it is missing.

    Raises:
        ValueError: where it is neither text nor a number nor a boolean.

    Example:
        >>> [text_of(value) for value in (" a ", 3, 3.0, True, None)]
        ['a', '3', '3', 'true', None]
    """
    if type(value) is str:  # first, since most are
        return value.strip() or None
    if is_missing(value):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        # Tables of pandas hold whole numbers as floats where some are missing.
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, str):
        return str(value).strip()

    raise refused("text, a number or a boolean", value)


def _present_text(value: Any) -> str:
    text = text_of(value)
    if text is None:
        raise wrong_value("Category.values must not be missing", value)
    return text
