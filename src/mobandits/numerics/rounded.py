"""Means that are rounded to decimals, as integers.

In integers ties are exact, while 0.3 - 0.1 != 0.2 in floats.
"""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Order
from mobandits.support import checks
from mobandits.support.naming import wrong_value

MOST = 15  # decimals of a float that can be trusted


def rescaled(order: Order, factor: float) -> Any:
    """The order for means that are `factor` times as large.

    An order without an absolute parameter has no method `scaled`, and stays as it is.
    """
    scaled = getattr(order, "scaled", None)
    return scaled(factor) if scaled else order


def in_last_decimals(
    order: Order, means: Array, decimals: int | None
) -> tuple[Order, Array, float]:
    """The order and the means in units of the last decimal, and how many of these units make 1.

    A gap in these units, divided by the third result, is the exact gap of the rounded means.

    Args:
        order: any order.
        means: finite means of any shape.
        decimals: to how many decimals they are rounded; None leaves everything as it is.

    Raises:
        ValueError: where `decimals` is not an integer from 0 to 15, or the means have no room for
            that many.

    Example:
        >>> from mobandits.orders import Pareto
        >>> in_last_decimals(Pareto(), np.array([0.104, 0.3]), 2)
        (Pareto(on=[]), array([10., 30.]), 100.0)
    """
    if decimals is None:
        return order, means, 1.0

    checks.integer("decimals", decimals, at_least=0)
    unit = 10.0 ** min(decimals, MOST)
    largest = np.abs(means).max() * unit
    # From 2^53 on, floats skip integers.
    if decimals > MOST or largest >= 2.0**53:
        raise wrong_value(f"decimals must leave numbers of at most {MOST} digits", decimals)

    return rescaled(order, unit), np.rint(means * unit), unit
