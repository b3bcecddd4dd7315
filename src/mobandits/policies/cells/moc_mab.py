"""MOC-MAB: a dominant objective, and others that decide among the arms it cannot tell apart.

Symbols, of mocmab2018, Algorithm 1: m the cells per side, N_a the plays of arm a in the cell of the
context, u_a its uncertainty, g^i_a its index in objective i, v the margin of tolerance, A the
constant of u_a, beta how far the leader's uncertainty is resolved.
"""

import math
from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Shape, Traits
from mobandits.estimators import Cells, SampleMean
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Constant
from mobandits.orders import Dominant
from mobandits.policies.cells.partition import PartitionRecipe
from mobandits.policies.composite import Composite
from mobandits.support.checks import number


@dataclass(frozen=True)
class MocMab(PartitionRecipe):
    """Learn per cell; be sure of the dominant objective's leader, then let the next one decide.

    In the cell of the context, with u_a = scale sqrt(2 A / N_a), infinite before the first play,
    and g^i_a = mean^i_a + u_a: let a1 lead in g^1. If u_{a1} > beta v, play a1. Else keep the arms
    with g^1_a >= mean^1_{a1} - u_{a1} - 2 v, and play the one that leads in g^2. Here::

        v = L d^(alpha / 2) m^(-alpha);   A = 1 + 2 ln(2 D K m^d T^1.5)

    for D objectives (the paper has 4 = 2 D in the logarithm). With more than two objectives each
    but the last is treated like the first, among the arms that are left; the paper promises nothing
    for them.

    ============= ============================================================
    paper         here
    ============= ============================================================
    m             `per_side`; None: ceil(T^(1 / (3 alpha + d)))
    L, alpha      `lipschitz`, `alpha`: |mu(x) - mu(y)| <= L ||x - y||^alpha
    beta          `beta`
    T_s           `period`
    ============= ============================================================

    Args:
        scale: multiplies the width; the paper tunes it over 1, 1/5, 1/10, ..., 1/30.
        per_side: m, cells per side of the unit cube.
        alpha: Hoelder exponent of the means in the context, in (0, 1].
        aim: "dominant", or "pareto" for the m that is best for the Pareto regret.
        boundary: "floor" puts a context between two cells into the upper one, "random" into either
            by a coin.
        period: T_s, of rewards that change with a known period: time becomes a feature, so that d
            is one more.
        check: refuse contexts outside [0, 1]^d.
        lipschitz: L, the Hoelder constant.
        beta: how far the leader's uncertainty is resolved, in units of v.

    Reference:
        mocmab2018, Algorithm 1; section VI-A for `period`; section VI-C for more than two
        objectives.

    Example:
        >>> shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
        >>> policy = MocMab().bind(shape)
        >>> policy.cells.per_side, round(policy.policy.order.doubt, 4)
        (10, 0.1414)
        >>> round(policy.policy.explorer.radius.value, 3)
        10.029
    """

    references = ("mocmab2018",)
    traits = Traits(
        context="cells",
        beliefs="definite",
        plays="first objective, then the next among near ties",
        log="1 in most rounds",
        horizon="yes",
    )

    lipschitz: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        # With L = 0 the margin v would be 0, and the leader's uncertainty never below beta v.
        number("MocMab.lipschitz", self.lipschitz, above=0.0)
        number("MocMab.beta", self.beta, above=0.0)

    def bind(self, shape: Shape) -> Any:
        """The policy, with m, v and A resolved."""
        if shape.rounds is None:
            raise ValueError("MocMab must know the number of rounds; Doubling(MocMab()) need not")

        cells = self.partition(shape)
        margin = self.margin(cells)
        constant = cell_confidence_constant(cells, shape.objectives, shape.rounds)
        # u_a = width / sqrt(N_a), of which `SampleMean` gives the second factor.
        width = self.scale * math.sqrt(2.0 * constant)
        slots = cells.size()
        means = SampleMean(slots, shape.objectives)
        # Lines 8 to 13: the test u > beta v, and the candidates of Equation (4) with their 2 v.
        order = Dominant(margin=2.0 * margin, doubt=self.beta * margin)
        policy = Composite(means, Ucb(Constant(width)), order)

        return self.in_cells(policy, cells)

    def margin(self, cells: Cells) -> float:
        """The margin v = L d^(alpha / 2) m^(-alpha): how much the means may vary inside a cell."""
        # The diagonal of a cell is sqrt(d) / m.
        half_alpha = 0.5 * self.alpha
        dimension_factor = cells.features**half_alpha
        side_factor = cells.per_side**-self.alpha
        margin = self.lipschitz * dimension_factor * side_factor

        return float(margin)


def cell_confidence_constant(cells: Cells, objectives: int, rounds: int) -> float:
    """The constant A = 1 + 2 ln(2 D K m^d T^1.5) for D objectives.

    Reference:
        mocmab2018, section IV, with 2 D in place of 4.
    """
    # Logarithms are added: the product would leave the range of exact floats for long horizons.
    estimates = 2.0 * objectives * cells.size()
    log_estimates = math.log(estimates)
    log_horizon = 1.5 * math.log(rounds)
    log_union = log_estimates + log_horizon

    return 1.0 + 2.0 * log_union
