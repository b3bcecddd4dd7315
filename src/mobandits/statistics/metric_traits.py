"""What the numbers of each metric mean: whether less is better, and which values are possible.

Tables name metrics and hold none, so this is looked up by name. Every metric of
`mobandits.metrics` has a row here. Of any other name nothing is known.
"""

import math
from typing import Literal, NamedTuple

Better = Literal["smaller", "larger"]


class MetricTraits(NamedTuple):
    """The direction and the range of a metric.

    Attributes:
        better: which values are better; None where neither is.
        least: the smallest possible value.
        most: the largest possible value.
    """

    better: Better | None = None
    least: float = -math.inf
    most: float = math.inf


UNKNOWN = MetricTraits()
# Gaps are never negative; a sum of signed differences may be, and so may a reward.
GAP = MetricTraits("smaller", least=0.0)
COUNT = MetricTraits(least=0.0)
SHARE = MetricTraits("larger", least=0.0, most=1.0)
METRIC_TRAITS = {
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


def traits_of(metric: str) -> MetricTraits:
    """The traits of a metric; of an unknown one there is no direction and no bound.

    Args:
        metric: its name in tables.

    Example:
        >>> traits_of("pareto_regret").better, traits_of("reward").better, traits_of("mine").better
        ('smaller', 'larger', None)
    """
    return METRIC_TRAITS.get(metric, UNKNOWN)
