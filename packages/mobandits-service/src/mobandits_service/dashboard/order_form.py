"""The form in which an order is chosen: what it shows, and the order that it stands for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from mobandits.support.naming import wrong_value
from mobandits_service.agent_states import Objectives

OWN = "own"
PARETO = "pareto"
WEIGHTED = "weighted"
LEVELS = "levels"
OTHER = "other"
CHOICES = {
    OWN: "the policy's own order",
    PARETO: "Pareto: all objectives count alike",
    WEIGHTED: "weights: the sum of all objectives, weighted",
    LEVELS: "priorities: the first objective decides, then the next",
    OTHER: "another order, as JSON",
}
SLIDER = 100  # what the weights of two objectives add up to


@dataclass(frozen=True)
class OrderForm:
    """What a form shows.

    Attributes:
        choice: one of `CHOICES`.
        weights: per objective, as text.
        priorities: per objective, from 1.
        other: an order as JSON.
    """

    choice: str
    weights: list[str]
    priorities: list[int]
    other: str = ""

    @property
    def slider(self) -> int:
        """Of two objectives, the weight of the second, of `SLIDER`."""
        first, second = (float(text) for text in self.weights)
        total = first + second
        return round(SLIDER * second / total) if total > 0.0 else SLIDER // 2


def form_of(order: Any, count: int) -> OrderForm:
    """The form that stands for an order that an agent has.

    Args:
        order: of the agent.
        count: of its objectives.

    Example:
        >>> from mobandits.orders import Weighted
        >>> form_of(Weighted([1.0, 3.0]), 2).slider
        75
    """
    # Not by its class: the service need not load all orders for that.
    kind = type(order).__name__
    weights = ["1"] * count
    priorities = list(range(1, count + 1))
    choice = OWN
    if kind == "Weighted":
        choice = WEIGHTED
        weights = [f"{weight:g}" for weight in order.weights]
    elif kind == "Levels":
        choice = LEVELS
        for level, group in enumerate(order.levels.tolist()):
            for place in group:
                if place >= 0:
                    priorities[place] = level + 1
    elif kind == "Lexicographic" and order.tolerance == 0.0:
        choice = LEVELS
    elif kind == "Pareto" and len(order.on) == 0:
        choice = PARETO

    return OrderForm(choice, weights, priorities)


def read_form(fields: Mapping[str, str], objectives: Objectives) -> tuple[OrderForm, Any]:
    """The form as it was sent, and the order that it stands for, as calls take one.

    Args:
        fields: of the form.
        objectives: of the agent.

    Raises:
        ValueError: where a field does not fit.
    """
    choice = fields.get("choice", "")
    if choice not in CHOICES:
        raise wrong_value(f"choice must be one of {', '.join(CHOICES)}", choice)

    weights = _weights(fields, len(objectives))
    priorities = []
    for place in range(len(objectives)):
        text = fields.get(f"priority_{place}", str(place + 1))
        priorities.append(_priority(text, len(objectives)))

    other = fields.get("other", "").strip()
    form = OrderForm(choice, weights, priorities, other)

    return form, _order(form)


def _weights(fields: Mapping[str, str], count: int) -> list[str]:
    slider = fields.get("slider")
    if slider is None:
        return [fields.get(f"weight_{place}", "1") for place in range(count)]

    second = _number("slider", slider)
    if not 0.0 <= second <= SLIDER:
        raise wrong_value(f"slider must be 0 to {SLIDER}", slider)

    return [f"{(SLIDER - second) / SLIDER:g}", f"{second / SLIDER:g}"]


def _order(form: OrderForm) -> Any:
    if form.choice == OWN:
        return None
    if form.choice == PARETO:
        return PARETO
    if form.choice == WEIGHTED:
        weights = [_number("weight", text) for text in form.weights]
        return {"name": "weighted", "weights": weights}
    if form.choice == LEVELS:
        return {"name": "levels", "levels": _levels(form.priorities)}

    try:
        return msgspec.json.decode(form.other)
    except msgspec.DecodeError as error:
        raise wrong_value(
            'other must be JSON such as {"name": "chebyshev", "weights": [1, 1], ...}', form.other
        ) from error


def _levels(priorities: Sequence[int]) -> list[list[int]]:
    """The objectives of each priority that has some, the first priority first."""
    places: dict[int, list[int]] = {priority: [] for priority in sorted(set(priorities))}
    for place, priority in enumerate(priorities):
        places[priority].append(place)

    return list(places.values())


def _priority(text: str, count: int) -> int:
    if text.isdecimal() and 1 <= int(text) <= count:
        return int(text)

    raise wrong_value(f"priority must be 1 to {count}", text)


def _number(field: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise wrong_value(f"{field} must be a number", text) from None
