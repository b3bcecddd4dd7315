"""The experiments of moglb2019: MOGLB-UCB on generalized linear rewards."""

from mobandits_papers.experiment import Experiment
from mobandits_papers.moglb2019.cost import TIMES
from mobandits_papers.moglb2019.figures import FAIRNESS, FIG1, FIG2, LINKED
from mobandits_papers.moglb2019.rate import RATE

EXPERIMENTS: tuple[Experiment, ...] = (FIG1, FIG2, FAIRNESS, TIMES, LINKED, RATE)
