"""The rates of Theorems 1 and 2 of moslb2024, beside how fast the regrets of runs grow."""

from mobandits.contracts.protocols import Array
from mobandits_papers.described import described
from mobandits_papers.moslb2024 import theory
from mobandits_papers.rates import bounds, by_horizon, rates

FEATURES = 5
ARMS = 5 * FEATURES
OBJECTIVES = 5
DELTA = 0.05
POWER = 2.0 / 3.0
NEAR = 0.02  # what constants beside a logarithm may still change in a slope from `LATE` on
LOGARITHMS = 2  # one in gamma_T^2, and one beside it
BOUNDS = "Theorems 1 and 2"


def theorem_1(T: int) -> Array:
    """The bound for chains, with the epsilon of its horizon."""
    width = theory.chain_width(FEATURES, ARMS, T)
    return theory.chain_regret_bound(T, ARMS, FEATURES, OBJECTIVES, DELTA, width)


def theorem_2(T: int) -> Array:
    """The bound for levels, with the epsilon of its horizon."""
    width = theory.level_width(FEATURES, T)
    return theory.level_regret_bound(T, FEATURES, OBJECTIVES, DELTA, width)


CURVES = {"Theorem 1": by_horizon(theorem_1), "Theorem 2": by_horizon(theorem_2)}
RATE = described(
    "moslb2024/rate",
    [bounds(BOUNDS, CURVES)],
    {"bounds": rates(dict.fromkeys(CURVES, POWER), run=BOUNDS, logarithms=LOGARITHMS, near=NEAR)},
)
