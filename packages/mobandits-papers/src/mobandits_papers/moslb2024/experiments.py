"""The experiments of moslb2024: MOSLB-PC on priority chains, MOSLB-PL on priority levels."""

from mobandits_papers.experiment import Experiment
from mobandits_papers.moslb2024.drawings import CHAINS_DRAWN, LEVELS_DRAWN
from mobandits_papers.moslb2024.figures import FIGURES
from mobandits_papers.moslb2024.rate import RATE
from mobandits_papers.moslb2024.remark1 import REMARK1

EXPERIMENTS: tuple[Experiment, ...] = (CHAINS_DRAWN, LEVELS_DRAWN, REMARK1, *FIGURES, RATE)
