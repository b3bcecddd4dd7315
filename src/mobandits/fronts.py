"""The front and the gaps of a table of means, under any order: inputs are checked here, once."""

from typing import Any

import numpy as np

from mobandits.compiling.compiled import compile_loop, loop_for
from mobandits.compiling.first_round import rehearse_order
from mobandits.compiling.tracebacks import shorten
from mobandits.contracts.protocols import Array, Beliefs, Mask, Order
from mobandits.numerics.pareto_filter import front_of_many
from mobandits.numerics.rounded import in_last_decimals
from mobandits.orders import EffectivePareto, Pareto
from mobandits.orders.validity import check_objectives, require_order
from mobandits.support import checks
from mobandits.support.naming import wrong_value

PARETO = Pareto()

# The order is not passed to this one: to pass it would cost more than 50 arms do.
_pareto_front = compile_loop(front_of_many)


def front(means: Any, order: Order = PARETO) -> Mask:
    """The arms that nothing beats.

    Args:
        means: (arms, objectives), finite, all maximised. For upper bounds, which may be infinite,
            ask the order itself: ``order.front(Beliefs(mean, low, high))``.
        order: what "beats" means.

    Returns:
        (arms,) True on the front, which is never empty.

    Raises:
        ValueError: where `means` is not a non-empty matrix of finite numbers, or `order` does not
            fit its objectives.

    Example:
        >>> front([[1, 0], [0, 1], [0.4, 0.4], [0, 0]])
        array([ True,  True,  True, False])
    """
    try:
        table = _checked_table(means, order)
        # Exactly this class: one that derives from it may have another front.
        if type(order) is Pareto:
            return _pareto_front(table, order.on)

        front: Mask = loop_for(_front, order)(order, table)
    except Exception as error:
        shorten(error)
        raise

    return front


def gaps(means: Any, order: Order = PARETO, decimals: int | None = None) -> Array:
    """The regret of playing each arm once.

    Args:
        means: (arms, objectives), finite, all maximised.
        order: the order that scores.
        decimals: compute on the means rounded to that many decimals, as integers, so that ties are
            exact.

    Returns:
        (arms, digits), none negative, most important digit first. One digit for Pareto,
        EffectivePareto, Weighted and Chebyshev; one per objective for Lexicographic and Dominant,
        per level for Levels; as many as the longest chain has objectives for Chains and
        ChainFilter.

    Raises:
        ValueError: where `means` is not a non-empty matrix of finite numbers, `order` does not fit
            its objectives, or `decimals` is not an integer from 0 to 15.

    Example:
        >>> gaps([[1, 0], [0, 1], [0.25, 0.25], [0, 0]]).ravel().tolist()
        [0.0, 0.0, 0.0, 0.25]
        >>> from mobandits.orders import Lexicographic
        >>> gaps([[0.3, 1], [0.1 + 0.2, 3]], Lexicographic(), decimals=2).tolist()
        [[0.0, 2.0], [0.0, 0.0]]
    """
    try:
        table = _checked_table(means, order)
        # Rounded means are whole numbers of this unit, on which ties are exact.
        exact_order, integers, unit = in_last_decimals(order, table, decimals)
        gaps: Array = loop_for(_gaps, exact_order)(exact_order, integers)
    except Exception as error:
        shorten(error)
        raise

    return gaps / unit


def _checked_table(means: Any, order: Order) -> Array:
    """(arms, objectives) as doubles, once it and the order are checked."""
    require_order("order", order)
    table = checks.matrix("means", means, ("arms", "objectives"))
    check_objectives(order, table.shape[1])
    # An order of another author plays in Python first, where its mistakes have a place.
    rehearse_order(order, table)
    if isinstance(order, EffectivePareto):
        _check_mixable(table)

    return table


def _check_mixable(means: Array) -> None:
    """Refuse objectives whose range is no number: arms too far apart to be mixed."""
    with np.errstate(over="ignore"):
        ranges = means.max(0) - means.min(0)

    if not np.isfinite(ranges).all():
        raise wrong_value("means must have finite ranges for EffectivePareto", ranges.tolist())


def _front(order: Order, means: Array) -> Mask:
    return order.front(Beliefs(means, means, means))


def _gaps(order: Order, means: Array) -> Array:
    return order.gaps(means)
