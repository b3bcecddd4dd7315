"""Stores that threads share, that a process forks with, or that a second process wants to write."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest
from sharing import THREADS, forks, in_a_child, together
from stores import DESCRIPTION, decide, events, preference, reread, written

from mobandits.logs import LogError, Store, read
from mobandits.logs.store.connection import is_store

CALLS = 60


@pytest.mark.parametrize("durability", ["system", "buffered"])
def test_threads_share_a_store(tmp_path, durability):
    with Store(tmp_path / "log", durability) as store:
        store.describe(DESCRIPTION)

        def write(number):
            for i in range(CALLS):
                if i % 10:
                    store.append(preference([number, i, 0]))
                else:
                    store.extend(preference([number, i, part]) for part in range(3))
                if i % 20 == 7:
                    list(store.events(after=len(store) - 5))
                    store.snapshot(b"%d" % i)

        together(write)
        count = len(store)
    found = reread(tmp_path / "log")
    assert len(found) == count == THREADS * (CALLS + 2 * CALLS // 10)
    for number in range(THREADS):
        mine = [event.order for event in found if event.order[0] == number]
        assert mine == sorted(mine)
    parts = [event.order[2] for event in found]
    firsts = [i for i, event in enumerate(found) if event.order[1:] == [0, 0]]
    assert all(parts[i : i + 3] == [0, 1, 2] for i in firsts)


@pytest.mark.long
@forks
@pytest.mark.parametrize("durability", ["buffered", "system"])
def test_a_store_is_left_to_the_parent(tmp_path, durability):
    path = tmp_path / "log"
    store = Store(path, durability)
    store.describe(DESCRIPTION)
    store.append(decide(0))
    for call in (
        lambda: store.append(decide(1)),
        lambda: store.extend([decide(1)]),
        lambda: store.snapshot(b""),
        store.events,
        store.flush,
    ):
        said = in_a_child(call)
        assert said.startswith(
            f"LogError: {path} is the store of process {os.getpid()}, and process "
        )
        assert said.endswith(
            "forked from it: open another one here, or close the store before the fork"
        )
    assert in_a_child(store.close) == "None"
    for call in (lambda: Store(path), lambda: read(path), lambda: is_store(path)):
        assert f"LogError: {path} was open when process" in in_a_child(call)
    store.append(decide(1))
    store.close()
    assert [event.id for event in reread(path)] == [0, 1]


@pytest.mark.long
@forks
def test_a_child_that_ends_as_programs_do_leaves_the_log_alone(tmp_path):
    """Not by `os._exit`: all that the child has is collected, the parent's connection too."""
    code = (
        "import os, sys\n"
        "from mobandits.logs import Store\n"
        "store = Store(sys.argv[1])\n"
        "store.append({'kind': 'preference', 'order': 0})\n"
        "if os.fork() == 0:\n"
        "    sys.exit()\n"
        "os.wait()\n"
        "store.append({'kind': 'preference', 'order': 1})\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "log")], check=True)
    assert [event.order for event in reread(tmp_path / "log")] == [0, 1]


@forks
def test_a_child_that_lives_on_holds_no_store(tmp_path):
    store = Store(tmp_path / "log")
    store.append(decide(0))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"!")
        signal.alarm(60)
        signal.pause()
    try:
        # A busy machine may run the child late, which lets go before all else.
        os.read(reading, 1)
        store.append(decide(1))
        store.close()
        with Store(tmp_path / "log") as again:
            assert len(again) == 2
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)


@pytest.mark.long
def test_a_second_writer_is_refused(tmp_path):
    path = written(tmp_path / "log", events(2))
    link = tmp_path / "link"
    link.symlink_to(path)
    with Store(path) as store:
        said = f"is in use by process {os.getpid()}: one process writes at a time"
        for name in (path, link):
            with pytest.raises(LogError, match=said):
                Store(name)
        code = "import sys; from mobandits.logs import Store; Store(sys.argv[1])"
        command = [sys.executable, "-c", code, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert f"UnavailableError: {path} {said}" in done.stderr
        store.append(decide(7))
    assert len(reread(path)) == 3


def test_readers_leave_the_locks_of_the_writer_alone(tmp_path):
    """POSIX locks are a process's: closing any handle of the file would let go of them."""
    path = written(tmp_path / "log", events(2))
    with Store(path) as store:
        store.append(decide(7))
        assert is_store(path)
        assert len(read(path)) == 3
        list(store.events())
        # The last one to close moves the log into the database and removes it; only the writer's
        # lock on the database tells another process that it is not the last.
        code = (
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
            "c.execute('SELECT * FROM meta').fetchall(); c.close()"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        assert path.with_name("log-wal").exists()
        store.append(decide(8))
    assert len(reread(path)) == 4


def test_another_tool_reads_meanwhile(tmp_path):
    with Store(tmp_path / "log") as store:
        store.describe(DESCRIPTION)
        store.append(decide(0))
        other = sqlite3.connect(store.path)
        assert other.execute("SELECT count(*) FROM decisions").fetchone() == (1,)
        other.close()
        store.append(decide(1))
        assert len(store) == 2


def test_a_buffered_event_is_there_soon(tmp_path):
    import time  # noqa: PLC0415

    with Store(tmp_path / "log", "buffered") as store:
        store.append(decide(0))
        for _ in range(200):
            other = sqlite3.connect(store.path)
            (count,) = other.execute("SELECT count(*) FROM decisions").fetchone()
            other.close()
            if count:
                break
            time.sleep(0.01)
        assert count == 1


def test_the_lock_of_another_program_is_waited_for_as_long_as_asked(tmp_path):
    path = tmp_path / "log.db"
    with Store(path, lock_timeout=0.0) as store:
        store.describe({"arms": ["a"], "objectives": ["q"]})
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogError, match="locked"):
            store.append({"kind": "decide", "id": 0, "arm": 0})

        assert len(store) == 0
        other.execute("ROLLBACK")
        other.close()
        store.append({"kind": "decide", "id": 0, "arm": 0})
        (found,) = store._writer.connection.execute("PRAGMA busy_timeout").fetchone()
        assert found == 0

    with Store(tmp_path / "other.db") as store:
        assert store._writer.connection.execute("PRAGMA busy_timeout").fetchone() == (10_000,)
    with pytest.raises(ValueError, match=r"Store\.lock_timeout must be at least 0"):
        Store(tmp_path / "third.db", lock_timeout=-1.0)
