"""Groups that are appended in one statement: the tables are as after their statements one by one."""

import sqlite3

import numpy as np
import pytest

from mobandits.logs.events import Decide, Learn, checked
from mobandits.logs.store.appending import MOST_ROWS, appended, gathered, prepare_appending
from mobandits.logs.store.rows import UPDATE_EVENTS, statements_of
from mobandits.logs.store.schema import create_tables

TABLES = ("agents", "decisions", "rewards", "changes")
AGENTS = (1, 2, 3)


def in_few(statements):
    """The statements that a group becomes."""
    return gathered(statements, appended)


@pytest.fixture
def connections():
    """A connection that appends in one statement, and its slow twin."""
    opened = []
    for _ in range(2):
        connection = sqlite3.connect(":memory:", isolation_level=None)
        create_tables(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        for agent in AGENTS:
            row = (agent, f"agent {agent}")
            connection.execute("INSERT INTO agents VALUES (?, ?, '{}', 0.0, 0, 0, 0)", row)
        opened.append(connection)
    prepare_appending(opened[0])
    yield opened
    for connection in opened:
        connection.close()


def content(connection):
    """All rows of the tables that events are appended to, and the types of their values."""
    found = {}
    for table in TABLES:
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
        found[table] = [[(type(value), value) for value in row] for row in rows]
    return found


class Events:
    """Random events of several agents, as statements."""

    def __init__(self, rng):
        self.rng = rng
        self.seqs = dict.fromkeys(AGENTS, 0)
        self.waiting = {agent: [] for agent in AGENTS}

    def statements(self, count):
        """Those of so many calls."""
        listed = []
        for _ in range(count):
            agent = int(self.rng.choice(AGENTS))
            self.seqs[agent] += 1
            seq = self.seqs[agent]
            own = statements_of(agent, seq, checked(self.event(agent, seq)))
            listed += [*own, (UPDATE_EVENTS, (seq, agent))]
        return listed

    def event(self, agent, seq):
        """A decision, a reward or something else."""
        kind = self.rng.choice(["decide", "learn", "preference"])
        if kind == "preference":
            return {"kind": "preference", "order": "pareto"}
        if kind == "learn" and self.waiting[agent]:
            number = self.waiting[agent].pop()
            return {"kind": "learn", "id": number, "rewards": {"quality": 0.5, "cost": -0.0}}
        self.waiting[agent].append(seq)
        event = {"kind": "decide", "id": seq, "time": 1.5, "arm": 1, "propensity": 0.25}
        if self.rng.random() < 0.5:
            event["context"] = self.rng.normal(size=(2, 3))
        if self.rng.random() < 0.5:
            event |= {"key": f"key {seq}", "eligible": [0, 1], "active": False}
        return event


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_the_tables_are_as_after_the_statements_one_by_one(connections, seed):
    fast, slow = connections
    events = Events(np.random.default_rng(seed))
    for count in (1, 2, 3, 5, 16, 20):
        statements = events.statements(count)
        changes = fast.total_changes
        (one,) = in_few(statements)
        fast.execute(*one)
        assert fast.total_changes > changes
        for sql, values in statements:
            slow.execute(sql, values)
    assert content(fast) == content(slow)
    assert not fast.in_transaction


REFUSED = {
    "a decision that is there": {"kind": "decide", "id": 1, "arm": 0},
    "a reward of no decision": {"kind": "learn", "id": 77, "rewards": {"quality": 0.5}},
    "a key that is there": {"kind": "decide", "id": 5, "arm": 0, "key": "a"},
}


@pytest.mark.parametrize("event", REFUSED.values(), ids=REFUSED)
def test_of_a_group_with_a_row_that_is_refused_nothing_is_there(connections, event):
    fast, slow = connections
    decision = {"kind": "decide", "id": 1, "arm": 0, "key": "a"}
    first = [*statements_of(1, 1, checked(decision)), (UPDATE_EVENTS, (1, 1))]
    fast.execute(*in_few(first)[0])
    before = content(fast)
    good = statements_of(1, 2, Decide(2, 0))
    bad = statements_of(1, 3, checked(event))
    with pytest.raises(sqlite3.IntegrityError) as failure:
        fast.execute(*in_few([*good, *bad, (UPDATE_EVENTS, (3, 1))])[0])
    assert content(fast) == before
    assert not fast.in_transaction

    for sql, values in first:
        slow.execute(sql, values)
    with pytest.raises(sqlite3.IntegrityError) as expected:
        slow.execute(*bad[0])
    assert str(failure.value) == str(expected.value)


def test_rewards_may_be_of_decisions_of_the_same_group(connections):
    fast, _ = connections
    made = statements_of(1, 1, Decide(1, 0))
    told = statements_of(1, 2, Learn(1, {"quality": 0.5}))
    fast.execute(*in_few([*told, *made, (UPDATE_EVENTS, (2, 1))])[0])
    assert fast.execute("SELECT count(*) FROM rewards").fetchone() == (1,)
    assert fast.execute("SELECT events FROM agents WHERE id = 1").fetchone() == (2,)


def test_many_statements_and_others_between_them_become_a_few(connections):
    fast, slow = connections
    events = Events(np.random.default_rng(0))
    delete = ("DELETE FROM changes WHERE seq % 2 = 0", ())
    statements = [
        *events.statements(2 * MOST_ROWS),
        delete,
        *events.statements(MOST_ROWS),
        delete,
        delete,
    ]
    few = in_few(statements)
    assert 5 <= len(few) <= 10
    assert few.count(delete) == 3
    for sql, values in few:
        fast.execute(sql, values)
    for sql, values in statements:
        slow.execute(sql, values)
    assert content(fast) == content(slow)
    assert in_few([]) == []


def test_the_file_stays_as_it_is(tmp_path):
    connection = sqlite3.connect(tmp_path / "log", isolation_level=None)
    create_tables(connection)
    before = (tmp_path / "log").read_bytes()
    prepare_appending(connection)
    connection.close()
    assert (tmp_path / "log").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["log"]
