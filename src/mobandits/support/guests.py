"""Distributions that extend this library, found by their entry points; see `pyproject.toml` of each."""

import functools
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mobandits.errors import MissingExtraError, MobanditsWarning
from mobandits.support.optional import missing_extra

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# {group of entry points: what each of them is}
GROUPS = {
    "mobandits.commands": "a sequence of `cli.command.Command`",
    "mobandits.command_groups": "a `typer.Typer` with a name",
    "mobandits.experiments": "a dictionary of experiments, for `mobandits list`",
    "mobandits.pages": "a sequence of `report.PageKind`",
    "mobandits.databases": "a module with `reading_database` and `SharedDatabase`",
    "mobandits.tuned_files": "a module with `check_tuned_file` and `write_tuned`",
}


def contributions(group: str) -> list[Any]:
    """The objects that the entry points of a group name, loaded; in the order of their names.

    A distribution that cannot be loaded, as one of another version, is left out with a warning.

    Args:
        group: one of `GROUPS`.

    Raises:
        MissingExtraError: where a distribution is there, and lacks an extra of its own.
    """
    found = []
    for entry in _entries(group):
        try:
            found.append(entry.load())
        except MissingExtraError:
            raise
        except (AttributeError, ImportError) as error:
            name = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
            text = f"{name} does not fit this version of mobandits, and is left out: {error}"
            warnings.warn(text, MobanditsWarning, stacklevel=2)

    return found


def required_contribution(group: str, user: str, extra: str) -> Any:
    """The object of a group that one distribution fills.

    Args:
        group: one of `GROUPS`.
        user: what needs it, as its caller knows it.
        extra: that installs it.

    Raises:
        MissingExtraError: where no distribution has one.
    """
    found = contributions(group)
    if not found:
        raise missing_extra(user, extra)

    return found[0]


def source_folders() -> list[Path]:
    """The folders of the packages that have entry points here, which are not imported for that."""
    packages = {entry.module.partition(".")[0] for group in GROUPS for entry in _entries(group)}
    found = [find_spec(package) for package in sorted(packages)]

    return [Path(spec.origin).parent for spec in found if spec is not None and spec.origin]


def _entries(group: str) -> "list[EntryPoint]":
    assert group in GROUPS  # noqa: S101 - our own names
    return sorted(_all_entries().select(group=group), key=lambda entry: entry.name)


@functools.cache
def _all_entries() -> Any:
    """The entry points of all distributions: to look for them takes a while, once a process."""
    # It loads the parser of e-mails, which an agent does not need.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return entry_points()
