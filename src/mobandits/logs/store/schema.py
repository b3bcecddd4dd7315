"""The tables of a decision store, as SQL.

Every row that an agent appends has a `seq`, counted per agent from 1 without holes, and a checksum
of its content. SQLite has no checksums of its own: they tell a damaged row from a sound one.
"""

import importlib.metadata
import sqlite3
from collections.abc import Iterator

from mobandits.errors import LogError
from mobandits.logs.store.transactions import transaction

VERSION = 3  # of these tables; a file of another version is refused
APPLICATION_ID = 0x6D6F6264  # "mobd": what the file is, for tools that look at its header
OLDEST_SQLITE = (3, 37, 0)  # the first with STRICT tables

CREATE = """
CREATE TABLE meta (
    version INTEGER NOT NULL,      -- of these tables
    written_by TEXT NOT NULL       -- the version of mobandits that made the file
) STRICT;

CREATE TABLE agents (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,     -- JSON: arms, objectives, recipe, options
    created REAL NOT NULL,         -- seconds since 1970
    events INTEGER NOT NULL,       -- the last seq
    complete_after INTEGER NOT NULL,  -- of events up to this seq some were deleted; 0: none was
    checksum INTEGER NOT NULL      -- of name, description and created
) STRICT;

CREATE TABLE arms (
    agent INTEGER NOT NULL REFERENCES agents (id),
    number INTEGER NOT NULL,       -- as decisions name it: the order in which names first came
    name TEXT NOT NULL,
    PRIMARY KEY (agent, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE decisions (
    agent INTEGER NOT NULL REFERENCES agents (id),
    id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at REAL,                       -- seconds since 1970
    arm INTEGER NOT NULL,
    propensity REAL,
    rows INTEGER,                  -- of the context: 1 where all arms share it, else one per arm
    features INTEGER,
    context BLOB,                  -- rows x features little-endian doubles, row by row
    eligible TEXT,                 -- JSON list of arms; NULL: all that were present
    other TEXT,                    -- JSON: further fields, or NULL
    key TEXT,                      -- of the client, for calls that are tried again
    made_by TEXT NOT NULL DEFAULT 'us' CHECK (made_by IN ('us', 'observed')),
    active INTEGER NOT NULL DEFAULT 1,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (agent, id)
) STRICT;
CREATE UNIQUE INDEX decisions_in_order ON decisions (agent, seq);
CREATE UNIQUE INDEX decisions_by_key ON decisions (agent, key) WHERE key IS NOT NULL;

CREATE TABLE rewards (
    agent INTEGER NOT NULL,
    decision INTEGER NOT NULL,
    objective TEXT NOT NULL,
    value REAL NOT NULL,
    at REAL,
    seq INTEGER NOT NULL,          -- shared by the rewards of one call
    position INTEGER NOT NULL,     -- among these
    other TEXT,                    -- JSON: further fields of the call, at its first position
    checksum INTEGER NOT NULL,     -- of all rewards of the call: none of them can be missing
    PRIMARY KEY (agent, decision, objective),
    FOREIGN KEY (agent, decision) REFERENCES decisions (agent, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX rewards_in_order ON rewards (agent, seq);

CREATE TABLE changes (
    agent INTEGER NOT NULL REFERENCES agents (id),
    seq INTEGER NOT NULL,
    at REAL,
    kind TEXT NOT NULL,            -- add, remove, preference, ...
    body TEXT NOT NULL,            -- JSON: the other fields
    checksum INTEGER NOT NULL,
    PRIMARY KEY (agent, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_of_arms ON changes (agent, seq) WHERE kind IN ('add', 'remove');

CREATE TABLE snapshots (
    agent INTEGER NOT NULL REFERENCES agents (id),
    seq INTEGER NOT NULL,          -- the last event that the state knows
    at REAL NOT NULL,
    state BLOB NOT NULL,           -- what Agent.save writes
    checksum INTEGER NOT NULL,
    PRIMARY KEY (agent, seq)
) STRICT;

-- What applications show to a service, as digests: who reads the file cannot use them.
CREATE TABLE keys (
    id TEXT PRIMARY KEY,           -- the part of a key that is no secret
    digest BLOB NOT NULL,          -- SHA-256 of the whole key
    scopes TEXT NOT NULL,          -- of read, decide and admin, between commas
    agents TEXT,                   -- JSON list of those that it is for; NULL: all
    label TEXT NOT NULL,           -- for people
    created REAL NOT NULL,         -- seconds since 1970
    revoked REAL                   -- likewise; NULL: it is valid
) STRICT, WITHOUT ROWID;

-- What a service keeps beside the log: sums for its pages, agents that came by a call, and jobs.
CREATE TABLE rollup (
    agent INTEGER NOT NULL REFERENCES agents (id),
    minute INTEGER NOT NULL,       -- since 1970
    arm INTEGER NOT NULL,          -- as of decisions
    objective TEXT NOT NULL,       -- of rewards; '': the decisions themselves
    n INTEGER NOT NULL,
    total REAL NOT NULL,           -- of the rewards; of decisions: their propensities, as far as known
    squares REAL NOT NULL,         -- likewise, of the squares
    PRIMARY KEY (agent, minute, arm, objective)
) STRICT, WITHOUT ROWID;

CREATE TABLE rolled (
    agent INTEGER PRIMARY KEY REFERENCES agents (id),
    seq INTEGER NOT NULL           -- the last event that rollup counts
) STRICT;

CREATE TABLE hosted (
    agent TEXT PRIMARY KEY,        -- the name of an agent that a call made, and no file
    specification TEXT NOT NULL,   -- JSON
    state TEXT NOT NULL CHECK (state IN ('served', 'ended')),
    changed REAL NOT NULL          -- seconds since 1970
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,           -- its name
    kind TEXT NOT NULL,            -- evaluation
    specification TEXT NOT NULL,   -- JSON
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    result TEXT,                   -- JSON; of a job that failed: why
    created REAL NOT NULL,         -- seconds since 1970
    ended REAL
) STRICT, WITHOUT ROWID;
"""


def statements(script: str) -> Iterator[str]:
    r"""The single statements of a script.

    Example:
        >>> list(statements("CREATE TABLE a (b);\nDROP TABLE a;\n"))
        ['CREATE TABLE a (b);', 'DROP TABLE a;']
    """
    # sqlite3.executescript commits first, and so cannot be a part of a transaction.
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""


def check_sqlite() -> None:
    """Refuse a SQLite that cannot hold the tables.

    Raises:
        LogError: naming its version.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise LogError(
            f"SQLite must be {oldest} or newer for a store, got {sqlite3.sqlite_version}"
        )


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file, in one transaction; a file that has them stays as it is."""
    if version_of(connection) == VERSION:
        return

    written_by = importlib.metadata.version("mobandits")
    with transaction(connection, "BEGIN IMMEDIATE"):
        for statement in statements(CREATE):
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES (?, ?)", (VERSION, written_by))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a file's tables; 0 where it is new."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def check_version(place: object, version: int, understood: int = VERSION) -> None:
    """Refuse a store whose tables are of another version.

    Args:
        place: of the store.
        version: of its tables.
        understood: the only version that is understood.

    Raises:
        LogError: with both versions.

    Example:
        >>> check_version("router.db", 4)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        mobandits.errors.LogError: router.db is a store of version 4: this ... version 3 only
    """
    if version != understood:
        raise LogError(
            f"{place} is a store of version {version}: this mobandits understands version "
            f"{understood} only"
        )


def broken_rule(error: sqlite3.IntegrityError) -> str:
    """The rule that the tables' keys found broken, in the words of events."""
    text = str(error)
    if "FOREIGN KEY" in text:
        return "event.id must be of a decision that is there"
    if "decisions.key" in text:
        return "event.key must not be there already"
    if "decisions.id" in text:
        return "event.id must not be there already"
    if "rewards" in text:
        return "event.rewards must not be there already"
    return text
