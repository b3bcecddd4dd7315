"""Distributions that extend this library, found by their entry points; see `pyproject.toml` of each.

Their groups: "mobandits.commands" of the program, "mobandits.experiments" for `mobandits list`, and
"mobandits.pages" for `mobandits report`.
"""

from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

GROUPS = ("mobandits.commands", "mobandits.experiments", "mobandits.pages")


def contributions(group: str) -> list[Any]:
    """The objects that the entry points of a group name, loaded; in the order of their names.

    Args:
        group: one of `GROUPS`.

    Example:
        >>> contributions("mobandits.nothing")
        []
    """
    return [entry.load() for entry in _entries(group)]


def source_folders() -> list[Path]:
    """The folders of the packages that have entry points here, which are not imported for that."""
    packages = {entry.module.partition(".")[0] for group in GROUPS for entry in _entries(group)}
    found = [find_spec(package) for package in sorted(packages)]

    return [Path(spec.origin).parent for spec in found if spec is not None and spec.origin]


def _entries(group: str) -> list[EntryPoint]:
    return sorted(entry_points(group=group), key=lambda entry: entry.name)
