"""The paper moglb2019: its theory as functions, its theorem checks, and its experiments."""

from mobandits_papers.moglb2019 import theory

__all__ = ["theory"]
