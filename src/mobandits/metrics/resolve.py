"""Metrics from their names, and the metrics that are measured where none are named."""

import inspect
from collections.abc import Iterable
from typing import Any

from mobandits.contracts.protocols import Metric
from mobandits.metrics.fairness import FrontRecall
from mobandits.metrics.quantity import Quantity
from mobandits.metrics.traits import descriptions, registry
from mobandits.support.checks import choice
from mobandits.support.naming import quoted, wrong_value

# Never the Pareto regret alone: a policy that plays one arm of the front for ever has none, so it is
# no harder than the regret of a single objective (Guan and Xu, arXiv:2604.07096, 2026). The others
# tell such a policy from one that finds what mixtures offer, serves the worst objective, and knows
# the whole front.
DEFAULT_METRICS = (
    "pareto_regret",
    "effective_pareto_regret",
    "max_min_regret",
    "front_recall",
    "reward",
)


def default_metrics(*, continuum: bool, changing: bool) -> tuple[str, ...]:
    """The names in `DEFAULT_METRICS` that a problem can be measured by.

    Args:
        continuum: whether its arms are the points of a continuum, which some metrics do not know.
        changing: whether its means change over the rounds: its front has no arms of its own then,
            of which a share could be found.

    Example:
        >>> default_metrics(continuum=False, changing=True)
        ('pareto_regret', 'effective_pareto_regret', 'max_min_regret', 'reward')
    """
    known = registry()
    names = []
    for name in DEFAULT_METRICS:
        if continuum and not hasattr(known[name], "on_surface"):
            continue
        if changing and name == FrontRecall.name:
            continue

        names.append(name)

    return tuple(names)


def resolve(metrics: Iterable[str | Metric], quantities: Iterable[str] = ()) -> tuple[Metric, ...]:
    """Metrics from names and metrics.

    Args:
        metrics: names, of metrics that need no parameters or of `quantities`, and metrics.
        quantities: what the problem counts beside rewards.

    Raises:
        ValueError: naming an unknown or repeated name, or a metric that needs parameters.

    Example:
        >>> from mobandits.metrics import LevelRegret
        >>> resolve(["pareto_regret", "dollars", LevelRegret([[0], [1]])], quantities=["dollars"])
        (ParetoRegret(), Quantity(name='dollars'), LevelRegret(levels=((0,), (1,))))
    """
    if isinstance(metrics, str):
        advice = f"write [{quoted(metrics)}]"
        raise ValueError(f"metrics must be a list, got {quoted(metrics)}; {advice}")
    if not isinstance(metrics, Iterable):
        raise wrong_value("metrics must be a list", metrics)

    entries = list(metrics)
    # Every entry's kind first: a class among names is a mistake that another one must not hide.
    for entry in entries:
        _require_name_or_metric(entry)

    known = registry()
    counted = set(quantities)
    resolved = []
    for entry in entries:
        metric = _from_name(entry, known, counted) if isinstance(entry, str) else entry
        resolved.append(metric)

    _require_distinct([metric.name for metric in resolved])
    descriptions(resolved)  # a mistake in one need not wait until the end of a simulation
    if not resolved:
        raise ValueError("metrics must name at least one metric, got none")

    return tuple(resolved)


def _require_name_or_metric(entry: Any) -> None:
    if isinstance(entry, str):
        return
    # `Reward` in place of `Reward()` has the methods too.
    if isinstance(entry, type) or not hasattr(entry, "per_round"):
        raise wrong_value("metrics must be names, or metrics such as Reward()", entry)


def _require_distinct(names: list[str]) -> None:
    # Tables tell metrics apart by name alone.
    for name in names:
        times = names.count(name)
        if times > 1:
            raise ValueError(f"metrics must have distinct names, got {quoted(name)} {times} times")


def _from_name(name: str, known: dict[str, type[Any]], counted: set[str]) -> Metric:
    choice("metric", name, {*known, *counted})
    # A problem's own quantity comes before a metric of the same name.
    if name in counted:
        return Quantity(name)

    cls = known[name]
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.default is parameter.empty:
            call = f"{cls.__name__}({parameter.name}=...)"
            raise ValueError(f"metric {name} needs its {parameter.name}: {call}")

    metric: Metric = cls()

    return metric
