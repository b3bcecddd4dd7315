"""The rate of Theorem 2 of moglb2019, beside how fast the regret of runs grows."""

from functools import partial

from mobandits.contracts.protocols import Array
from mobandits_papers.described import described
from mobandits_papers.moglb2019 import theory
from mobandits_papers.moglb2019.figures import LINKS
from mobandits_papers.rates import bounds, rates

FEATURES = (5, 10, 15)
DELTA = 0.01  # as in the examples of `theory`; the power of T does not depend on it
NEAR = 0.02  # what constants beside a logarithm may still change in a slope from `LATE` on
BOUND = "Theorem 2"


def theorem_2(horizons: Array, features: int) -> Array:
    """The bound of Theorem 2 with the paper's links."""
    assumed = theory.constants(LINKS)
    return theory.regret_bound(horizons, features, assumed, len(LINKS), DELTA)


RATE = described(
    "moglb2019/rate",
    [bounds(BOUND, {f"d = {d}": partial(theorem_2, features=d) for d in FEATURES})],
    {"bound": rates({f"d = {d}": 0.5 for d in FEATURES}, run=BOUND, near=NEAR)},
)
