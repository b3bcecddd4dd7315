"""What `mobandits check` finds in a store, and what it saves: never more than agents can replay."""

import random
import sqlite3
import warnings

import numpy as np
import pytest
from stores import DESCRIPTION, copied, decide, events, exact, learn, written

import mobandits as mob
from mobandits.agent.loading import checked_snapshot
from mobandits.cli import program as cli
from mobandits.errors import DamagedError, LogError, StateError
from mobandits.logs import Store, backup, export, read
from mobandits.logs.events import Lost, checked
from mobandits.logs.store.checking import check
from mobandits.logs.store.connection import reading
from mobandits.logs.store.content import agent_rows, log_of
from mobandits.logs.store.keys import add_key, keys_of
from mobandits.logs.store.replay import numbered_events
from mobandits.logs.store.salvaging import salvage
from mobandits_service.keys_command import writing

ASKED = {"arms": ["a", "b"], "features": 2, "objectives": ["click"], "seed": 1}
GIVEN = [*events(40), {"kind": "add", "arm": "huge"}, *[decide(i, arm=2) for i in range(50, 60)]]
ARMS = [*DESCRIPTION["arms"], "huge"]


def arms_in(state):
    """The arms of the states of these tests, which are texts of arms."""
    if state == b"unreadable":
        raise StateError("is of no agent")
    return (ARMS if state == b"three" else ARMS[:2]), ()


@pytest.fixture
def store(tmp_path):
    """A store with a snapshot in the middle, and events after it."""
    path = written(tmp_path / "whole.db", GIVEN[:30])
    with Store(path) as log:
        log.snapshot(b"two")
        log.extend(GIVEN[30:])
    return path


@pytest.fixture
def agent_store(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "agent.db"
    with mob.Agent(mob.policies.RandomChoice(), **ASKED, log=path) as agent:
        for i in range(60):
            decision = agent.decide(rng.random(2))
            agent.learn(decision.id, [rng.random()])
            if i == 30:
                agent.checkpoint()
    return path


def change(path, *statements):
    other = sqlite3.connect(path)
    for sql in statements:
        other.execute(sql)
    other.commit()
    other.close()


def by_number(path):
    """{seq: event} of the only agent of a store, as exact values."""
    with reading(path) as connection:
        log = log_of(connection, None, str(path))
        numbered = numbered_events(log, 0, log.agent.events)
        return {seq: exact(event) for seq, event in numbered if event.kind != "lost"}


def replayed(path):
    """The kinds of the events that an agent replays from the newest snapshot on."""
    with Store(path) as log:
        newest = log.latest_snapshot()
        return [event.kind for event in log.events(newest.seq if newest else 0)]


def faults_of(path):
    return check(path, arms_in).all_faults


def test_a_whole_store_is_whole(store, agent_store, capsys):
    assert faults_of(store) == []
    assert cli.call(["check", str(agent_store)]) == 0
    said = f"{agent_store}: whole\nagent 'agent': 120 events, 2 snapshots\n"
    assert capsys.readouterr().out == said


CHANGES = {
    "an event is deleted": ("DELETE FROM rewards WHERE decision = 3", "the first is event 11"),
    "an arm is another": ("UPDATE decisions SET arm = 1 - arm WHERE id = 4", "is event 6"),
    "a change is another": ("UPDATE changes SET body = '{}'", "the first is event 78"),
    "the last event is gone": ("DELETE FROM decisions WHERE id = 59", "the first is event 88"),
    "the count is smaller": ("UPDATE agents SET events = 80", "it has 88 events, and had 80"),
    "the description is another": ("UPDATE agents SET description = '{}'", "not described as"),
    "a snapshot is another": ("UPDATE snapshots SET state = x'00'", "event 30 is damaged"),
    "a table is gone": ("DROP TABLE changes", "the first is event 78"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", CHANGES, ids=CHANGES)
def test_what_is_not_as_it_was_written_is_said_and_not_backed_up(store, name):
    statement, said = CHANGES[name]
    change(store, statement)
    faults = faults_of(store)
    assert len(faults) == 1
    assert said in faults[0]
    with pytest.raises(DamagedError, match=r"whole\.db is damaged: "):
        backup(store, store.with_name("copy.db"))
    assert [each.name for each in store.parent.iterdir() if "copy" in each.name] == []


def saved(path):
    """The store with what is saved of one, and what is said of its agent."""
    before = path.read_bytes()
    out = path.with_name("saved.db")
    (said,) = salvage(path, out, arms_in)
    assert path.read_bytes() == before
    assert faults_of(out) == []
    return out, said


def test_what_a_snapshot_knows_may_be_missing(store):
    change(store, "UPDATE decisions SET propensity = 0.25 WHERE id = 4")
    out, said = saved(store)
    whole = {number: exact(checked(event)) for number, event in enumerate(GIVEN, 1)}
    # The decision that is damaged, and its reward.
    assert by_number(out) == {n: event for n, event in whole.items() if n not in {6, 13}}
    assert said == ("agent", len(GIVEN) - 2, len(GIVEN), None)
    assert len(replayed(out)) == len(GIVEN) - 30
    assert len(read(out).ids) == 49


def test_events_end_where_they_cannot_be_replayed(store):
    change(store, "UPDATE decisions SET propensity = 0.25 WHERE id = 53")
    out, said = saved(store)
    last = len(GIVEN) - 7
    assert by_number(out) == {n: exact(checked(GIVEN[n - 1])) for n in range(1, last + 1)}
    # One of the lost events is damaged: its number may be any, and that of no later decision.
    assert said == ("agent", last, last, 61)
    assert replayed(out)[-1] == "lost"
    with Store(out) as log:
        assert list(log.events())[-1] == Lost(events=7, next=61, decisions=[])
        log.append(decide(61, arm=2))
    assert read(out).ids[-2:].tolist() == [52, 61]


def test_without_a_snapshot_events_end_at_the_first_damage(store):
    change(store, "UPDATE snapshots SET state = x'00'", "DELETE FROM rewards WHERE decision = 3")
    out, said = saved(store)
    assert said.last == 10
    assert len(by_number(out)) == 10


def test_a_snapshot_that_does_not_load_is_said_and_not_kept(store):
    with Store(store) as log:
        log.snapshot(b"unreadable")
    said = f"agent 'agent': the snapshot after event {len(GIVEN)} is of no agent"
    assert faults_of(store) == [said]
    out, said = saved(store)
    assert said == ("agent", len(GIVEN), len(GIVEN), None)
    with Store(out) as log:
        assert [each.seq for each in log.snapshots()] == [30]


def test_what_is_saved_of_a_shortened_store_begins_after_what_was_deleted(store):
    """Also without a snapshot: the rest of the log can be read and evaluated."""
    export(store, store.with_name("old.parquet"), before=9.0, delete=True)
    left = len(by_number(store))
    assert left < len(GIVEN)
    assert faults_of(store) == []
    change(store, "UPDATE snapshots SET state = x'00'", "DELETE FROM decisions WHERE id = 55")
    out, said = saved(store)
    assert said.last == len(GIVEN) - 5
    assert len(by_number(out)) == left - 5
    assert len(read(out).ids) > 30


def test_a_lost_arm_ends_the_events(store):
    """The numbers of later arms would mean others, also where a snapshot knows it."""
    with Store(store) as log:
        log.snapshot(b"three")
    change(store, "UPDATE changes SET kind = 'adds'")
    _, said = saved(store)
    assert said.last == GIVEN.index({"kind": "add", "arm": "huge"})


def test_a_reward_of_a_lost_decision_ends_the_events(store):
    """The snapshot knows the decision; the reward after it has none in the tables."""
    change(store, "DELETE FROM decisions WHERE id = 15")
    out, said = saved(store)
    reward = next(n for n, each in enumerate(GIVEN, 1) if each == learn(15))
    assert reward > 30
    assert said.last == reward - 1
    with Store(out) as log:
        assert len(list(log.events(30))) == reward - 30


def test_damage_of_an_index_loses_nothing(store):
    with writing(store) as connection:
        add_key(connection, "shop", ["decide"], None)
        pages = connection.execute("SELECT name, rootpage FROM sqlite_schema").fetchall()
    for name in ("decisions_in_order", "rewards_in_order"):
        place = 4096 * (dict(pages)[name] - 1)
        content = bytearray(store.read_bytes())
        content[place : place + 4096] = bytes(4096)
        store.write_bytes(content)
    assert faults_of(store)
    with pytest.raises(DamagedError):
        backup(store, store.with_name("copy.db"))
    out, said = saved(store)
    assert said == ("agent", len(GIVEN), len(GIVEN), None)
    assert len(by_number(out)) == len(GIVEN)
    with reading(out) as connection:
        assert [key.label for key in keys_of(connection)] == ["shop"]


def test_events_that_were_noted_and_are_not_there_are_missed(store):
    change(store, "DELETE FROM decisions WHERE id = 59", "UPDATE agents SET events = events - 1")
    count = len(GIVEN)
    said = f"it has {count - 1} events, and had {count} when they were last written"
    assert faults_of(store) == [f"agent 'agent': {said}"]
    _, said = saved(store)
    assert said == ("agent", count - 1, count - 1, 60)


@pytest.mark.long
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_what_is_saved_is_as_it_was_written(store, seed):
    """Wherever bits flip or pages are lost: events of before, in a store that is whole."""
    rng = random.Random(seed)
    whole = store.read_bytes()
    wanted = by_number(store)
    counts = []
    for n in range(40):
        data = bytearray(whole)
        place = rng.randrange(100, len(data))
        size = rng.choice([1, 16, 600, 4096])
        data[place : place + size] = rng.randbytes(len(data[place : place + size]))
        target = copied(store, store.with_name(f"{n}.db"))
        target.write_bytes(data)
        out = target.with_name(f"{n}-saved.db")
        try:
            salvage(target, out, arms_in)
        except LogError:
            assert not out.exists()
            continue
        assert target.read_bytes() == data
        assert faults_of(out) == []
        with reading(out) as connection:
            names = agent_rows(connection, str(out))
        found = by_number(out) if names else {}
        assert found.items() <= wanted.items()
        counts.append(len(found))
        if found:
            replayed(out)
            read(out)
    assert max(counts) == len(wanted)
    assert min(counts) < len(wanted)


def test_an_agent_goes_on_from_what_was_saved(agent_store, capsys):
    out = agent_store.with_name("saved.db")
    change(
        agent_store,
        "UPDATE decisions SET arm = 1 - arm WHERE id IN (20, 50)",
        "DELETE FROM snapshots WHERE seq > 100",
    )
    assert cli.call(["check", str(agent_store), "--salvage", str(out)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{agent_store}: damaged",
        "agent 'agent': damaged or missing: 2 of 120 events, the first is event 41",
        "agent 'agent': can be saved by --salvage: 98 events, up to event 100",
        f"{out}: agent 'agent': 98 events, up to event 100; decisions go on from number 61",
    ]
    assert cli.call(["check", str(out)]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with mob.Agent(mob.policies.RandomChoice(), **ASKED, log=out) as agent:
            assert agent.decide([1.0, 0.5]).id == 61
            assert agent.lessons == 50


def test_a_lost_decision_is_waited_for_no_more(agent_store):
    """Its reward could not be kept, as there is no decision that it is of."""
    with mob.Agent(mob.policies.RandomChoice(), **ASKED, log=agent_store) as agent:
        lost = agent.decide([0.5, 0.5])
        other = agent.decide([0.25, 0.5])
    change(agent_store, f"DELETE FROM decisions WHERE id = {lost.id}")
    out = agent_store.with_name("saved.db")
    (said,) = salvage(agent_store, out, checked_snapshot)
    assert said == ("agent", 121, 122, other.id + 1)
    for _ in range(2):
        with mob.Agent(mob.policies.RandomChoice(), **ASKED, log=out) as agent:
            assert agent.waiting == 1
            with pytest.raises(ValueError, match="that waits for rewards"):
                agent.learn(lost.id, [0.5])
    with mob.Agent(mob.policies.RandomChoice(), **ASKED, log=out) as agent:
        agent.learn(other.id, [0.5])
        assert agent.decide([0.25, 0.5]).id == other.id + 1


def test_the_command_overwrites_nothing_and_reads_only_stores(agent_store, capsys):
    other = agent_store.with_name("other.txt")
    other.write_text("mine")
    assert cli.call(["check", str(other)]) == 2
    headless = agent_store.with_name("headless.db")
    headless.write_bytes(agent_store.read_bytes()[:2000])
    assert cli.call(["check", str(headless)]) == 2
    assert cli.call(["check", str(agent_store), "--salvage", str(other)]) == 2
    assert cli.call(["check", "postgresql://user:secret@host/base"]) == 2
    assert other.read_text() == "mine"
    assert "secret" not in capsys.readouterr().err


def test_a_backup_of_a_damaged_store_names_the_command(agent_store, capsys):
    change(agent_store, "UPDATE decisions SET arm = 1 - arm WHERE id = 5")
    out = agent_store.with_name("copy.db")
    assert cli.call(["backup", str(agent_store), str(out)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(
        f"error: {agent_store} is damaged: agent 'agent': damaged or missing: 1 "
    )
    assert said.endswith(f"; `mobandits check {agent_store}` says what can be saved\n")
    assert not out.exists()
