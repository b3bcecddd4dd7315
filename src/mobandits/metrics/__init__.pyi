"""Metrics: small frozen classes, each of which turns the arms of a block into numbers per round."""

from mobandits.metrics.adversarial import AdversarialParetoRegret as AdversarialParetoRegret
from mobandits.metrics.adversarial import adversarial_pareto_regret as adversarial_pareto_regret
from mobandits.metrics.bin_ratio import BinRatio as BinRatio
from mobandits.metrics.budget_regret import BudgetRegret as BudgetRegret
from mobandits.metrics.chain_regret_authors import ChainRegretAuthors as ChainRegretAuthors
from mobandits.metrics.fairness import FrontRecall as FrontRecall
from mobandits.metrics.fairness import JainIndex as JainIndex
from mobandits.metrics.fairness import PlayEntropy as PlayEntropy
from mobandits.metrics.fairness import PlayRatio as PlayRatio
from mobandits.metrics.fairness import Unfairness as Unfairness
from mobandits.metrics.fairness import front_recall as front_recall
from mobandits.metrics.fairness import jain_index as jain_index
from mobandits.metrics.fairness import max_min_ratio as max_min_ratio
from mobandits.metrics.fairness import normalised_entropy as normalised_entropy
from mobandits.metrics.fairness import unfairness as unfairness
from mobandits.metrics.front_rounds import FrontRounds as FrontRounds
from mobandits.metrics.hypervolume import Hypervolume as Hypervolume
from mobandits.metrics.hypervolume import hypervolume as hypervolume
from mobandits.metrics.jaccard import Jaccard as Jaccard
from mobandits.metrics.jaccard import jaccard as jaccard
from mobandits.metrics.max_min import MaxMinRegret as MaxMinRegret
from mobandits.metrics.objective_regret import ObjectiveRegret as ObjectiveRegret
from mobandits.metrics.plays import FrontPlays as FrontPlays
from mobandits.metrics.plays import Plays as Plays
from mobandits.metrics.quantity import Quantity as Quantity
from mobandits.metrics.regret import ChainRegret as ChainRegret
from mobandits.metrics.regret import EffectiveParetoRegret as EffectiveParetoRegret
from mobandits.metrics.regret import LevelRegret as LevelRegret
from mobandits.metrics.regret import ParetoRegret as ParetoRegret
from mobandits.metrics.resolve import DEFAULT_METRICS as DEFAULT_METRICS
from mobandits.metrics.resolve import default_metrics as default_metrics
from mobandits.metrics.resolve import resolve as resolve
from mobandits.metrics.reward import Reward as Reward
from mobandits.metrics.traits import registry as registry
from mobandits.metrics.violation import Violation as Violation
from mobandits.numerics.budgeted_mixture import BudgetedMixture as BudgetedMixture
from mobandits.numerics.budgeted_mixture import best_within_budgets as best_within_budgets

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
