"""Budgets of recipes, in the terms of an application."""

from collections.abc import Sequence
from typing import Any

from mobandits.contracts.terms import ApplicationTerms
from mobandits.policies.wrappers.own_terms import Line, line_of
from mobandits.support.naming import quoted


def cost_lines(
    terms: ApplicationTerms | None, names: Sequence[Any], objectives: int, where: str
) -> list[Line]:
    """The lines of the objectives with a budget.

    Args:
        terms: of the application; None: objectives are numbers.
        names: of these objectives.
        objectives: of the problem.
        where: the parameter, for messages.

    Raises:
        ValueError: where there is no such objective, it is not minimised in an application, or none
            is left without a budget.

    Example:
        >>> cost_lines(None, [1], 2, "budgets")
        [Line(objective=1, offset=0.0, slope=1.0, minimised=False)]
    """
    lines = []
    for objective in names:
        line = line_of(terms, objective, where)
        if line.objective >= objectives:
            rule = f"{where} must be of objectives below {objectives}"
            raise ValueError(f"{rule}, got {quoted(objective)}")
        if terms is not None and not line.minimised:
            rule = f"{where} must be of objectives with minimise=True, which are costs"
            raise ValueError(f"{rule}, got {quoted(objective)}")

        lines.append(line)

    if len(lines) == objectives:
        raise ValueError(f"{where} must leave an objective without a budget, got all")

    return lines
