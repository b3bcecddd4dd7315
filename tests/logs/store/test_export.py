"""What is exported is what was there; a store that was shortened goes on."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from stores import DESCRIPTION, decide, events, learn, same_events, written
from test_store import ALL, appendable

from mobandits import logs
from mobandits.logs import LogError, Store, export, read, scan
from mobandits.logs.events import checked
from mobandits.logs.names import decoded, name_of
from mobandits.logs.store.connection import reading
from mobandits.logs.store.content import log_of
from mobandits.logs.store.frames import frames

PLAIN = DESCRIPTION | {"arms": ["small", "large"]}
COLUMNS = {
    "arm": "arm",
    "context": ["x0", "x1"],
    "rewards": ["quality", "cost"],
    "propensity": "propensity",
    "time": "time",
    "minimise": ["cost"],
    "arms": ["small", "large"],
}


def same_logs(a, b, ids=True):
    """Whether two logs have the same decisions."""
    fields = ["contexts", "arms", "rewards", "propensities", "times"] + ["ids"] * ids
    assert (a.arm_names, a.objective_names) == (b.arm_names, b.objective_names)
    assert (a.eligible is None) == (b.eligible is None)
    if a.eligible is not None:
        np.testing.assert_array_equal(a.eligible, b.eligible)
    for name in fields:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    return True


def kept(store):
    """The ids of the decisions that a store has."""
    with reading(store) as connection:
        rows = connection.execute("SELECT id FROM decisions ORDER BY id").fetchall()
    return [number for (number,) in rows]


@pytest.fixture
def store(tmp_path):
    return written(tmp_path / "log.db", events(8), PLAIN)


@pytest.mark.parametrize("form", ["parquet", "dsjson"])
def test_archives_are_read_as_the_store_was(tmp_path, store, form):
    out = tmp_path / f"log.{form}"
    objective = "quality" if form == "dsjson" else None
    assert export(store, out, form, objective=objective) == 8
    assert same_logs(read(out), read(store))


def test_csv_is_read_as_the_store_was(tmp_path, store):
    out = tmp_path / "log.csv"
    export(store, out, "csv")
    assert same_logs(read(out, **COLUMNS), read(store), ids=False)
    assert out.read_text().splitlines()[0] == "id,time,arm,propensity,x0,x1,quality,cost"


@pytest.mark.parametrize("form", ["parquet", "dsjson", "csv"])
def test_arms_with_rows_of_their_own(tmp_path, form):
    given = [decide(i, context=[[i, 2.0], [0.1, -i]]) for i in range(5)]
    store = written(tmp_path / "log.db", given, PLAIN)
    out = tmp_path / f"log.{form}"
    export(store, out, form, objective="cost" if form == "dsjson" else None)
    contexts = {"small": ["small:x0", "small:x1"], "large": ["large:x0", "large:x1"]}
    columns = COLUMNS | {"context": contexts} if form == "csv" else {}
    assert same_logs(read(out, **columns), read(store), ids=form != "csv")


@pytest.mark.parametrize("form", ["parquet", "dsjson"])
def test_arms_that_came_and_went(tmp_path, form):
    given = [
        decide(0),
        {"kind": "add", "arm": "huge"},
        decide(1, arm=2),
        {"kind": "remove", "arm": "small"},
        decide(2, arm=1, eligible=[1]),
        learn(1),
    ]
    store = written(tmp_path / "log.db", given)
    out = tmp_path / f"log.{form}"
    export(store, out, form, objective="cost" if form == "dsjson" else None)
    assert same_logs(read(out), read(store))
    with pytest.raises(LogError, match="CSV cannot say which arms were eligible"):
        export(store, tmp_path / "log.csv", "csv")
    assert not (tmp_path / "log.csv").exists()


def test_parquet_has_every_field(tmp_path):
    given = [decide(0, key="k", batch=True), {"kind": "preference", "time": 1.0, "order": None}]
    export(written(tmp_path / "log.db", given), tmp_path / "log.parquet")
    frame = pl.read_parquet(tmp_path / "log.parquet")
    assert frame["number"].to_list() == [1, 2]
    assert frame["other"].to_list() == ['{"batch":true,"key":"k"}', '{"order":null}']


@pytest.mark.parametrize("at", [3.5, datetime.fromtimestamp(3.5, UTC)])
def test_only_decisions_before_a_time(tmp_path, store, at):
    assert export(store, tmp_path / "log.parquet", before=at) == 3
    assert same_logs(read(tmp_path / "log.parquet"), read(store)[:3])
    assert len(kept(store)) == 8


def test_nothing_is_deleted_that_no_snapshot_knows(tmp_path, store):
    out = tmp_path / "log.parquet"
    with pytest.raises(LogError, match="must have a snapshot before anything is deleted: save one"):
        export(store, out, delete=True)
    with Store(store) as log:
        log.snapshot(b"state")
        log.append(decide(8))
    with pytest.raises(LogError, match="which its last snapshot does not know: save one first"):
        export(store, out, before=100.0, delete=True)
    assert not out.exists()
    assert len(kept(store)) == 9


def test_a_shortened_store_goes_on(tmp_path, store):
    whole = read(store)
    with Store(store) as log:
        log.snapshot(b"state")
        size = len(log)
        tail = [decide(8), learn(5)]
        log.extend(tail)
    out = tmp_path / "old.parquet"
    assert export(store, out, before=7.0, delete=True) == 5
    # Decisions 5 and later wait, or have a reward that the snapshot does not know.
    assert kept(store) == [5, 6, 7, 8]
    assert same_logs(read(out), whole[:5])
    with Store(store) as log:
        log.describe(PLAIN)
        assert len(log) == size + 2
        assert log.latest_snapshot() == (size, b"state")
        assert same_events(log.events(after=size), tail)
        with pytest.raises(LogError, match="has no longer all of its first"):
            list(log.events())
        log.append(learn(6))
    left = read(store)
    assert left.ids.tolist() == [5, 6, 7, 8]
    assert np.isfinite(left.rewards[:2]).all()
    assert export(store, tmp_path / "rest.dsjson", "dsjson", objective="cost") == 4
    with Store(store) as log:
        log.snapshot(b"later")
    assert export(store, tmp_path / "old2.parquet", delete=True) == 2
    assert kept(store) == [7, 8]


@pytest.mark.parametrize(
    ("more", "ids"),
    [
        ({}, [2]),
        ({"max_age": 2.0}, [1, 2]),
        ({"max_age": None}, [0, 1, 2]),
        ({"defaults": [[0.0, 1.0], [None, None]]}, [0, 1, 2]),
        ({"defaults": [[0.0, 1.0], [0.5, 2.0]]}, [1, 2]),
    ],
)
def test_what_waits_stays(tmp_path, more, ids):
    description = DESCRIPTION | more
    given = [decide(0), decide(1), decide(2), decide(3), learn(3)]
    if not more:
        given += [learn(0, rewards={"cost": 1.0}), learn(0, rewards={"quality": 1.0}), learn(1)]
    store = written(tmp_path / "log", given, description)
    with Store(store) as log:
        log.snapshot(b"state")
    export(store, tmp_path / "out.parquet", delete=True)
    assert kept(store) == ids


def activate(i, at):
    return {"kind": "activate", "id": i, "time": at}


def abandon(i, at):
    return {"kind": "abandon", "id": i, "time": at}


DEFAULTS = {"defaults": [[0.0, 1.0], [0.5, 2.0]]}
ONE_DEFAULT = {"defaults": [[0.0, 1.0], [None, None]]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("description", "given", "left"),
    [
        # What is abandoned waits no more, also where part of its rewards came.
        ({}, [decide(0), abandon(0, 1.0), decide(1)], [1]),
        ({}, [decide(0), learn(0, rewards={"cost": 1.0}), abandon(0, 2.0), decide(1)], [1]),
        # An inactive decision takes no defaults ...
        (DEFAULTS, [decide(0, active=False), decide(1), decide(9)], [0, 9]),
        # ... until it is activated, and then from that moment on; a reward activates as well.
        (DEFAULTS, [decide(0, active=False), activate(0, 6.0), decide(9)], [9]),
        (DEFAULTS, [decide(0, active=False), activate(0, 8.0), decide(9)], [0, 9]),
        (
            DEFAULTS,
            [decide(0, active=False), learn(0, time=8.0, rewards={"cost": 1.0}), decide(9)],
            [0, 9],
        ),
        (
            DEFAULTS,
            [decide(0, active=False), learn(0, time=6.0, rewards={"cost": 1.0}), decide(9)],
            [9],
        ),
        # Age counts from the decision, whether it took effect or not.
        (DEFAULTS | {"max_age": 3.0}, [decide(0, active=False), decide(9)], [9]),
        (DEFAULTS, [decide(0, active=False), abandon(0, 1.0), decide(9)], [9]),
        # The default stands in for one objective, and the other has its reward.
        (ONE_DEFAULT, [decide(0), learn(0, rewards={"cost": 1.0}), decide(9)], [9]),
        (ONE_DEFAULT, [decide(0), learn(0, rewards={"quality": 1.0}), decide(9)], [0, 9]),
        (ONE_DEFAULT, [decide(8), learn(8, rewards={"cost": 1.0}), decide(9)], [8, 9]),
    ],
)
def test_what_waits_is_what_the_agent_waits_for(tmp_path, description, given, left):
    store = written(tmp_path / "log", given, DESCRIPTION | description)
    with Store(store) as log:
        log.snapshot(b"state")
    export(store, tmp_path / "out.parquet", delete=True)
    assert kept(store) == left


@pytest.mark.parametrize("change", [abandon, activate])
def test_a_change_that_no_snapshot_knows_ends_nothing(tmp_path, change):
    """The agent opens with the snapshot, in which the decision waits."""
    given = [decide(0, active=False), decide(9)]
    store = written(tmp_path / "log", given, DESCRIPTION | DEFAULTS)
    with Store(store) as log:
        log.snapshot(b"state")
        log.append(change(0, 1.0))
    assert export(store, tmp_path / "out.parquet", delete=True) == 0
    assert kept(store) == [0, 9]


@pytest.mark.long
def test_a_store_is_shortened_while_an_agent_writes(tmp_path):
    with Store(tmp_path / "log", "system") as log:
        log.describe(PLAIN)
        for i in range(1500):
            log.extend([decide(i), learn(i)])
        log.snapshot(b"state")
        command = [
            *(sys.executable, "-m", "mobandits", "export", str(log.path)),
            *("--out", str(tmp_path / "old.parquet"), "--delete", "--before", "1970-01-01T00:20"),
        ]
        i = 1500
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            while child.poll() is None or i < 1600:
                log.append(decide(i))
                i += 1
            said = child.stdout.read()
        assert child.returncode == 0
        assert said.startswith(f"{tmp_path / 'old.parquet'}: 1200 decisions")
        assert [event.id for event in log.events(after=3000)] == list(range(1500, i))
    assert read(tmp_path / "old.parquet").ids.tolist() == list(range(1200))
    assert read(log.path).ids.tolist() == list(range(1200, i))


def test_the_file_becomes_smaller(tmp_path):
    with Store(tmp_path / "log") as log:
        log.describe(PLAIN)
        log.extend(decide(i, context=np.ones((2, 100))) | {"propensity": 0.5} for i in range(1000))
        log.extend(learn(i) for i in range(1000))
        log.snapshot(b"state")
    before = log.path.stat().st_size
    export(log.path, tmp_path / "old.parquet", delete=True)
    assert log.path.stat().st_size < before / 10


def test_nothing_is_overwritten(tmp_path, store):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(LogError, match="out must be a new file, got a text file"):
        export(store, tmp_path / "out")


@pytest.mark.parametrize("form", ["parquet", "dsjson", "csv"])
def test_a_failure_leaves_no_file(tmp_path, store, form, monkeypatch):
    def failing(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", failing)
    with pytest.raises(OSError, match="No space left"):
        export(store, tmp_path / "out", form, objective="cost" if form == "dsjson" else None)
    monkeypatch.undo()
    assert {path.name.partition("-")[0] for path in tmp_path.iterdir()} == {"log.db"}
    assert len(kept(store)) == 8


@pytest.mark.parametrize("place", [100, -20, 1000, -200])
def test_a_damaged_archive_is_refused(tmp_path, store, place):
    out = tmp_path / "log.parquet"
    export(store, out)
    data = bytearray(out.read_bytes())
    data[place] ^= 8
    out.write_bytes(data)
    with pytest.raises(LogError, match=r"log\.parquet is"):
        read(out)


def test_formats_are_named(tmp_path, store):
    with pytest.raises(ValueError, match="format must be"):
        export(store, tmp_path / "out", "xml")
    with pytest.raises(ValueError, match="objective"):
        export(store, tmp_path / "out", "dsjson")


# --- reading


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_chunks_are_the_whole(tmp_path, chunk):
    store = written(tmp_path / "log.csv", events(20))  # whatever its name
    chunks = list(scan(store, chunk=chunk))
    assert max(map(len, chunks)) <= chunk
    assert same_logs(logs.feedback.together(chunks), read(store))
    rewards = read(store).rewards
    np.testing.assert_array_equal(rewards[:17, 0], 0.3 * np.arange(17))
    np.testing.assert_array_equal(rewards[:17, 1], -1e-3 / (np.arange(17) + 1))
    assert np.isnan(rewards[17:]).all()


def events_of(frame):
    """The events of a table, as a reader of Parquet would make them."""
    for row in frame.iter_rows(named=True):
        names = ("kind", "id", "time", "arm", "propensity", "eligible")
        event = {name: row[name] for name in names if row[name] is not None}
        if row["rows"] is not None:
            event["context"] = np.reshape(row["context"], (row["rows"], row["features"]))
        if row["rewards"]:
            event["rewards"] = {name_of(one["objective"]): one["value"] for one in row["rewards"]}
        yield checked(event | decoded(json.loads(row["other"] or "{}")))


@pytest.mark.long
@settings(max_examples=40)
@given(ALL)
def test_tables_have_any_events(tmp_path_factory, given):
    canonical = []
    for event in given:
        try:
            canonical.append(checked(event))
        except LogError:
            continue
    fitting = list(appendable(canonical))
    path = written(tmp_path_factory.mktemp("tables") / "log", fitting, {"arms": ["s"]}, "buffered")
    with reading(path) as connection:
        log = log_of(connection, None, "log")
        found = [event for frame in frames(log) for event in events_of(frame)]
    assert same_events(found, fitting)


def test_a_store_is_read_while_it_is_written(tmp_path):
    with Store(tmp_path / "log") as log:
        log.describe(DESCRIPTION)
        log.extend([decide(0), decide(1)])
        chunks = scan(log.path, chunk=1)
        first = next(chunks)
        log.extend([decide(2), learn(0)])
        assert (first.ids.tolist(), [chunk.ids.tolist() for chunk in chunks]) == ([0], [[1]])
        assert read(log.path).ids.tolist() == [0, 1, 2]


def test_one_of_several_agents_is_chosen(tmp_path):
    store = written(tmp_path / "log", events(3))
    with Store(store, agent="other") as other:
        other.describe(DESCRIPTION)
        other.append(decide(7))
    with pytest.raises(
        LogError, match="has several agents: agent must be one of them, got 'agent'"
    ):
        read(store)
    assert read(store, agent="other").ids.tolist() == [7]
    with pytest.raises(LogError, match="must have an agent 'third'"):
        read(store, agent="third")
    with pytest.raises(ValueError, match=r"arm must go with a \.csv file"):
        read(store, arm="x")


def test_an_empty_store_says_so(tmp_path):
    with pytest.raises(LogError, match="must have at least one decision, got none"):
        read(written(tmp_path / "log", []))
