"""Policies that zoom in on a similarity space."""
