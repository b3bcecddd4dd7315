"""The policies of all papers side by side, on every kind of environment with finitely many arms."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mobandits.contracts.protocols import Environment, Metric, Recipe
from mobandits.environments import (
    Bumps,
    GeneralizedLinear,
    Linear,
    MultiArmed,
    Multichannel,
    TwoRidgesGrid,
)
from mobandits.metrics import Hypervolume
from mobandits.orders import EffectivePareto
from mobandits.policies import (
    AnnealingPareto,
    CdUcb1,
    ContextualZooming,
    CpUcb1,
    CsUcb1,
    Exp3P,
    HypervolumeUcb,
    LexElim,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    MoslbParetoUcb,
    MoslbPc,
    MoslbPl,
    Mtlo,
    Ogde,
    ParetoKg,
    ParetoTs,
    ParetoUcb1,
    Pcz,
    PfiRls,
    PfLex,
    RandomChoice,
    ScalarizedUcb1,
    Stlo,
    Ucb1,
    WidthGuided,
)
from mobandits_papers.described import described
from mobandits_papers.experiment import Experiment, Run, name_of_metric
from mobandits_papers.pcz2018.variants import UnlikeArms

# Short runs, because up to two dozen policies play in every environment.
HORIZON = 2000
TRIALS = 10
POINTS = 20
METRICS = ("pareto_regret", "effective_pareto_regret", "jaccard")


def context_free(*, within: bool = True) -> dict[str, Recipe]:
    """Policies that ignore contexts; most assume that rewards lie `within` [0, 1].

    Example:
        >>> context_free(within=False)["P-TS"].prior
        'gaussian'
    """
    # Where rewards leave [0, 1], the check that policies make of it would only warn in every trial.
    return {
        "P-UCB1": ParetoUcb1(check=within),
        "S-UCB1": ScalarizedUcb1(check=within),
        "S-UCB1, Chebyshev": ScalarizedUcb1(chebyshev=True, check=within),
        "P-TS": ParetoTs() if within else ParetoTs(prior="gaussian"),
        "UCB1": Ucb1(check=within),
        "EXP3.P": Exp3P(check=within),
        "Annealing-Pareto": AnnealingPareto(),
        "Pareto-KG": ParetoKg(),
        "PF-LEX": PfLex(),
        "LexElim": LexElim(check=within),
        "OGDE": Ogde(check=within),
        "WidthGuided": WidthGuided(check=within),
        "uniform": RandomChoice(),
    }


def halves(objectives: int, first: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Objectives in two groups, of which the first has `first`.

    Example:
        >>> halves(5, 3)
        ((0, 1, 2), (3, 4))
    """
    before = tuple(range(first))
    after = tuple(range(first, objectives))
    return before, after


def with_features(objectives: int, links: Sequence[str] | str) -> dict[str, Recipe]:
    """Policies that learn from features, with a model per arm where all arms share a context.

    Example:
        >>> with_features(2, "logit")["MOSLB-PL"].levels
        ((0,), (1,))
    """
    return {
        "MOGLB-UCB": MoglbUcb(links=links, scale=0.01),
        "MOL-TS": MolTs(scale=0.3),
        "MOL-UCB": MolUcb(scale=0.3),
        "MOL-UCB, effective front": MolUcb(scale=0.3, order=EffectivePareto()),
        "MOL-eps-Greedy": MolEpsGreedy(),
        "MOSLB-PL": MoslbPl(halves(objectives, math.ceil(objectives / 2))),
        "MOSLB-PC": MoslbPc(halves(objectives, objectives // 2)),
        "P-UCB1 of moslb2024": MoslbParetoUcb(),
        "HV-UCB": HypervolumeUcb(scale=0.3),
        "STLO": Stlo(check=False),
        "MTLO": Mtlo(check=False),
    }


def with_cells(scales: Mapping[str, float]) -> dict[str, Recipe]:
    """Policies that learn per cell of the unit cube.

    Args:
        scales: of MOC-MAB, CP-UCB1, CS-UCB1 and CD-UCB1; 1 for those that are not named.

    Example:
        >>> with_cells({"MOC-MAB": 0.2})["MOC-MAB"].scale
        0.2
    """
    cells: dict[str, Any] = {
        "MOC-MAB": MocMab,
        "CP-UCB1": CpUcb1,
        "CS-UCB1": CsUcb1,
        "CD-UCB1": CdUcb1,
    }
    return {name: recipe(scale=scales.get(name, 1.0)) for name, recipe in cells.items()}


def zooming(arms: int) -> dict[str, Recipe]:
    """Policies that zoom into contexts which all arms share, and that take no two arms for alike.

    Args:
        arms: how many.

    Example:
        >>> zooming(3)["PCZ"].positions
        ((0.0,), (0.5,), (1.0,))
    """
    # Only the similarity counts, which takes no two arms for alike; positions must merely differ.
    places = tuple((i / (arms - 1),) for i in range(arms))
    return {
        "PCZ": Pcz(positions=places, similarity=UnlikeArms()),
        "Contextual Zooming": ContextualZooming(positions=places, similarity=UnlikeArms()),
    }


def side_by_side(
    name: str,
    environment: Environment,
    rows: Mapping[str, Recipe],
    reference: Sequence[float] | None = None,
) -> Experiment:
    """Policies in one environment.

    Args:
        name: of the experiment, after "cross/".
        environment: what they play in.
        rows: who plays.
        reference: of the hypervolume, below all means, where means change over the rounds; None:
            they stay, and how much of the front was played is measured as well.
    """
    metrics: list[str | Metric] = [*METRICS, Hypervolume(reference)]
    # Where means change, so does the front: arms of one front cannot be recalled.
    if reference is None:
        metrics.append("front_recall")

    names = set(map(name_of_metric, metrics))
    id = f"cross/{name}"  # noqa: A001 - as in Experiment
    run = Run(name, environment, rows, HORIZON, TRIALS, tuple(metrics), POINTS)
    whole = described(id, [run], sections=[name, "figures"], rows=drawn_rows(rows))

    return replace(whole, plots=[plot for plot in whole.plots if plot.metric in names])


def drawn_rows(rows: Mapping[str, Recipe]) -> tuple[str, ...]:
    """The rows of a figure, which has no room for all: mostly those that aim at the Pareto front.

    Example:
        >>> drawn_rows(context_free())
        ('P-UCB1', 'P-TS', 'uniform')
    """
    some = ("MOC-MAB", "PCZ", "MOGLB-UCB", "MOL-TS", "MOL-UCB", "P-UCB1", "P-TS", "uniform")
    # In this order in all figures, so that a policy looks alike wherever the same ones play.
    return tuple(name for name in some if name in rows)


LINEAR = Linear(arms=50, features=5, objectives=4)
FIXED = Linear(arms=25, features=5, objectives=5, fixed_arms=True, theta="ball", round_decimals=2)
COINS = GeneralizedLinear(features=10)
BUMP_SCALES = {"MOC-MAB": 1 / 15, "CP-UCB1": 1 / 25, "CS-UCB1": 1 / 5, "CD-UCB1": 1 / 5}
CHANNEL_SCALES = {"MOC-MAB": 1.0, "CP-UCB1": 1 / 5, "CS-UCB1": 1 / 5, "CD-UCB1": 1 / 5}
EXPERIMENTS = (
    side_by_side(
        "linear",
        LINEAR,
        {**with_features(4, "identity"), **context_free(within=False)},
        (-1.0,) * 4,
    ),
    side_by_side(
        "linear-fixed",
        FIXED,
        {**with_features(5, "identity"), "PFI-RLS": PfiRls(), **context_free(within=False)},
    ),
    side_by_side(
        "generalized-linear",
        COINS,
        {
            **with_features(5, COINS.links),
            "MOL-TS, links": MolTs(links=COINS.links, scale=0.01),
            "PFI-RLS": PfiRls(check=False),
            **context_free(),
        },
    ),
    side_by_side(
        "bumps",
        Bumps(),
        {
            **with_cells(BUMP_SCALES),
            **zooming(4),
            **with_features(2, "logit"),
            **context_free(),
        },
        (0.0, 0.0),
    ),
    side_by_side(
        "multichannel",
        Multichannel(),
        {
            **with_cells(CHANNEL_SCALES),
            **zooming(8),
            **with_features(2, "logit"),
            **context_free(),
        },
        (0.0, 0.0),
    ),
    side_by_side(
        "ridges",
        TwoRidgesGrid(points=100),
        {
            "PCZ": Pcz(),
            "Contextual Zooming": ContextualZooming(),
            **with_cells({}),
            **context_free(),
        },
        (0.0, 0.0),
    ),
    side_by_side("multi-armed", MultiArmed(), context_free()),
)
