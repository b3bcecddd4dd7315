"""Decisions and the rewards that came for them, later and in parts: a log as chunks of Feedback.

Two passes. The first collects what belongs to no single decision (arms, layout of contexts) and
puts every reward into the row of its decision, in temporary files that the system keeps in memory
or not, as it likes: 8 bytes per decision, and 8 more per objective of each. The second goes through
the decisions again and gives each its row.
"""

import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.errors import LogError, LogWarning
from mobandits.logs.arm_registry import CHANGES, ArmRegistry, first_arms
from mobandits.logs.events import Correct, Description, Preference
from mobandits.logs.feedback import Feedback
from mobandits.logs.log_description import LogDescription, preference_of_data
from mobandits.logs.names import name_of
from mobandits.logs.table import changes_of
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.numbering import SPAN

Tables = Callable[[], Iterator[pl.DataFrame]]


class RewardTable:
    """The rewards of all decisions, by decision, on disk; what the first pass finds.

    Args:
        description: of the log.
        registry: the arms that were there in the beginning; it follows the events.
        events: how many there are at most.
        path: what errors call the log.

    Attributes:
        description: of the log, with the preference that came last.
        decisions: how many there were so far.
        restricted: whether some arm could not be played in some decision.
        ranked: whether some decision was of a further rank.
        has_sessions: whether in some decision a session kept its arm.
        layouts: the shapes of contexts, (rows, features).
        rewards: (events, objectives) the first `decisions` rows are those of decisions.
    """

    def __init__(
        self, description: LogDescription, registry: ArmRegistry, events: int, path: object
    ) -> None:
        self.description = description
        self.registry = registry
        self._path = path
        self._names = description.names
        self._columns = {name: i for i, name in enumerate(self._names)}
        self.decisions = 0
        self.restricted = False
        self.ranked = False
        self.has_sessions = False
        self.layouts = set[tuple[int, int]]()
        rows = max(events, 1)
        self._ids = _on_disk((rows,), np.int64)
        self._last_ids: dict[int, int] = {}
        self._order: IntArray | None = None
        self.rewards = _on_disk((rows, len(self._names)), np.float64)

    def add(self, frame: pl.DataFrame) -> None:
        """Take in the next events.

        Raises:
            LogError: where a reward is of an unknown objective, or ids of decisions do not
                increase.
        """
        kind = pl.col("kind")
        # Decisions first: rewards of this table may be of decisions of this table.
        self._add_decisions(frame.filter(kind == "decide"))
        lessons = frame.filter(kind == "learn")
        columns = lessons.select("id", "rewards")
        # A row per reward; a lesson without any would leave one of nulls.
        rewards = columns.explode("rewards").drop_nulls("rewards")
        self._add_rewards(rewards.unnest("rewards"))
        changes = frame.filter(kind.is_in(CHANGES))
        self.restricted |= len(changes) > 0
        for event in changes_of(changes):
            self.registry.follow(event, self._path)

        for event in changes_of(frame.filter(kind == "correct")):
            self._correct(event)
        for event in changes_of(frame.filter(kind == "preference").tail(1)):
            preference = self._preference_of(event)
            self.description = self.description._replace(preference=preference)

    def _correct(self, event: Correct) -> None:
        """Put the right rewards in the place of wrong ones; the decision may be in an archive."""
        rows, has_decision = self._rows_of(np.array([event.id]))
        for name, value in event.rewards.items():
            if has_decision[0] and name in self._columns:
                self.rewards[rows[0], self._columns[name]] = value

    def _preference_of(self, event: Preference) -> Any:
        """The order of an event; None, with a warning, where this version does not know it."""
        try:
            return preference_of_data(event.order)
        except ValueError as error:
            said = f"{self._path}: the last preference is not known here, and left out: {error}"
            warnings.warn(said, LogWarning, stacklevel=2)
            return None

    def _add_decisions(self, frame: pl.DataFrame) -> None:
        if not len(frame):
            return

        ids = frame["id"].to_numpy()
        first = self.decisions
        last = first + len(ids)
        ranges = ids // SPAN
        for own_range in np.unique(ranges).tolist():
            places = np.flatnonzero(ranges == own_range)
            self._check_increasing(frame, places, own_range)

        self._ids[first:last] = ids
        self._order = None
        self.rewards[first:last] = np.nan
        self.decisions = last
        self.restricted |= frame["eligible"].null_count() < len(frame)
        self.ranked |= bool((ranks_of(frame) > 0).any())
        self.has_sessions |= bool((sessions_of(frame) != ids).any())
        rows = pl.col("rows").fill_null(1)
        features = pl.col("features").fill_null(0)
        shapes = frame.select(rows, features).unique()
        self.layouts |= set(shapes.iter_rows())

    def _check_increasing(self, frame: pl.DataFrame, places: IntArray, own_range: int) -> None:
        """Refuse ids of one range that do not increase: one of them may come twice.

        Args:
            frame: of decisions.
            places: of those whose ids are of the range.
            own_range: its number; see `support.numbering`.
        """
        all_ids = frame["id"].to_numpy()
        ids = all_ids[places]
        previous = self._last_ids.get(own_range, -1)
        with_previous = np.concatenate([[previous], ids])
        steps = np.diff(with_previous)
        wrong_places = np.flatnonzero(steps <= 0)
        if len(wrong_places):
            wrong = wrong_places[0]
            number = frame["number"][int(places[wrong])]
            place = f"{self._path}, event {number}"
            raise LogError(f"{place}: ids of decisions must increase, got {ids[wrong]}")

        self._last_ids[own_range] = int(ids[-1])

    def _add_rewards(self, frame: pl.DataFrame) -> None:
        # Tables have a reward of a decision and an objective once; it may be of a part of a log,
        # and its decision in another one.
        ids = frame["id"].to_numpy()
        values = frame["value"].to_numpy()
        rows, has_decision = self._rows_of(ids)
        columns = self._columns_of(frame)
        is_kept = has_decision & (columns >= 0)
        kept_rows = rows[is_kept]
        kept_columns = columns[is_kept]
        self.rewards[kept_rows, kept_columns] = values[is_kept]

    def _rows_of(self, ids: IntArray) -> tuple[IntArray, Mask]:
        """The rows of decisions with these ids, and which of them there are."""
        if not self.decisions:
            no_rows = np.zeros(len(ids), np.int64)
            return no_rows, np.zeros(len(ids), bool)

        known = self._ids[: self.decisions]
        order = self._sorted_rows()
        places = np.searchsorted(known, ids, sorter=order)
        # An id beyond the last one has no row: any other does, as its id will differ.
        places = np.minimum(places, self.decisions - 1)
        rows = places if order is None else order[places]

        return rows, known[rows] == ids

    def _sorted_rows(self) -> IntArray | None:
        """The rows of the decisions so far by their ids; None where these are in order."""
        # Only workers have ids between which nothing follows.
        if all(own_range == 0 for own_range in self._last_ids):
            return None
        if self._order is None:
            self._order = np.argsort(self._ids[: self.decisions], kind="stable")

        return self._order

    def _columns_of(self, frame: pl.DataFrame) -> IntArray:
        """The columns of rewards; -1 of objectives that were dropped."""
        columns = np.empty(len(frame), np.int64)
        # Objectives are few and rewards many: one comparison of all rows per objective.
        for text in frame["objective"].unique():
            name = name_of(text)
            if name not in self._columns and name not in self.description.dropped:
                known = shortened(", ".join(map(quoted, self._names)))
                rule = f"{self._path} must have rewards of its objectives, which are {known}"
                raise LogError(f"{rule}; got {shortened(text)}")

            has_name = frame["objective"] == text
            columns[has_name.to_numpy()] = self._columns.get(name, -1)

        return columns

    def context_layout(self) -> tuple[bool, int]:
        """Whether the arms share a context, and the number of features.

        Raises:
            LogError: where decisions differ in it.
        """
        row_counts = {rows for rows, _ in self.layouts}
        feature_counts = {features for _, features in self.layouts}
        if len(feature_counts) > 1:
            raise wrong_value(
                f"{self._path} must have as many features in every decision",
                sorted(feature_counts),
                LogError,
            )

        # A row for each of one arm looks the same, and is taken for a shared one.
        shared = row_counts <= {1}

        return shared, max(feature_counts, default=0)


def _on_disk(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array in a temporary file without a name, which needs space only where it is written."""
    with tempfile.TemporaryFile() as file:
        if 0 not in shape:
            # The mapping keeps the file alive after it is closed.
            return np.memmap(file, dtype, "w+", shape=shape)

        return np.empty(shape, dtype)


def joined(
    tables: Tables, data: Description, events: int, path: object, *, chunk: int
) -> Iterator[Feedback]:
    """The decisions of a log with their rewards, at most `chunk` at a time.

    Args:
        tables: makes an iterator of its events, twice the same.
        data: the description of the log.
        events: how many there are at most.
        path: what errors call the log.
        chunk: decisions at a time.

    Raises:
        LogError: on the way.
    """
    first = first_arms(data, path)
    description = LogDescription.of(data, path)
    rewards = RewardTable(description, first.copy(), events, path)
    for frame in tables():
        rewards.add(frame)

    layout = rewards.context_layout()
    # From the beginning again: the table's own registry has seen all changes by now.
    registry = first.copy()
    done = 0
    for frame in tables():
        for decisions in _between_changes(frame, registry):
            for part in decisions.iter_slices(chunk):
                try:
                    yield _feedback(part, rewards, registry.present, done, layout)
                except ValueError as error:
                    place = f"{path}, event {part['number'][0]} or soon after"
                    raise LogError(f"{place}: {error}") from error

                done += len(part)


def _between_changes(frame: pl.DataFrame, registry: ArmRegistry) -> Iterator[pl.DataFrame]:
    """The decisions between two changes of the arms; the registry follows."""
    is_decision = frame["kind"] == "decide"
    is_change = frame["kind"].is_in(CHANGES)
    start = 0
    for change in is_change.arg_true().to_list():
        yield frame[start:change].filter(is_decision[start:change])
        (event,) = changes_of(frame[change : change + 1])
        registry.follow(event)
        start = change

    yield frame[start:].filter(is_decision[start:])


def _feedback(
    frame: pl.DataFrame,
    rewards: RewardTable,
    present: list[int],
    first: int,
    layout: tuple[bool, int],
) -> Feedback:
    """Consecutive decisions, the first of this number, while these arms were present."""
    description = rewards.description
    arm_names = tuple(rewards.registry.names)
    arms = len(arm_names)
    shared, features = layout
    if shared:
        contexts = _shared_contexts(frame, features)
    else:
        contexts = _contexts_by_arm(frame, arms, features, present)

    last = first + len(frame)

    return Feedback(
        contexts=contexts,
        arms=frame["arm"].to_numpy(),
        rewards=rewards.rewards[first:last] * description.signs,
        propensities=frame["propensity"].fill_null(np.nan).to_numpy(),
        arm_names=arm_names,
        objectives=description.objectives,
        # All chunks have it or none, whatever the decisions of this one.
        eligible=_eligible(frame, arms, present) if rewards.restricted else None,
        ids=frame["id"].to_numpy(),
        times=frame["time"].fill_null(np.nan).to_numpy(),
        ranks=ranks_of(frame) if rewards.ranked else None,
        sessions=sessions_of(frame) if rewards.has_sessions else None,
        encoder=description.encoder,
        preference=description.preference,
        propensity_mode=description.propensity_mode,
    )


def ranks_of(frame: pl.DataFrame) -> IntArray:
    """(decisions,) how many arms the same call had chosen before: 0 of nearly all decisions."""
    return _further_numbers(frame, "rank", np.zeros(len(frame), np.int64))


def sessions_of(frame: pl.DataFrame) -> IntArray:
    """(decisions,) the id of the decision that chose the arm; its own where no session kept it."""
    return _further_numbers(frame, "kept", frame["id"].to_numpy().copy())


def _further_numbers(frame: pl.DataFrame, name: str, numbers: IntArray) -> IntArray:
    """(decisions,) a field without a column; `numbers`, which are changed, where it is left out."""
    others = frame["other"]
    says_it = others.str.contains(f'"{name}"', literal=True).fill_null(False)
    # Most logs have none, and JSON takes as long to read as all columns together.
    for row in says_it.arg_true().to_list():
        number = json.loads(others[row]).get(name)
        is_number = isinstance(number, int) and not isinstance(number, bool) and number >= 0
        if is_number:
            numbers[row] = number

    return numbers


def _shared_contexts(frame: pl.DataFrame, features: int) -> Array:
    """Contexts that arms share, (decisions, features)."""
    if features == 0:
        return np.empty((len(frame), 0))
    return _context_numbers(frame).reshape(len(frame), features)


def _contexts_by_arm(frame: pl.DataFrame, arms: int, features: int, present: list[int]) -> Array:
    """Contexts of a row per arm, (decisions, arms, features); zeros for arms not present.

    Args:
        frame: the decisions.
        arms: how many there are in the end.
        features: of a row.
        present: the positions of the arms that the rows belong to.
    """
    other_rows = frame.filter(pl.col("rows").ne_missing(len(present)))
    if len(other_rows):
        got = other_rows["rows"][0]
        raise LogError(f"context must have a row for each of {len(present)} arms, got {got}")

    contexts = np.zeros((len(frame), arms, features))
    if features:
        shape = (len(frame), len(present), features)
        contexts[:, present] = _context_numbers(frame).reshape(shape)

    return contexts


def _context_numbers(frame: pl.DataFrame) -> Array:
    return frame["context"].explode().to_numpy()


def _eligible(frame: pl.DataFrame, arms: int, present: list[int]) -> Mask:
    """The arms that could be played, (decisions, arms); without a list, all that are present."""
    is_present = np.zeros(arms, bool)
    is_present[present] = True
    has_no_list = frame["eligible"].is_null().to_numpy()
    mask = np.where(has_no_list[:, None], is_present, False)
    lists = pl.DataFrame({"row": np.arange(len(frame)), "arm": frame["eligible"]})
    # Nulls twice: decisions without a list, and then those whose list is empty.
    pairs = lists.drop_nulls().explode("arm").drop_nulls()
    rows = pairs["row"].to_numpy()
    positions = pairs["arm"].to_numpy()
    if not np.isin(positions, present).all():
        got = quoted(sorted(set(positions.tolist())))
        raise LogError(f"eligible must be positions of arms that are present, got {got}")

    mask[rows, positions] = True

    return mask
