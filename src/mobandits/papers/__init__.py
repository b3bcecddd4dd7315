"""Experiments that run from one call and explain themselves on a page."""
