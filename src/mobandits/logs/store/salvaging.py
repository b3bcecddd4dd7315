"""A new store with what is whole of a damaged one, and leads to the same agents.

The damaged file is copied page by page, and only read. In the copy, indexes are built anew where
the tables beneath them can be read: damage of an index alone loses nothing.
"""

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mobandits.errors import LogError
from mobandits.logs.events import Lost
from mobandits.logs.names import compact, encoded, name_text
from mobandits.logs.store.checking import AgentCheck, CheckState, checked_store
from mobandits.logs.store.connection import PAGE_BYTES, explained, new_file, reading
from mobandits.logs.store.ownership import notes_beside
from mobandits.logs.store.rows import Statement, checksum, statements_of
from mobandits.logs.store.schema import create_tables
from mobandits.logs.store.survey import UNREADABLE, found_events, found_snapshots, rows_of
from mobandits.logs.store.transactions import execute_all, transaction
from mobandits.support.files import replacing
from mobandits.support.naming import quantity, quoted
from mobandits.support.numbering import SPAN

INSERT_AGENT = "INSERT INTO agents VALUES (?, ?, ?, ?, ?, ?, ?)"
INSERT_ARM = "INSERT INTO arms VALUES (?, ?, ?)"
INSERT_SNAPSHOT = "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)"
SELECT_INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL"
DELETE_INDEX = "DELETE FROM sqlite_schema WHERE type = 'index' AND name = ?"
# They have no checksums, and are taken as they are; sums of pages are counted anew.
COPIED = ("keys", "hosted", "jobs")


class Saved(NamedTuple):
    """Part of an agent that was saved.

    Attributes:
        name: of the agent.
        events: that are in the new store as they were written.
        last: the last of them.
        next: the number of the agent's next decision, at least, where something is lost that the
            agent would have gone on from.
    """

    name: str
    events: int
    last: int
    next: int | None

    def in_words(self) -> str:
        """A line about it."""
        said = f"agent {quoted(self.name)}: {quantity(self.events, 'event')}"
        if self.next is None:
            return said

        return f"{said}, up to event {self.last:,}; decisions go on from number {self.next}"


def salvage(store: str | Path, out: str | Path, check_state: CheckState) -> list[Saved]:
    """Write a new store with what of a store is whole, as far as agents can go on from it.

    Of each agent there are all events up to the first damage. Where a snapshot that loads is newer
    than the damage, there are those after it as well, up to the next damage: the log is then like
    one that was shortened. What comes later is left out, since no agent could replay it; an event of
    the kind `lost` says how much that is, and from which number decisions go on.

    Args:
        store: the file of a `Store`; it is only read.
        out: the file to write, which must not exist; it appears whole or not at all.
        check_state: see `checking.check`.

    Returns:
        what was saved of each agent.

    Raises:
        LogError: where the file cannot be read as a store, or `out` exists or cannot be written.
    """
    source = Path(store)
    target = new_file(out)
    notes = notes_beside(source)
    try:
        with _repaired_copy(source, target.parent) as damaged, replacing(target) as file:
            agents = checked_store(damaged, check_state, notes).agents
            return _written(damaged, Path(file.name), agents)
    except OSError as error:
        raise LogError(f"{target} cannot be written: {error.strerror}") from error


@contextlib.contextmanager
def _repaired_copy(source: Path, folder: Path) -> Iterator[sqlite3.Connection]:
    """A copy of a store whose indexes are right as far as they can be."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{source.name}.") as name:
        path = Path(name) / "copy"
        with _connected(path) as connection:
            with reading(source, in_slices=True) as original:
                original.backup(connection)

            _renew_indexes(connection)

        # Another connection, which knows the indexes as they are now.
        with _connected(path) as connection:
            yield connection


def _connected(path: Path) -> "contextlib.closing[sqlite3.Connection]":
    """A connection to a file that nobody else has open."""
    return contextlib.closing(sqlite3.connect(path, isolation_level=None))


def _renew_indexes(connection: sqlite3.Connection) -> None:
    """Put new indexes in the place of the old ones, where their tables can be read."""
    renewed = []
    for name, text in rows_of(connection, SELECT_INDEXES):
        # Two damaged rows may have one number.
        plain = text.replace("CREATE UNIQUE", "CREATE").replace(name, f"renewed_{name}", 1)
        with contextlib.suppress(*UNREADABLE):
            connection.execute(plain)
            renewed.append((name,))

    # To drop a damaged one, SQLite would have to read it.
    connection.execute("PRAGMA writable_schema = ON")
    connection.executemany(DELETE_INDEX, renewed)


def _written(damaged: sqlite3.Connection, path: Path, agents: Iterable[AgentCheck]) -> list[Saved]:
    """Write what can be saved into an empty file."""
    with _connected(path) as connection, explained(path):
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        # Where it fails, the file goes as a whole.
        connection.execute("PRAGMA journal_mode = OFF")
        create_tables(connection)
        with transaction(connection):
            saved = [_saved_agent(damaged, connection, agent) for agent in agents]
            for table in COPIED:
                _copy_rows(damaged, connection, table)

        return saved


def _saved_agent(
    damaged: sqlite3.Connection,
    connection: sqlite3.Connection,
    agent: AgentCheck,
) -> Saved:
    """Write what can be saved of an agent."""
    last = agent.plan.last
    number = agent.row.id
    left_out = set(agent.survey.orphans.tolist())
    loss = _loss_of(agent)
    statements = list(_agent_statements(agent, last + len(loss)))
    for event in loss:
        statements += statements_of(number, last + 1, event)

    execute_all(connection, statements)
    for found in found_events(damaged, number, last):
        if found.seq not in left_out:
            connection.executemany(found.insert, [(number, *row) for row in found.rows])

    kept = [each.seq for each in agent.saved_snapshots()]
    for seq, row in found_snapshots(damaged, number):
        if row is not None and seq in kept:
            connection.execute(INSERT_SNAPSHOT, (number, *row))

    return Saved(agent.row.name, agent.saved_events, last, loss[0].next if loss else None)


def _agent_statements(agent: AgentCheck, events: int) -> Iterator[Statement]:
    """Statements of the row of an agent, and of those of its arms.

    Args:
        agent: that is saved.
        events: that it has then.
    """
    row = agent.row
    text = compact(encoded(row.description, "description"))
    check = checksum(row.name, text, row.created)
    complete_after = agent.plan.complete_after
    values = (row.id, row.name, text, row.created, events, complete_after, check)
    yield INSERT_AGENT, values

    arms = agent.survey.arms_after(row, agent.plan.last)
    for position, name in enumerate(arms.names):
        yield INSERT_ARM, (row.id, position, name_text(name))


def _loss_of(agent: AgentCheck) -> list[Lost]:
    """The event that says what the agent is missing, in a list; an empty one where nothing is.

    These are events at the end, and decisions that a snapshot waits for: no reward of one that is
    lost can be kept.
    """
    survey = agent.survey
    had = max(survey.last, agent.note.events)
    last = agent.plan.last
    there = set(survey.decisions[survey.seqs <= last].tolist())
    snapshots = agent.saved_snapshots()
    # The agent goes on from the newest one.
    waits = snapshots[0].waiting if snapshots else ()
    waiting = [number for number in waits if number not in there]
    if had <= last and not waiting:
        return []

    own = survey.decisions[survey.decisions < SPAN]
    # Each of those that cannot be read may be a decision: its number is not given again.
    unread = had - survey.last + len(survey.holes_between(agent.plan.complete_after, survey.last))
    known = int(own.max(initial=-1)) + 1
    following = max(agent.note.next, known + unread)

    return [Lost(events=had - last, next=following, decisions=waiting)]


def _copy_rows(damaged: sqlite3.Connection, connection: sqlite3.Connection, table: str) -> None:
    """Copy the rows of a table that can be read."""
    for row in rows_of(damaged, f"SELECT * FROM {table}"):  # noqa: S608 - of constants
        places = ", ".join("?" * len(row))
        # A damaged row may be against the rules of the table.
        with contextlib.suppress(sqlite3.Error):
            connection.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608 - likewise
