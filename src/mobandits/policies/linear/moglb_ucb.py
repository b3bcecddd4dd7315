"""MOGLB-UCB: the Pareto front of upper confidence bounds of generalized linear models.

Every round takes one online Newton step. Symbols, of moglb2019, Algorithm 1: theta_i the estimate
of objective i, mu_i its link, Z_t the matrix that all objectives share, gamma_t the square of the
confidence radius, O_t the approximate Pareto front.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mobandits.contracts.assumptions import UNIT_BALL
from mobandits.contracts.protocols import Assumption, Recipe, Shape, Traits
from mobandits.explorers import Ucb
from mobandits.explorers.radii import TunedNewton
from mobandits.numerics.links import check_links
from mobandits.orders import Pareto
from mobandits.policies.composite import Composite
from mobandits.policies.linear.generalized_linear import generalized_linear_model
from mobandits.policies.linear.linear_radius import THEORY, check_scale
from mobandits.support.checks import number


@dataclass(frozen=True)
class MoglbUcb(Recipe):
    """Play a uniform arm from the Pareto front of theta_l . x_a + sqrt(gamma_t) ||x_a||_{Z_t^-1}.

    Rewards have the mean mu_l(theta_l . x_a). After a reward y of the arm with features x::

        Z += (kappa / 2) x x'
        theta_l += (y_l - mu_l(theta_l . x)) Z^-1 x, projected onto ||theta_l|| <= D in the norm of
        Z

    Links are increasing, so the front of the predictors' bounds is that of the rewards' bounds. In
    the first round all arms are on it. It needs whole rewards: the objectives share Z.

    ============= =========================================================================
    paper         here
    ============= =========================================================================
    mu_i          `links`
    c             `scale`, gamma_t = c log(det Z_t / det Z_1); the theory's gamma with "theory"
    D             `bound`
    kappa         `curvature`; None: the least slope of the links on [-D, D]
    R             `noise`
    U             `ceiling`; None: the largest |mu_i| on [-D, D]
    lambda        `penalty`; None: max(1, kappa / 2)
    ============= =========================================================================

    Where the arms share one context, every arm has a model of its own.

    Args:
        links: "identity", "logit", "probit", a `compiled` part with `mean(z)` and
            `least_slope(bound)`, or one of these per objective.
        scale: c > 0 of the tuned width, a factor of the squared radius; "theory" for the theory's.
        bound: upper bound of the norm of every theta; features have norms of at most 1.
        curvature: lower bound of the links' slopes.
        noise: upper bound of every reward in absolute value, for the theory's radius.
        ceiling: upper bound of every mean reward in absolute value, for the theory's radius.
        penalty: Z starts at this multiple of the identity.
        delta: failure probability of the theory's radius, in (0, 1).
        check: warn where features have norms above 1, for the theory's radius.

    Reference:
        moglb2019, Algorithm 1; the experiments use two probit and three logit objectives,
        D = R = lambda = 1, so that kappa = 0.196612 and U = 0.841345, and search c within
        [1e-3, 1].

    Example:
        >>> shape = Shape(arms=20, features=5, objectives=5)
        >>> MoglbUcb(links=["probit"] * 2 + ["logit"] * 3, scale=0.1).bind(shape).explorer
        Ucb(radius=TunedNewton(factor=0.1))
    """

    references = ("moglb2019",)
    traits = Traits(
        context="linear, with a link",
        beliefs="definite",
        plays="Pareto front of bounds",
        log="exact, with zeros",
        part="no",
    )
    assumed = (UNIT_BALL,)

    links: str | Sequence[str] | Any = "logit"
    scale: float | Literal["theory"] = 0.03
    bound: float = 1.0
    curvature: float | None = None
    noise: float = 1.0
    ceiling: float | None = None
    penalty: float | None = None
    delta: float = 0.01
    check: bool = True

    accepts_partial = False

    def __post_init__(self) -> None:
        """Check the parameters and make the links a tuple, so that recipes compare by value."""
        check_scale("MoglbUcb.scale", self.scale, (THEORY,))
        for name in ("bound", "curvature", "noise", "ceiling", "penalty"):
            value = getattr(self, name)
            if value is not None:
                number(f"MoglbUcb.{name}", value, above=0.0)

        number("MoglbUcb.delta", self.delta, above=0.0, below=1.0)
        links = check_links("MoglbUcb.links", self.links)
        object.__setattr__(self, "links", links)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Norms of at most 1, for the theory's radius."""
        return super().assumptions() if self.scale == THEORY else ()

    def bind(self, shape: Shape) -> Composite:
        """The policy, with links, constants and radius resolved."""
        model = generalized_linear_model(
            "MoglbUcb",
            self.links,
            shape,
            bound=self.bound,
            curvature=self.curvature,
            ceiling=self.ceiling,
            penalty=self.penalty,
        )
        # Lines 5 to 7: the Newton step; line 8: the ellipsoid of Equation (3).
        estimator = model.estimator(shape)
        if self.scale != THEORY:
            # The theory's ellipsoid is so wide that the paper's experiments search c instead.
            radius: Any = TunedNewton(float(self.scale))
        else:
            radius = model.ellipsoid(shape, self.delta, self.noise)

        # Line 11 by Equation (6), without the link: it is increasing, so the front is the same.
        return Composite(estimator, Ucb(radius), Pareto())
