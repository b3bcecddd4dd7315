"""Quantiles of Student's t and Fisher's F, and intervals for means over trials."""
