"""Quantiles, intervals and the bootstrap."""
