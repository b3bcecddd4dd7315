"""The stateful face for applications: decide now, learn when rewards arrive."""

from mobandits.agent.agent import Agent
from mobandits.agent.budget import Balance, Budget
from mobandits.agent.decision import Decision
from mobandits.logs.objectives import Objective

__all__ = ["Agent", "Balance", "Budget", "Decision", "Objective"]
