"""Recipes and orders that name objectives, with numbers in the place of the names."""

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any

from mobandits.compiling.named import names_of

# What a number is of an objective that is not named; of other fields every one is named.
ABSENT = {"weights": 0.0}


def by_number(part: Any, objectives: Sequence[Hashable]) -> Any:
    """A recipe or an order in which the names of objectives are replaced by their numbers.

    Args:
        part: any; one that names none is returned as it is.
        objectives: their names.

    Raises:
        ValueError: where an objective is unknown or missing.

    Example:
        >>> from mobandits.orders import Pareto, Weighted
        >>> from mobandits.policies import MolUcb
        >>> by_number(MolUcb(order=Weighted({"cost": 2})), ["quality", "cost"]).order
        Weighted(weights=[0.0, 2.0])
        >>> by_number(Pareto(on=["cost"]), ["quality", "cost"])
        Pareto(on=[1])
    """
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return part

    changes: dict[str, Any] = {}
    for name, value in names_of(part).items():
        where = f"{type(part).__name__}.{name}"
        changes[name] = value.resolved(where, objectives, ABSENT.get(name))
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        is_part = hasattr(value, "bind") or hasattr(value, "front")
        inner = by_number(value, objectives) if is_part else value
        if inner is not value:
            changes[field.name] = inner

    return dataclasses.replace(part, **changes) if changes else part
