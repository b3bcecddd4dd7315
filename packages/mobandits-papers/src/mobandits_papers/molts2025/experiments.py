"""The experiments of molts2025: MOL-TS, Thompson sampling on the effective Pareto front."""

from mobandits_papers.experiment import Experiment
from mobandits_papers.molts2025.computed import FIG1, OPTIMISM
from mobandits_papers.molts2025.figures import FIGURES, REMARKS
from mobandits_papers.molts2025.theorem1 import THEOREM1

EXPERIMENTS: tuple[Experiment, ...] = (FIG1, *FIGURES, THEOREM1, OPTIMISM, *REMARKS)
