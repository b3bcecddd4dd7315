"""Whether smaller or larger values of a metric are better, as a caller says or as is known."""

from collections.abc import Mapping

from mobandits.statistics.metric_traits import Better, traits_of
from mobandits.support.checks import choice
from mobandits.support.naming import quoted


def direction_of(metric: str, given: Mapping[str, Better] | None = None) -> Better | None:
    """Which values of a metric are better; None where that is not known.

    Args:
        metric: its name.
        given: {metric: "smaller" or "larger"}, which comes first.

    Raises:
        ValueError: where `given` says something else.

    Example:
        >>> direction_of("pareto_regret"), direction_of("reward"), direction_of("plays")
        ('smaller', 'larger', None)
        >>> direction_of("seconds", {"seconds": "smaller"})
        'smaller'
    """
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(
            f"better must be a dictionary such as {{'seconds': 'smaller'}}, got {quoted(given)}"
        )
    if given and metric in given:
        direction = given[metric]
        choice(f"better[{quoted(metric)}]", direction, ("smaller", "larger"))
        return direction

    return traits_of(metric).better
