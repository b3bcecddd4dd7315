"""Playing policies in environments, many times, and measuring what happened."""

from mobandits.simulation.files import FolderError
from mobandits.simulation.plan import Plan, prepare
from mobandits.simulation.readings import Readings
from mobandits.simulation.results import Results
from mobandits.simulation.run import run_plan, simulate

__all__ = ["FolderError", "Plan", "Readings", "Results", "prepare", "run_plan", "simulate"]
