"""Metrics that describe themselves, as a run stores them."""

from collections.abc import Iterable
from typing import Any

from mobandits.contracts.protocols import Metric
from mobandits.support.naming import quoted

BETTER = ("smaller", "larger")
# {attribute of the class of a metric: type of its value}.
ATTRIBUTES: dict[str, tuple[type, ...]] = {
    "better": (str,),
    "least": (int, float),
    "most": (int, float),
    "unit": (str,),
    "meaning": (str,),
}


def descriptions(metrics: Iterable[Metric]) -> dict[str, dict[str, Any]]:
    """{name: description} of the metrics that have one.

    Args:
        metrics: of a simulation.

    Raises:
        ValueError: naming the metric, the attribute, the rule and the value.

    Example:
        >>> from mobandits.metrics import Reward
        >>> class Dollars(Reward):
        ...     name = "dollars_spent"
        ...     better = "smaller"
        ...     unit = "USD"
        >>> descriptions([Reward(), Dollars()])
        {'dollars_spent': {'better': 'smaller', 'unit': 'USD'}}
    """
    described = {}
    for metric in metrics:
        own = _description(metric)
        if own:
            described[metric.name] = own

    return described


def _description(metric: Metric) -> dict[str, Any]:
    description = {}
    for attribute, types in ATTRIBUTES.items():
        value = getattr(metric, attribute, None)
        # None says that neither direction is better.
        if value is None:
            continue

        name = f"{type(metric).__name__}.{attribute}"
        if attribute == "better" and value not in BETTER:
            rule = 'must be "smaller", "larger" or None'
            raise ValueError(f"{name} {rule}, got {quoted(value)}")
        if not isinstance(value, types):
            kind = "a text" if types == (str,) else "a number"
            raise ValueError(f"{name} must be {kind}, got {quoted(value)}")

        description[attribute] = value

    return description
