"""Recipes and orders as plain data and back: only public classes of this library are named."""

import dataclasses
import importlib
from typing import Any

from mobandits.support import serialiser
from mobandits.support.naming import wrong_value

# Names in files, and where their public classes are. A name in a file outlives the module that it
# was named after.
MODULES = {
    "policies": "mobandits.policies",
    "orders": "mobandits.orders",
    "features": "mobandits.features",
    "kernel.links": "mobandits.numerics.links",
}


class PublicClasses:
    """The names of public classes in files, such as ``policies.MolUcb``."""

    def name_of(self, cls: type, where: str) -> str:
        """The name of a class.

        Raises:
            ValueError: where it is not public here.
        """
        for name, module in MODULES.items():
            if getattr(importlib.import_module(module), cls.__name__, None) is cls:
                return f"{name}.{cls.__name__}"

        rule = "must be of a public class of mobandits to be kept in a file"
        raise ValueError(f"{where} {rule}, got {cls.__qualname__}")

    def class_of(self, name: Any, where: str) -> type:
        """The class of a name.

        Raises:
            ValueError: where it names anything else.
        """
        room, _, class_name = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if room in MODULES:
            member: Any = getattr(importlib.import_module(MODULES[room]), class_name, None)
            is_data = isinstance(member, type) and dataclasses.is_dataclass(member)
            # A module may also hold what it imports from elsewhere.
            if is_data and member.__module__.startswith("mobandits."):
                cls: type = member
                return cls

        raise wrong_value(f"{where} must name a public class of mobandits", name)


NAMES = PublicClasses()


def described(part: Any, where: str) -> Any:
    """A recipe, an order or a value of their parameters, as JSON can hold it.

    Raises:
        ValueError: where it is of a class that is not public here, or holds something else.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> described(MolUcb(scale=0.3), "recipe")["class"]
        'policies.MolUcb'
    """
    return serialiser.to_description(part, where, NAMES)


def made(description: Any, where: str) -> Any:
    """The recipe or order that was `described`.

    Raises:
        ValueError: where it is malformed, or names anything but a public class of this library.

    Example:
        >>> from mobandits.orders import Levels
        >>> made(described(Levels([[0, 1, 2], [3]]), "order"), "order")
        Levels(levels=[[0, 1, 2], [3, -1, -1]])
    """
    return serialiser.from_description(description, where, NAMES)
