"""The experiments of pcz2018: Pareto Contextual Zooming on two reward surfaces."""

from mobandits.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
