"""How often the events of the theorems fail against their promise, and whether what follows from them is never false.

A function per paper plays independent runs with the confidence that the theory asks for. An event fails in a run where
it is false once, at any time. On the runs where it holds, every inequality that the proofs derive from it is looked at
in every round: a single violation is a mistake in the program, not bad luck.
"""

from mobandits.papers.protocol.papers import PAPERS, coverage
from mobandits.papers.protocol.protocol import Count, Curve, Finding, Report

__all__ = ["PAPERS", "Count", "Curve", "Finding", "Report", "coverage"]
