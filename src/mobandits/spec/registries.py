"""The names that the command line and TOML files know, and what they stand for."""

import importlib
from typing import Any

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

# The attribute that of all public names only the members of a kind have.
MARKS = {
    "policies": "stages",
    "environments": "problem",
    "orders": "front",
    "features": "bind",
    "datasets": "about",
}


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

    public = {kebab(name): getattr(module, name) for name in module.__all__}
    # The base of maps is public too, for authors of others.
    public.pop(kebab(FeatureMap.__name__), None)

    return {name: member for name, member in public.items() if hasattr(member, MARKS[kind])}


def _experiments() -> dict[str, Any]:
    found = contributions("mobandits.experiments")
    if not found:
        raise missing_extra("experiments", "papers")

    return {name: each for members in found for name, each in members.items()}
