"""The experiments of mocmab2018: MOC-MAB, which has a dominant objective."""

from mobandits_papers.experiment import Experiment
from mobandits_papers.mocmab2018.ads import FIG3
from mobandits_papers.mocmab2018.cost import REMARK_2
from mobandits_papers.mocmab2018.figures import FIG1, FIG2, FIG2_RATE
from mobandits_papers.mocmab2018.lexicographic import LEXICOGRAPHIC, PARETO
from mobandits_papers.mocmab2018.remarks import REMARKS
from mobandits_papers.rates import MOCMAB2018_TABLE1

EXPERIMENTS: tuple[Experiment, ...] = (
    FIG1,
    FIG2,
    FIG2_RATE,
    FIG3,
    MOCMAB2018_TABLE1,
    REMARK_2,
    *REMARKS,
    LEXICOGRAPHIC,
    PARETO,
)
