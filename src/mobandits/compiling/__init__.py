"""Compilation: the only room that knows Numba."""
