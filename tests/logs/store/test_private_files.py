"""Files that hold decisions, keys or states are for their owner alone, whatever the umask is."""

import os
import stat

import numpy as np
import pytest
from stores import DESCRIPTION, decide, events, written

import mobandits as mob
from mobandits.cli import program as cli
from mobandits.logs import Store, backup, dsjson, export, read
from mobandits.logs.store import SharedFile
from mobandits.support.files import replacing

PLAIN = DESCRIPTION | {"arms": ["small", "large"]}
ASKED = {"arms": ["a", "b"], "features": 2, "objectives": ["click"], "seed": 1}

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder):
    """{name: mode} of what is in a folder, and in those inside of it."""
    return {
        str(path.relative_to(folder)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in folder.rglob("*")
    }


def test_a_store_and_what_is_beside_it(tmp_path):
    with Store(tmp_path / "log.db") as log:
        log.describe(PLAIN)
        log.append(decide(0))
        found = modes(tmp_path)
    assert sorted(found) == ["log.db", "log.db-owner", "log.db-shm", "log.db-wal"]
    assert set(found.values()) == {"0o600"}
    with SharedFile(tmp_path / "shared.db"):
        assert set(modes(tmp_path).values()) == {"0o600"}


def test_copies_and_exports(tmp_path):
    store = written(tmp_path / "log.db", events(6), PLAIN)
    backup(store, tmp_path / "backup.db")
    for name in ("parquet", "csv"):
        export(store, tmp_path / f"out.{name}", name)
    dsjson.write([read(store)], tmp_path / "out.dsjson", objective="quality")
    with Store(store) as log:
        log.copy(tmp_path / "copy.db")
    assert set(modes(tmp_path).values()) == {"0o600"}
    assert len(modes(tmp_path)) == 7


def test_an_agent_s_file(tmp_path):
    agent = mob.Agent(mob.policies.RandomChoice(), **ASKED)
    agent.save(tmp_path / "agent.bin")
    assert modes(tmp_path) == {"agent.bin": "0o600"}
    # Whoever opened it to others meant it.
    (tmp_path / "agent.bin").chmod(0o640)
    agent.save(tmp_path / "agent.bin")
    assert modes(tmp_path) == {"agent.bin": "0o640"}


def test_results_of_simulations_are_for_all(tmp_path):
    with replacing(tmp_path / "table", private=False) as file:
        file.write(b"1")
    assert modes(tmp_path) == {"table": "0o644"}


def test_folders_of_commands(tmp_path):
    rng = np.random.default_rng(0)
    log = tmp_path / "log.db"
    with mob.Agent(mob.policies.RandomChoice(), **ASKED, log=log, propensity="exact") as agent:
        for _ in range(100):
            decision = agent.decide(rng.random(2))
            agent.learn(decision.id, [rng.random()])
    out = tmp_path / "values"
    asked = ["--policy", "uniform", "--estimator", "ips", "--out", str(out)]
    assert cli.call(["evaluate", str(log), *asked]) == 0
    found = modes(tmp_path)
    assert found.pop("values") == "0o700"
    assert "values/report.html" in found
    assert {mode for name, mode in found.items() if (tmp_path / name).is_file()} == {"0o600"}
    assert os.umask(0o022) == 0o022
