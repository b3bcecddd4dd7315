"""Intervals for means over trials, paired tests and their corrections, and what metrics mean."""
