"""Meaning of a table's columns: what makes decisions of its rows, wherever the table is."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.encoder import Encoder
from mobandits.errors import LogError
from mobandits.logs.feedback import Feedback
from mobandits.logs.objectives import Names, Objective, objectives_of_columns, signs_of
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean

Columns = Sequence[str] | Mapping[Any, Sequence[str]] | Encoder


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

    def names(self, arms: Iterable[Hashable]) -> list[str]:
        """The columns that mean something, each once.

        Args:
            arms: all of them.

        Raises:
            LogError: where one has no context.
        """
        features: list[str] = []
        if isinstance(self.context, Mapping):
            for arm in arms:
                if arm not in self.context:
                    rule = "context must have columns for every arm"
                    raise LogError(f"{rule}, got none for {quoted(arm)}")

                features += several(self.context[arm])
        elif isinstance(self.context, Encoder):
            features += self.context.columns
        else:
            features += self.context

        columns = [self.arm, *self.rewards.values(), *features]
        columns += [name for name in (self.propensity, self.time) if name]

        return list(dict.fromkeys(columns))

    def feedback(
        self,
        arms: Names,
        positions: IntArray,
        numbers: Callable[[Any], Array],
        features: Callable[[Any], Array],
        encoded: Callable[[Encoder], Array],
    ) -> Feedback:
        """Rows of the table as decisions.

        Args:
            arms: all of them.
            positions: (rows,) of those that were played.
            numbers: of a column, (rows,), NaN where there is none.
            features: of a column without gaps.
            encoded: what an encoder makes of the rows.
        """
        rounds = len(positions)
        objectives = tuple(self.rewards)
        encoder = None
        if isinstance(self.context, Encoder):
            encoder = self.context
            contexts = encoded(encoder)
        elif isinstance(self.context, Mapping):
            tables = [_table(self.context[arm], features, rounds) for arm in arms]
            contexts = np.stack(tables, axis=1)
        else:
            contexts = _table(self.context, features, rounds)

        own_rewards = np.column_stack([numbers(column) for column in self.rewards.values()])

        return Feedback(
            contexts=contexts,
            arms=positions,
            rewards=own_rewards * signs_of(objectives),
            propensities=numbers(self.propensity) if self.propensity else np.full(rounds, np.nan),
            arm_names=arms,
            objectives=objectives,
            times=numbers(self.time) if self.time else None,
            encoder=encoder,
        )


def table_columns(
    arm: str,
    rewards: Any,
    context: Columns = (),
    propensity: str | None = None,
    time: str | None = None,
    minimise: Any = (),
    objectives: Sequence[Objective] = (),
) -> TableColumns:
    """The meaning of columns, from what a caller says of them; see `mobandits.logs.csv.scan`."""
    described = objectives_of_columns(rewards, minimise, objectives)
    if not isinstance(context, Mapping | Encoder):
        context = several(context)

    return TableColumns(arm, described, context, propensity, time)


def _table(columns: Any, features: Callable[[Any], Array], rounds: int) -> Array:
    """(rows, columns) of features."""
    values = [features(column) for column in several(columns)]
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
