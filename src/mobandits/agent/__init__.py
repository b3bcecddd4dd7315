"""The stateful face for applications: decide now, learn when rewards arrive."""

from mobandits.agent.agent import Agent
from mobandits.agent.decision import Decision
from mobandits.agent.ledger import Balance, Budget
from mobandits.agent.objectives import Objective

__all__ = ["Agent", "Balance", "Budget", "Decision", "Objective"]
