"""The preference of an agent as a resource: what it is, and whether it is still the same."""

from typing import Any

import msgspec

from mobandits.agent.core import AgentCore
from mobandits.orders.by_number import by_number
from mobandits.orders.order import in_words
from mobandits.spec import build
from mobandits.spec.describing import part_table
from mobandits.support.digests import hex_digest
from mobandits_client.messages import PreferenceState
from mobandits_service.problems import Problem


def fitting_order(core: AgentCore, entry: Any, where: str = "order") -> Any:
    """The order that an entry describes, by the numbers of an agent's objectives.

    Args:
        core: of the agent.
        entry: its name, or a table of its name and parameters; None: the recipe's own order.
        where: what errors call it.

    Raises:
        ValueError: where there is no such order, or it does not fit the objectives.
    """
    if entry is None:
        return None

    built = build("orders", entry, where)
    order = by_number(built, core.objective_names)
    core.bound.check_order(order)

    return order


def present_preference(core: AgentCore) -> str:
    """The order by which an agent compares arms now, in words."""
    names = [str(name) for name in core.objective_names]
    return in_words(core.bound.preference(), names)


def order_table(order: Any) -> dict[str, Any] | None:
    """An order as the table of its name and parameters from which it is built; None: there is none.

    Args:
        order: of this library, or None.

    Example:
        >>> from mobandits.orders import Lexicographic, Levels
        >>> order_table(Lexicographic(tolerance=0.5))
        {'name': 'lexicographic', 'tolerance': 0.5}
        >>> order_table(Levels([[0, 1], [2]]))
        {'name': 'levels', 'levels': [[0, 1], [2]]}
    """
    if order is None:
        return None

    return part_table("orders", order, "preference", with_defaults=True)


def etag_of(state: PreferenceState) -> str:
    """What stands for a preference: of two that are the same, it is the same.

    Example:
        >>> etag_of(PreferenceState(None, "")) == etag_of(PreferenceState(None, "of the policy"))
        True
    """
    content = msgspec.json.encode(state.order, order="sorted")
    digest = hex_digest([content])

    return f'"{digest[:16]}"'


def check_match(wanted: str | None, state: PreferenceState) -> None:
    """Refuse a change of something else than what a client has seen.

    Args:
        wanted: the header `If-Match`; None: there is none.
        state: as it is.

    Raises:
        Problem: where they do not agree.
    """
    if wanted is None or wanted.strip() == "*":
        return

    present = etag_of(state)
    listed = [each.strip() for each in wanted.split(",")]
    if present not in listed:
        raise Problem(412, f"If-Match must be {present}, the ETag of what is there now")
