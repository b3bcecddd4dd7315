"""Playing policies in environments, many times, and measuring what happened."""

from mobandits.errors import FolderError
from mobandits.simulation.plan import Plan, prepare
from mobandits.simulation.preference_sweep import PreferenceSweep
from mobandits.simulation.results import Results
from mobandits.simulation.run import run_plan, simulate

__all__ = ["FolderError", "Plan", "PreferenceSweep", "Results", "prepare", "run_plan", "simulate"]
