"""Policies without context."""
