"""Drugan and Nowé (2013), Pareto-UCB1: its bound as a function."""

from mobandits_papers.drugan2013 import theory

__all__ = ["theory"]
