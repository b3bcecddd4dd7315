"""Meaning of a table's columns: what makes decisions of its rows, wherever the table is."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.encoder import Encoder
from mobandits.logs.feedback import Feedback
from mobandits.logs.objectives import Objective, signs_of
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean

Columns = Sequence[str] | Mapping[Any, Sequence[str]] | Encoder


class Table(Protocol):
    """Rows of a table, each a decision."""

    def numbers(self, column: Any, *, may_lack: bool = True) -> Array:
        """(rows,) the numbers of a column; NaN where one is lacking, if one may."""

    def encoded(self, encoder: Encoder) -> Array:
        """(rows, features) what an encoder makes of the rows."""


class TableColumns(NamedTuple):
    """The columns of a table that has a row per decision.

    Attributes:
        arm: with the arm that was played.
        rewards: {objective: column}.
        context: columns of features, or one of them, which the arms share; {arm: columns}; or an
            encoder.
        propensity: with the probability of the arm; None: not logged.
        time: in seconds; None: not logged.
    """

    arm: str
    rewards: dict[Objective, str]
    context: Columns
    propensity: str | None
    time: str | None

    def feedback(self, arms: tuple[Hashable, ...], positions: IntArray, table: Table) -> Feedback:
        """Rows of the table as decisions.

        Args:
            arms: all of them.
            positions: (rows,) of those that were played.
            table: the rows.
        """
        rounds = len(positions)
        objectives = tuple(self.rewards)
        encoder = None
        if isinstance(self.context, Encoder):
            encoder = self.context
            contexts = table.encoded(encoder)
        elif isinstance(self.context, Mapping):
            tables = [_features(self.context[arm], table, rounds) for arm in arms]
            contexts = np.stack(tables, axis=1)
        else:
            contexts = _features(self.context, table, rounds)

        propensities = np.full(rounds, np.nan)
        if self.propensity:
            propensities = table.numbers(self.propensity)

        own_rewards = np.column_stack([table.numbers(column) for column in self.rewards.values()])

        return Feedback(
            contexts=contexts,
            arms=positions,
            rewards=own_rewards * signs_of(objectives),
            propensities=propensities,
            arm_names=arms,
            objectives=objectives,
            times=table.numbers(self.time) if self.time else None,
            encoder=encoder,
        )


def _features(columns: Any, table: Table, rounds: int) -> Array:
    """(rows, columns) of features; a policy needs every one of them."""
    values = [table.numbers(column, may_lack=False) for column in several(columns)]
    return np.column_stack(values) if values else np.empty((rounds, 0))


def several(names: Any) -> Sequence[Any]:
    """Names of columns, also where only one is given."""
    # Text is a sequence, too: of letters, none of which is a column.
    return [names] if isinstance(names, str) else names


def without_column(table: object, column: Any, names: Iterable[Hashable]) -> str:
    """The message about a table that lacks a column.

    Args:
        table: what it is called.
        column: that is wanted.
        names: of those that it has.
    """
    rule = f"{table} must have a column {quoted(column)}"
    known = list(names)
    there = shortened(", ".join(map(str, known)))
    question = did_you_mean(column, known)

    return f"{rule}{question} It has {there}" if question else f"{rule}, got {there}"
