"""Directions, ranges, units and meanings of metrics, by their names.

Tables name metrics and hold none, so traits are looked up by name. Every metric of
`mobandits.metrics` has a row here. Any other metric describes itself: its class has the attributes
`better`, `least`, `most`, `unit` and `meaning`, as far as they are known. A run stores them in its
specification, and `describing` makes them known while its results are compared and drawn.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

Better = Literal["smaller", "larger"]


class MetricTraits(NamedTuple):
    """The direction, the range and the words of a metric.

    Attributes:
        better: which values are better; None where neither is.
        least: the smallest possible value.
        most: the largest possible value.
        unit: of its values, such as "USD"; empty where there is none.
        meaning: a clause that says what it is; empty where it is not known.
    """

    better: Better | None = None
    least: float = -math.inf
    most: float = math.inf
    unit: str = ""
    meaning: str = ""


UNKNOWN = MetricTraits()
DESCRIPTIONS = "described"  # the key of a specification
# Gaps are never negative; a sum of signed differences may be, and so may a reward.
GAP = MetricTraits("smaller", least=0.0)
COUNT = MetricTraits(least=0.0)
SHARE = MetricTraits("larger", least=0.0, most=1.0)
METRIC_TRAITS = {
    "adoption": COUNT._replace(better="smaller"),  # of a model that is added, in paretobandit2026
    "adversarial_pareto_regret": GAP,
    "bin_ratio": MetricTraits(least=0.0, most=1.0),
    "budget_regret": MetricTraits("smaller"),
    "chain_regret": GAP,
    "chain_regret_authors": GAP,
    "dollars": MetricTraits("smaller", least=0.0),  # a quantity of LlmRouting
    "effective_pareto_regret": GAP,
    "front_plays": COUNT,
    "front_recall": SHARE,
    "front_rounds": MetricTraits("larger", least=0.0),
    "hypervolume": MetricTraits("larger", least=0.0),
    "jaccard": SHARE,
    "jain_index": SHARE,
    "level_regret": GAP,
    "max_min_regret": GAP,
    "objective_regret": MetricTraits("smaller"),
    "pareto_regret": GAP,
    "play_entropy": SHARE,
    "play_ratio": MetricTraits("smaller", least=1.0),
    "plays": COUNT,
    "reward": MetricTraits("larger"),
    "unfairness": GAP,
    "violation": GAP,
}
NO_DESCRIPTIONS: Mapping[str, MetricTraits] = {}
# Of the run that is being compared or drawn. Not one table for the whole process: two runs may
# have metrics of one name with other directions.
_described: ContextVar[Mapping[str, MetricTraits]] = ContextVar(
    "described", default=NO_DESCRIPTIONS
)


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


def traits_of(metric: str) -> MetricTraits:
    """The traits of a metric; of an unknown one there is no direction and no bound.

    Args:
        metric: its name in tables.

    Example:
        >>> traits_of("pareto_regret").better, traits_of("reward").better, traits_of("mine").better
        ('smaller', 'larger', None)
    """
    own = _described.get()
    if metric in own:
        return own[metric]

    return METRIC_TRAITS.get(metric, UNKNOWN)
