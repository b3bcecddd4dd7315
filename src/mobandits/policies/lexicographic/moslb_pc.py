"""MOSLB-PC: chains of objectives, each in lexicographic order.

Symbols, of moslb2024, Algorithms 1 and 2: w_t(a) the half-width gamma_t ||x_a||_{V^-1}, epsilon the
half-width that ends exploration, a C_i a' the arms whose intervals in objective i are joined by
overlapping ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.contracts.protocols import Shape, Traits
from mobandits.orders import ChainFilter
from mobandits.policies.composite import Composite
from mobandits.policies.lexicographic.moslb import MoslbRecipe


@dataclass(frozen=True)
class MoslbPc(MoslbRecipe):
    """Explore while some interval is wide; then play what survives the filter of some chain.

    With w_t(a) = gamma_t ||x_a||_{V^-1}: if some w_t(a) > epsilon, play a uniform arm among those.
    Else, for every chain, start from all arms and keep, for each of its objectives in turn, the
    arms linked to the leader by overlapping intervals estimate -+ alpha w_t; play a uniform arm of
    the union over chains.

    It aims at the lexicographic winners of each chain, not at the whole front of the chains' order.

    Args:
        chains: lists of objectives (from 0), the most important first, e.g. ((0, 1), (2, 3, 4));
            None: one chain with all, the lexicographic order.
        epsilon: width that ends exploration; None: 5 d^(2/3) T^(-1/3), the authors' code (the
            theory's is d^(2/3) (K T)^(-1/3)).
        alpha: multiplies the intervals of the second stage, not the test of the first.
        delta: failure probability, in (0, 1).
        penalty: ridge penalty lambda.
        noise: sub-Gaussian constant R of the rewards.

    Reference:
        moslb2024, Algorithms 1 and 2; links are taken inside the current set, as the authors' code
        does.

    Example:
        >>> shape = Shape(arms=25, features=5, objectives=5, rounds=3000)
        >>> MoslbPc(chains=((0, 1), (2, 3, 4))).bind(shape).order.order
        ChainFilter(chains=[[0, 1, -1], [2, 3, 4]])
    """

    references = ("moslb2024",)
    traits = Traits(
        context="linear",
        beliefs="definite",
        plays="wide intervals, then arms linked by intervals to a chain's winner",
        log="exact, with zeros",
        horizon="or `epsilon`",
    )

    chains: Sequence[Sequence[int]] | None = None
    epsilon: float | None = None
    alpha: float = 0.1
    delta: float = 0.05
    penalty: float = 1.0
    noise: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameters and make the chains a tuple, so that recipes compare by value."""
        self.check_parameters(self.epsilon)
        chains = self.chains
        if chains is not None:
            # Refuses what can never be chains, by name; the objectives are not known yet.
            ChainFilter(chains)
            rows = tuple(map(tuple, chains))
            object.__setattr__(self, "chains", rows)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with epsilon resolved and the chains checked against the objectives."""
        all_objectives = tuple(range(shape.objectives))
        one_chain = (all_objectives,)
        # Algorithm 1, lines 9 to 13: the union of what Algorithm 2 leaves of each chain.
        order = ChainFilter(self.chains or one_chain)
        return self.exploring(shape, order, self.epsilon)
