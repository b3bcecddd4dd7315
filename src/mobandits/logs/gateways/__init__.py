"""Logs of gateways to language models, which know nothing of bandits, as Feedback."""

from mobandits.logs.gateways.table import FORMATS, scan

__all__ = ["FORMATS", "scan"]
