"""Checks of orders, of their groups of objectives, and of whether they fit a problem.

Groups of objectives (chains, levels) are integer matrices whose shorter rows are padded with -1.
"""

from typing import Any

from mobandits.compiling.compiled import is_compiled
from mobandits.compiling.named import names_of
from mobandits.contracts.protocols import IntArray, Order
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.nearest import as_object


def require_order(name: str, order: Any) -> None:
    """Refuse what is not an order; a class in place of its instance is the usual slip.

    Example:
        >>> require_order("order", 3)
        Traceback (most recent call last):
        ValueError: order must be an order such as Pareto(), got 3
    """
    # A class has the methods too, as functions.
    is_order = not isinstance(order, type)
    for method in ("front", "draw", "gap", "gaps"):
        is_order = is_order and callable(getattr(order, method, None))

    if not is_order:
        raise ValueError(
            f"{name} must be an order such as Pareto(), got {quoted(order)}{as_object(order)}"
        )


def check_objectives(order: Order, objectives: int) -> None:
    """Let an order refuse a problem's number of objectives.

    Raises:
        ValueError: also where it names them: whoever asks knows no names.
    """
    if is_compiled(order):
        for field, value in names_of(order).items():
            raise wrong_value(
                f"{type(order).__name__}.{field} must be numbers here, where objectives have no names",
                value,
            )

    # An order that fits any number need not have the method.
    check = getattr(order, "check", None)
    if check:
        check(objectives)


def check_groups(name: str, groups: IntArray) -> None:
    """Refuse what is not a list of non-empty lists of objectives, each named once.

    Example:
        >>> import numpy as np
        >>> check_groups("Levels.levels", np.array([[0, 1], [1, -1]]))
        Traceback (most recent call last):
        ValueError: Levels.levels must name each objective once, got 1 twice
    """
    if groups.ndim != 2 or groups.size == 0:
        raise wrong_value(f"{name} must be a list of lists of objectives", groups.tolist())

    named = []
    for row in groups.tolist():
        # Only -1 at the end of a row is padding.
        length = row.index(-1) if -1 in row else len(row)
        group = row[:length]
        padding = set(row[length:])
        if not group:
            raise wrong_value(f"{name} must not have an empty group", groups.tolist())
        if padding - {-1} or min(group) < 0:
            raise wrong_value(f"{name} must name objectives of at least 0", row)

        named += group

    check_once(name, named)


def check_once(name: str, objectives: list[int]) -> None:
    """Refuse a list that names an objective twice."""
    # Quadratic, of a handful of objectives, and it names the first one.
    for objective in objectives:
        if objectives.count(objective) > 1:
            raise ValueError(f"{name} must name each objective once, got {objective} twice")


def check_complete(name: str, groups: IntArray, objectives: int) -> None:
    """Refuse groups that do not name exactly the objectives ``0, ..., objectives - 1``.

    Example:
        >>> import numpy as np
        >>> check_complete("Levels.levels", np.array([[0, 1], [3, -1]]), 4)
        Traceback (most recent call last):
        ValueError: Levels.levels must name each of the 4 objectives, got no 2
    """
    check_below(name, groups, objectives)
    named = set(groups.ravel().tolist())
    for objective in range(objectives):
        if objective not in named:
            raise ValueError(
                f"{name} must name each of the {objectives} objectives, got no {objective}"
            )


def check_below(name: str, named: IntArray, objectives: int) -> None:
    """Refuse an objective that a problem does not have."""
    # An empty array has no largest entry.
    if named.size == 0:
        return

    largest = named.max()
    if largest >= objectives:
        raise ValueError(f"{name} must name objectives below {objectives}, got {largest}")
