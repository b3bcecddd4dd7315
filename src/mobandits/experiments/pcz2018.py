"""The experiments of pcz2018: Pareto Contextual Zooming on two reward surfaces."""

from mobandits.experiments.experiment import Experiment
from mobandits.experiments.pcz2018_regret import ABLATIONS, FIG2
from mobandits.experiments.pcz2018_remarks import FOUR_ARMS, IDENTICAL
from mobandits.experiments.pcz2018_surfaces import FIG1, PACKINGS

EXPERIMENTS: tuple[Experiment, ...] = (FIG1, FIG2, ABLATIONS, IDENTICAL, PACKINGS, FOUR_ARMS)
