"""From the names of metrics to metrics."""

import inspect
from collections.abc import Iterable
from typing import Any

from mobandits.contracts.protocols import Metric
from mobandits.metrics.adversarial import AdversarialParetoRegret
from mobandits.metrics.bin_ratio import BinRatio
from mobandits.metrics.chain_regret_authors import ChainRegretAuthors
from mobandits.metrics.fairness import FrontRecall, JainIndex, PlayEntropy, PlayRatio, Unfairness
from mobandits.metrics.front_rounds import FrontRounds
from mobandits.metrics.hypervolume import Hypervolume
from mobandits.metrics.jaccard import Jaccard
from mobandits.metrics.objective_regret import ObjectiveRegret
from mobandits.metrics.plays import FrontPlays, Plays
from mobandits.metrics.quantity import Quantity
from mobandits.metrics.regret import ChainRegret, EffectiveParetoRegret, LevelRegret, ParetoRegret
from mobandits.metrics.reward import Reward
from mobandits.support.checks import choice
from mobandits.support.naming import quoted

DEFAULT = ("pareto_regret", "effective_pareto_regret", "reward")


def named() -> dict[str, type[Any]]:
    """{name in tables: class} of all metrics but the problems' own quantities.

    Example:
        >>> sorted(named())[:3]
        ['adversarial_pareto_regret', 'bin_ratio', 'chain_regret']
    """
    classes = (
        AdversarialParetoRegret,
        BinRatio,
        ChainRegret,
        ChainRegretAuthors,
        EffectiveParetoRegret,
        FrontPlays,
        FrontRecall,
        FrontRounds,
        Hypervolume,
        Jaccard,
        JainIndex,
        LevelRegret,
        ObjectiveRegret,
        ParetoRegret,
        PlayEntropy,
        PlayRatio,
        Plays,
        Reward,
        Unfairness,
    )
    return {cls.name: cls for cls in classes}


def resolve(metrics: Iterable[str | Metric], quantities: Iterable[str] = ()) -> tuple[Metric, ...]:
    """Metrics from names and metrics.

    Args:
        metrics: names, of metrics that need no parameters or of `quantities`, and metrics.
        quantities: what the problem counts beside rewards.

    Raises:
        ValueError: naming an unknown or repeated name, or a metric that needs parameters.

    Example:
        >>> resolve(["pareto_regret", "dollars", LevelRegret([[0], [1]])], quantities=["dollars"])
        (ParetoRegret(), Quantity(name='dollars'), LevelRegret(levels=((0,), (1,))))
    """
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        advice = f"; write [{quoted(metrics)}]" if isinstance(metrics, str) else ""
        raise ValueError(f"metrics must be a list, got {quoted(metrics)}{advice}")
    known = named()
    counted = set(quantities)
    metrics = list(metrics)
    for metric in metrics:
        if isinstance(metric, type) or not (
            isinstance(metric, str) or hasattr(metric, "per_round")
        ):
            raise ValueError(
                f"metrics must be names, or metrics such as Reward(), got {quoted(metric)}"
            )
    found = tuple(
        _one(metric, known, counted) if isinstance(metric, str) else metric for metric in metrics
    )
    names = [metric.name for metric in found]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(
            f"metrics must have distinct names, got {quoted(repeated[0])} {names.count(repeated[0])} times"
        )
    if not found:
        raise ValueError("metrics must name at least one metric, got none")
    return found


def _one(name: str, known: dict[str, type[Any]], counted: set[str]) -> Metric:
    choice("metric", name, {*known, *counted})
    if name in counted:
        return Quantity(name)
    needed = [
        p.name for p in inspect.signature(known[name]).parameters.values() if p.default is p.empty
    ]
    if needed:
        raise ValueError(
            f"metric {name} needs its {needed[0]}: {known[name].__name__}({needed[0]}=...)"
        )
    metric: Metric = known[name]()
    return metric
