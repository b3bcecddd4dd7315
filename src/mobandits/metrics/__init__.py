"""Metrics: small frozen classes, each of which turns the arms of a block into numbers per round."""

from mobandits.metrics.adversarial import adversarial_pareto_regret
from mobandits.metrics.fairness import (
    front_recall,
    jain_index,
    max_min_ratio,
    normalised_entropy,
    unfairness,
)
from mobandits.metrics.hypervolume import hypervolume
from mobandits.metrics.jaccard import jaccard
from mobandits.metrics.quantity import Quantity
from mobandits.metrics.resolve import DEFAULT_METRICS, default_metrics, resolve
from mobandits.metrics.traits import registry
from mobandits.numerics.budgeted_mixture import BudgetedMixture, best_within_budgets

METRICS = {cls.__name__: cls for cls in registry().values()}
__all__ = list(METRICS)
__all__ += [
    "DEFAULT_METRICS",
    "BudgetedMixture",
    "Quantity",
    "adversarial_pareto_regret",
    "best_within_budgets",
    "default_metrics",
    "front_recall",
    "hypervolume",
    "jaccard",
    "jain_index",
    "max_min_ratio",
    "normalised_entropy",
    "registry",
    "resolve",
    "unfairness",
]
globals().update(METRICS)
