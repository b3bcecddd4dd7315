"""The experiments of moglb2019: MOGLB-UCB on generalized linear rewards."""

from mobandits.papers.experiment import Experiment
from mobandits.papers.moglb2019.cost import COST
from mobandits.papers.moglb2019.figures import FAIRNESS, FIG1, FIG2, LINKED
from mobandits.papers.moglb2019.rate import RATE

EXPERIMENTS: tuple[Experiment, ...] = (FIG1, FIG2, FAIRNESS, COST, LINKED, RATE)
