"""The common schema of the lines of a dsjson file, and chunks of them as Feedback."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.errors import LogError, LogWarning
from mobandits.logs.decision_lines import Row
from mobandits.logs.events import Description
from mobandits.logs.feedback import Feedback
from mobandits.logs.log_description import LogDescription
from mobandits.logs.objectives import Objective, refuse_contradiction
from mobandits.support.naming import quoted

# Columns are dense: text with a value of its own in every line would fill the memory.
MAX_FEATURES = 10_000


class SchemaScan:
    """Arms, objectives and features of a file: it takes in every line before the first chunk.

    Args:
        path: what errors call the file.
        features: of others' lines: which to take, or None.
        objectives: what is known of those that lines only name.

    Attributes:
        decisions: how many there are.
    """

    def __init__(
        self,
        path: Path,
        features: Sequence[str] | None = None,
        objectives: Sequence[Objective] = (),
    ) -> None:
        self._path = path
        self._known = {each.name: each for each in objectives}
        self._wanted = None if features is None else frozenset(features)
        self.decisions = 0
        self._restricted = False
        self._passed_over = 0
        self._first_passed_over = 0
        self._first: Row | None = None
        self._positions: dict[Hashable, int] = {}
        # Of others' lines: the columns of shared features, and of those that arms have.
        self._shared_columns: dict[str, int] = {}
        self._arm_columns: dict[str, int] = {}
        self._description: LogDescription | None = None

    def add(self, line: int, row: Row | None) -> None:
        """Take in a line.

        Raises:
            LogError: naming file and line, where it does not go with those before it.
        """
        if row is None:
            self._passed_over += 1
            self._first_passed_over = self._first_passed_over or line
            return
        if self._first is None:
            self._first = row

        self._check_alike(line, row, self._first)
        if row.description is not None:
            self._describe(line, row.description)

        for name in row.everyone:
            self._positions.setdefault(name, len(self._positions))

        if len(row.arms) < len(row.everyone):
            self._restricted = True
        if row.ours:
            self._check_layout(line, row, self._first)
        else:
            # Others' arms are places: where their number changes, the last ones were not there.
            if len(row.arms) != len(self._first.arms):
                self._restricted = True

            self._add_features(line, row)

        self.decisions += 1

    def _describe(self, line: int, data: Description) -> None:
        """Take in the description of the log, which may come again where files were joined."""
        if self._known:
            raise self._error(line, "describes its objectives, which must not be given again")

        description = LogDescription.of(data, f"{self._path}, line {line}")
        first = self._description
        # By their texts, as orders hold arrays.
        if first is not None and repr(first) != repr(description):
            raise self._error(line, "must describe the log as the lines before")

        self._description = description

    def _check_alike(self, line: int, row: Row, first: Row) -> None:
        """Refuse a line that is of another kind than the first."""
        if row.ours != first.ours:
            raise self._error(line, "must be of this program, as the lines before, or none")
        if row.rewards.keys() != first.rewards.keys():
            raise self._error(line, "must have the objectives of the lines before")
        if row.more.keys() != first.more.keys():
            raise self._error(line, "must have id, time and pdrop as the lines before")
        # Lines that were dropped at another rate would have to count more, or less.
        if row.more.get("dropped") != first.more.get("dropped"):
            rule = "must have the pdrop of the lines before: weights are not supported"
            raise self._error(line, rule)

    def _check_layout(self, line: int, row: Row, first: Row) -> None:
        layout = self._layout_of(row)
        _, widths = layout
        if len(widths) != 1 or layout != self._layout_of(first):
            rule = "must have as many features for all arms, and as the lines before"
            raise self._error(line, rule)

    def _add_features(self, line: int, row: Row) -> None:
        """Give a column to each feature that is new."""
        self._add_columns(self._shared_columns, row.shared)
        for features in row.actions or ():
            self._add_columns(self._arm_columns, features)

        features_so_far = len(self._shared_columns) + len(self._arm_columns)
        if features_so_far > MAX_FEATURES:
            advice = "choose some with features=[...]"
            raise self._error(line, f"makes it more than {MAX_FEATURES} features: {advice}")

    def _add_columns(self, columns: dict[str, int], features: dict[str, float]) -> None:
        for name in features:
            if self._wanted is None or name in self._wanted:
                columns.setdefault(name, len(columns))

    def warn(self) -> None:
        """Warn of lines that were passed over."""
        if self._passed_over:
            passed_over = f"{self._passed_over} lines without a decision were passed over"
            first = f"the first is line {self._first_passed_over}"
            warnings.warn(f"{self._path}: {passed_over}, {first}", LogWarning, stacklevel=3)

    def feedback(self, rows: Iterator[tuple[int, Row]], size: int) -> Feedback:
        """The next `size` decisions.

        Raises:
            LogError: naming file and line.
        """
        first = self._first
        assert first is not None  # noqa: S101
        description = self._description or self._undescribed(first)
        objectives = description.names
        contexts = np.zeros((size, *self._layout(first)))
        arms = np.empty(size, np.int64)
        propensities = np.empty(size)
        rewards = np.empty((size, len(objectives)))
        eligible = np.zeros((size, len(self._positions)), bool)
        more: dict[str, Any] = {}
        for name in first.more:
            number_type = np.int64 if name == "id" else np.float64
            more[name] = np.empty(size, number_type)

        line = 0
        try:
            for t in range(size):
                line, row = next(rows)
                positions = [self._positions[name] for name in row.arms]
                arms[t] = positions[row.played]
                propensities[t] = row.propensity
                eligible[t, positions] = True
                rewards[t] = [row.rewards[name] for name in objectives]
                self._fill(contexts[t], row, positions)
                for name, values in more.items():
                    values[t] = row.more[name]

            return Feedback(
                contexts=contexts,
                arms=arms,
                rewards=rewards,
                propensities=propensities,
                arm_names=tuple(self._positions),
                objectives=description.objectives,
                eligible=eligible if self._restricted else None,
                ids=more.get("id"),
                times=more.get("time"),
                encoder=description.encoder,
                preference=description.preference,
                propensity_mode=description.propensity_mode,
            )
        except LogError:
            raise
        # The file changed between the two times it was read.
        except (KeyError, ValueError, StopIteration) as error:
            raise LogError(f"{self._path}, line {line} or before it: {quoted(error)}") from error

    def _undescribed(self, first: Row) -> LogDescription:
        """The description of a file that has none: more is better of all its objectives."""
        objectives = []
        for name in first.rewards:
            objective = self._known.get(name, Objective(name))
            refuse_contradiction(objective, Objective(name))
            objectives.append(objective)

        return LogDescription(tuple(objectives))

    def _error(self, line: int, rule: str) -> LogError:
        place = f"{self._path}, line {line}"
        return LogError(f"{place} {rule}")

    @staticmethod
    def _layout_of(row: Row) -> tuple[bool, set[int]]:
        """Whether the arms share features, and all the numbers of features that rows have."""
        if row.actions is None:
            return True, {len(row.shared)}
        return False, {len(features) for features in row.actions}

    def _layout(self, first: Row) -> tuple[int, ...]:
        """The shape of a decision's context."""
        arms = len(self._positions)
        if first.ours:
            shared, widths = self._layout_of(first)
            features = max(widths, default=0)
            return (features,) if shared else (arms, features)

        features = len(self._shared_columns) + len(self._arm_columns)

        return (arms, features) if self._arm_columns else (features,)

    def _fill(self, context: Array, row: Row, positions: list[int]) -> None:
        """Fill in the context of a decision, which is all zeros."""
        if not row.ours:
            self._fill_named(context, row, positions)
        elif row.actions is None:
            context[:] = row.shared
        else:
            # Rows are of the eligible arms, or of all of them.
            if len(row.actions) != len(positions):
                positions = [self._positions[name] for name in row.everyone]

            context[positions] = row.actions

    def _fill_named(self, context: Array, row: Row, positions: list[int]) -> None:
        for name, value in row.shared.items():
            column = self._shared_columns.get(name)
            if column is not None:
                context[..., column] = value  # in the rows of all arms, where there are such

        first_of_arms = len(self._shared_columns)
        for position, features in zip(positions, row.actions or [], strict=False):
            for name, value in features.items():
                column = self._arm_columns.get(name)
                if column is not None:
                    context[position, first_of_arms + column] = value
