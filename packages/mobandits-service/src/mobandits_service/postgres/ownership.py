"""One process writes a store in PostgreSQL at a time: a lock of the session that writes.

The lock and the writing share one session of the server. So a process whose session has ended, for
whatever reason, has lost the lock and the means to write in the same moment: a standby that has the
lock need not fear that the process before it commits anything more. This holds as long as the
process never connects again behind its own back, which `SharedDatabase` makes sure of, and as long
as nobody between them gives one session of the server to several clients.
"""

from mobandits.errors import LogError
from mobandits.logs.address import Address
from mobandits.logs.store.schema import APPLICATION_ID
from mobandits_service.postgres.connection import PostgresConnection

# Locks belong to a database, and stores to a schema of it: the lock's number has both.
NUMBER = """
SELECT (?::bigint << 32) | oid::bigint
FROM pg_namespace WHERE nspname = current_schema()
"""
TAKE = "SELECT pg_try_advisory_lock(?)"
RELEASE = "SELECT pg_advisory_unlock_all()"
# The halves of the number, as `pg_locks` shows them.
HOLDER = """
SELECT activity.application_name FROM pg_locks lock JOIN pg_stat_activity activity USING (pid)
WHERE lock.locktype = 'advisory' AND lock.granted AND lock.objsubid = 1
    AND lock.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND lock.classid::bigint = ? AND lock.objid::bigint = ?
"""
BACKEND = "SELECT pg_backend_pid()"


def lock_number(connection: PostgresConnection) -> int:
    """The number of the lock of a connection's store."""
    return int(connection.value(NUMBER, APPLICATION_ID))


def takes_lock(connection: PostgresConnection) -> bool:
    """Whether a session has the lock of its store from now on, until it ends."""
    return bool(connection.value(TAKE, lock_number(connection)))


def holder(connection: PostgresConnection) -> str:
    """Holder of the lock of a connection's store, by the name that its session gave itself."""
    number = lock_number(connection)
    halves = (number >> 32, number & 0xFFFFFFFF)
    row = connection.execute(HOLDER, halves).fetchone()
    name = None if row is None else row[0]

    return name or "another session"


def check_direct(
    connection: PostgresConnection, other: PostgresConnection, address: Address
) -> None:
    """Refuse a pooler that gives the sessions of a server to its clients by the transaction.

    There the lock would stay with a session that others use, and statements would go to any.

    Args:
        connection: to check.
        other: another one to the same address, that does nothing just now.
        address: of both.

    Raises:
        LogError: saying what to do.
    """
    first = connection.value(BACKEND)
    # A pooler has a session to spare now: the one that it just used. Meanwhile another one must
    # answer, unless a session of the server belongs to each client.
    other.execute("BEGIN")
    try:
        is_shared = other.value(BACKEND) == first or connection.value(BACKEND) != first
    finally:
        other.execute("ROLLBACK")

    if is_shared:
        raise LogError(
            f"{address} must be reached directly or by a pooler of sessions, got one that pools "
            "transactions: it does not keep locks"
        )
