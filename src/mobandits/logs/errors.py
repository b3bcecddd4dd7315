"""The errors of logs, which stand in `mobandits.errors`."""

from mobandits.errors import LogError, LogWarning

__all__ = ["LogError", "LogWarning"]
