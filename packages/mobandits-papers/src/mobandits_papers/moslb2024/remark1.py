"""Remark 1 of moslb2024: chains and levels that are the Pareto and the lexicographic order."""

from mobandits.contracts.protocols import Array, Order
from mobandits.orders import Chains, Levels, Lexicographic, Pareto
from mobandits_papers.described import described
from mobandits_papers.numbers import Parts
from mobandits_papers.rows import LAWS, front_of, never, random_tables

TABLES = 50
ARMS = 8
OBJECTIVES = (1, 2, 3, 5)
CHAINS = "chains of one objective each"
LEVELS = "levels of one objective each"
MEASURES = ("other front", "other gaps")


def differs(order: Order, other: Order, means: Array) -> tuple[bool, bool]:
    """Whether two orders have other fronts, and whether they have other gaps."""
    other_fronts = front_of(means, order) != front_of(means, other)
    # Equal to the last bit: both add and compare the same numbers.
    other_gaps = order.gaps(means) != other.gaps(means)
    front_differs = bool(other_fronts.any())
    gaps_differ = bool(other_gaps.any())

    return front_differs, gaps_differ


def singletons(objectives: int) -> list[list[int]]:
    """Every objective in a list of its own.

    Example:
        >>> singletons(3)
        [[0], [1], [2]]
    """
    return [[i] for i in range(objectives)]


def order_pairs(objectives: int) -> dict[str, tuple[Order, Order]]:
    """The orders that the remark calls the same, {row: (special case, order of its own)}.

    Example:
        >>> list(order_pairs(2))
        ['chains of one objective each', 'levels of one objective each']
    """
    lists = singletons(objectives)
    return {
        CHAINS: (Chains(lists), Pareto()),
        LEVELS: (Levels(lists), Lexicographic()),
    }


def contradictions(law: str, means: Array) -> dict[tuple[str, str], int]:
    """Whether the orders differ on one table, by row and measure."""
    counts = {}
    for row, (order, other) in order_pairs(means.shape[1]).items():
        for measure, different in zip(MEASURES, differs(order, other, means), strict=True):
            counts[f"{row}, {law}", measure] = int(different)

    return counts


def never_different(row: str) -> Parts:
    """One half of the remark: no table tells its two orders apart."""
    tables = TABLES * len(OBJECTIVES)
    counts = {
        f"tables with {measure}, {law}, of {tables}": (f"{row}, {law}", measure)
        for law in LAWS
        for measure in MEASURES
    }
    return never(counts, tables)


REMARK1 = described(
    "moslb2024/remark1",
    [random_tables(contradictions, TABLES, ARMS, OBJECTIVES)],
    {"chains": never_different(CHAINS), "levels": never_different(LEVELS)},
)
