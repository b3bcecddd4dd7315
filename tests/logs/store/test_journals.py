"""A journal of version 0.1 becomes a store with the same events."""

import pytest
from hypothesis import given, settings
from stores import DESCRIPTION, decide, events, learn, reread, same_events
from test_store import ALL, appendable

from mobandits import Agent
from mobandits.logs import Journal, LogError, Store, import_journal, read
from mobandits.logs.events import checked


def journal_of(folder, given, segment=100_000):
    with Journal(folder, "system", segment) as journal:
        journal.describe(DESCRIPTION)
        journal.extend(given)
    return folder


@pytest.mark.parametrize("segment", [3, 100])
def test_a_store_has_the_events_of_the_journal(tmp_path, segment):
    given = [*events(6), {"kind": "add", "arm": "huge"}, decide(9, batch=True), {"kind": "note"}]
    folder = journal_of(tmp_path / "journal", given, segment)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert import_journal(folder, tmp_path / "log") == len(given)
    assert same_events(reread(tmp_path / "log"), map(checked, given))
    with Store(tmp_path / "log") as store:
        assert store.description == DESCRIPTION
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {**after, "lock": b""} == {**before, "lock": b""}
    log = read(tmp_path / "log")
    assert log.rewards.tobytes() == read(folder).rewards.tobytes()


@settings(max_examples=20)
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
    with Journal(folder / "journal", "system", 4) as journal:
        journal.describe({"arms": ["s"]})
        journal.extend(fitting)
    import_journal(folder / "journal", folder / "log")
    assert same_events(reread(folder / "log"), fitting)


def test_an_agent_goes_on_from_its_journal(tmp_path):
    """Version 0.1 wrote what an agent writes today, and did not describe the ranges of objectives."""
    from mobandits.policies import MolUcb  # noqa: PLC0415

    options = {"arms": ["a", "b"], "objectives": ["q", "c"], "features": 2, "seed": 3}
    with Agent(MolUcb(), **options, log=tmp_path / "today") as agent:
        for i in range(6):
            decision = agent.decide([0.5, i / 8])
            if i % 2:
                agent.learn(decision.id, {"q": 1.0, "c": 0.25})
        agent.add_arm("d", like="a")
        agent.decide([0.5, 0.25])
    with Store(tmp_path / "today") as store, Journal(tmp_path / "journal") as journal:
        description = dict(store.description)
        del description["ranges"]
        journal.describe(description)
        journal.extend(store.events())
    import_journal(tmp_path / "journal", tmp_path / "log")
    with Journal(tmp_path / "journal") as journal:
        assert same_events(reread(tmp_path / "log"), journal.events())
    with Agent(MolUcb(), **options, log=tmp_path / "log") as again:
        assert (again.lessons, again.waiting, again.arms) == (3, 4, ("a", "b", "d"))
        assert again.core.bound.state().theta.tolist() == agent.core.bound.state().theta.tolist()


def test_what_is_there_is_not_overwritten(tmp_path):
    folder = journal_of(tmp_path / "journal", [])
    (tmp_path / "log").write_text("mine")
    with pytest.raises(LogError, match="log must be a new file, got a text file"):
        import_journal(folder, tmp_path / "log")


def test_a_journal_in_use_is_refused(tmp_path):
    with (
        Journal(journal_of(tmp_path / "journal", [])),
        pytest.raises(LogError, match="is being written to by another journal, of process"),
    ):
        import_journal(tmp_path / "journal", tmp_path / "log")


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(LogError, match="is not a journal"):
        import_journal(tmp_path / "folder", tmp_path / "log")
    assert not list((tmp_path / "folder").iterdir())


def test_a_journal_that_cannot_be_a_store_leaves_nothing(tmp_path):
    folder = journal_of(tmp_path / "journal", [decide(0), decide(1), learn(7)])
    said = "journal, after event 0: .* event.id must be of a decision that is there"
    with pytest.raises(LogError, match=said):
        import_journal(folder, tmp_path / "log")
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]
