"""Several agents' stores in one file, whose calls are committed together."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sharing import forks, in_a_child
from stores import DESCRIPTION, decide, events, exact, learn, preference, reread

from mobandits.logs import LogError, Store
from mobandits.logs.events import Retune
from mobandits.logs.store import SharedFile
from mobandits.logs.store.committer import Committer
from mobandits.logs.store.schema import create_tables


def comparable(listed):
    return [exact(event) for event in listed]


@pytest.mark.long
@settings(max_examples=25)
@given(turns=st.lists(st.sampled_from(["a", "b", "c"]), max_size=30), wait=st.booleans())
def test_stores_of_one_file_are_those_of_files_of_their_own(tmp_path_factory, turns, wait):
    folder = tmp_path_factory.mktemp("files")
    streams = {name: iter(events(40)) for name in "abc"}
    given_to = {name: [] for name in "abc"}
    with SharedFile(folder / "shared") as file:
        stores = {name: Store(file, agent=name) for name in "abc"}
        for store in stores.values():
            store.describe(DESCRIPTION)
        for name in turns:
            event = next(streams[name])
            stores[name].append(event)
            given_to[name].append(event)
            if wait:
                file.committer.flush()
        file.committer.flush()
        for store in stores.values():
            store.close()
        assert file.agent_names() == ["a", "b", "c"]

    for name, listed in given_to.items():
        with Store(folder / name) as alone:
            alone.describe(DESCRIPTION)
            alone.extend(listed)
        with Store(folder / "shared", agent=name) as store:
            assert len(store) == len(listed)
            assert comparable(store.events()) == comparable(reread(folder / name))


def test_calls_that_come_during_a_commit_share_the_next_one(tmp_path):
    commits = []
    with SharedFile(tmp_path / "log") as file, Store(file) as store:
        store.describe(DESCRIPTION)
        file.committer.flush()
        file.committer.observer = lambda calls, _: commits.append(calls)
        reader = sqlite3.connect(tmp_path / "log", isolation_level=None)
        # Another writer holds the file for a moment, so that everything has to wait.
        reader.execute("BEGIN IMMEDIATE")
        for i in range(50):
            store.append(decide(i))
        assert file.committer.waiting() == 50
        reader.execute("ROLLBACK")
        reader.close()
        file.committer.flush()
        assert file.committer.waiting() == 0

    assert sum(commits) == 50
    assert 1 <= len(commits) <= 2
    assert len(reread(tmp_path / "log")) == 50


def test_a_pacer_says_when_a_group_is_committed(tmp_path):
    commits = []
    firsts = []
    with SharedFile(tmp_path / "log") as file, Store(file) as store:
        store.describe(DESCRIPTION)
        file.committer.flush()
        file.committer.observer = lambda calls, _: commits.append(calls)
        file.committer.pacer = lambda: firsts.append(file.committer.gathered())
        for number in range(3):
            store.append(decide(number))
        # It is told of the first call alone, and nothing is committed before it says so.
        assert (firsts, file.committer.gathered(), commits) == ([1], 3, [])
        file.committer.start()
        group = file.committer.last_group()
        if group is not None:
            group.settled.result(timeout=60)
        assert (file.committer.gathered(), commits) == (0, [3])
        # Without calls there is nothing to start, also later.
        file.committer.start()
        store.append(decide(3))
        assert (firsts, file.committer.gathered(), commits) == ([1, 1], 1, [3])
        # Whoever waits starts it.
        store.flush()
        assert commits == [3, 1]
        store.append(decide(4))
        file.committer.pacer = None
        assert file.committer.gathered() == 1

    assert commits == [3, 1, 1]
    assert len(reread(tmp_path / "log")) == 5


def test_a_key_is_known_before_it_is_on_disk_and_after(tmp_path):
    with SharedFile(tmp_path / "log") as file, Store(file) as store:
        store.describe(DESCRIPTION)
        file.committer.flush()
        other = sqlite3.connect(tmp_path / "log", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        store.append(decide(0, key="first", request="r", eligible=[0, 1]))
        before = store.decision_with_key("first")
        assert store.decision_with_key("second") is None
        other.execute("ROLLBACK")
        other.close()
        file.committer.flush()
        store.append(decide(1, key="second", request="r", eligible=[0, 1]))
        file.committer.flush()
        after = store.decision_with_key("first")
        for name in ("id", "arm", "propensity", "request", "eligible", "key"):
            assert getattr(before, name) == getattr(after, name)


def test_one_agent_is_at_fault_and_the_others_are_saved(tmp_path):
    with SharedFile(tmp_path / "log") as file:
        good = Store(file, agent="good")
        bad = Store(file, agent="bad")
        for store in (good, bad):
            store.describe(DESCRIPTION)
        file.committer.flush()
        other = sqlite3.connect(tmp_path / "log", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        good.append(decide(0))
        bad.append(learn(7))  # of a decision that nobody made
        bad.append(preference(None))
        good.append(decide(1))
        other.execute("ROLLBACK")
        other.close()
        file.committer.flush()
        good.append(decide(2))
        with pytest.raises(LogError, match="refused"):
            bad.append(decide(0))
        bad.close()
        good.close()

    with Store(tmp_path / "log", agent="good") as store:
        assert len(list(store.events())) == 3
    with Store(tmp_path / "log", agent="bad") as store:
        assert len(store) == 0


def test_what_cannot_be_written_ends_its_agents_until_they_are_opened_again(tmp_path):
    class Full:
        """A connection on a full disk, as long as one says so."""

        def __init__(self, connection):
            self.connection = connection
            self.is_full = False

        def execute(self, sql, *values):
            is_last = sql == "COMMIT" or sql.startswith("INSERT INTO appended")
            if self.is_full and is_last:
                if self.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise sqlite3.OperationalError("database or disk is full")
            return self.connection.execute(sql, *values)

        @property
        def in_transaction(self):
            return self.connection.in_transaction

    with SharedFile(tmp_path / "log") as file:
        disk = Full(file._connection)
        file.committer._connection = disk
        written = Store(file, agent="written")
        idle = Store(file, agent="idle")
        for store in (written, idle):
            store.describe(DESCRIPTION)
        written.append(decide(0))
        file.committer.flush()
        disk.is_full = True
        written.append(decide(1))
        file.committer.flush()
        with pytest.raises(LogError, match="full"):
            written.append(decide(2))
        disk.is_full = False
        idle.append(decide(0))
        written.close()
        written = Store(file, agent="written")
        assert len(written) == 1
        written.append(decide(1))
        written.close()
        idle.close()

    with Store(tmp_path / "log", agent="written") as store:
        assert [event.id for event in store.events()] == [0, 1]


def test_an_agent_is_open_once_and_the_file_by_one(tmp_path):
    with SharedFile(tmp_path / "log") as file:
        with Store(file, agent="a") as store:
            store.describe(DESCRIPTION)
            with pytest.raises(LogError, match="not open already"):
                Store(file, agent="a")
        Store(file, agent="a").close()
        with pytest.raises(LogError, match="in use"):
            SharedFile(tmp_path / "log")
        with pytest.raises(LogError, match="in use"):
            Store(tmp_path / "log")
    with pytest.raises(LogError, match="closed"):
        Store(file, agent="a")
    with pytest.raises(ValueError, match="durability"):
        SharedFile(tmp_path / "other", "buffered")


def test_snapshots_and_descriptions_are_read_back_at_once(tmp_path):
    with SharedFile(tmp_path / "log", "system") as file, Store(file) as store:
        store.describe(DESCRIPTION)
        store.append(decide(0))
        store.snapshot(b"state")
        file.committer.flush()
        assert store.latest_snapshot() == (1, b"state")
        store.redescribe({**DESCRIPTION, "features": 3}, [Retune(before={}, after={})])
        assert store.description["features"] == 3
        found = store.decision(0)
        assert found.rewards == {}
        store.append(learn(0))
        assert store.decision(0).rewards == {"quality": 0.0, "cost": 1e-3}
        assert store.decision(5) is None


def test_threads_share_a_committer(tmp_path):
    with SharedFile(tmp_path / "log", "system") as file:
        stores = [Store(file, agent=str(number)) for number in range(4)]

        def write(store):
            store.describe(DESCRIPTION)
            for event in events(60):
                store.append(event)

        threads = [threading.Thread(target=write, args=(store,)) for store in stores]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for store in stores:
            store.close()
    for number in range(4):
        with Store(tmp_path / "log", agent=str(number)) as store:
            assert len(list(store.events())) == len(events(60))


WRITER = """
import sys
sys.path[:0] = {path!r}
from stores import DESCRIPTION, decide
from mobandits.logs import Store
from mobandits.logs.events import Retune
from mobandits.logs.store import SharedFile

file = SharedFile(sys.argv[1], "system")
stores = [Store(file, agent=name) for name in "ab"]
for store in stores:
    store.describe(DESCRIPTION)
i = 0
while True:
    for store in stores:
        store.append(decide(i))
    group = file.committer.last_group()
    if group is not None:
        group.settled.result()
    print(i, flush=True)
    i += 1
"""


@pytest.mark.long
@pytest.mark.parametrize("after", [0, 7, 60])
def test_what_was_settled_survives_a_kill(tmp_path, after):
    script = WRITER.format(path=[p for p in sys.path if p])
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True
    )
    confirmed = -1
    for line in process.stdout:
        confirmed = int(line)
        if confirmed >= after:
            break
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    for line in rest.split():
        confirmed = int(line)
    for name in "ab":
        with Store(tmp_path / "log", agent=name) as store:
            numbers = [event.id for event in store.events()]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) > confirmed


@forks
def test_a_child_of_a_fork_leaves_the_file_to_its_parent(tmp_path):
    with SharedFile(tmp_path / "log") as file, Store(file) as store:
        store.describe(DESCRIPTION)

        def child():
            with pytest.raises(LogError):
                store.append(decide(0))
            with pytest.raises(LogError):
                file.check_usable()
            file.close()
            return "refused"

        assert in_a_child(child) == "refused"
        store.append(decide(0))
        file.committer.flush()
        assert os.getpid() == file._process
    assert len(reread(tmp_path / "log")) == 1


def test_a_committer_ends_when_all_is_settled(tmp_path):
    connection = sqlite3.connect(tmp_path / "log", isolation_level=None, check_same_thread=False)
    create_tables(connection)
    connection.execute("CREATE TABLE numbers (n INTEGER)")
    committer = Committer(tmp_path / "log")
    committer.begin(connection)

    class Origin:
        failure = None

    group = None
    for n in range(20):
        group = committer.add(Origin(), [("INSERT INTO numbers VALUES (?)", (n,))])
    committer.end()
    assert group.settled.done()
    assert connection.execute("SELECT count(*) FROM numbers").fetchone() == (20,)
    connection.close()


def test_a_call_that_is_not_understood_ends_its_agent_and_nothing_waits_for_ever(tmp_path):
    connection = sqlite3.connect(tmp_path / "log", isolation_level=None, check_same_thread=False)
    create_tables(connection)
    connection.execute("CREATE TABLE numbers (n INTEGER)")
    committer = Committer(tmp_path / "log")
    committer.begin(connection)

    class Origin:
        failure = None

    bad = Origin()
    too_large = 2**80  # no integer of SQLite, which is no error of SQLite's
    group = committer.add(bad, [("INSERT INTO numbers VALUES (?)", (too_large,))])
    group.settled.result(timeout=60)
    assert "could not be written" in bad.failure
    good = Origin()
    committer.add(good, [("INSERT INTO numbers VALUES (?)", (1,))]).settled.result(timeout=60)
    assert good.failure is None
    committer.end()
    with pytest.raises(LogError, match="closed"):
        committer.add(good, [("INSERT INTO numbers VALUES (?)", (2,))])
    assert connection.execute("SELECT n FROM numbers").fetchall() == [(1,)]
    connection.close()


@pytest.mark.parametrize("wait", [Store.close, Store.flush, lambda store: list(store.snapshots())])
def test_others_write_and_read_while_a_store_waits_for_its_events(tmp_path, monkeypatch, wait):
    released = threading.Event()
    begun = threading.Event()
    real = Committer._commit

    def commit(committer, group):
        if is_slow:
            begun.set()
            assert released.wait(60)
        real(committer, group)

    is_slow = False
    monkeypatch.setattr(Committer, "_commit", commit)
    with SharedFile(tmp_path / "log") as file, Store(file, agent="a") as a:
        b = Store(file, agent="b")
        for store in (a, b):
            store.describe(DESCRIPTION)
        file.committer.flush()
        is_slow = True
        b.append(decide(0))
        waiting = threading.Thread(target=wait, args=(b,))
        waiting.start()
        assert begun.wait(60)
        waiting.join(0.05)
        assert waiting.is_alive()
        # Nothing waits: else this never ends.
        assert a.decision_with_key("unknown") is None
        a.append(decide(0))
        assert waiting.is_alive()
        released.set()
        waiting.join()
        b.close()
        a.flush()
        assert len(list(a.events())) == 1


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_state_does_not_stay_in_memory(tmp_path):
    megabytes = 64
    page = os.sysconf("SC_PAGE_SIZE")

    def resident():
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * page / 2**20

    with SharedFile(tmp_path / "log") as file, Store(file) as store:
        store.describe(DESCRIPTION)
        store.append(decide(0))
        store.snapshot(b"small")
        file.committer.flush()
        before = resident()
        store.snapshot(bytes(megabytes * 2**20))
        file.committer.flush()
        assert resident() - before < megabytes / 2
        assert len(store.latest_snapshot().state) == megabytes * 2**20
