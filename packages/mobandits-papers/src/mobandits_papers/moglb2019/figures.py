"""Figures 1 and 2 of moglb2019, fairness, and links.

MOGLB-UCB against policies that ignore the features.
"""

from dataclasses import dataclass, replace

from mobandits.contracts.protocols import Shape
from mobandits.environments import GeneralizedLinear
from mobandits.orders import Pareto
from mobandits.policies import MoglbUcb
from mobandits.policies.composite import Composite
from mobandits_papers.described import described

# The paper's two probit and three logit objectives.
LINKS = GeneralizedLinear().links


@dataclass(frozen=True)
class OnObjective(MoglbUcb):
    """MOGLB-UCB that looks at one objective only.

    This is what the paper calls the naive use of a single-objective algorithm.

    Args:
        objective: which, from 0.

    Example:
        >>> OnObjective(scale=0.1).bind(Shape(arms=4, features=2, objectives=2)).order
        Pareto(on=[0])
    """

    objective: int = 0

    def bind(self, shape: Shape) -> Composite:
        """The policy with another order."""
        policy = super().bind(shape)
        # All objectives are still learned: only the choice of the arm looks at one.
        order = Pareto(on=(self.objective,))
        return replace(policy, order=order)


FIG1 = described("moglb2019/fig1")
FIG2 = described("moglb2019/fig2")
FAIRNESS = described("moglb2019/fairness", on_one_objective=OnObjective(links=LINKS))
LINKED = described("moglb2019/links")
