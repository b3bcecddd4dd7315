"""The public classes of a package, found in its modules."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def public_classes(package: str, base: type) -> dict[str, type]:
    """The subclasses of `base` that the modules of a package define, by name and sorted.

    A module of a registry holds one algorithm and is named after it: `MolTs` stands in `mol_ts.py`.
    So adding a file adds a name, and classes of other names are parts.

    Args:
        package: its dotted name; its modules and those of its subpackages are imported.
        base: what a member must derive from.

    Example:
        >>> from mobandits.orders.order import BaseOrder
        >>> "Levels" in public_classes("mobandits.orders", BaseOrder)
        True
    """
    found = {}
    for cls in defined_classes(package):
        file_words = cls.__module__.rpartition(".")[2].replace("_", "")
        if issubclass(cls, base) and cls.__name__.lower() == file_words:
            found[cls.__name__] = cls

    return dict(sorted(found.items()))


def defined_classes(package: str) -> list[type[Any]]:
    """The classes that the modules of a package define, sorted by their names.

    Example:
        >>> [cls.__name__ for cls in defined_classes("mobandits.orders")][:2]
        ['AroundOrder', 'AuthorsChains']
    """
    found = []
    for module in modules_of(package):
        members = vars(module).values()
        classes = [member for member in members if inspect.isclass(member)]
        found += [cls for cls in classes if cls.__module__ == module.__name__]

    return sorted(found, key=lambda cls: cls.__name__)


def modules_of(package: str) -> Iterator[ModuleType]:
    """The modules of a package and of its subpackages, imported, in the order of their names."""
    path = importlib.import_module(package).__path__
    for found in pkgutil.walk_packages(path, prefix=f"{package}."):
        yield importlib.import_module(found.name)
