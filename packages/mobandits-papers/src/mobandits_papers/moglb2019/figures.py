"""Figures 1 and 2 of moglb2019, fairness, and links.

MOGLB-UCB against policies that ignore the features.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mobandits.contracts.protocols import Metric, Recipe, Shape
from mobandits.environments import GeneralizedLinear
from mobandits.metrics import FrontRecall, JainIndex, PlayEntropy, PlayRatio, Unfairness
from mobandits.orders import Pareto
from mobandits.policies import MoglbUcb, ParetoTs, ParetoUcb1, RandomChoice, ScalarizedUcb1
from mobandits.policies.composite import Composite
from mobandits_papers.described import described
from mobandits_papers.experiment import Run, Tuned

HORIZON = 3000
TRIALS = 10
FEATURES = (5, 10, 15)
# The paper's two probit and three logit objectives.
LINKS = GeneralizedLinear().links
# The ends are the paper's; it does not say what it searched between them.
WIDTHS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
# They have no constant to tune, and they do not see the features.
BASELINES: dict[str, Recipe] = {
    "P-UCB": ParetoUcb1(),
    "S-UCB": ScalarizedUcb1(weights=((1 / len(LINKS),) * len(LINKS),)),
    "P-TS": ParetoTs(),
}


def problem(features: int) -> GeneralizedLinear:
    """The paper's problem with so many features."""
    return GeneralizedLinear(features=features)


def tuned(links: Sequence[str] | str = LINKS) -> Tuned:
    """MOGLB-UCB with every factor of the paper's range.

    Example:
        >>> list(tuned().grid)[0]
        'c = 0.001'
    """
    return Tuned.over("c", WIDTHS, MoglbUcb(links=links))


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


def run_of(features: int, rows: Mapping[str, Recipe | Tuned], *metrics: str | Metric) -> Run:
    """A run of some rows on the paper's problem with so many features."""
    name = f"d = {features}"
    environment = problem(features)
    return Run(name, environment, rows, HORIZON, TRIALS, metrics)


ALL_ROWS: dict[str, Recipe | Tuned] = {"MOGLB-UCB": tuned(), **BASELINES, "uniform": RandomChoice()}
# No scale: the radius of Theorem 1.
WITH_THEORY: dict[str, Recipe | Tuned] = {
    "MOGLB-UCB, theory width": MoglbUcb(links=LINKS, scale="theory")
}
FIG1_ROWS: dict[str, Recipe | Tuned] = {"MOGLB-UCB": tuned(), **WITH_THEORY, **ALL_ROWS}
FIG1 = described("moglb2019/fig1", [run_of(d, FIG1_ROWS, "pareto_regret") for d in FEATURES])

FIG2_ROWS: dict[str, Recipe | Tuned] = {
    "MOGLB-UCB": tuned(),
    # The same grid, and another constant of it where the front asks for one.
    "MOGLB-UCB for the front": Tuned(tuned().grid, "jaccard", highest=True),
    "P-UCB": BASELINES["P-UCB"],
    "P-TS": BASELINES["P-TS"],
}
FIG2 = described("moglb2019/fig2", [run_of(10, FIG2_ROWS, "jaccard", "pareto_regret")])

ON_ONE = Tuned.over("c", WIDTHS, OnObjective(links=LINKS))
FAIR_ROWS: dict[str, Recipe | Tuned] = {
    "MOGLB-UCB": tuned(),
    "MOGLB-UCB on objective 1": ON_ONE,
    **ALL_ROWS,
}
MEASURES = (JainIndex(), PlayEntropy(), PlayRatio(), Unfairness(), FrontRecall(), "pareto_regret")
FAIRNESS = described("moglb2019/fairness", [run_of(10, FAIR_ROWS, *MEASURES)])

# Every row is tuned by itself: a wrong link changes the best width as well.
LINK_ROWS: dict[str, Sequence[str] | str] = {
    "true links": LINKS,
    "logit everywhere": "logit",
    "probit everywhere": "probit",
    "identity everywhere": "identity",
}
TUNED_LINKS = {row: tuned(links) for row, links in LINK_ROWS.items()}
LINKED = described("moglb2019/links", [run_of(10, TUNED_LINKS, "pareto_regret")])
