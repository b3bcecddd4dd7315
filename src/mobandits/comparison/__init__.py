"""Paired comparison of policies that have played the same rounds.

Example:
    >>> import polars as pl
    >>> from mobandits.comparison import compare
    >>> rows = []
    >>> for trial in range(8):
    ...     shared = {"experiment": "e", "environment": "E()", "trial": trial, "round": 100}
    ...     for policy, value in (("a", 10.0 * trial), ("b", 10.0 * trial + 1.0 + trial / 10)):
    ...         row = {"policy": policy, "metric": "pareto_regret", "component": 0, "value": value}
    ...         rows.append(shared | row)
    >>> compare(pl.DataFrame(rows)).sentences()[0][:64]
    'Pareto regret: a is better than b: its mean is 1.35 lower (95 % '
"""

from mobandits.comparison.comparing import compare
from mobandits.comparison.comparison import Comparison
from mobandits.comparison.findings import findings_of, findings_text

__all__ = ["Comparison", "compare", "findings_of", "findings_text"]
