"""A journal of version 0.1 becomes a store with the same events, and its agent goes on.

The folders in data/ are real: `make_journals.py` wrote them with version 0.1.0, at the last commit
whose agents wrote journals. `plain` is of a program without an agent, in four segments, with
whatever events may hold. `shared` (MolUcb, contexts that arms share, three segments), `own_rows`
(MolTs, a row of features per arm, one open segment that ends with a torn line) and `balls` (Pcz,
one sealed segment whose lines a kill has left beside it) are of agents; beside them are their
events as that version read them, and the agents as it saved them.
"""

import json
import shutil
from pathlib import Path

import make_journals
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from make_journals import PLAIN_DESCRIPTION, PLAIN_EVENTS
from old_journals import header, lines_of, table, written_journal
from stores import DESCRIPTION, decide, learn, reread, same_events
from test_store import ALL, appendable

from mobandits import Agent
from mobandits.logs import LogError, LogWarning, Store, export, import_journal, read
from mobandits.logs.arm_registry import first_arms
from mobandits.logs.events import checked
from mobandits.logs.names import decoded
from mobandits.logs.store.ownership import hold

DATA = Path(__file__).parent / "data"
AGENTS = {
    "shared": make_journals.shared_agent,
    "own_rows": make_journals.own_rows_agent,
    "balls": make_journals.balls_agent,
}


def later():
    """A clock that stands still, after all that was logged."""
    return 100.0


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def golden(tmp_path):
    """A copy of data/, whose folders are as they were after the test."""
    copy = Path(shutil.copytree(DATA, tmp_path / "data"))
    yield copy
    for folder in DATA.iterdir():
        if folder.is_dir():
            assert contents(copy / folder.name) == contents(folder)


def test_plain_has_the_events_that_were_appended(golden, tmp_path):
    assert import_journal(golden / "plain", tmp_path / "log") == len(PLAIN_EVENTS)
    assert same_events(reread(tmp_path / "log"), map(checked, PLAIN_EVENTS))
    with Store(tmp_path / "log") as store:
        assert store.description == PLAIN_DESCRIPTION
    log = read(tmp_path / "log")
    assert log.arm_names == ("small", ("large", 2), 3, None)
    np.testing.assert_array_equal(log.rewards, [[0.75, 0.0], [np.nan] * 2, [np.nan] * 2])


@pytest.mark.parametrize("name", ["shared", "balls"])
def test_an_agent_s_folder_has_its_events(golden, tmp_path, name):
    given = decoded(json.loads((golden / f"{name}.json").read_text()))
    assert import_journal(golden / name, tmp_path / "log") == len(given)
    assert same_events(reread(tmp_path / "log"), given)


def test_a_torn_line_is_passed_over(golden, tmp_path):
    given = decoded(json.loads((golden / "own_rows.json").read_text()))
    said = r"000000\.jsonl ends with a torn line, which was passed over"
    with pytest.warns(LogWarning, match=said) as caught:
        assert import_journal(golden / "own_rows", tmp_path / "log") == len(given)
    assert len(caught) == 1
    assert same_events(reread(tmp_path / "log"), given)


@pytest.mark.filterwarnings("ignore:.*torn line:mobandits.errors.LogWarning")
@pytest.mark.filterwarnings("ignore:.*in the log were certain:mobandits.errors.LogWarning")
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_goes_on_from_its_journal(golden, tmp_path, name):
    """As the one does that version 0.1 saved after the same events."""
    import_journal(golden / name, tmp_path / "log")
    imported = AGENTS[name](tmp_path / "log", later)
    saved = Agent.load(golden / f"{name}.mobandits", clock=later)
    for agent in (imported, saved):
        agent.tick()
    assert (imported.lessons, imported.waiting) == (saved.lessons, saved.waiting)
    assert (imported.arms, imported.dropped) == (saved.arms, saved.dropped)
    assert imported.preference == saved.preference
    for mine, theirs in zip(states(imported), states(saved), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    rng = np.random.default_rng(9)
    for _ in range(6):
        shape = (imported.features,) if name != "own_rows" else (2, imported.features)
        context = rng.random(shape)
        mine = imported.decide(context)
        assert mine == saved.decide(context)
        for agent in (imported, saved):
            agent.learn(mine.id, [0.5, 0.25])
    imported.close()


def states(agent):
    """The arrays of what an agent has learned."""
    state = agent.core.bound.state()
    return [np.asarray(values) for values in state]


def test_a_saved_agent_goes_on_with_its_imported_log(golden, tmp_path):
    count = import_journal(golden / "shared", tmp_path / "log")
    agent = Agent.load(golden / "shared.mobandits", log=tmp_path / "log", clock=later)
    agent.decide([0.5, 0.25])
    agent.close()
    with Store(tmp_path / "log") as store:
        assert len(store) == count + 1


# --- any journal


def test_the_twin_writes_what_version_0_1_wrote():
    path = DATA / "plain" / "000003.jsonl"
    whole = path.read_bytes()
    sealed = json.loads(whole.splitlines()[0])["sealed"]
    arms = first_arms(PLAIN_DESCRIPTION, "description")
    for event in PLAIN_EVENTS[:9]:
        arms.follow(event)
    head = header(PLAIN_DESCRIPTION, 3, 9, sealed, arms)
    assert lines_of(head, PLAIN_EVENTS[9:]) == whole
    for number in range(3):
        first = 3 * number
        frame = pl.read_parquet(DATA / "plain" / f"{number:06d}.parquet")
        assert table(PLAIN_EVENTS[first : first + 3], first).equals(frame)


@settings(max_examples=40)
@given(ALL)
def test_any_journal_that_an_agent_could_write(tmp_path_factory, given):
    folder = tmp_path_factory.mktemp("import")
    canonical = []
    for event in given:
        try:
            canonical.append(checked(event))
        except LogError:
            continue
    fitting = list(appendable(canonical))
    journal = written_journal(folder / "journal", fitting, {"arms": ["s"]}, segment=4)
    assert import_journal(journal, folder / "log") == len(fitting)
    assert same_events(reread(folder / "log"), fitting)


# --- what is refused


def test_what_is_there_is_not_overwritten(golden, tmp_path):
    (tmp_path / "log").write_text("mine")
    with pytest.raises(LogError, match="log must be a new file, got a text file"):
        import_journal(golden / "plain", tmp_path / "log")


def test_a_journal_in_use_is_refused(tmp_path):
    folder = written_journal(tmp_path / "journal", [decide(0)], DESCRIPTION)
    with (folder / "lock").open("r+b") as file:
        hold(file, folder)
        with pytest.raises(LogError, match="journal is in use by process 77: one process writes"):
            import_journal(folder, tmp_path / "log")
    (folder / "lock").unlink()
    assert import_journal(folder, tmp_path / "log") == 1
    assert not (folder / "lock").exists()


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "folder").mkdir()
    said = "folder is not a journal: it has no segments; found an empty folder"
    with pytest.raises(LogError, match=said):
        import_journal(tmp_path / "folder", tmp_path / "log")
    with pytest.raises(LogError, match="nowhere cannot be read: No such file or directory"):
        import_journal(tmp_path / "nowhere", tmp_path / "log")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_a_journal_that_cannot_be_a_store_leaves_nothing(tmp_path):
    given = [decide(0), decide(1), learn(7)]
    folder = written_journal(tmp_path / "journal", given, DESCRIPTION)
    said = "journal, after event 0: .* event.id must be of a decision that is there"
    with pytest.raises(LogError, match=said):
        import_journal(folder, tmp_path / "log")
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]


def test_nothing_else_reads_or_writes_a_journal(golden, tmp_path):
    folder = golden / "shared"
    advice = f"version 0.1 has; `mobandits import {folder} STORE` makes a store of it"
    for use in (
        lambda: read(folder),
        lambda: Store(folder),
        lambda: export(folder, tmp_path / "out"),
        lambda: AGENTS["shared"](folder, later),
        lambda: Agent.load(golden / "shared.mobandits", log=folder, clock=later),
    ):
        with pytest.raises(LogError, match=f"must be a (store|log).*{advice}"):
            use()
    said = f"is a segment of a journal of version 0.1: `mobandits import {folder} STORE` makes"
    with pytest.raises(LogError, match=said):
        read(folder / "000000.parquet")
    with pytest.raises(LogError, match=r"header of a journal of version 0\.1"):
        read(folder / "000002.jsonl")
