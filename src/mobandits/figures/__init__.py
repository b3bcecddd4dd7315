"""Figures and pages from tables of results: each a data function and a drawing function."""

from mobandits.figures.metric_curves import curves

__all__ = ["curves"]
