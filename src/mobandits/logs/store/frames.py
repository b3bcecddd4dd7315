"""The events of a store as tables, a block at a time: the columns of `mobandits.logs.table`."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from mobandits.logs.names import compact
from mobandits.logs.store.content import AgentLog
from mobandits.logs.store.replay import missing
from mobandits.logs.store.rows import (
    DOUBLE,
    Lesson,
    Row,
    by_lesson,
    check_change,
    check_decision,
    checked_lesson,
    event_rows,
    further_fields,
)
from mobandits.logs.table import SCHEMA

BLOCK = 2000  # events: with 50 arms of 20 features, 16 MB


def frames(log: AgentLog) -> Iterator[pl.DataFrame]:
    """The events of an agent in order, as tables with the columns of `table.SCHEMA`.

    Of events that were deleted there are no rows; `number` is the seq.

    Args:
        log: of the agent.

    Raises:
        LogError: where an event is damaged, missing, or was deleted meanwhile.
    """
    agent = log.agent
    source = log.source
    for start, end in _blocks(agent.complete_after, agent.events):
        # What follows takes longer than to read: no state of the store is held meanwhile.
        with log.slice():
            rows = event_rows(log.connection, agent.id, start, end)

        parts = [
            pl.DataFrame(schema=SCHEMA),
            _of_decisions(rows.decisions, source),
            _of_lessons(rows.rewards, source),
            _of_changes(rows.changes, source),
        ]
        frame = pl.concat(parts, how="diagonal").sort("number")
        if start >= agent.complete_after:
            _check_complete(frame, start, end, source)
        if len(frame):
            yield frame


def _blocks(complete_after: int, last: int) -> Iterator[tuple[int, int]]:
    """(after, up to) of blocks; none is in part behind the last deletion, and in part before it."""
    for first, end in ((0, complete_after), (complete_after, last)):
        for start in range(first, end, BLOCK):
            yield start, min(start + BLOCK, end)


def _check_complete(frame: pl.DataFrame, start: int, end: int, source: str) -> None:
    numbers = frame["number"].to_numpy()
    expected = np.arange(start + 1, end + 1)
    if np.array_equal(numbers, expected):
        return
    lost = np.setdiff1d(expected, numbers)
    first = int(lost[0]) if len(lost) else end  # none is lost where one is there twice
    raise missing(source, first)


def _of_decisions(rows: Sequence[Row], source: str) -> pl.DataFrame:
    for row in rows:
        check_decision(row, source)
    columns = _columns(rows, 14)
    ids, numbers, times, arms, propensities, counts, features, blobs, eligible = columns[:9]
    return _frame(
        number=numbers,
        kind=["decide"] * len(rows),
        id=ids,
        time=times,
        arm=arms,
        propensity=propensities,
        rows=counts,
        features=features,
        context=_context_lists(blobs),
        eligible=[None if text is None else json.loads(text) for text in eligible],
        other=[_other_of(row) for row in rows],
    )


def _of_lessons(rows: Sequence[Row], source: str) -> pl.DataFrame:
    lessons = [checked_lesson(lesson, source) for lesson in by_lesson(rows)]
    numbers, ids, times, others, _ = _columns(lessons, 5)
    return _frame(
        number=numbers,
        kind=["learn"] * len(lessons),
        id=ids,
        time=times,
        rewards=_reward_lists(lessons),
        other=others,
    )


def _of_changes(rows: Sequence[Row], source: str) -> pl.DataFrame:
    for row in rows:
        check_change(row, source)
    numbers, times, kinds, bodies, _ = _columns(rows, 5)
    return _frame(number=numbers, kind=kinds, time=times, other=bodies)


def _columns(rows: Sequence[Row], count: int) -> Sequence[Row]:
    """The columns of some rows, empty ones where there are none."""
    return list(zip(*rows, strict=True)) or [()] * count


def _frame(**columns: Any) -> pl.DataFrame:
    """A table of some columns of `table.SCHEMA`."""
    return pl.DataFrame(columns, {name: SCHEMA[name] for name in columns})


def _context_lists(blobs: Sequence[bytes | None]) -> pl.Series:
    """A column of lists; where all are as long, which is usual, from all numbers in one go."""
    present = [blob for blob in blobs if blob]
    sizes = {len(blob) for blob in present}
    if len(sizes) == 1 and len(present) == len(blobs):
        numbers = np.frombuffer(b"".join(present), DOUBLE)
        table = numbers.reshape(len(blobs), -1)
        return pl.Series(table).arr.to_list()
    lists: list[list[float] | None] = []
    for blob in blobs:
        numbers_of_one = None if blob is None else np.frombuffer(blob, DOUBLE).tolist()
        lists.append(numbers_of_one)

    return pl.Series(lists, dtype=SCHEMA["context"])


def _other_of(row: Row) -> str | None:
    """Further fields as JSON: those that have a column in a store have none in tables."""
    *_, other, key, made_by, active, _ = row
    if key is None and made_by == "us" and active:
        return other  # type: ignore[no-any-return]
    return compact(further_fields(row))


def _reward_lists(lessons: Sequence[Lesson]) -> pl.Series:
    """A column of lists of rewards."""
    # From all of them in one go: one by one costs ten times as much.
    pairs = [pair for lesson in lessons for pair in lesson.pairs]
    rewards = pl.DataFrame(
        {
            "number": np.repeat(
                [lesson.seq for lesson in lessons], [len(lesson.pairs) for lesson in lessons]
            ),
            "objective": [objective for objective, _ in pairs],
            "value": [value for _, value in pairs],
        },
        schema={"number": pl.Int64, "objective": pl.String, "value": pl.Float64},
    )
    structs = pl.struct("objective", "value").alias("rewards")
    lists = rewards.group_by("number", maintain_order=True).agg(structs)["rewards"]
    return lists.cast(SCHEMA["rewards"])
