"""Metrics: small frozen classes, each of which turns the arms of a block into numbers per round."""

from mobandits.metrics.adversarial import AdversarialParetoRegret, adversarial_pareto_regret
from mobandits.metrics.bin_ratio import BinRatio
from mobandits.metrics.budget_regret import BudgetRegret
from mobandits.metrics.chain_regret_authors import ChainRegretAuthors
from mobandits.metrics.fairness import (
    FrontRecall,
    JainIndex,
    PlayEntropy,
    PlayRatio,
    Unfairness,
    front_recall,
    jain_index,
    max_min_ratio,
    normalised_entropy,
    unfairness,
)
from mobandits.metrics.front_rounds import FrontRounds
from mobandits.metrics.hypervolume import Hypervolume, hypervolume
from mobandits.metrics.jaccard import Jaccard, jaccard
from mobandits.metrics.max_min import MaxMinRegret
from mobandits.metrics.objective_regret import ObjectiveRegret
from mobandits.metrics.plays import FrontPlays, Plays
from mobandits.metrics.quantity import Quantity
from mobandits.metrics.regret import ChainRegret, EffectiveParetoRegret, LevelRegret, ParetoRegret
from mobandits.metrics.resolve import DEFAULT_METRICS, default_metrics, registry, resolve
from mobandits.metrics.reward import Reward
from mobandits.metrics.violation import Violation
from mobandits.numerics.budgeted_mixture import BudgetedMixture, best_within_budgets

__all__ = [
    "DEFAULT_METRICS",
    "AdversarialParetoRegret",
    "BinRatio",
    "BudgetRegret",
    "BudgetedMixture",
    "ChainRegret",
    "ChainRegretAuthors",
    "EffectiveParetoRegret",
    "FrontPlays",
    "FrontRecall",
    "FrontRounds",
    "Hypervolume",
    "Jaccard",
    "JainIndex",
    "LevelRegret",
    "MaxMinRegret",
    "ObjectiveRegret",
    "ParetoRegret",
    "PlayEntropy",
    "PlayRatio",
    "Plays",
    "Quantity",
    "Reward",
    "Unfairness",
    "Violation",
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
