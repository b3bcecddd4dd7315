"""Intervals for means over trials, paired tests and their corrections, and alarms of drift."""
