"""The experiments of molts2025: MOL-TS, Thompson sampling on the effective Pareto front."""

from mobandits.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
