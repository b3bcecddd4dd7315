"""A backup is what the store was at one moment, whoever writes it meanwhile."""

import threading
import time

import pytest
from stores import DESCRIPTION, decide, events, same_events, written

import mobandits as mob
from mobandits.cli import program as cli
from mobandits.errors import DamagedError
from mobandits.logs import LogError, Store, backup
from mobandits.logs.store.connection import reading
from mobandits.logs.store.keys import add_key, keys_of
from mobandits_service.keys_command import writing

PLAIN = DESCRIPTION | {"arms": ["small", "large"]}


@pytest.fixture
def store(tmp_path):
    return written(tmp_path / "log.db", events(8), PLAIN)


def test_a_backup_has_all_events_and_keys(store, tmp_path):
    with writing(store) as connection:
        add_key(connection, "shop", ["decide"], None)
    out = tmp_path / "copy.db"
    count = backup(store, out)
    with Store(store) as first, Store(out) as second:
        assert same_events(list(first.events()), list(second.events()))
        assert count == sum(event.kind == "decide" for event in first.events())
    with reading(store) as first, reading(out) as second:
        assert keys_of(first) == keys_of(second)


@pytest.mark.long
def test_backups_are_taken_while_an_agent_decides(tmp_path):
    """Each has every decision up to some moment, without a hole, and goes on from there."""
    path = tmp_path / "log.db"
    is_over = threading.Event()
    asked = {"arms": ["a", "b"], "features": 2, "objectives": ["click"], "seed": 1}

    def play():
        with mob.Agent(mob.policies.RandomChoice(), **asked, log=path) as agent:
            while not is_over.is_set():
                decision = agent.decide([1.0, 0.5])
                agent.learn(decision.id, [0.25])

    player = threading.Thread(target=play)
    player.start()
    try:
        while not path.exists() or not decisions(path):
            assert player.is_alive()
            time.sleep(0.01)
        counts = [backup(path, tmp_path / f"copy{n}.db") for n in range(5)]
    finally:
        is_over.set()
        player.join()

    assert counts == sorted(counts)
    assert 0 < counts[0] <= counts[-1] <= decisions(path)
    with Store(path) as whole:
        history = list(whole.events())
    for n, count in enumerate(counts):
        with Store(tmp_path / f"copy{n}.db") as copy:
            kept = list(copy.events())
        assert same_events(kept, history[: len(kept)])
        with mob.Agent(mob.policies.RandomChoice(), **asked, log=tmp_path / f"copy{n}.db") as again:
            assert again.decide([1.0, 0.5]).id == count


def decisions(path):
    """How many decisions a store has, where it is one already."""
    try:
        with reading(path) as connection:
            return connection.execute("SELECT count(*) FROM decisions").fetchone()[0]
    except LogError:
        return 0


def test_a_backup_overwrites_nothing(store, tmp_path):
    out = tmp_path / "copy.db"
    out.write_text("mine")
    with pytest.raises(LogError, match="must be a new file"):
        backup(store, out)
    assert out.read_text() == "mine"


def test_what_cannot_be_written_leaves_nothing(store, tmp_path):
    with pytest.raises(LogError, match="cannot be written"):
        backup(store, tmp_path / "missing" / "copy.db")
    with pytest.raises(LogError, match="must be a store"):
        backup(tmp_path / "none.db", tmp_path / "copy.db")
    assert sorted(each.name for each in tmp_path.glob("*copy*")) == []


def test_a_damaged_store_is_not_backed_up(store, tmp_path):
    content = bytearray(store.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    store.write_bytes(content)
    with pytest.raises(LogError, match="damaged"):
        backup(store, tmp_path / "copy.db")
    assert [each.name for each in tmp_path.iterdir() if "copy" in each.name] == []


def test_the_command_says_how_many(store, tmp_path, capsys):
    out = tmp_path / "copy.db"
    assert cli.call(["backup", str(store), str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: {decisions(out)} decisions\n"
    assert cli.call(["backup", str(store), str(out)]) == 2


def test_a_backup_of_one_decision(tmp_path):
    with Store(tmp_path / "log.db") as log:
        log.describe(PLAIN)
        log.append(decide(0))
        assert backup(tmp_path / "log.db", tmp_path / "copy.db") == 1


def test_a_copy_of_a_damaged_store_names_the_store(store, tmp_path):
    with Store(store) as log:
        assert len(list(log.events())) > 3
        content = bytearray(store.read_bytes())
        content[4096:] = b"\xff" * (len(content) - 4096)
        # Through the same file, as a disk would: the store stays open.
        store.write_bytes(content)
        with pytest.raises(DamagedError, match=r"log\.db is damaged"):
            log.copy(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
