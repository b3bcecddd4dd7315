"""Decisions and the rewards that came for them, later and in parts: a log as Feedback, a chunk at a time.

Two passes. The first collects what belongs to no single decision (arms, layout of contexts) and puts every reward into
the row of its decision, in temporary files that the system keeps in memory or not, as it likes: 8 bytes per decision,
and 8 more per objective of each. The second goes through the decisions again and gives each its row.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.logs.errors import LogError
from mobandits.logs.feedback import Feedback
from mobandits.logs.names import checked_name, name_of
from mobandits.logs.roster import Roster
from mobandits.logs.table import events_of
from mobandits.support.naming import quoted, shortened

Tables = Callable[[], Iterator[pl.DataFrame]]


class Objectives(NamedTuple):
    """What is rewarded: names, and +1 for each, -1 where it is minimised."""

    names: tuple[Any, ...]
    signs: Array

    @classmethod
    def of(cls, description: dict[str, Any], path: Path) -> "Objectives":
        """From a journal's description.

        Raises:
            LogError: naming the file, where it names no objectives.
        """
        given = description.get("objectives")
        if not isinstance(given, list | tuple) or not given:
            raise LogError(
                f"{path} must name its objectives in its description, got {quoted(given)}"
            )
        one = [each if isinstance(each, dict) else {"name": each} for each in given]
        if not all(
            "name" in each and isinstance(each.get("minimise", False), bool) for each in one
        ):
            raise LogError(
                f"{path} must have objectives with a name, and minimise true or false, got {quoted(given)}"
            )
        names = tuple(checked_name(each["name"], f"{path}: objective") for each in one)
        if len(set(names)) < len(names):
            raise LogError(f"{path} must have objectives of different names, got {quoted(names)}")
        return cls(names, np.array([-1.0 if each.get("minimise") else 1.0 for each in one]))


class Ledger:
    """The rewards of all decisions, by decision, on disk; what the first pass finds.

    Args:
        objectives: of the log.
        roster: the arms that were there in the beginning; it follows the events.
        events: how many there are at most.
        path: what errors call the log.
        alone: whether the log is a part of one, so that the decisions of some rewards are elsewhere.
    """

    def __init__(
        self, objectives: Objectives, roster: Roster, events: int, path: Path, *, alone: bool
    ) -> None:
        self.objectives = objectives
        self.roster = roster
        self._path = path
        self._alone = alone
        self._places = {name: i for i, name in enumerate(objectives.names)}
        self.decisions = 0
        self.restricted = False
        self.layouts = set[tuple[int, int]]()
        self._ids = _on_disk((max(events, 1),), np.int64)
        self.rewards = _on_disk((max(events, 1), len(objectives.names)), np.float64)

    def add(self, frame: pl.DataFrame) -> None:
        """Take in the next events.

        Raises:
            LogError: where a reward has no decision, comes twice with two values, or is of an unknown objective; where
                ids of decisions do not increase.
        """
        self._add_decisions(frame.filter(pl.col("kind") == "decide"))
        lessons = (
            frame.filter(pl.col("kind") == "learn")
            .select("number", "id", "rewards")
            .explode("rewards")
        )
        self._add_rewards(lessons.drop_nulls("rewards").unnest("rewards"))
        changes = frame.filter(pl.col("kind").is_in(["add", "remove"]))
        self.restricted |= len(changes) > 0
        for event in events_of(changes):
            self.roster.follow(event, self._path)

    def _add_decisions(self, frame: pl.DataFrame) -> None:
        if not len(frame):
            return
        ids = frame["id"].to_numpy()
        n = self.decisions
        before = np.concatenate([self._ids[n - 1 : n] if n else [-1], ids])
        if (wrong := np.flatnonzero(np.diff(before) <= 0)).size:
            place = frame["number"][int(wrong[0])]
            raise LogError(
                f"{self._path}, event {place}: ids of decisions must increase, got {before[wrong[0] + 1]}"
            )
        self._ids[n : n + len(ids)] = ids
        self.rewards[n : n + len(ids)] = np.nan
        self.decisions += len(ids)
        self.restricted |= frame["eligible"].null_count() < len(frame)
        shapes = frame.select(pl.col("rows").fill_null(1), pl.col("features").fill_null(0)).unique()
        self.layouts |= set(shapes.iter_rows())

    def _add_rewards(self, frame: pl.DataFrame) -> None:
        ids, numbers, told = (frame[name].to_numpy() for name in ("id", "number", "value"))
        known = self._ids[: self.decisions]
        rows = np.minimum(np.searchsorted(known, ids), max(self.decisions - 1, 0))
        found = known[rows] == ids if self.decisions else np.zeros(len(ids), bool)
        if not self._alone and not found.all():
            wrong = int(np.flatnonzero(~found)[0])
            raise LogError(
                f"{self._path}, event {numbers[wrong]}: id {ids[wrong]} must be of a decision before it"
            )
        columns = self._columns(frame)
        rows = rows[found]
        columns = columns[found]
        told = told[found]
        numbers = numbers[found]
        old = self.rewards[rows, columns]
        last = np.arange(len(rows))[::-1].copy()
        self.rewards[rows[last], columns[last]] = told[last]  # backwards: what is told first stays
        bad = np.flatnonzero(
            (~np.isnan(old) & (old != told)) | (self.rewards[rows, columns] != told)
        )
        if bad.size:
            name = self.objectives.names[columns[bad[0]]]
            place = numbers[bad[0]]
            raise LogError(
                f"{self._path}, event {place}: {quoted(name)} must not be told again with another value"
            )

    def _columns(self, frame: pl.DataFrame) -> IntArray:
        columns = np.empty(len(frame), np.int64)
        for text in frame["objective"].unique():
            place = self._places.get(name_of(text))
            if place is None:
                known = shortened(", ".join(map(quoted, self.objectives.names)))
                raise LogError(
                    f"{self._path} must have rewards of its objectives, which are {known}; got {shortened(text)}"
                )
            columns[(frame["objective"] == text).to_numpy()] = place
        return columns

    def features(self) -> tuple[bool, int]:
        """Whether the arms share a context, and the number of features.

        Raises:
            LogError: where decisions differ in it.
        """
        if len(counts := {features for _, features in self.layouts}) > 1:
            raise LogError(
                f"{self._path} must have as many features in every decision, got {quoted(sorted(counts))}"
            )
        return {rows for rows, _ in self.layouts} <= {1}, max(counts, default=0)


def _on_disk(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array in a temporary file that nobody else sees, and that needs space only where it is written."""
    with tempfile.TemporaryFile() as file:
        if 0 not in shape:
            return np.memmap(file, dtype, "w+", shape=shape)
        return np.empty(shape, dtype)


def joined(
    tables: Tables,
    roster: Callable[[], Roster],
    objectives: Objectives,
    events: int,
    path: Path,
    *,
    chunk: int,
    alone: bool,
) -> Iterator[Feedback]:
    """The decisions of a log with their rewards, at most `chunk` at a time.

    Args:
        tables: makes an iterator of its events, twice the same.
        roster: makes the arms there were in the beginning.
        objectives: of the log.
        events: how many there are at most.
        path: what errors call the log.
        chunk: decisions at a time.
        alone: see `Ledger`.

    Raises:
        LogError: on the way.
    """
    ledger = Ledger(objectives, roster(), events, path, alone=alone)
    for frame in tables():
        ledger.add(frame)
    (shared, features), now, done = ledger.features(), roster(), 0
    for frame in tables():
        for stretch in _stretches(frame, now):
            for some in stretch.iter_slices(chunk):
                try:
                    yield _feedback(some, ledger, now, done, shared=shared, features=features)
                except ValueError as error:
                    raise LogError(
                        f"{path}, event {some['number'][0]} or soon after: {error}"
                    ) from error
                done += len(some)


def _stretches(frame: pl.DataFrame, roster: Roster) -> Iterator[pl.DataFrame]:
    """The decisions between two changes of the arms; the roster follows."""
    decisions = frame["kind"] == "decide"
    start = 0
    changes = frame["kind"].is_in(["add", "remove"]).arg_true().to_list()
    for end in (*changes, len(frame)):
        yield frame[start:end].filter(decisions[start:end])
        if end < len(frame):
            roster.follow(next(events_of(frame[end : end + 1])))
        start = end


def _feedback(
    frame: pl.DataFrame, ledger: Ledger, now: Roster, done: int, *, shared: bool, features: int
) -> Feedback:
    """Consecutive decisions, while the arms were those of the roster."""
    arms = len(ledger.roster.names)
    n = len(frame)
    contexts = _shared(frame, features) if shared else _by_arm(frame, arms, features, now.present)
    return Feedback(
        contexts=contexts,
        arms=frame["arm"].to_numpy(),
        rewards=ledger.rewards[done : done + n] * ledger.objectives.signs,
        propensities=frame["propensity"].fill_null(np.nan).to_numpy(),
        arm_names=tuple(ledger.roster.names),
        objective_names=ledger.objectives.names,
        eligible=_eligible(frame, arms, now.present) if ledger.restricted else None,
        ids=frame["id"].to_numpy(),
        times=frame["time"].fill_null(np.nan).to_numpy(),
    )


def _shared(frame: pl.DataFrame, features: int) -> Array:
    """(decisions, features)."""
    if features == 0:
        return np.empty((len(frame), 0))
    return _numbers(frame).reshape(len(frame), features)


def _by_arm(frame: pl.DataFrame, arms: int, features: int, present: list[int]) -> Array:
    """(decisions, arms, features), zeros for arms that were not present.

    Args:
        frame: the decisions.
        arms: how many there are in the end.
        features: of a row.
        present: the positions of the arms that the rows belong to.
    """
    wrong = frame.filter(pl.col("rows").ne_missing(len(present)))
    if len(wrong):
        raise LogError(
            f"context must have a row for each of {len(present)} arms, got {wrong['rows'][0]}"
        )
    contexts = np.zeros((len(frame), arms, features))
    if features:
        contexts[:, present] = _numbers(frame).reshape(len(frame), len(present), features)
    return contexts


def _numbers(frame: pl.DataFrame) -> Array:
    return frame["context"].explode().to_numpy()


def _eligible(frame: pl.DataFrame, arms: int, present: list[int]) -> Mask:
    """(decisions, arms); without a list, all arms that are present."""
    there = np.zeros(arms, bool)
    there[present] = True
    mask = np.where(frame["eligible"].is_null().to_numpy()[:, None], there, False)
    pairs = (
        pl.DataFrame({"row": np.arange(len(frame)), "arm": frame["eligible"]})
        .drop_nulls()
        .explode("arm")
    )
    rows, positions = (pairs.drop_nulls()[name].to_numpy() for name in ("row", "arm"))
    if not np.isin(positions, present).all():
        raise LogError(
            f"eligible must be positions of arms that are present, got {quoted(sorted(set(positions.tolist())))}"
        )
    mask[rows, positions] = True
    return mask
