"""Named columns of any table as numbers, by what was fitted once and is kept with the agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.encoding.descriptions import described_columns, made_columns
from mobandits.encoding.inference import inferred
from mobandits.encoding.kind import MISSING, UNKNOWN, Kind
from mobandits.encoding.short_specs import kind_of_text, kinds_of_text
from mobandits.encoding.tables import columns_of, require_columns, row_from_table
from mobandits.support.checks import flag
from mobandits.support.naming import quantity, quoted, shortened, wrong_value
from mobandits.support.text_tables import aligned

INTERCEPT = "intercept"
UNSEEN_WORDS = {UNKNOWN: "unknown", MISSING: "missing"}
TABLE_HEADER = ("column", "kind", "features", "from", "to", "what the fit has not seen")

# {(column, "unknown" or "missing"): how many values}
Unseen = dict[tuple[str, str], int]


class Encoded(NamedTuple):
    """Numbers, and how many values there were that the fit has not seen.

    Attributes:
        numbers: (features,) of a row, (rows, features) of a table.
        unseen: {(column, "unknown" or "missing"): count}; what is not there is 0.
    """

    numbers: Array
    unseen: Unseen


class ColumnLayout(NamedTuple):
    """Where the features of columns are.

    Attributes:
        names: of all features.
        steps: (column, kind, first feature, one after the last) of every column.
        template: (features,) 1 for the intercept, else 0.
    """

    names: tuple[str, ...]
    steps: tuple[tuple[str, Kind, int, int], ...]
    template: Array


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Encoder:
    """Turns the named columns of a row or a table into d numbers.

    The features of a column stand together, columns in the order in which they were declared. The
    first feature is the intercept, 1 in every row, unless it is turned off: regressions have no
    other. `print(encoder)` shows all of it. Every kind of column says what it makes of unknown and
    of missing values; columns that lack, or that it does not know, are refused by name.

    An encoder is frozen: what depends on data was fitted once (`fit`, `fitted`), so that a row is
    the same numbers for ever. An agent that is made with it, `Agent(recipe, features=encoder)`,
    takes rows and tables where it takes numbers, and keeps it in its files and its log.

    Args:
        columns: {column: kind}; a kind is an object such as `Number()`, or its short text, such as
            "text:32". Or all in one text, such as "age,city:category,prompt:text".
        intercept: whether the first feature is 1.

    Raises:
        ValueError: naming the column and what was expected.

    Example:
        >>> rows = [{"age": 20, "city": "Rome"}, {"age": 40, "city": "Paris"}]
        >>> encoder = Encoder.fit(rows, "age,city:category")
        >>> encoder.names
        ('intercept', 'age', 'city=Paris', 'city=Rome', 'city other')
        >>> encoder.encode({"age": 40, "city": "Oslo"}).tolist()
        [1.0, 1.0, 0.0, 0.0, 1.0]
        >>> encoder.encode_table(rows).shape
        (2, 5)
    """

    columns: Mapping[str, Kind]
    intercept: bool

    def __init__(self, columns: Mapping[str, Kind | str] | str, *, intercept: bool = True) -> None:
        kinds = _declared(columns)
        if not kinds:
            raise ValueError("Encoder.columns must have at least one column, got none")

        flag("Encoder.intercept", intercept)

        object.__setattr__(self, "columns", MappingProxyType(kinds))
        object.__setattr__(self, "intercept", intercept)
        if self.is_fitted:
            self._check_names()

    @classmethod
    def fit(cls, table: Any, columns: Any = None, *, intercept: bool = True) -> "Encoder":
        """The encoder of a table: kinds are declared or inferred, the rest is taken from the data.

        Kinds are inferred from the values that are not missing: numbers, booleans, dates, at most
        64 categories that repeat, texts of four words and more; else they are hashed.

        Args:
            table: of Polars or pandas; a list of dictionaries; {column: values}; or the path of a
                .csv or dsjson file, whose features are "Namespace.feature".
            columns: which, as for `Encoder`; or a list of names, whose kinds are inferred; None:
                all. Others are passed over.
            intercept: as for `Encoder`.

        Raises:
            ValueError: naming column, row (1 is the first) and what was expected.

        Example:
            >>> Encoder.fit({"age": [20, 40], "city": ["Rome", "Paris"]}).columns["age"].mean
            30.0
        """
        kinds = _kinds_or_names(columns)
        names = None if kinds is None else list(kinds)
        fitted: dict[str, Kind] = {}
        for name, column in columns_of(table, names).items():
            kind = None if kinds is None else kinds[name]
            if kind is None:
                kind = inferred(column)
            fitted[name] = kind.fitted(column)

        return cls(fitted, intercept=intercept)

    def fitted(self, table: Any) -> "Encoder":
        """The same columns, with what depends on data taken from a table; see `fit`.

        Example:
            >>> Encoder("age,visits:raw").fitted({"age": [20, 40], "visits": [1, 2]}).is_fitted
            True
        """
        return Encoder.fit(table, self.columns, intercept=self.intercept)

    @property
    def is_fitted(self) -> bool:
        """Whether it can encode."""
        return all(kind.is_fitted for kind in self.columns.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.layout.names

    def __len__(self) -> int:
        """The number of features d."""
        return len(self.layout.names)

    def __eq__(self, other: object) -> bool:
        """Of equal columns in the same order, with the same fit."""
        if not isinstance(other, Encoder):
            return False

        same_columns = list(self.columns.items()) == list(other.columns.items())
        return same_columns and self.intercept == other.intercept

    def __hash__(self) -> int:
        return hash((tuple(self.columns), self.intercept))

    def __reduce__(self) -> Any:
        # Copies, and other processes, make it of its plain data.
        return Encoder.from_data, (self.data,)

    @cached_property
    def layout(self) -> ColumnLayout:
        """Where the features of columns are.

        Raises:
            ValueError: where something is still to be fitted.
        """
        names = [INTERCEPT] if self.intercept else []
        steps = []
        for column, kind in self.columns.items():
            if not kind.is_fitted:
                advice = "Encoder.fit(table, columns), or encoder.fitted(table)"
                raise ValueError(
                    f"Encoder must be fitted, and column {quoted(column)} is not; write {advice}"
                )

            first = len(names)
            names += kind.names(column)
            steps.append((column, kind, first, len(names)))

        template = np.zeros(len(names))
        if self.intercept:
            template[0] = 1.0

        return ColumnLayout(tuple(names), tuple(steps), template)

    def encode(self, row: Any) -> Array:
        """(d,) the numbers of a row.

        Args:
            row: {column: value}, a row of pandas, or a table with one row.

        Raises:
            ValueError: naming the column and what was expected.
        """
        return self.encoded(row).numbers

    def encode_table(self, table: Any) -> Array:
        """(rows, d) the numbers of a table, each row the same bits as `encode` gives.

        Args:
            table: as for `fit`; it has the encoder's columns, in any order. Others are passed
                over, as `fit` does.

        Raises:
            ValueError: naming column, row (1 is the first) and what was expected.
        """
        return self.encoded_table(table).numbers

    def encoded(self, row: Any) -> Encoded:
        """As `encode`, with what the fit has not seen."""
        layout = self.layout
        named = row if type(row) is dict else row_from_table(row)
        if len(named) != len(layout.steps):
            require_columns("row", named, list(self.columns))

        numbers = layout.template.copy()
        unseen: Unseen = {}
        for column, kind, first, _ in layout.steps:
            try:
                code = kind.write(named[column], numbers, first)
            except KeyError:
                require_columns("row", named, list(self.columns))
                raise
            except ValueError as error:
                raise ValueError(shortened(f"column {quoted(column)}: {error}")) from None
            if code:
                unseen[column, UNSEEN_WORDS[code]] = 1

        return Encoded(numbers, unseen)

    def encoded_table(self, table: Any, *, first_row: int = 1) -> Encoded:
        """As `encode_table`, with what the fit has not seen.

        Args:
            table: as there.
            first_row: the number of the first row in messages.
        """
        layout = self.layout
        names = list(self.columns)
        columns = columns_of(table, names, first_row=first_row)
        rows = columns[names[0]].count
        numbers = np.zeros((rows, len(layout.names)))
        if self.intercept:
            numbers[:, 0] = 1.0

        unseen: Unseen = {}
        for name, kind, first, last in layout.steps:
            codes = kind.write_column(columns[name], numbers[:, first:last])
            counts = np.bincount(codes, minlength=MISSING + 1).tolist()
            for code, word in UNSEEN_WORDS.items():
                if counts[code]:
                    unseen[name, word] = counts[code]

        return Encoded(numbers, unseen)

    def describe(self, numbers: Any) -> dict[str, str | None]:
        """{column: value in words} of the numbers of a row, up to rounding.

        None where the numbers do not tell, as those of text.

        Example:
            >>> encoder = Encoder.fit({"age": [20, 40], "city": ["Rome", "Paris"]}, "age,city:category")
            >>> encoder.describe(encoder.encode({"age": 33, "city": None}))
            {'age': '33', 'city': 'other'}
        """
        values = np.asarray(numbers).tolist()
        texts = {}
        for column, kind, first, last in self.layout.steps:
            texts[column] = kind.value_text(values[first:last])

        return texts

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of it as plain data, which JSON can hold; see `from_data`. Leave it unchanged."""
        return {"intercept": self.intercept, "columns": described_columns(self.columns)}

    @classmethod
    def from_data(cls, data: Any) -> "Encoder":
        """The encoder whose `data` this is. Reading makes kinds of columns, and nothing else.

        Raises:
            ValueError: where it is malformed.

        Example:
            >>> encoder = Encoder.fit({"age": [20, 40]})
            >>> Encoder.from_data(encoder.data) == encoder
            True
        """
        has_keys = isinstance(data, dict) and set(data) == {"intercept", "columns"}
        if not has_keys:
            raise wrong_value("encoder must have intercept and columns", data)

        return cls(made_columns(data["columns"]), intercept=data["intercept"])

    def __repr__(self) -> str:
        """One line: the columns, and how many features there are."""
        columns = ", ".join(f"{name}:{kind.NAME}" for name, kind in self.columns.items())
        size = "not fitted"
        if self.is_fitted:
            size = quantity(len(self), "feature")

        intercept = "with an intercept" if self.intercept else "without an intercept"
        return f"Encoder({shortened(columns)}; {size}, {intercept})"

    def __str__(self) -> str:
        """`repr`, and a line per column with its features."""
        if not self.is_fitted:
            return repr(self)

        lines = [TABLE_HEADER]
        if self.intercept:
            lines.append((INTERCEPT, "1", "1", INTERCEPT, "", ""))
        for column, kind, first, last in self.layout.steps:
            names = self.names[first:last]
            size = str(last - first)
            to = names[-1] if len(names) > 1 else ""
            lines.append((column, kind.NAME, size, names[0], to, kind.treatment))

        return "\n".join([repr(self), *aligned(lines)])

    def _check_names(self) -> None:
        names = self.names
        if len(set(names)) < len(names):
            double = next(name for name in names if names.count(name) > 1)
            rule = "Encoder.columns must lead to features of different names"
            raise ValueError(f"{rule}, got {quoted(double)} twice")


def _declared(columns: Any) -> dict[str, Kind]:
    """{column: kind} of what was declared, in any of its forms."""
    if isinstance(columns, str):
        return kinds_of_text(columns)
    if not isinstance(columns, Mapping):
        raise wrong_value(
            "Encoder.columns must be {column: kind}, or such as 'age,city:category'", columns
        )

    kinds: dict[str, Kind] = {}
    for name, kind in columns.items():
        if not isinstance(name, str) or not name:
            raise wrong_value("Encoder.columns must have names that are text", name)
        if isinstance(kind, str):
            kind = kind_of_text(kind, name)  # noqa: PLW2901 - the same in its other form
        if not isinstance(kind, Kind):
            example = "an object such as Number(), or a word such as 'number'"
            raise wrong_value(f"column {quoted(name)}: expected {example}", kind)

        kinds[name] = kind

    return kinds


def _kinds_or_names(columns: Any) -> dict[str, Kind | None] | None:
    """As `_declared`; of a list of names None each, which is to be inferred."""
    if columns is None:
        return None
    is_list = isinstance(columns, Sequence) and not isinstance(columns, str)
    if is_list and all(isinstance(name, str) for name in columns):
        return dict.fromkeys(columns)

    return dict(_declared(columns))
