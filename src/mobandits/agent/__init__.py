"""The stateful face for applications: decide now, learn when rewards arrive."""

from mobandits.agent.agent import Agent, Decision

__all__ = ["Agent", "Decision"]
