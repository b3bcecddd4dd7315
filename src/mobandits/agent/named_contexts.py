"""Contexts of named columns: rows and tables of an application as numbers, by the agent's encoder."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.encoding.encoder import Encoded, Encoder


class NamedContexts:
    """An agent's encoder, and how many values of its decisions the fit has not seen.

    What is numbers already is left alone: a log holds numbers, and is replayed.

    Args:
        encoder: fitted.

    Attributes:
        encoder: the same.
        unseen: {(column, "unknown" or "missing"): count} of the decisions that were made.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.unseen: Counter[tuple[str, str]] = Counter()
        # Of the call that goes on: what a call that fails has met is not counted.
        self._met: Counter[tuple[str, str]] = Counter()

    def count(self) -> None:
        """The call is done: what it has met counts."""
        self.unseen.update(self._met)
        self._met.clear()

    def forget(self) -> None:
        """The call came to nothing."""
        self._met.clear()

    def one(self, context: Any) -> Any:
        """A context as numbers, (features,) or (arms, features), or {arm: numbers}.

        Args:
            context: a row for all arms, see `Encoder.encode`; {arm: row}, or a list or a table with
                a row per arm; or numbers.

        Raises:
            ValueError: naming the column and what was expected.
        """
        if _is_numbers(context):
            return context

        self.forget()
        if _is_table(context):
            rows = self._take(self.encoder.encoded_table(context))
            # Of a table with one row nobody would expect a row per arm; of a list one would.
            is_row = len(rows) == 1 and not isinstance(context, list | tuple)
            return rows[0] if is_row else rows
        if isinstance(context, Mapping) and context and all(map(_is_row, context.values())):
            return {arm: self._row(row) for arm, row in context.items()}

        return self._take(self.encoder.encoded(context))

    def many(self, contexts: Any) -> Any:
        """Contexts as numbers, (n, features) or (n, arms, features).

        Args:
            contexts: a table with a row for each, see `Encoder.encode_table`; a list of tables with
                a row per arm; or numbers.

        Raises:
            ValueError: naming column, row and what was expected.
        """
        is_table = isinstance(contexts, Mapping) or _is_table(contexts)
        is_list = isinstance(contexts, list | tuple) and len(contexts) > 0
        is_list_of_tables = is_list and all(map(_is_table, contexts))
        if not is_table and not is_list_of_tables:
            return contexts

        self.forget()
        if is_table:
            return self._take(self.encoder.encoded_table(contexts))

        encoded = [self.encoder.encoded_table(each) for each in contexts]
        return np.array([self._take(each) for each in encoded])

    def _row(self, row: Any) -> Array:
        if isinstance(row, np.ndarray):
            return row
        return self._take(self.encoder.encoded(row))

    def _take(self, encoded: Encoded) -> Array:
        self._met.update(encoded.unseen)
        return encoded.numbers


def _is_numbers(context: Any) -> bool:
    """Whether a context is no row and no table, nor {arm: row}."""
    if isinstance(context, Mapping):
        rows = context.values()
        return len(rows) > 0 and all(isinstance(row, np.ndarray) for row in rows)

    is_row_of_pandas = hasattr(context, "to_dict") and hasattr(context, "index")
    return not is_row_of_pandas and not _is_table(context)


def _is_row(value: Any) -> bool:
    # A value in a row is never a dictionary, nor an array: these are rows themselves.
    return isinstance(value, Mapping | np.ndarray)


def _is_table(value: Any) -> bool:
    """Whether it has rows with named columns."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(isinstance(row, Mapping) for row in value)
    return hasattr(value, "columns")
