"""Kinds of columns as plain data, and back."""

from collections.abc import Mapping
from typing import Any

from mobandits.encoding.kind import Kind
from mobandits.encoding.short_specs import COLUMN_KINDS
from mobandits.support import serialiser
from mobandits.support.naming import quoted, wrong_value


class KindNames:
    """The names of kinds in files: those of short texts. Nothing else can be read."""

    def name_of(self, cls: type, where: str) -> str:
        """The name of a kind.

        Raises:
            ValueError: where it is one of others.
        """
        name = getattr(cls, "NAME", None)
        if name not in COLUMN_KINDS or COLUMN_KINDS[name] is not cls:
            rule = "must be of a kind of mobandits to be kept in a file"
            raise ValueError(f"{where} {rule}, got {cls.__qualname__}")

        return str(name)

    def class_of(self, name: Any, where: str) -> type:
        """The kind of a name.

        Raises:
            ValueError: where there is none.
        """
        if not isinstance(name, str) or name not in COLUMN_KINDS:
            raise wrong_value(f"{where} must name a kind of columns", name)
        return COLUMN_KINDS[name]


KIND_NAMES = KindNames()


def described_columns(columns: Mapping[str, Kind]) -> list[Any]:
    """[[column, description of its kind], ...]: a list, since the order of columns matters."""
    pairs = []
    for name, kind in columns.items():
        description = serialiser.to_description(kind, f"column {quoted(name)}", KIND_NAMES)
        pairs.append([name, description])

    return pairs


def made_columns(pairs: Any) -> dict[str, Kind]:
    """{column: kind} of what `described_columns` gave.

    Raises:
        ValueError: where it is malformed.
    """
    if not isinstance(pairs, list):
        raise wrong_value("columns must be a list", pairs)

    columns: dict[str, Kind] = {}
    for pair in pairs:
        is_pair = isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)
        if not is_pair or pair[0] in columns:
            raise wrong_value("columns must be different names with a kind", pair)

        name = pair[0]
        columns[name] = serialiser.from_description(pair[1], f"column {quoted(name)}", KIND_NAMES)

    return columns
