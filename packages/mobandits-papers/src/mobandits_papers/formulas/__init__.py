"""Formulas in plain text, as papers' claims and docstrings write them, set as MathML."""
