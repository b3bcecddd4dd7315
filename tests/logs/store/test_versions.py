"""A store that an earlier version wrote is opened, read and continued by this one."""

import shutil
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest
from stores import same_events

from mobandits.errors import LogWarning
from mobandits.logs import Store, export, read
from mobandits.logs.events import checked
from mobandits.logs.store.schema import APPLICATION_ID, MIGRATIONS, VERSION, migrate

DATA = Path(__file__).parent.parent.parent / "data"
sys.path.insert(0, str(DATA))

from make_store import DESCRIPTION, EVENTS, MORE, STATE  # noqa: E402 - beside the files

VERSIONS = range(1, VERSION + 1)


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture
def golden(tmp_path, version):
    name = f"store_version_{version}.db"
    return Path(shutil.copyfile(DATA / name, tmp_path / "log.db"))


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


def test_what_a_service_kept_is_there(golden, version):
    Store(golden).close()
    connection = sqlite3.connect(golden)
    for sql, values in MORE[version]:
        table = sql.split()[2]
        assert connection.execute(f"SELECT * FROM {table}").fetchall() == [values]
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()


def test_a_file_says_what_it_is(golden, version):
    connection = sqlite3.connect(golden)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (version,)
    assert connection.execute("SELECT version FROM meta").fetchone() == (version,)
    connection.close()


def test_a_step_that_fails_leaves_the_older_version(golden, version, monkeypatch):
    steps = (*MIGRATIONS, "CREATE TABLE extra (a);\nCREATE TABLE extra (a);\n")
    monkeypatch.setattr("mobandits.logs.store.schema.MIGRATIONS", steps)
    monkeypatch.setattr("mobandits.logs.store.schema.VERSION", VERSION + 1)
    connection = sqlite3.connect(golden, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate(connection, "9.9")
    assert connection.execute("PRAGMA user_version").fetchone() == (version,)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE name = 'extra'").fetchall()
    assert tables == []
    monkeypatch.setattr(
        "mobandits.logs.store.schema.MIGRATIONS", (*MIGRATIONS, "CREATE TABLE extra (a);\n")
    )
    migrate(connection, "9.9")
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)
    assert connection.execute("SELECT * FROM meta").fetchall() == [(VERSION + 1, "9.9")]
    connection.close()
