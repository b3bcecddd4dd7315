"""Theorem checks: how often events of theorems fail, and whether what follows is ever false.

A function per paper plays independent runs with the confidence that the theory asks for. An event
fails in a run where it is false once, at any time. On the runs where it holds, every inequality
that the proofs derive from it is looked at in every round: a single violation is a mistake in the
program, not bad luck.
"""
