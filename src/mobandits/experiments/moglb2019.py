"""The experiments of moglb2019: MOGLB-UCB on generalized linear rewards."""

from mobandits.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
