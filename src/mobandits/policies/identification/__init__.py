"""Policies that find the Pareto set rather than earn: one algorithm per file."""
