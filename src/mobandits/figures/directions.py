"""Whether more or less of a metric is better."""

from collections.abc import Mapping
from typing import Literal

from mobandits.support.checks import choice
from mobandits.support.naming import quoted

Direction = Literal["less", "more"]
MORE = frozenset(
    {
        "front_recall",
        "front_rounds",
        "hypervolume",
        "jaccard",
        "jain_index",
        "mean",
        "play_entropy",
        "reward",
    }
)
LESS = frozenset({"play_ratio", "unfairness", "violation"})


def better(metric: str, given: Mapping[str, str] | None = None) -> Direction | None:
    """Whether more or less of a metric is better; None where that is not known.

    Args:
        metric: its name.
        given: {metric: "less" or "more"}, which comes first.

    Raises:
        ValueError: where `given` says something else.

    Example:
        >>> better("pareto_regret"), better("reward"), better("plays")
        ('less', 'more', None)
        >>> better("dollars", {"dollars": "less"})
        'less'
    """
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(
            f"better must be a dictionary such as {{'dollars': 'less'}}, got {quoted(given)}"
        )
    if given and metric in given:
        direction: Direction = given[metric]  # type: ignore[assignment]
        choice(f"better[{quoted(metric)}]", direction, ("less", "more"))
        return direction

    if metric in LESS or metric.endswith("regret") or metric.startswith("chain_regret"):
        return "less"

    return "more" if metric in MORE else None
