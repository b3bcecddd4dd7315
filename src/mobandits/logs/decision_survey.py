"""What the lines of a dsjson file have in common, and chunks of them as Feedback."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.logs.decision_lines import Row
from mobandits.logs.errors import LogError, LogWarning
from mobandits.logs.feedback import Feedback
from mobandits.support.naming import quoted

MAX_FEATURES = 10_000


class Survey:
    """Arms, objectives and features of a file; it sees every line once before the first chunk is made.

    Args:
        path: what errors call the file.
        features: of others' lines: which to take, or None.

    Attributes:
        decisions: how many there are.
    """

    def __init__(self, path: Path, features: Sequence[str] | None = None) -> None:
        self._path = path
        self._wanted = None if features is None else frozenset(features)
        self.decisions = 0
        self._restricted = False
        self._passed = 0
        self._first_passed = 0
        self._first: Row | None = None
        self._arms: dict[Hashable, int] = {}
        self._shared: dict[str, int] = {}  # of others' lines: the place of a feature
        self._action: dict[str, int] = {}

    def add(self, number: int, row: Row | None) -> None:
        """Take in a line.

        Raises:
            LogError: naming file and line, where it does not go with those before it.
        """
        if row is None:
            self._passed = self._passed + 1
            self._first_passed = self._first_passed or number
            return
        first = self._first = self._first or row
        self._refuse(
            number, row.ours != first.ours, "must be of this program, as the lines before, or none"
        )
        self._refuse(
            number,
            row.rewards.keys() != first.rewards.keys(),
            "must have the objectives of the lines before",
        )
        self._refuse(
            number,
            row.more.keys() != first.more.keys(),
            "must have id, time and pdrop as the lines before",
        )
        different = row.more.get("dropped") != first.more.get("dropped")
        self._refuse(
            number, different, "must have the pdrop of the lines before: weights are not supported"
        )
        for name in row.everyone:
            self._arms.setdefault(name, len(self._arms))
        self._restricted |= len(row.arms) < len(row.everyone)
        if row.ours:
            same = self._widths(row) == self._widths(first) and len(self._widths(row)[1]) == 1
            self._refuse(
                number, not same, "must have as many features for all arms, and as the lines before"
            )
        else:
            self._restricted |= len(row.arms) != len(first.arms)
            self._learn_names(number, row)
        self.decisions += 1

    def warn(self) -> None:
        """Say what was passed over."""
        if self._passed:
            said = f"{self._path}: {self._passed} lines without a decision were passed over, the first is line "
            warnings.warn(f"{said}{self._first_passed}", LogWarning, stacklevel=3)

    def feedback(self, rows: Iterator[tuple[int, Row]], size: int) -> Feedback:
        """The next `size` decisions.

        Raises:
            LogError: naming file and line.
        """
        first = self._first
        n = len(self._arms)
        assert first is not None  # noqa: S101
        contexts = np.zeros((size, *self._layout(first)))
        arms = np.empty(size, np.int64)
        propensities = np.empty(size)
        rewards = np.empty((size, len(first.rewards)))
        eligible = np.zeros((size, n), bool)
        more: dict[str, Any] = {
            k: np.empty(size, np.int64 if k == "id" else np.float64) for k in first.more
        }
        number = 0
        try:
            for t in range(size):
                number, row = next(rows)
                places = [self._arms[name] for name in row.arms]
                arms[t] = places[row.played]
                propensities[t] = row.propensity
                eligible[t, places] = True
                rewards[t] = [row.rewards[name] for name in first.rewards]
                self._fill(contexts[t], row, places)
                for name, values in more.items():
                    values[t] = row.more[name]
            return Feedback(
                contexts, arms, rewards, propensities, tuple(self._arms), tuple(first.rewards),
                eligible if self._restricted else None, more.get("id"), more.get("time"),
            )  # fmt: skip
        except LogError:
            raise
        except (KeyError, ValueError, StopIteration) as error:
            raise LogError(f"{self._path}, line {number} or before it: {quoted(error)}") from error

    def _refuse(self, number: int, wrong: bool, rule: str) -> None:
        if wrong:
            raise LogError(f"{self._path}, line {number} {rule}")

    @staticmethod
    def _widths(row: Row) -> tuple[bool, set[int]]:
        if row.actions is None:
            return True, {len(row.shared)}
        return False, {len(one) for one in row.actions}

    def _learn_names(self, number: int, row: Row) -> None:
        for known, tables in ((self._shared, [row.shared]), (self._action, row.actions or [])):
            for name in (name for one in tables for name in one):
                if self._wanted is None or name in self._wanted:
                    known.setdefault(name, len(known))
        many = len(self._shared) + len(self._action) > MAX_FEATURES
        self._refuse(
            number,
            many,
            f"makes it more than {MAX_FEATURES} features: choose some with features=[...]",
        )

    def _layout(self, first: Row) -> tuple[int, ...]:
        if first.ours:
            shared, widths = self._widths(first)
            if shared:
                return (max(widths),)
            return (len(self._arms), max(widths, default=0))
        width = len(self._shared) + len(self._action)
        return (len(self._arms), width) if self._action else (width,)

    def _fill(self, context: Array, row: Row, places: list[int]) -> None:
        if row.ours and row.actions is not None:
            if len(row.actions) != len(places):
                places = [self._arms[name] for name in row.everyone]
            context[places] = row.actions
        elif row.ours:
            context[:] = row.shared
        else:
            self._fill_named(context, row, places)

    def _fill_named(self, context: Array, row: Row, places: list[int]) -> None:
        for name, value in row.shared.items():
            if name in self._shared:
                context[(..., self._shared[name])] = value
        for place, action in zip(places, row.actions or [], strict=False):
            for name, value in action.items():
                if name in self._action:
                    context[place, len(self._shared) + self._action[name]] = value
