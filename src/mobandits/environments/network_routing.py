"""Routing in a wireless sensor network, simulated: energy against delay, as rewards 1 - cost."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.environments.tables import with_constant
from mobandits.support.checks import flag, integer, number

OBJECTIVES = 2


@dataclass(frozen=True)
class NetworkRouting:
    """Routing over one of several paths of a wireless sensor network: energy against delay.

    The context shows x, the round-trip time on some measured paths, normalised, uniform in the unit
    cube. Path a shares links with the measured ones: it sees the congestion s_a(x) = sum_j w_aj
    x_j, with weights w_a that sum to 1. Long hops cost energy and save time, detours cost both:
    with the reach e_a and the detour o_a, the mean energy and the mean delay, in [0, 1], are::

        c1_a(x) = e_a (1 + s_a(x)) + o_a             where links are busy, more is sent again
        c2_a(x) = 0.4 - e_a + 0.4 s_a(x) + o_a

    Per trial w_a ~ Dirichlet(1/2, ..., 1/2) and o_a is uniform in [0, 0.15]; the e_a are an even
    grid over [0.1, 0.3]. The observed costs are Beta distributed with these means and the
    concentration `precision`, independently. Objective 0, the dominant one, pays 1 - the energy,
    objective 1 pays 1 - the delay.

    The paper states what the context may be, that both costs are random and normalised, and that
    rewards are 1 - costs. All equations are ours.

    Args:
        paths: number of arms.
        measured: number of measured paths.
        precision: the two parameters of a cost's distribution add up to it: more is less noise.
        constant: whether the context ends with a constant 1, which linear policies need and
            policies in cells do not.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        mocmab2018, section III-C, application 4.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> block = NetworkRouting(paths=4).problem(1000, rng).block(0, 100, rng)
        >>> block.contexts.shape, block.means.shape
        ((100, 1, 3), (100, 4, 2))
    """

    references = ("mocmab2018",)

    paths: int = 6
    measured: int = 2
    precision: float = 20.0
    constant: bool = True

    def __post_init__(self) -> None:
        integer("NetworkRouting.paths", self.paths, at_least=2)
        integer("NetworkRouting.measured", self.measured, at_least=1)
        number("NetworkRouting.precision", self.precision, above=0)
        flag("NetworkRouting.constant", self.constant)

    def problem(self, rounds: int, rng: Rng) -> "Paths":
        """Draw which links the paths share with the measured ones, then their detours."""
        features = self.measured + self.constant
        shape = Shape(
            arms=self.paths,
            features=features,
            objectives=OBJECTIVES,
            rounds=rounds,
            shared=True,
        )
        concentration = np.full(self.measured, 0.5)
        weights = rng.dirichlet(concentration, self.paths)
        # Not random: every trial has short hops, which are cheap and slow, and long ones.
        reach = np.linspace(0.1, 0.3, self.paths)
        detour = rng.uniform(0.0, 0.15, self.paths)

        return Paths(
            shape=shape,
            weights=weights,
            reach=reach,
            detour=detour,
            precision=self.precision,
            constant=self.constant,
        )


class Paths(NamedTuple):
    """One trial of `NetworkRouting`.

    Attributes:
        shape: one context for all paths, two objectives.
        weights: (paths, measured) w_a.
        reach: (paths,) e_a.
        detour: (paths,) o_a.
        precision: of the costs.
        constant: whether contexts end with a 1.
    """

    shape: Shape
    weights: Array
    reach: Array
    detour: Array
    precision: float
    constant: bool

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: congestion is drawn first, then costs."""
        measured = self.weights.shape[1]
        state = rng.random((rounds, 1, measured))
        congestion = (state * self.weights).sum(axis=2)
        energy = self.reach * (1.0 + congestion) + self.detour
        # From 0.1 to 0.85, as the energy is from 0.1 to 0.75: means that a Beta variable can have.
        delay = 0.4 - self.reach + 0.4 * congestion + self.detour
        mean_costs = np.stack([energy, delay], axis=2)
        # Beta(p m, p (1 - m)) has the mean m, and a variance that falls with the precision p.
        costs = rng.beta(self.precision * mean_costs, self.precision * (1.0 - mean_costs))
        contexts = with_constant(state) if self.constant else state

        return Block(
            contexts=contexts,
            means=1.0 - mean_costs,
            rewards=1.0 - costs,
        )
