"""Policies with linear or generalized linear rewards."""
