"""Policies that cut the context space into cells."""
