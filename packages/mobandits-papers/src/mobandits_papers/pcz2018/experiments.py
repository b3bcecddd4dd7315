"""The experiments of pcz2018: Pareto Contextual Zooming on two reward surfaces."""

from mobandits_papers.experiment import Experiment
from mobandits_papers.pcz2018.regret import ABLATIONS, FIG2
from mobandits_papers.pcz2018.remarks import FOUR_ARMS, IDENTICAL
from mobandits_papers.pcz2018.surfaces import FIG1, PACKINGS
from mobandits_papers.rates import PCZ2018_TABLE1

EXPERIMENTS: tuple[Experiment, ...] = (
    FIG1,
    FIG2,
    PCZ2018_TABLE1,
    ABLATIONS,
    IDENTICAL,
    PACKINGS,
    FOUR_ARMS,
)
