"""The names that the command line and TOML files know, and what they stand for."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.features.feature_map import FeatureMap
from mobandits.support.checks import choice
from mobandits.support.guests import contributions
from mobandits.support.naming import kebab
from mobandits.support.optional import missing_extra

KINDS = (
    "policies",
    "environments",
    "metrics",
    "orders",
    "features",
    "experiments",
    "datasets",
)


def catalogue(kind: str) -> dict[str, Any]:
    """{name on the command line: member} of one of `KINDS`.

    Members are classes, functions, modules or experiments.

    Example:
        >>> catalogue("policies")["mol-ts"].__name__
        'MolTs'
    """
    choice("kind", kind, KINDS)
    if kind == "experiments":
        return _experiments()

    module = importlib.import_module(f"mobandits.{kind}")
    # Metrics have names of their own, which columns of tables have too.
    if kind == "metrics":
        return dict(module.registry())

    belongs = _BELONGS[kind]
    public = {kebab(name): getattr(module, name) for name in module.__all__}

    return {name: member for name, member in public.items() if belongs(member)}


def _experiments() -> dict[str, Any]:
    found = contributions("mobandits.experiments")
    if not found:
        raise missing_extra("experiments", "papers")

    return {name: each for members in found for name, each in members.items()}


_BELONGS: dict[str, Callable[[Any], bool]] = {
    "policies": lambda member: inspect.isclass(member) and issubclass(member, Recipe),
    "environments": lambda member: inspect.isclass(member) and hasattr(member, "problem"),
    "orders": lambda member: inspect.isclass(member) and hasattr(member, "front"),
    "features": lambda member: _is_map(member) and member is not FeatureMap,
    "datasets": lambda member: not inspect.isclass(member) and hasattr(member, "about"),
}


def _is_map(member: Any) -> bool:
    return inspect.isclass(member) and issubclass(member, FeatureMap)
