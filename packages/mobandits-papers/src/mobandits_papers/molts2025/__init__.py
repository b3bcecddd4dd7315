"""The paper molts2025: its theory as functions, its theorem checks, and its experiments."""

from mobandits_papers.molts2025 import theory

__all__ = ["theory"]
