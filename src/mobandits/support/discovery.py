"""The public classes of a package, found in its modules."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType


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
    classes = {}
    for module in modules_of(package):
        for name, member in vars(module).items():
            defined_here = inspect.isclass(member) and member.__module__ == module.__name__
            if defined_here and issubclass(member, base) and _gives_its_name(member, module):
                classes[name] = member

    return dict(sorted(classes.items()))


def modules_of(package: str) -> Iterator[ModuleType]:
    """The modules of a package and of its subpackages, imported, in the order of their names."""
    path = importlib.import_module(package).__path__
    for found in pkgutil.walk_packages(path, prefix=f"{package}."):
        yield importlib.import_module(found.name)


def _gives_its_name(member: type, module: ModuleType) -> bool:
    file = module.__name__.rpartition(".")[2]
    file_words = file.replace("_", "")
    return member.__name__.lower() == file_words
