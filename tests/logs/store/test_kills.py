"""A process that dies at any moment, or a disk that fails, leaves every event that was confirmed."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
import warnings

import pytest
from stores import DESCRIPTION, copied, decide, events, reread, same_events, written

from mobandits.logs import LogError, LogWarning, Store
from mobandits.logs.events import checked

CHILD = """
import sys
from mobandits.logs import Store
path, durability, first = sys.argv[1], sys.argv[2], int(sys.argv[3])
def decision(i):
    context = [[i / 3] * (1 + i % 50)] * (1 + i % 20)
    return {"kind": "decide", "id": i, "time": i / 7, "context": context, "arm": 0}
with Store(path, durability) as store:
    store.describe({"arms": ["a"]})
    print("open", len(store), flush=True)
    for i in range(first, first + 1_000_000):
        if i % 7:
            store.append(decision(i))
        else:
            store.extend([decision(i), {"kind": "learn", "id": i, "rewards": {"q": i / 9}}])
        if i % 100 == 50:
            store.snapshot(b"%d" % i * 1000)
        if durability == "buffered" and i % 10 == 0:
            store.flush()
        if durability != "buffered" or i % 10 == 0:
            print(i, flush=True)
"""


def confirmed_until_killed(path, durability, first, seconds):
    """The last decision that a process had confirmed when it was killed, a moment after it began."""
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(path), durability, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        opened = child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        said = child.stdout.read().split("\n")[:-1]  # what has no end was being printed
    assert opened.startswith("open")
    return int(said[-1]) if said else first - 1


def check_killed(path, seed, kills):
    rng = random.Random(seed)
    durability = ("system", "disk", "buffered")[seed % 3]
    first = 0
    for _ in range(kills):
        confirmed = confirmed_until_killed(path, durability, first, rng.uniform(0.0, 0.3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LogWarning)  # the last transaction may be torn, or not
            with Store(path) as store:
                found = [event for event in store.events() if event.kind != "lost"]
                lost = len(store) - len(found)
                snapshot = store.latest_snapshot()
        assert lost == 0 or durability == "buffered"
        ids = [event.id for event in found if event.kind == "decide"]
        assert ids == list(range(len(ids)))
        assert confirmed < len(ids) <= confirmed + (2 if durability != "buffered" else 12)
        for event in found:
            i = event.id
            if event.kind == "decide":
                assert event.context.tolist() == [[i / 3] * (1 + i % 50)] * (1 + i % 20)
        rewarded = [event.id for event in found if event.kind == "learn"]
        assert rewarded == [i for i in ids if i % 7 == 0]
        if confirmed >= 50:
            assert snapshot.seq <= len(found) + lost
            assert int(snapshot.state[:8].split(b"50")[0] + b"50") % 100 == 50
        first = len(ids)


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_process_loses_nothing_that_was_confirmed(tmp_path, seed):
    check_killed(tmp_path / "log", seed, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 33))
def test_many_killed_processes_lose_nothing(tmp_path, seed):
    check_killed(tmp_path / "log", seed, 3)


def test_every_call_can_be_the_last(tmp_path):
    """A copy of the files between calls is what a kill leaves there."""
    given = events(5)
    with Store(tmp_path / "log") as store:
        store.describe(DESCRIPTION)
        for i, event in enumerate(given):
            path = copied(store.path, tmp_path / f"copy{i}")
            assert same_events(reread(path), map(checked, given[:i]))
            store.append(event)


def limit_pages(store, pages):
    """As if the disk were full after some pages; 0: it is no longer."""
    connection = store._writer.connection
    (count,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {count + pages if pages else 2**30}")


@pytest.mark.parametrize("durability", ["system", "disk", "buffered"])
@pytest.mark.parametrize("pages", [1, 2, 5])
def test_a_full_disk_is_said_and_the_store_goes_on(tmp_path, durability, pages):
    given = events(3)
    with Store(written(tmp_path / "log", given), durability) as store:
        limit_pages(store, pages)
        store.flush()

        def fill():
            for i in range(3, 100):
                event = decide(i, context=[[1.0] * 600])
                store.append(event)
                store.flush()
                given.append(event)

        with pytest.raises(LogError, match="cannot be written to: database or disk is full"):
            fill()
        assert len(store) == len(given)
        limit_pages(store, 0)
        given.append(decide(500))
        store.append(given[-1])
        limit_pages(store, 1)
        with pytest.raises(LogError, match="disk is full"):
            store.snapshot(b"x" * 100_000)
        limit_pages(store, 0)
    assert same_events(reread(store.path), map(checked, given))


class Failing:
    """A connection of which some statements fail, as on a failing disk."""

    def __init__(self, connection, *wrong):
        self._connection = connection
        self._wrong = wrong

    def execute(self, sql, *values):
        if any(sql.startswith(start) for start in self._wrong):
            raise sqlite3.OperationalError("disk I/O error")
        return self._connection.execute(sql, *values)

    def __getattr__(self, name):
        return getattr(self._connection, name)


@pytest.mark.parametrize("wrong", ["BEGIN", "INSERT", "UPDATE", "COMMIT"])
def test_an_event_that_could_not_be_written_is_not_there(tmp_path, wrong):
    given = events(2)
    with Store(written(tmp_path / "log", given)) as store:
        connection = store._writer.connection
        store._writer.connection = Failing(connection, wrong)
        with pytest.raises(LogError, match="cannot be written to: disk I/O error"):
            store.append(decide(5))
        store._writer.connection = connection
        assert len(store) == 2
        store.append(decide(6))
    assert same_events(reread(store.path), map(checked, [*given, decide(6)]))


def test_a_store_that_cannot_undo_takes_no_more(tmp_path):
    with Store(written(tmp_path / "log", events(2))) as store:
        connection = store._writer.connection
        store._writer.connection = Failing(connection, "COMMIT", "ROLLBACK")
        with pytest.raises(LogError, match="cannot be written to: disk I/O error"):
            store.append(decide(5))
        store._writer.connection = connection
        with pytest.raises(LogError, match="I/O error; close the store, and open it again"):
            store.append(decide(6))
    assert len(reread(store.path)) == 2


def test_a_group_that_is_lost_is_said_in_every_later_call(tmp_path):
    store = Store(written(tmp_path / "log", events(2)), "buffered")
    connection = store._writer.connection
    store._writer.connection = Failing(connection, "COMMIT")
    store.extend([decide(5), decide(6)])
    until = time.monotonic() + 60.0
    while store._writer.failure is None and time.monotonic() < until:
        time.sleep(0.01)  # until the timer has tried
    for call in (lambda: store.append(decide(7)), store.flush, store.events):
        with pytest.raises(LogError, match="2 events could not be written: disk I/O error; close"):
            call()
    store.close()
    with pytest.warns(LogWarning, match="has 2 events, and had 4 .* from number 7"):
        kinds = [event.kind for event in reread(store.path)]
    assert kinds == ["decide", "decide", "lost"]


@pytest.mark.parametrize("step", ["UPDATE", "COMMIT"])
def test_an_interruption_leaves_no_half(tmp_path, step):
    class Interrupted(Failing):
        def execute(self, sql, *values):
            done = self._connection.execute(sql, *values)
            if sql.startswith(step):
                raise KeyboardInterrupt
            return done

    with Store(written(tmp_path / "log", events(2))) as store:
        store._writer.connection = Interrupted(store._writer.connection)
        with pytest.raises(KeyboardInterrupt):
            store.append(decide(5))
        with pytest.raises(LogError, match="a call was interrupted; close the store, and open it"):
            store.append(decide(6))
    assert [event.id for event in reread(store.path)] == [0, 1, 5][: 2 + (step == "COMMIT")]


def test_a_store_is_private_to_its_folder(tmp_path):
    """No other file than those that SQLite and the lock need."""
    path = written(tmp_path / "log", events(2))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["log", "log-owner"]
    assert path.read_bytes()[:15] == b"SQLite format 3"
