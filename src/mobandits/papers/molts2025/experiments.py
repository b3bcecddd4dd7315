"""The experiments of molts2025: MOL-TS, Thompson sampling on the effective Pareto front."""

from mobandits.papers.experiment import Experiment
from mobandits.papers.molts2025.computed import FIG1, OPTIMISM
from mobandits.papers.molts2025.figures import FIGURES, REMARKS

EXPERIMENTS: tuple[Experiment, ...] = (FIG1, *FIGURES, OPTIMISM, *REMARKS)
