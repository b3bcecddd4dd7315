"""Distributions that extend this library, found by their entry points; see `pyproject.toml` of each.

Their groups: "mobandits.commands" and "mobandits.command_groups" of the program, "mobandits.experiments"
for `mobandits list`, "mobandits.pages" for `mobandits report`, "mobandits.databases" for stores that
are no files, and "mobandits.service_files" for `mobandits tune --write`.
"""

import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mobandits.support.optional import missing_extra

GROUPS = tuple(
    f"mobandits.{name}"
    for name in (
        "command_groups",
        "commands",
        "databases",
        "experiments",
        "pages",
        "service_files",
    )
)


def contributions(group: str) -> list[Any]:
    """The objects that the entry points of a group name, loaded; in the order of their names.

    Args:
        group: one of `GROUPS`.

    Example:
        >>> contributions("mobandits.nothing")
        []
    """
    return [entry.load() for entry in _entries(group)]


def needed(group: str, user: str, extra: str) -> Any:
    """The object of a group that one distribution fills.

    Args:
        group: one of `GROUPS`.
        user: what needs it, as its caller knows it.
        extra: that installs it.

    Raises:
        MissingExtraError: where no distribution has one.

    Example:
        >>> needed("mobandits.nothing", "a store in PostgreSQL", "postgres")
        Traceback (most recent call last):
        mobandits.errors.MissingExtraError: a store in PostgreSQL needs the extra `postgres`: in a clone of \
the repository, pip install packages/mobandits-client packages/mobandits-service 'mobandits[postgres]'
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


def _entries(group: str) -> list[Any]:
    return sorted(_all_entries().select(group=group), key=lambda entry: entry.name)


@functools.cache
def _all_entries() -> Any:
    """The entry points of all distributions: to look for them takes a while, once a process."""
    # It loads the parser of e-mails, which an agent does not need.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return entry_points()
