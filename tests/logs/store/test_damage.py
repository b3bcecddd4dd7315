"""Files that are damaged, forged, or something else: refused in one line or recovered, never wrong."""

import random
import shutil
import sqlite3
import warnings

import pytest
from stores import DESCRIPTION, copied, decide, events, exact, learn, reread, same_events, written

from mobandits.logs import LogError, LogWarning, Store, read
from mobandits.logs.events import checked
from mobandits.logs.store.write_ahead_log import lost_commits

GIVEN = [
    *events(12),
    {"kind": "add", "arm": "huge"},
    decide(50, arm=2, context=[[0.5] * 600], key="k"),
    {"kind": "preference", "order": {"weights": [0.5, 0.5]}},
]
WANTED = [exact(checked(event)) for event in GIVEN]


@pytest.fixture
def closed(tmp_path):
    path = written(tmp_path / "whole", GIVEN)
    with Store(path) as store:
        store.snapshot(b"state" * 500)
    return path


@pytest.fixture
def killed(tmp_path):
    """The files of a store whose process was killed: all events are in the log."""
    with Store(tmp_path / "open") as store:
        store.describe(DESCRIPTION)
        for event in GIVEN:
            store.append(event)
        yield copied(store.path, tmp_path / "whole")


def outcome(path):
    """What a store gives that may be damaged: its events, or the error; and whether it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with Store(path) as store:
                found = [exact(event) for event in store.events()]
                description = store.description
                snapshot = store.latest_snapshot()
        except LogError as error:
            is_one_line = "\n" not in str(error) and "delete" not in str(error)
            return None, str(error), None, is_one_line
    warned = any(issubclass(one.category, LogWarning) for one in caught)
    return found, description, snapshot, warned


def check_outcome(path, place):
    found, description, snapshot, warned = outcome(path)
    if found is None:
        assert warned, description
        return "refused"
    if warned:
        assert found == WANTED[: len(found)], place
        return "warned"
    assert found == WANTED, place
    assert description == DESCRIPTION, place
    assert snapshot is None or snapshot == (len(GIVEN), b"state" * 500), place
    return "right"


def check_mutations(path, suffix, seed, count):
    """Flip bits, and overwrite or cut off bytes, one at a time."""
    rng = random.Random(seed)
    whole = path.with_name(path.name + suffix).read_bytes()
    outcomes = []
    for _ in range(count):
        target = copied(path, path.with_name("copy"))
        data = bytearray(whole)
        # A file without a byte is a new one.
        place = rng.randrange(1, len(data))
        kind = rng.choice(["bit", "bytes", "cut"] if suffix == "" else ["bit", "bytes"])
        if kind == "bit":
            data[place] ^= 1 << rng.randrange(8)
        elif kind == "bytes":
            size = rng.choice([2, 16, 600, 4096])
            data[place : place + size] = rng.randbytes(len(data[place : place + size]))
        else:
            del data[place:]
        target.with_name(target.name + suffix).write_bytes(data)
        outcomes.append(check_outcome(target, (kind, place)))
        for left in ("", "-wal", "-shm", "-owner"):
            target.with_name(target.name + left).unlink(missing_ok=True)
    return outcomes


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_database_is_never_silently_wrong(closed, seed):
    outcomes = check_mutations(closed, "", seed, 60)
    assert outcomes.count("refused") > 10


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_log_is_never_silently_wrong(killed, seed):
    outcomes = check_mutations(killed, "-wal", seed, 40)
    assert outcomes.count("warned") > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_damaged_files_are_never_silently_wrong(closed, tmp_path, seed):
    check_mutations(closed, "", seed, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 13))
def test_many_damaged_logs_are_never_silently_wrong(killed, seed):
    check_mutations(killed, "-wal", seed, 1000)


def test_a_log_that_was_cut_off_is_what_a_kill_leaves(killed):
    """Where a frame ends, or inside of one, nothing tells a cut from a kill before the write."""
    log = killed.with_name("whole-wal")
    data = log.read_bytes()
    assert lost_commits(killed) == 0
    for size in range(0, len(data), 3001):
        log.write_bytes(data[:size])
        assert lost_commits(killed) == 0


def test_readers_are_told_of_a_damaged_log(killed):
    log = killed.with_name("whole-wal")
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 1
    log.write_bytes(data)
    with pytest.warns(LogWarning, match="whole: the last transactions of its log are torn"):
        read(killed)


@pytest.mark.parametrize("wrong", [b"\xa0\xff", b"\n"], ids=["no text", "several lines"])
def test_a_damaged_schema_is_refused_in_one_line(closed, wrong):
    data = bytearray(closed.read_bytes())
    place = data.index(b"checksum INTEGER")
    data[place : place + 1 + len(wrong)] = b'"' + wrong
    closed.write_bytes(data)
    assert check_outcome(closed, wrong) == "refused"


CHANGES = {
    "an event is deleted": "DELETE FROM rewards WHERE decision = 3",
    "a reward of two is deleted": "DELETE FROM rewards WHERE decision = 3 AND objective = 'cost'",
    "a reward is another": "UPDATE rewards SET value = 0.5 WHERE decision = 3",
    "a reward moves": "UPDATE rewards SET decision = 11 WHERE decision = 3",
    "an arm is another": "UPDATE decisions SET arm = 1 WHERE id = 4",
    "a propensity is another": "UPDATE decisions SET propensity = 0.25 WHERE id = 4",
    "a context is another": "UPDATE decisions SET context = zeroblob(16) WHERE id = 4",
    "a context has another shape": "UPDATE decisions SET rows = 2, features = 1 WHERE id = 4",
    "a change is another": "UPDATE changes SET body = '{}' WHERE kind = 'preference'",
    "the last event is gone": "DELETE FROM changes WHERE kind = 'preference'",
    "an arm is gone": "DELETE FROM changes WHERE kind = 'add'",
    "the count is smaller": "UPDATE agents SET events = events - 1",
    "the count is larger": "UPDATE agents SET events = events + 1",
    "the description is another": "UPDATE agents SET description = '{}'",
    "a table is gone": "DROP TABLE changes",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON rewards BEGIN DELETE FROM changes; END",
    "the version is lost": "PRAGMA user_version = 0",
}


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES, ids=CHANGES)
def test_what_others_changed_is_noticed(closed, change):
    other = sqlite3.connect(closed)
    other.execute(CHANGES[change])
    other.commit()
    other.close()
    assert check_outcome(closed, change) == "refused"
    with pytest.raises(LogError, match="whole"):
        read(closed)


def test_a_damaged_snapshot_is_passed_over(closed):
    with Store(closed) as store:
        store.append(decide(60))
        store.snapshot(b"later")
    other = sqlite3.connect(closed)
    other.execute("UPDATE snapshots SET state = x'00' WHERE state = x'6c61746572'")
    other.commit()
    other.close()
    with (
        Store(closed) as store,
        pytest.warns(LogWarning, match=f"the snapshot after event {len(GIVEN) + 1} is damaged"),
    ):
        assert store.latest_snapshot().seq == len(GIVEN)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"item,click\n1,0\n", "must be a store or a new file, got a text file"),
        (b"PAR1" + bytes(1000), "must be a store or a new file, got a Parquet file"),
        (b"SQLite format 3\0" + bytes(40), "log"),
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path, content, said):
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(LogError, match=said):
        Store(path)
    assert path.read_bytes() == content
    if b"SQLite" not in content:
        assert [file.name for file in tmp_path.iterdir()] == ["log"]


def test_folders_and_places_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(LogError, match="must be a store or a new file, got an empty folder"):
        Store(tmp_path)
    with pytest.raises(LogError, match="cannot be written to: No such file or directory"):
        Store(tmp_path / "no" / "log")


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "log").touch()
    assert len(reread(written(tmp_path / "log", events(2)))) == 2


def test_another_program_s_database_is_refused(tmp_path):
    other = sqlite3.connect(tmp_path / "log")
    other.execute("CREATE TABLE theirs (a)")
    other.commit()
    other.close()
    with pytest.raises(LogError, match="is a SQLite database, but no store of mobandits"):
        Store(tmp_path / "log")
    with pytest.raises(LogError, match="is a SQLite database, but no store of mobandits"):
        read(tmp_path / "log")


def test_an_older_sqlite_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.36.0")
    with pytest.raises(
        LogError, match=r"SQLite must be 3\.37\.0 or newer for a store, got 3\.36\.0"
    ):
        Store(tmp_path / "log")


@pytest.mark.long
def test_a_kill_while_the_file_is_made_leaves_nothing_half(tmp_path):
    with Store(tmp_path / "log"):
        path = copied(tmp_path / "log", tmp_path / "copy")
    log = path.with_name("copy-wal")
    data = log.read_bytes()
    for size in range(0, len(data), 4120):
        shutil.copyfile(tmp_path / "log", path)
        path.write_bytes(b"")  # as it was before the log went into it
        log.write_bytes(data[:size])
        path.with_name("copy-shm").unlink(missing_ok=True)
        assert same_events(reread(written(path, [decide(0), learn(0)])), [decide(0), learn(0)])
        for left in ("", "-wal", "-shm", "-owner"):
            path.with_name("copy" + left).unlink(missing_ok=True)
