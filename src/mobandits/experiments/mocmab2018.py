"""The experiments of mocmab2018: MOC-MAB, which has a dominant objective."""

from mobandits.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
