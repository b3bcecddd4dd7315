"""Helpers that know nothing of bandits: checks, names, optional packages, files."""
