"""Adapters: Gymnasium environments with vector rewards, and a scikit-learn estimator.

Each module needs its library, so none is imported here.
"""
