"""Directions, ranges, units and words of metrics, by the names that tables have.

A metric of this package says them in its class, and is found here by its name. A class of others
may have the same attributes: a run stores those in its specification, and `describing` makes them
known while its results are compared and drawn.
"""

import functools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from mobandits.contracts.protocols import Metric
from mobandits.metrics.metric import BaseMetric, Better
from mobandits.support.discovery import defined_classes
from mobandits.support.naming import quoted, wrong_value


class MetricTraits(NamedTuple):
    """Facts about the values of a metric; the fields are attributes of `BaseMetric`."""

    better: Better | None = None
    least: float = -math.inf
    most: float = math.inf
    unit: str = ""
    meaning: str = ""
    component: str = "component"


UNKNOWN = MetricTraits()
DESCRIPTIONS = "described"  # the key of a specification
PACKAGE = __name__.rpartition(".")[0]
# What tables hold beside metrics: quantities of problems, and results of experiments.
OTHERS = {
    "adoption": MetricTraits("smaller", least=0.0),  # of a model that is added, in paretobandit2026
    "dollars": MetricTraits("smaller", least=0.0, meaning="the dollars spent so far"),
    "mean": MetricTraits(component="objective"),  # of surfaces, in pcz2018
}
# Of the run that is being compared or drawn. Not one table for the whole process: two runs may
# have metrics of one name with other directions.
_described: ContextVar[Mapping[str, MetricTraits] | None] = ContextVar("described", default=None)


@functools.cache
def registry() -> dict[str, type[Any]]:
    """{name in tables: class} of all metrics in the modules of this package, by their classes.

    A problem's own quantities are not among them, whose names are for the problem to choose.

    Example:
        >>> sorted(registry())[:3]
        ['adversarial_pareto_regret', 'bin_ratio', 'budget_regret']
    """
    classes = defined_classes(PACKAGE)
    named = [cls for cls in classes if issubclass(cls, BaseMetric) and "name" in vars(cls)]
    return {vars(cls)["name"]: cls for cls in named}


def traits_of(metric: str) -> MetricTraits:
    """The traits of a metric; of an unknown one there is no direction and no bound.

    Args:
        metric: its name in tables.

    Example:
        >>> traits_of("pareto_regret").better, traits_of("reward").better, traits_of("mine").better
        ('smaller', 'larger', None)
    """
    described = _described.get() or {}
    if metric in described:
        return described[metric]

    cls = registry().get(metric)
    if cls is None:
        return OTHERS.get(metric, UNKNOWN)

    return MetricTraits(*(getattr(cls, field) for field in MetricTraits._fields))


@contextmanager
def describing(specification: Mapping[str, Any]) -> Iterator[None]:
    """A context in which `traits_of` knows the metrics that a run describes.

    Args:
        specification: of the run.

    Example:
        >>> with describing({"described": {"seconds": {"better": "smaller"}}}):
        ...     traits_of("seconds").better
        'smaller'
    """
    entries = specification.get(DESCRIPTIONS, {})
    token = _described.set({name: MetricTraits(**entry) for name, entry in entries.items()})
    try:
        yield
    finally:
        _described.reset(token)


def descriptions(metrics: Iterable[Metric]) -> dict[str, dict[str, Any]]:
    """{name: description} of the metrics of others that say something of their values.

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
    classes = defined_classes(PACKAGE)
    described = {}
    for metric in metrics:
        own = {field: _said(metric, field, classes) for field in MetricTraits._fields}
        # None says that neither direction is better.
        said = {field: value for field, value in own.items() if value is not None}
        if said:
            described[metric.name] = said

    return described


def _said(metric: Metric, field: str, classes: Collection[type[Any]]) -> Any:
    """The value that a metric gives an attribute itself; None where one of `classes` gives it."""
    giving = [cls for cls in type(metric).__mro__ if field in vars(cls)]
    if giving and giving[0] in classes:
        return None

    value = getattr(metric, field, None)
    name = f"{type(metric).__name__}.{field}"
    if field == "better" and value not in ("smaller", "larger", None):
        raise ValueError(f'{name} must be "smaller", "larger" or None, got {quoted(value)}')

    is_bound = field in ("least", "most")
    if value is not None and not isinstance(value, (int, float) if is_bound else str):
        kind = "a number" if is_bound else "a text"
        raise wrong_value(f"{name} must be {kind}", value)

    return value
