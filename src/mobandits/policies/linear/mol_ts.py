"""MOL-TS: optimistic Thompson sampling on the effective Pareto front.

Symbols, of molts2025, Algorithm 1: theta_l the ridge estimate of objective l, V the regularised
Gram matrix, M the number of samples per objective, c their scale, C the empirical effective front.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Shape, Traits
from mobandits.explorers import Linked, RandomWeights, Thompson
from mobandits.explorers.radii import Constant
from mobandits.numerics.links import check_links
from mobandits.orders import EffectivePareto, Pareto
from mobandits.policies.composite import Composite
from mobandits.policies.linear.generalized_linear import generalized_linear_model
from mobandits.policies.linear.linear_radius import (
    DATA,
    THEORY,
    RadiusRecipe,
    Scale,
    check_radius,
    linear_estimator,
    linear_radius,
)
from mobandits.support.checks import choice, integer, number

# The constant radius that takes the place of the data's where rewards pass through links.
LINKED = 0.3


@dataclass(frozen=True)
class MolTs(RadiusRecipe):
    """Sample optimistically, play uniformly from the effective Pareto front of the sample.

    In each round, for every objective l and m = 1..M, draw theta_{l,m} ~ N(theta_l, c^2 V^-1)
    around the ridge estimate; arm a is believed to pay max_m x_a . theta_{l,m} in objective l; the
    arm is uniform on the effective Pareto front (the arms that no mixture of others dominates) of
    these.

    ============= ==================================================
    paper         here
    ============= ==================================================
    c             `scale`, or the theory width c1_t(delta) with "theory"
    M             `draws`; None: ceil(1 - ln L / ln 0.85)
    lambda        `penalty`
    R             `noise`
    ============= ==================================================

    With `links` the rewards are generalized linear: theta_l and V are those of the online Newton
    step of moglb2019, the sample is mu_l(max_m x_a . theta_{l,m}), and the theory's width is that
    of moglb2019. It then needs whole rewards.

    Where the arms share one context, every arm has a regression of its own.

    Args:
        scale: "data" for one standard deviation of the rewards, estimated as they come (see
            `estimators.Scaled`), and for 0.3 with `links`; a constant radius c > 0; "theory" for
            the radius of the theory, which is so wide that thousands of rounds are played almost at
            random.
        draws: samples per objective; 1 is plain Thompson sampling.
        penalty: ridge penalty.
        delta: failure probability of the theory's radius, in (0, 1).
        noise: sub-Gaussian constant of the rewards, for the theory's radius; with `links` their
            upper bound.
        selection: "uniform" on the effective front, or "weight": the best arm for weights drawn
            uniformly from the simplex, which is on that front but not uniform on it.
        links: None for linear rewards; "identity", "logit", "probit", a `compiled` link, or one of
            these per objective.
        bound: upper bound of the norm of every theta, for `links`.
        check: warn where features have norms above 1, for the theory's radius.

    Reference:
        molts2025, Algorithm 1; the number of draws is Lemma 1 with p = 0.15; the extension to
        generalized linear rewards is announced in its conclusion.

    Example:
        >>> policy = MolTs(scale=0.3).bind(Shape(arms=50, features=5, objectives=4))
        >>> policy.explorer
        Thompson(radius=Constant(value=0.3), draws=10)
    """

    references = ("molts2025",)
    traits = Traits(
        context="linear; `links` for others",
        beliefs="drawn",
        plays="effective Pareto front of samples",
        log="sampled",
        part="yes; no with `links`",
    )

    scale: Scale = DATA
    draws: int | None = None
    penalty: float = 1.0
    delta: float = 0.01
    noise: float = 1.0
    selection: str = "uniform"
    links: str | Sequence[str] | Any = None
    bound: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters and make the links a tuple, so that recipes compare by value."""
        if self.draws is not None:
            integer("MolTs.draws", self.draws, at_least=1)

        check_radius(self)
        choice("MolTs.selection", self.selection, ("uniform", "weight"))
        number("MolTs.bound", self.bound, above=0.0)
        if self.links is not None:
            links = check_links("MolTs.links", self.links)
            object.__setattr__(self, "links", links)
            # The objectives share one matrix Z of Newton steps, which a partial reward would split.
            object.__setattr__(self, "accepts_partial", False)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with the number of draws, the radius and the links resolved."""
        estimator, explorer = self.parts(shape)
        if self.selection == "weight":
            # The best arm for drawn weights is on the effective front (Theorem 1 of molts2025),
            # and costs no linear programs; but it is not uniform on that front.
            return Composite(estimator, RandomWeights(explorer), Pareto())

        # Algorithm 1: the front of Equation (3), and a uniform arm of it.
        return Composite(estimator, explorer, EffectivePareto())

    def parts(self, shape: Shape) -> tuple[Any, Any]:
        """The estimator of theta_l and V, and the explorer that samples around it, Equation (2)."""
        draws = self.draws or optimistic_draws(shape.objectives)
        if self.links is None:
            ridge = linear_estimator(self, shape)
            linear = linear_radius(self, shape)
            return ridge, Thompson(linear, draws)

        model = generalized_linear_model(
            "MolTs", self.links, shape, bound=self.bound, penalty=self.penalty
        )
        if self.scale == THEORY:
            radius: Any = model.ellipsoid(shape, self.delta, self.noise)
        else:
            constant = LINKED if self.scale == DATA else float(self.scale)
            radius = Constant(constant)

        # Samples pass through the links: mixtures of arms mix mean rewards, not predictors.
        explorer = Linked(Thompson(radius, draws), model.links)

        return model.estimator(shape), explorer


def optimistic_draws(objectives: int, p: float = 0.15) -> int:
    """The number of draws M = ceil(1 - ln L / ln(1 - p)).

    With so many, a fixed arm is believed optimistically in all L objectives with probability at
    least p.

    Args:
        objectives: L.
        p: a lower bound of P(N(0, 1) >= 1) = 0.1587.

    Reference:
        molts2025, Lemma 1 (the appendix drops the "1 -").

    Example:
        >>> [optimistic_draws(l) for l in (1, 2, 4, 8)]
        [1, 6, 10, 14]
    """
    # Each draw multiplies the probability that an objective has no optimistic sample by 1 - p.
    log_failure = math.log(1.0 - p)
    extra_draws = math.log(objectives) / log_failure
    return math.ceil(1.0 - extra_draws)
