"""The experiments of molts2025: MOL-TS, Thompson sampling on the effective Pareto front."""

from mobandits.papers.experiment import Experiment
from mobandits.papers.molts2025.computed import FIG1, OPTIMISM
from mobandits.papers.molts2025.figures import FIGURES, REMARKS
from mobandits.papers.molts2025.theorem1 import THEOREM1

EXPERIMENTS: tuple[Experiment, ...] = (FIG1, *FIGURES, THEOREM1, OPTIMISM, *REMARKS)
