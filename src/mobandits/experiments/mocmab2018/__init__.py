"""The experiments of mocmab2018: MOC-MAB, which has a dominant objective."""

from mobandits.experiments.experiment import Experiment
from mobandits.experiments.mocmab2018.ads import FIG3
from mobandits.experiments.mocmab2018.figures import FIG1, FIG2, FIG2_RATE
from mobandits.experiments.mocmab2018.lexicographic import LEXICOGRAPHIC, PARETO
from mobandits.experiments.mocmab2018.remarks import REMARKS
from mobandits.experiments.rates import MOCMAB2018_TABLE1

EXPERIMENTS: tuple[Experiment, ...] = (
    FIG1,
    FIG2,
    FIG2_RATE,
    FIG3,
    MOCMAB2018_TABLE1,
    *REMARKS,
    LEXICOGRAPHIC,
    PARETO,
)
