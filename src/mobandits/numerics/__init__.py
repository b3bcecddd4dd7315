"""Numerical routines: arrays in, arrays out."""
