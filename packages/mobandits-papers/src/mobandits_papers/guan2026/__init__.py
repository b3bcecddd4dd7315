"""The paper guan2026: its published numbers under several readings, and what Pareto regret hides."""

from mobandits_papers.guan2026 import experiments

__all__ = ["experiments"]
