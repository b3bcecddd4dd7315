"""A store in PostgreSQL: the same events, bits and tables as in SQLite, and one owner at a time."""

import re
import sqlite3
import threading

import msgspec
import numpy as np
import pytest
from poolers import TransactionPooler
from service_checks import wait_for
from services import PATIENCE, specification

from mobandits.errors import LogError
from mobandits.logs import read
from mobandits.logs.address import Address
from mobandits.logs.store import SharedFile, Store, open_shared
from mobandits.logs.store.connection import connect, reading
from mobandits.logs.store.content import log_of
from mobandits.logs.store.replay import events_between
from mobandits.logs.store.rollup import BOUNDED, MINUTE
from mobandits.logs.store.schema import create_tables
from mobandits.orders import Lexicographic

pytest_plugins = ("databases",)
pytestmark = pytest.mark.postgres


def held(place, durability="disk"):
    """A shared store that this process holds."""
    shared = open_shared(place, durability)
    assert shared.hold() is None
    return shared


def play(shared, calls=60):
    """An agent that did a bit of everything; its state, and what it answered."""
    answers = []
    rng = np.random.default_rng(4)
    now = [1.0e9]
    agent = specification().agents["router"].agent(log=Store(shared, agent="router"))
    agent.core.clock = lambda: now[0]
    for n in range(calls):
        now[0] += 0.1
        context = rng.random(3)
        key = f"kö{n}" if n % 3 else None
        decision = agent.decide(context, key=key, active=n % 4 > 0)
        answers.append((decision.id, decision.arm, decision.propensity, decision.front))
        if n % 5 == 0:
            agent.abandon(decision.id)
        elif n % 2:
            agent.learn(decision.id, {"quality": rng.random(), "cost": -0.0})
        else:
            agent.learn(decision.id, {"cost": 1.0e-300})
        if n == 20:
            agent.add_arm("medium", "small")
        if n == 30:
            agent.adopt(context, "large", propensity=0.25, rewards=[0.5, 0.1], key="theirs")
            agent.preference = Lexicographic()
        if n == 40:
            agent.remove_arm("medium")
            agent.checkpoint()
        if n == 45:
            agent.correct(7, {"quality": 0.25})
            agent.rename_arm("small", "smallest")
    return agent, answers


def events_of(shared):
    place = shared.path
    with reading(place) as connection:
        log = log_of(connection, None, str(place))
        return list(events_between(log, 0, log.agent.events))


def comparable(event):
    """An event with the bytes of its context in place of the array."""
    fields = msgspec.structs.asdict(event)
    if event.kind == "decide" and event.context is not None:
        fields["context"] = event.context.tobytes()
    return event.kind, fields


def test_a_store_in_postgresql_has_the_same_events_and_leads_to_the_same_state(tmp_path, address):
    shared_file = held(tmp_path / "log")
    shared_database = held(address)
    answers = []
    states = []
    for shared in (shared_file, shared_database):
        agent, given = play(shared)
        answers.append(given)
        states.append(agent.to_bytes())
        agent.close()
        again = specification().agents["router"].agent(log=Store(shared, agent="router"))
        again.core.clock = lambda: 2.0e9
        assert again.arms == agent.arms
        assert again.lessons == agent.lessons
        assert again.to_bytes() == states[-1]
        for context in np.random.default_rng(9).random((20, 3)):
            decision = again.decide(context)
            answers[-1].append((decision.id, decision.arm, decision.propensity, decision.front))
        again.close()
    assert answers[0] == answers[1]
    assert states[0] == states[1]
    logs = [events_of(shared) for shared in (shared_file, shared_database)]
    assert len(logs[0]) == len(logs[1]) > 100
    for one, other in zip(*logs, strict=True):
        assert comparable(one) == comparable(other)
    shared_file.close()
    shared_database.close()


def test_a_database_is_read_as_feedback(tmp_path, address):
    logs = []
    for place in (tmp_path / "log", address):
        with held(place) as shared:
            agent, _ = play(shared)
            agent.close()
        logs.append(read(place))
    file, database = logs
    assert len(file) == len(database) == 61
    assert file.arm_names == database.arm_names
    for name in ("contexts", "arms", "rewards", "propensities", "eligible"):
        assert np.array_equal(getattr(file, name), getattr(database, name), equal_nan=True), name
    assert len(read(address.url, agent="router")) == 61


def test_replay_without_a_snapshot_gives_the_same_bytes(address, postgres):
    with held(address) as shared:
        agent, _ = play(shared)
        state = agent.to_bytes()
        agent.close()
        postgres.execute("DELETE FROM snapshots", str(address).rpartition("/")[2])
        again = specification().agents["router"].agent(log=Store(shared, agent="router"))
        assert again.to_bytes() == state
        again.close()


def test_tables_are_those_of_sqlite(tmp_path, address, postgres):
    held(address).close()
    connection = connect(tmp_path / "log", synchronous="OFF")
    create_tables(connection)
    (names,) = zip(
        *connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"), strict=True
    )
    kinds = {"INTEGER": "bigint", "REAL": "double precision", "TEXT": "text", "BLOB": "bytea"}
    for name in names:
        expected = []
        for _, column, kind, is_required, _, in_key in connection.execute(
            f"PRAGMA table_info({name})"
        ):
            expected.append((column, kinds[kind], bool(is_required or in_key)))
        found = postgres.execute(
            "SELECT column_name, data_type, is_nullable = 'NO' FROM information_schema.columns "
            f"WHERE table_schema = 'public' AND table_name = '{name}' ORDER BY ordinal_position",
            str(address).rpartition("/")[2],
        )
        assert found == expected, name
    connection.close()


def test_one_process_holds_it_and_the_next_takes_over(address):
    first = held(address)
    second = open_shared(address, "disk")
    reason = second.hold()
    assert "waiting for the lock" in reason
    assert re.search(r"mobandits writes \d+@", reason)
    with pytest.raises(LogError, match="not held"):
        Store(second)
    with Store(first) as store:
        store.describe({"arms": ["a", "b"], "objectives": [{"name": "q", "minimise": False}]})
        store.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
    first.close()
    assert second.hold() is None
    with Store(second) as store:
        assert len(store) == 1
    second.close()


def test_an_owner_whose_session_ended_writes_nothing_more(address, postgres):
    first = held(address)
    second = open_shared(address, "disk")
    assert second.hold() is not None
    store = Store(first)
    store.describe({"arms": ["a", "b"], "objectives": [{"name": "q", "minimise": False}]})
    other = Store(first, agent="other")
    store.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
    first.committer.flush()
    postgres.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    )
    wait_for(lambda: second.hold() is None)
    store.append({"kind": "decide", "id": 1, "arm": 0, "propensity": 0.5})
    first.committer.flush()
    # All of its agents: the one that wrote, and the one that did not.
    for each in (store, other):
        with pytest.raises(LogError, match=r"could not be written|was lost"):
            each.check_usable()
    assert "lost" in first.hold()
    assert "waiting for the lock" in first.hold()
    with Store(second) as present:
        assert [event.id for event in present.events()] == [0]
    store.close()
    other.close()
    second.close()
    assert first.hold() is None
    first.close()


def test_a_server_that_is_stopped_and_started_is_taken_again(address, postgres):
    with held(address, "system") as shared:
        store = Store(shared)
        store.describe({"arms": ["a", "b"], "objectives": [{"name": "q", "minimise": False}]})
        postgres.stop()
        assert "lost" in shared.hold()
        assert "cannot be reached" in shared.hold()
        with pytest.raises(LogError):
            shared.all_keys()
        postgres.start()
        assert shared.hold() is None
        assert shared.all_keys() == []
        store.close()
        with Store(shared) as again:
            assert again.arm_names == ["a", "b"]


def test_a_call_that_a_column_refuses_costs_the_others_nothing(address):
    with held(address) as shared:
        description = {"arms": ["a", "b"], "objectives": [{"name": "q", "minimise": False}]}
        good = Store(shared, agent="good")
        bad = Store(shared, agent="bad")
        for store in (good, bad):
            store.describe(description)
        decision = {"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5}
        with pytest.raises(ValueError, match="NUL"):
            bad.append({**decision, "key": "a\0b"})
        bad.append(decision)
        bad.append(decision)
        good.append(decision)
        shared.committer.flush()
        with pytest.raises(LogError, match="decisions_pkey"):
            bad.check_usable()
        good.check_usable()
        assert len(list(good.events())) == 1
        bad.close()
        good.close()


def test_addresses_are_told_without_passwords(postgres):
    secret = Address(
        f"postgresql://router:s3cret@127.0.0.1:{postgres.port}/none?sslpassword=s3cret"
    )
    with pytest.raises(LogError, match="does not exist") as refused:
        open_shared(secret, "disk")
    assert "s3cret" not in str(refused.value)
    with pytest.raises(LogError, match="%40"):
        Address("postgresql://router:s3@cret@127.0.0.1/none")
    with pytest.raises(LogError, match="cannot be read") as unread:
        open_shared("postgresql://router:s3cret@127.0.0.1:x/none?nonsense=s3cret", "disk")
    assert "s3cret" not in str(unread.value)


def test_databases_of_others_are_refused(address, postgres):
    database = str(address).rpartition("/")[2]
    postgres.execute("CREATE TABLE agents (name text)", database)
    with pytest.raises(LogError, match="another program"):
        open_shared(address, "disk")
    postgres.execute("DROP TABLE agents", database)
    held(address).close()
    postgres.execute("UPDATE meta SET version = 99", database)
    with pytest.raises(LogError, match="version 99"):
        open_shared(address, "disk")
    postgres.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
    with pytest.raises(LogError, match="UTF8"):
        open_shared(postgres.url("latin"), "disk")


def test_two_schemas_of_a_database_are_two_stores(address, postgres):
    database = str(address).rpartition("/")[2]
    shared = []
    for name in ("one", "two"):
        postgres.execute(f"CREATE SCHEMA {name}", database)
        shared.append(held(f"{address.url}?options=-csearch_path%3D{name}"))
    for each in shared:
        each.close()


def test_a_file_is_opened_as_before(tmp_path):
    shared = open_shared(tmp_path / "log", "system")
    assert isinstance(shared, SharedFile)
    shared.close()
    with pytest.raises(LogError, match="SharedDatabase"):
        Store("postgresql://localhost/none")


def test_a_pooler_of_transactions_is_refused(address, postgres):
    pooler = TransactionPooler(postgres.port)
    url = address.url.replace(f":{postgres.port}/", f":{pooler.port}/")
    try:
        with pytest.raises(LogError, match="pools transactions"):
            open_shared(url, "disk")
    finally:
        pooler.close()


def test_statements_of_sums_mean_the_same(tmp_path, address):
    """Casts round in PostgreSQL, and cut the fraction off in SQLite."""
    sums = f"""
    SELECT {MINUTE.format(at="d.at")}, {BOUNDED.format(value="d.propensity")}
    FROM agents a CROSS JOIN decisions d WHERE d.agent = a.id AND a.id = :agent GROUP BY d.at
    """
    found = []
    for place in (tmp_path / "log", address):
        with held(place) as shared, Store(shared) as store:
            store.describe({"arms": ["a", "b"], "objectives": [{"name": "q", "minimise": False}]})
            for n in range(3):
                decision = {"kind": "decide", "id": n, "time": 1.7e9 + 59.0 * n}
                store.append({**decision, "arm": 1, "propensity": 0.1 * (n + 1)})
            shared.committer.flush()
            with reading(shared.path) as connection:
                rows = connection.execute(sums, {"agent": 1}).fetchall()
        found.append(sorted(rows))
    assert found[0] == found[1]
    assert len(found[0]) == 3


def ended(postgres, role):
    """End the sessions of a role, as an administrator may."""
    postgres.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        f"WHERE application_name LIKE 'mobandits {role} %'"
    )


def test_an_agent_that_is_opened_while_the_store_is_lost_holds_up_nobody(address, postgres):
    shared = held(address)
    ended(postgres, "writes")
    is_reading = threading.Event()
    refused = []

    def opening():
        with shared.lock:
            is_reading.set()
            wait_for(lambda: not shared._is_held)
            with pytest.raises(LogError, match="is not held"):
                shared.writer_for("router")
            refused.append("router")

    def losing():
        is_reading.wait()
        # It closes what agents read with, once nobody reads.
        shared.hold()

    threads = [threading.Thread(target=each, daemon=True) for each in (opening, losing)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
    assert not any(each.is_alive() for each in threads)
    assert refused
    wait_for(lambda: shared.hold() is None)
    Store(shared).close()
    shared.close()


def run_together(session, *statements):
    with session.together():
        for statement in statements:
            session.execute(*statement)


def test_what_a_failed_group_has_skipped_can_be_run_afterwards(address):
    from mobandits_service.postgres.connection import (  # noqa: PLC0415 - of an extra
        connected,
    )

    session = connected(address, "tests")
    known = "SELECT ?::bigint"
    # Statements are prepared on their sixth time, which is one that the server skips.
    for number in range(5):
        session.execute(known, (number,))
    with pytest.raises(sqlite3.Error, match="zero"):
        run_together(session, ("SELECT 1 / ?::bigint", (0,)), (known, (5,)))
    for number in range(10):
        assert session.execute(known, (number,)).fetchone() == (number,)
    session.close()


def test_sessions_that_are_ended_one_by_one_are_opened_again(address, postgres):
    with held(address) as shared:
        store = Store(shared)
        store.describe({"arms": ["a", "b"], "objectives": [{"name": "q", "minimise": False}]})
        ended(postgres, "watches")
        # Who writes goes on; keys are read again by another session.
        assert shared.hold() is None
        assert shared.hold() is None
        assert shared.all_keys() == []
        store.append({"kind": "decide", "id": 0, "arm": 1, "propensity": 0.5})
        shared.committer.flush()
        store.check_usable()
        ended(postgres, "reads")
        with pytest.raises(LogError, match="cannot be used"):
            store.decision(0)
        assert "lost" in shared.hold()
        with pytest.raises(LogError, match="lost"):
            store.check_usable()
        store.close()
        assert shared.hold() is None
        with Store(shared) as again:
            assert again.decision(0).event.arm == 1
