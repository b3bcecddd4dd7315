"""Stores of the present version are read and continued; those of other versions are refused."""

import shutil
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest
from stores import same_events

from mobandits.cli import program as cli
from mobandits.errors import LogError, LogWarning
from mobandits.logs import Store, export, read
from mobandits.logs.events import checked
from mobandits.logs.store import SharedFile
from mobandits.logs.store.schema import APPLICATION_ID, CREATE, VERSION, create_tables

DATA = Path(__file__).parent.parent.parent / "data"
sys.path.insert(0, str(DATA))

from make_store import DESCRIPTION, EVENTS, OF_SERVICE, STATE  # noqa: E402 - beside the files


@pytest.fixture
def golden(tmp_path):
    return Path(shutil.copyfile(DATA / f"store_version_{VERSION}.db", tmp_path / "log.db"))


def test_the_golden_file_has_its_events(golden):
    with Store(golden) as store:
        assert store.description == DESCRIPTION
        assert same_events(store.events(), map(checked, EVENTS))
        assert store.latest_snapshot() == (5, STATE)
        store.append({"kind": "learn", "id": 7, "rewards": {"quality": 0.5}})
        assert len(list(store.events(after=5))) == 3


def test_the_golden_file_is_a_log(golden, tmp_path):
    # Its preference is made up: no order of this library.
    with pytest.warns(LogWarning, match="the last preference is not known here"):
        log = read(golden)
    assert log.arm_names == ("small", ("large", 2), "huge")
    assert log.ids.tolist() == [0, 1, 7]
    np.testing.assert_array_equal(log.rewards, [[0.75, 0.0], [np.nan] * 2, [np.nan] * 2])
    assert log.contexts[0].tolist() == [[0.1, 0.0], [2.0, 5e-324], [0.0, 0.0]]
    assert export(golden, tmp_path / "old.parquet", delete=True) == 1
    with pytest.warns(LogWarning, match="the last preference"):
        assert read(golden).ids.tolist() == [1, 7]


def test_what_a_service_kept_is_there(golden):
    Store(golden).close()
    connection = sqlite3.connect(golden)
    for sql, values in OF_SERVICE:
        table = sql.split()[2]
        assert connection.execute(f"SELECT * FROM {table}").fetchall() == [values]
    connection.close()


def test_a_file_says_what_it_is(golden):
    connection = sqlite3.connect(golden)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert connection.execute("SELECT version FROM meta").fetchone() == (VERSION,)
    connection.close()


def test_a_file_that_is_made_has_the_tables_of_the_golden_one(golden, tmp_path):
    Store(tmp_path / "new").close()
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid"
    found = []
    for path in (golden, tmp_path / "new"):
        connection = sqlite3.connect(path)
        found.append(connection.execute(query).fetchall())
        connection.close()
    assert found[0] == found[1]


@pytest.mark.parametrize("version", [1, 2, VERSION + 1])
def test_another_version_is_refused_in_one_line_and_left_as_it_is(
    golden, tmp_path, capsys, version
):
    connection = sqlite3.connect(golden)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    before = golden.read_bytes()
    said = f"{golden} is a store of version {version}: this mobandits understands version 3 only"
    for use in (Store, SharedFile, read, lambda path: export(path, tmp_path / "out.parquet")):
        with pytest.raises(LogError) as caught:
            use(golden)
        assert str(caught.value) == said
    for command in (["check", golden], ["backup", golden, tmp_path / "copy.db"]):
        assert cli.call([str(part) for part in command]) == 2
        assert capsys.readouterr().err == f"error: {said}\n"
    assert golden.read_bytes() == before
    assert not (tmp_path / "out.parquet").exists()
    assert not (tmp_path / "copy.db").exists()


def test_tables_that_cannot_be_made_leave_an_empty_file(tmp_path, monkeypatch):
    monkeypatch.setattr("mobandits.logs.store.schema.CREATE", CREATE + "CREATE TABLE meta (a);\n")
    connection = sqlite3.connect(tmp_path / "log", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        create_tables(connection)
    assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == []
    monkeypatch.undo()
    create_tables(connection)
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()
