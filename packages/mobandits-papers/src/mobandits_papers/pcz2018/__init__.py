"""The paper pcz2018: its theory as functions, its theorem checks, and its experiments."""

from mobandits_papers.pcz2018 import theory

__all__ = ["theory"]
