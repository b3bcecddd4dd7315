"""The experiments of moslb2024: MOSLB-PC on priority chains, MOSLB-PL on priority levels."""

from mobandits.papers.experiment import Experiment
from mobandits.papers.moslb2024.drawings import CHAINS_DRAWN, LEVELS_DRAWN
from mobandits.papers.moslb2024.figures import FIGURES

EXPERIMENTS: tuple[Experiment, ...] = (CHAINS_DRAWN, LEVELS_DRAWN, *FIGURES)
