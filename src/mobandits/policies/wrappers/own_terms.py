"""Parameters of wrappers in the terms of an application, as policies know them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from mobandits.contracts.terms import ApplicationTerms
from mobandits.support.checks import number
from mobandits.support.naming import quoted, wrong_value


class Line(NamedTuple):
    """An objective as a policy learns it, and back: offset + slope learned is its worth.

    The worth is the reward in its own unit, negated where less is better: more is better.

    Attributes:
        objective: its number.
        offset: the worth of what is learned as 0.
        slope: positive.
        minimised: whether less is better in the objective's own direction.
    """

    objective: int
    offset: float
    slope: float
    minimised: bool


def line_of(terms: ApplicationTerms | None, objective: Any, where: str) -> Line:
    """The line of an objective.

    Args:
        terms: of the application; None: objectives are numbers, and rewards are learned as they
            are.
        objective: its name, or its number.
        where: the parameter, for messages.

    Raises:
        ValueError: where there is no such objective.

    Example:
        >>> terms = ApplicationTerms(("cost",), ((0.5, -2.0),), (True,), {})
        >>> line_of(terms, "cost", "limits")
        Line(objective=0, offset=-0.5, slope=0.5, minimised=True)
    """
    if terms is None:
        is_number = isinstance(objective, int) and not isinstance(objective, bool)
        if not is_number or objective < 0:
            raise wrong_value(
                f"{where} must name objectives by number, from 0, outside of an agent", objective
            )

        return Line(objective, 0.0, 1.0, minimised=False)

    if objective not in terms.objectives:
        known = quoted(list(terms.objectives))
        raise wrong_value(
            f"{where} must name objectives of the agent, which are {known}", objective
        )

    place = terms.objectives.index(objective)
    offset, factor = terms.lines[place]
    minimised = terms.minimised[place]
    sign = -1.0 if minimised else 1.0

    return Line(place, sign * offset, sign / factor, minimised)


def line_fields(lines: Sequence[Line]) -> dict[str, Any]:
    """The fields of a policy that say what rewards are worth, an entry per line."""
    return {
        "objectives": [line.objective for line in lines],
        "offsets": [line.offset for line in lines],
        "slopes": [line.slope for line in lines],
    }


def check_in_range(
    terms: ApplicationTerms | None, objective: int, value: float, where: str
) -> None:
    """Refuse a limit that no reward could break, or that all rewards break.

    Args:
        terms: of the application; None: objectives have no ranges.
        objective: the number of the objective.
        value: the limit, in the objective's own unit.
        where: the parameter, for messages.

    Raises:
        ValueError: where it is outside of the objective's range.
    """
    if terms is None or not terms.ranges:
        return

    low, high = terms.ranges[objective]
    if not low <= value <= high:
        name = quoted(terms.objectives[objective])
        rule = f"{where}[{name}] must be in the objective's range, [{low:g}, {high:g}]"
        raise ValueError(f"{rule}, got {value:g}")


def slot_of(terms: ApplicationTerms | None, arm: Any, arms: int, where: str) -> int:
    """The slot of one of so many arms, given its name; in a simulation, its number.

    Raises:
        ValueError: where there is no such arm.
    """
    if terms is None:
        is_number = isinstance(arm, int) and not isinstance(arm, bool)
        if not is_number or arm < 0:
            raise wrong_value(
                f"{where} must be the number of an arm, from 0, outside of an agent", arm
            )

        slot: int = arm
    else:
        try:
            slot = terms.arms[arm]
        except (KeyError, TypeError):
            known = quoted(list(terms.arms))
            raise wrong_value(
                f"{where} must be an arm of the agent, which are {known}", arm
            ) from None

    if slot >= arms:
        raise wrong_value(f"{where} must be an arm below {arms}", arm)

    return slot


def pairs_of(given: Any, where: str) -> tuple[tuple[Hashable, float], ...]:
    """{objective: number} as a tuple of pairs, which recipes can keep.

    Raises:
        ValueError: where it is empty, names an objective twice, or holds something else.

    Example:
        >>> pairs_of({"cost": 1}, "limits")
        (('cost', 1.0),)
    """
    rule = f"{where} must be a dictionary such as {{'cost': 0.001}}"
    items = given.items() if isinstance(given, Mapping) else given
    try:
        pairs = [(objective, value) for objective, value in items]
        distinct = {objective for objective, _ in pairs}
    except (TypeError, ValueError):
        raise wrong_value(rule, given) from None

    if not pairs:
        raise ValueError(f"{rule}, got none")
    if len(distinct) < len(pairs):
        raise wrong_value(f"{where} must name every objective once", pairs)

    checked = []
    for objective, value in pairs:
        number(f"{where}[{quoted(objective)}]", value)
        checked.append((objective, float(value)))

    return tuple(checked)


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
            raise wrong_value(f"{where} must be of objectives below {objectives}", objective)
        if terms is not None and not line.minimised:
            raise wrong_value(
                f"{where} must be of objectives with minimise=True, which are costs", objective
            )

        lines.append(line)

    if len(lines) == objectives:
        raise ValueError(f"{where} must leave an objective without a budget, got all")

    return lines
