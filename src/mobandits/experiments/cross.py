"""The policies of all papers side by side, on every environment with finitely many arms."""

from mobandits.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
