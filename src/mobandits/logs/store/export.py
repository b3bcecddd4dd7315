"""Archives of a store's decisions, and stores that are shortened by what was archived."""

import functools
import math
from collections.abc import Hashable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import polars as pl

from mobandits.errors import LogError
from mobandits.logs import dsjson
from mobandits.logs.address import Place, place_of
from mobandits.logs.join import Tables
from mobandits.logs.store.archives import write_archive
from mobandits.logs.store.arm_timeline import are_in
from mobandits.logs.store.connection import explained, new_file, reading, warn_of_loss
from mobandits.logs.store.content import AgentLog, log_of
from mobandits.logs.store.csv_files import write_csv
from mobandits.logs.store.frames import frames
from mobandits.logs.store.reading import feedback_of
from mobandits.logs.store.shortening import (
    Chosen,
    decisions_before,
    delete_decisions,
    settled_before,
)
from mobandits.support.checks import choice, number

Format = Literal["parquet", "dsjson", "csv"]
FORMATS = ("parquet", "dsjson", "csv")
CHUNK = 2000  # decisions at a time


def export(
    store: str | Place,
    out: str | Path,
    format: Format = "parquet",  # noqa: A002 - the word of the command line
    before: datetime | float | None = None,
    delete: bool = False,
    *,
    agent: str | None = None,
    objective: Hashable | None = None,
) -> int:
    """Write decisions of a store, with their rewards, into a file of another format.

    With `delete`, the file has what is removed from the store, and nothing else: decisions whose
    rewards are all there, or can come no more. Those that still wait stay. An agent may go on
    writing meanwhile; the store opens from its last snapshot, and is read, evaluated and explained
    by what is left. The file of the store becomes smaller where no agent has it open; otherwise
    the space is used for what comes.

    Args:
        store: the file of a `Store`, or the URL of a database that a service writes.
        out: the file to write, which must not exist; it appears whole or not at all.
        format: "parquet" has all events, and is read by `mobandits.logs.read`, as "dsjson" is;
            "csv" is a table for other programs and `mobandits.logs.csv`.
        before: only decisions before this time, in seconds since 1970 or as a `datetime`, which
            without a time zone is of UTC; None: all.
        delete: whether to delete from the store what was written; of files only.
        agent: whose decisions; None where the store has one agent only.
        objective: of "dsjson", see `mobandits.logs.dsjson.write`.

    Returns:
        The number of decisions.

    Raises:
        LogError: where the store is damaged, where `out` exists, or where decisions are to be
            deleted that no snapshot knows, or from a database.

    Example:
        >>> import tempfile
        >>> from mobandits.logs import Store, read
        >>> folder = Path(tempfile.mkdtemp())
        >>> with Store(folder / "router.db") as log:
        ...     log.describe({"arms": ["a", "b"], "objectives": ["quality"]})
        ...     log.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
        ...     log.append({"kind": "learn", "id": 0, "rewards": {"quality": 0.25}})
        ...     log.snapshot(b"what Agent.save writes")
        >>> export(folder / "router.db", folder / "old.parquet", delete=True)
        1
        >>> read(folder / "old.parquet").rewards.tolist()
        [[0.25]]
    """
    choice("format", format, FORMATS)
    place = place_of(store)
    target = new_file(out)
    limit = _seconds(before)
    if isinstance(place, Path):
        warn_of_loss(place)
    elif delete:
        raise LogError(f"delete must be of a file, and {place} is a database")

    with reading(place, in_slices=True) as connection:
        log = log_of(connection, agent, str(place))
        chosen = settled_before(log, limit) if delete else decisions_before(log, limit)
        tables = functools.partial(_chosen_tables, log, chosen)
        with explained(place):
            _write(log, tables, target, format, objective)
    if delete and isinstance(place, Path):
        delete_decisions(place, log.agent, chosen)

    return len(chosen.ids)


def shorten(store: Path, before: float, *, agent: str | None = None) -> int:
    """Delete decisions of a store without an archive; which ones, see `export` with `delete`.

    Args:
        store: the file of a `Store`.
        before: only decisions before this time, in seconds since 1970.
        agent: whose decisions; None where the store has one agent only.

    Returns:
        The number of decisions.

    Raises:
        LogError: where the store is damaged, or no snapshot knows the decisions.
    """
    with reading(store, in_slices=True) as connection:
        log = log_of(connection, agent, str(store))
        chosen = settled_before(log, before)
    delete_decisions(store, log.agent, chosen)

    return len(chosen.ids)


def _chosen_tables(log: AgentLog, chosen: Chosen) -> Iterator[pl.DataFrame]:
    """The events of the chosen decisions, and all changes before the last of them."""
    for frame in frames(log):
        kinds = frame["kind"]
        is_change = ~kinds.is_in(["decide", "learn"]).to_numpy()
        # Ids are never negative; of changes, the column is null.
        own_ids = frame["id"].fill_null(-1).to_numpy()
        is_chosen = are_in(own_ids, chosen.ids)
        # All changes, not only of the arms that were chosen: positions of arms count them all.
        is_early = frame["number"].to_numpy() <= chosen.last
        # A reward of one of them may have been corrected long after.
        is_correction = (kinds == "correct").to_numpy()
        kept = frame.filter((is_change | is_chosen) & is_early | is_correction)
        if len(kept):
            yield kept


def _write(
    log: AgentLog, tables: Tables, out: Path, file_format: str, objective: Hashable | None
) -> None:
    if file_format == "parquet":
        write_archive(tables(), log.agent.description, out)
        return
    chunks = feedback_of(log, tables, CHUNK)
    if file_format == "csv":
        write_csv(chunks, out)
        return
    dsjson.write(chunks, out, objective=objective)


def _seconds(before: datetime | float | None) -> float:
    if before is None:
        return math.inf
    if isinstance(before, datetime):
        if before.tzinfo is None:
            before = before.replace(tzinfo=UTC)
        return before.timestamp()
    number("before", before)
    return float(before)
