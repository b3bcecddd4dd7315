"""Reading a store in slices: what is written meanwhile does not let the log beside it grow."""

import contextlib

import numpy as np
import polars as pl
import pytest

from mobandits.errors import LogError
from mobandits.logs import Store, export, read
from mobandits.logs.store import connection, frames, replay, waiting
from mobandits.logs.store.content import log_of

DESCRIPTION = {"arms": ["a", "b"], "objectives": ["quality"]}
DECISIONS = 400
LOG_PAGES = 50  # a small log shows the same as a large one


def pair(number):
    """A decision and its reward."""
    context = np.full((1, 8), 0.5)
    decision = {"kind": "decide", "id": number, "arm": 1, "propensity": 0.5, "context": context}
    return decision, {"kind": "learn", "id": number, "rewards": {"quality": 0.25}}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "LOG_PAGES", LOG_PAGES)
    for module in (frames, replay):
        monkeypatch.setattr(module, "BLOCK", 20)
    monkeypatch.setattr(waiting, "SLICE", 20)
    with Store(tmp_path / "a.db") as opened:
        opened.describe(DESCRIPTION)
        for number in range(DECISIONS):
            opened.extend(pair(number))
        yield opened


def largest_log(store, steps):
    """The size of the log while somebody writes between the steps of a reader."""
    log = store.path.with_name(f"{store.path.name}-wal")
    number = DECISIONS
    sizes = []
    for _ in steps:
        for _ in range(10):
            store.extend(pair(number))
            number += 1
        sizes.append(log.stat().st_size)

    assert len(sizes) > 10
    return max(sizes)


def steps_of(store, *, in_slices):
    with connection.reading(store.path, in_slices=in_slices) as reader:
        yield from frames.frames(log_of(reader, None, "a.db"))


@pytest.mark.long
def test_the_log_does_not_grow_while_tables_are_read(store):
    bounded = largest_log(store, steps_of(store, in_slices=True))
    assert bounded < 3 * LOG_PAGES * connection.PAGE_BYTES
    # What there is to fear: a reader that holds one state of the store.
    assert largest_log_of_a_long_reader(store) > 2 * bounded


def largest_log_of_a_long_reader(store):
    with contextlib.closing(steps_of(store, in_slices=False)) as steps:
        log = store.path.with_name(f"{store.path.name}-wal")
        next(steps)
        for number in range(10_000, 10_400):
            store.extend(pair(number))
        return log.stat().st_size


@pytest.mark.long
def test_the_log_does_not_grow_while_events_are_replayed(store):
    events = store.events()
    steps = (next(events) for _ in range(60))
    assert largest_log(store, steps) < 3 * LOG_PAGES * connection.PAGE_BYTES


@pytest.mark.long
def test_what_is_written_meanwhile_is_not_read(store):
    tables = []
    number = DECISIONS
    for table in steps_of(store, in_slices=True):
        tables.append(table)
        store.extend(pair(number))
        number += 1

    whole = pl.concat(tables)
    assert whole["number"].to_list() == list(range(1, 2 * DECISIONS + 1))


def test_a_reward_that_comes_meanwhile_is_not_counted(store):
    """Slices are read at different moments, and show the store of one."""
    decision, reward = pair(DECISIONS)
    store.append(decision)
    with connection.reading(store.path, in_slices=True) as reader:
        log = log_of(reader, None, "a.db")
        store.append(reward)
        table = waiting.decision_table(log)

    assert table["rewards"][-1] == 0
    assert (table["rewards"][:-1] == 1).all()


@pytest.mark.long
def test_a_store_that_is_shortened_meanwhile_is_refused(store, tmp_path):
    steps = steps_of(store, in_slices=True)
    next(steps)
    store.snapshot(b"a state")
    export(store.path, tmp_path / "old.parquet", delete=True)
    with pytest.raises(LogError, match="was shortened while it was read: read it again"):
        list(steps)


@pytest.mark.long
def test_slices_are_exported_like_the_whole(store, tmp_path, monkeypatch):
    assert export(store.path, tmp_path / "slices.parquet") == DECISIONS
    monkeypatch.undo()
    assert export(store.path, tmp_path / "whole.parquet") == DECISIONS
    few = read(tmp_path / "slices.parquet")
    whole = read(tmp_path / "whole.parquet")
    for name in ("ids", "arms", "rewards", "propensities", "contexts"):
        assert np.array_equal(getattr(few, name), getattr(whole, name))
