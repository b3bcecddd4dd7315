"""What other distributions add: found, and left out with a warning where it does not fit."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from mobandits.errors import MissingExtraError, MobanditsWarning
from mobandits.support import guests


def with_entries(monkeypatch, *entries):
    monkeypatch.setattr(guests, "_all_entries", lambda: EntryPoints(entries))


def test_every_group_is_filled_where_all_is_installed():
    assert all(guests.contributions(group) for group in guests.GROUPS)
    names = [folder.name for folder in guests.source_folders()]
    assert names == ["mobandits_papers", "mobandits_service"]


@pytest.mark.parametrize("value", ["mobandits_gone.commands:COMMANDS", "json:no_such_name"])
def test_a_guest_that_does_not_fit_is_left_out(monkeypatch, value):
    group = "mobandits.commands"
    fitting = EntryPoint("z", "json:dumps", group)
    with_entries(monkeypatch, EntryPoint("a", value, group), fitting)
    with pytest.warns(MobanditsWarning, match="does not fit this version of mobandits"):
        found = guests.contributions(group)
    assert found == [fitting.load()]


def test_what_is_needed_says_what_installs_it(monkeypatch):
    with_entries(monkeypatch)
    with pytest.raises(
        MissingExtraError, match=r"^a store needs the extra `postgres`: .*-service$"
    ):
        guests.required_contribution("mobandits.databases", "a store", "postgres")
