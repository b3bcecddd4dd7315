"""Adapters: Gymnasium, scikit-learn, and trackers of experiments.

Modules that need a library of others import it, so none is imported here.
"""
