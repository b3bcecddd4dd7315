"""Contexts of named columns: what a specification says of them, and what calls may send."""

from pathlib import Path
from typing import Any

import msgspec

from mobandits.encoding import Encoder, Kind
from mobandits.encoding.short_specs import COLUMN_KINDS, kind_of_text, kinds_of_text
from mobandits.support.checks import choice
from mobandits.support.naming import quoted, shortened
from mobandits_service.problems import Problem

MOST_LISTED = 10  # columns in a message


class ContextSpecification(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The named columns of an agent's contexts; see `mobandits.encoding.Encoder`.

    Attributes:
        columns: "tokens,city:category", or {column: kind}, where a kind is a word such as "text:32"
            or a table of its word as `kind` and its parameters.
        intercept: whether the first feature is 1.
        fit: in a file of agents, a .csv or dsjson file beside it that columns are fitted to.
        rows: rows that columns are fitted to, in place of it.
        fitted: the encoder as plain data, in place of fitting one.
    """

    columns: str | dict[str, str | dict[str, Any]]
    intercept: bool = True
    fit: str | None = None
    rows: list[dict[str, Any]] | None = None
    fitted: dict[str, Any] | None = None

    def encoder(self) -> Encoder:
        """The encoder of the contexts.

        Raises:
            ValueError: where a column or its kind does not fit, or is still to be fitted.
        """
        kinds = self.kinds()
        if self.fitted is not None:
            encoder = Encoder.from_data(self.fitted)
            if list(encoder.columns) != list(kinds):
                raise ValueError("context.fitted must be of the columns that context.columns names")
            return encoder
        if self.fit is not None:
            raise ValueError(
                f"context.fit must be left to a file of agents, got {quoted(self.fit)}; send "
                "context.rows"
            )
        if self.rows is not None:
            return Encoder.fit(self.rows, kinds, intercept=self.intercept)

        encoder = Encoder(kinds, intercept=self.intercept)
        for name, kind in encoder.columns.items():
            if not kind.is_fitted:
                raise ValueError(
                    f"context.fit or context.rows must be given for column {quoted(name)}, which "
                    "takes something from data, got neither"
                )

        return encoder

    def kinds(self) -> dict[str, Kind]:
        """{column: kind}, as far as it is said.

        Raises:
            ValueError: where a kind is not known, or does not take such parameters.
        """
        if isinstance(self.columns, str):
            return kinds_of_text(self.columns)

        return {name: _kind(name, entry) for name, entry in self.columns.items()}

    def fitted_beside(self, folder: Path) -> "ContextSpecification":
        """The same with the encoder as plain data, where a file in a folder is to be fitted to.

        Raises:
            ValueError: where there is no such file, or it lacks a column.
        """
        if self.fit is None:
            return self

        encoder = Encoder.fit(folder / self.fit, self.kinds(), intercept=self.intercept)
        return msgspec.structs.replace(self, fit=None, fitted=encoder.data)


def check_columns(encoder: Encoder | None, context: Any) -> None:
    """Refuse numbers where contexts have columns: nobody could tell whether two were flipped.

    Args:
        encoder: of the agent; None: its contexts are numbers.
        context: as a client sent it.

    Raises:
        Problem: naming the columns.
    """
    if encoder is None or isinstance(context, dict):
        return
    is_list = isinstance(context, list) and len(context) > 0
    if is_list and all(isinstance(row, dict) for row in context):
        return

    columns = list(encoder.columns)
    listed = ", ".join(columns[:MOST_LISTED])
    shown = shortened(quoted(context))
    raise Problem(422, f"context must be {{column: value}} with the columns {listed}, got {shown}")


def _kind(name: str, entry: str | dict[str, Any]) -> Kind:
    """The kind of a column from its word, or from a table."""
    if isinstance(entry, str):
        return kind_of_text(entry, name)

    where = f"context.columns.{name}"
    parameters = dict(entry)
    word = parameters.pop("kind", None)
    choice(f"{where}.kind", word, COLUMN_KINDS)
    try:
        kind: Kind = COLUMN_KINDS[word](**parameters)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error

    return kind
