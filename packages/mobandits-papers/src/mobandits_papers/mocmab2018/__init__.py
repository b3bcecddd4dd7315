"""The paper mocmab2018: its theory as functions, its theorem checks, and its experiments."""

from mobandits_papers.mocmab2018 import theory

__all__ = ["theory"]
