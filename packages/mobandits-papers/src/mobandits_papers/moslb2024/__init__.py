"""The paper moslb2024: its theory as functions, its theorem checks, and its experiments."""

from mobandits_papers.moslb2024 import theory

__all__ = ["theory"]
