"""Policies with priorities between objectives."""
