"""Drugan and Nowe (2013): Pareto UCB1."""
