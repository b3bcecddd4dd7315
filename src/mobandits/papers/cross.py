"""The policies of all papers side by side, on every kind of environment with finitely many arms."""

import math
from collections.abc import Mapping, Sequence
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
from mobandits.papers.claims import Claim, Reading, final, late_mean, level
from mobandits.papers.experiment import Experiment, Plot, Run
from mobandits.papers.pcz2018.variants import UnlikeArms
from mobandits.policies import (
    AnnealingPareto,
    CdUcb1,
    ContextualZooming,
    CpUcb1,
    CsUcb1,
    Exp3P,
    HypervolumeUcb,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    MoslbParetoUcb,
    MoslbPc,
    MoslbPl,
    Mtlo,
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
)

# Short runs, because up to two dozen policies play in every environment.
HORIZON = 2000
TRIALS = 10
POINTS = 20
METRICS = ("pareto_regret", "effective_pareto_regret", "jaccard")
READINGS: dict[str, tuple[str, Reading]] = {
    "pareto_regret": ("Pareto regret at the last round", final),
    "effective_pareto_regret": ("Effective Pareto regret at the last round", final),
    "jaccard": (
        (
            "Jaccard index of the drawn set and the true front, "
            "mean over the second half of the rounds"
        ),
        late_mean,
    ),
    "front_recall": ("Share of the true front's arms that were ever played", final),
    "hypervolume": ("Hypervolume of the mean vectors that were played", final),
}
CAPTIONS = {
    "pareto_regret": "Pareto regret",
    "effective_pareto_regret": "Effective Pareto regret",
    "jaccard": "Jaccard index of the drawn set and the true front",
    "front_recall": "Share of the true front's arms that were ever played",
    "hypervolume": "Hypervolume of the mean vectors that were played so far",
}
VERTICAL = {"jaccard": "Jaccard index", "hypervolume": "hypervolume", "front_recall": "recall"}
CONSTANTS = (
    "Every policy has one constant, none is tuned here: widths of 0.3 for linear policies, c = "
    "0.01 for MOGLB-UCB and for MOL-TS with links, alpha = 0.1 for MOSLB, and what a pilot found "
    "best elsewhere; the theory's constants where nothing is known. A tuned policy may do better; "
    "this table says what to expect without tuning."
)
AIMS = (
    "Policies aim at different things, and no column is fair to all of them: UCB1, EXP3.P and "
    "CD-UCB1 look at one objective, PF-LEX, STLO, MTLO, MOC-MAB and MOSLB-PC at an order of "
    "objectives, MOL-TS at the effective front."
)
NO_RECALL = (
    "The share of the front that was ever played is not recorded: the means, and with them the "
    "front, change from round to round, so that there is no one set of arms to have played."
)


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
    policies = {}
    for name, recipe in cells.items():
        policies[name] = recipe(scale=scales.get(name, 1.0))

    return policies


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


def claims(
    id: str,  # noqa: A002 - as in Experiment
    rows: Sequence[str],
    metrics: Sequence[str],
) -> tuple[Claim, ...]:
    """Every metric of every row, reported."""
    reported = []
    for metric in metrics:
        sentence, reading = READINGS[metric]
        what = metric.replace("_", "-")
        claim = level(
            f"{id}/{what}",
            sentence,
            metric,
            rows,
            target="not in the papers",
            reading=reading,
            kind="ours",
        )
        reported.append(claim)

    return tuple(reported)


def side_by_side(
    name: str,
    title: str,
    about: str,
    environment: Environment,
    rows: Mapping[str, Recipe],
    *,
    reference: Sequence[float] | None = None,
) -> Experiment:
    """Policies in one environment.

    Args:
        name: of the experiment, after "cross/".
        title: a line on it.
        about: a paragraph on the environment.
        environment: what they play in.
        rows: who plays.
        reference: of the hypervolume, below all means, where means change over the rounds; None:
            they stay, and how much of the front was played is measured as well.
    """
    metrics: list[str | Metric] = [*METRICS, Hypervolume(reference)]
    names = [*METRICS, "hypervolume"]
    paragraphs = [about, CONSTANTS, AIMS]
    # Where means change, so does the front: arms of one front cannot be recalled.
    if reference is None:
        metrics.append("front_recall")
        names.append("front_recall")
    else:
        paragraphs.append(NO_RECALL)

    plots = []
    for metric in names:
        caption = f"{CAPTIONS[metric]}, of some of the policies."
        vertical = VERTICAL.get(metric, "")
        plots.append(Plot(metric, metric, caption, rows=drawn_rows(rows), vertical=vertical))

    experiment = f"cross/{name}"

    return Experiment(
        experiment,
        title,
        "ours; the environments and policies of all papers",
        paragraphs,
        [Run(name, environment, rows, HORIZON, TRIALS, tuple(metrics), POINTS)],
        plots,
        claims(experiment, tuple(rows), names),
    )


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
NO_PCZ = "Zooming needs contexts in the unit cube and a distance, so PCZ is not here."
ONE_MODEL_EACH = (
    "Policies with linear models have one for every arm; "
    "their models are wrong, as nothing here is linear."
)

EXPERIMENTS = (
    side_by_side(
        "linear",
        "Contextual linear rewards: 50 new arms in every round, 5 features, 4 objectives",
        "The main setting of molts2025. Rewards are normal, not in [0, 1] as many assume. "
        f"{NO_PCZ}",
        LINEAR,
        {**with_features(4, "identity"), **context_free(within=False)},
        reference=(-1.0,) * 4,
    ),
    side_by_side(
        "linear-fixed",
        "Linear rewards with 25 fixed arms, 5 features, 5 objectives",
        f"The setting of moslb2024, with means rounded to two decimals. {NO_PCZ} PFI-RLS, which "
        "drops arms, only plays where arms stay.",
        FIXED,
        {**with_features(5, "identity"), "PFI-RLS": PfiRls(), **context_free(within=False)},
    ),
    side_by_side(
        "generalized-linear",
        "Generalized linear coins with 40 fixed arms, 10 features, 5 objectives",
        f"The problem of moglb2019. {NO_PCZ}",
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
        "Smooth rewards over a shared context: 4 arms, 2 objectives",
        f"The first problem of mocmab2018. {ONE_MODEL_EACH}",
        Bumps(),
        {
            **with_cells(
                {"MOC-MAB": 1 / 15, "CP-UCB1": 1 / 25, "CS-UCB1": 1 / 5, "CD-UCB1": 1 / 5}
            ),
            **zooming(4),
            **with_features(2, "logit"),
            **context_free(),
        },
        reference=(0.0, 0.0),
    ),
    side_by_side(
        "multichannel",
        "Channels and rates: 8 arms, 2 objectives, a shared context",
        f"The second problem of mocmab2018. {ONE_MODEL_EACH}",
        Multichannel(),
        {
            **with_cells({"MOC-MAB": 1.0, "CP-UCB1": 1 / 5, "CS-UCB1": 1 / 5, "CD-UCB1": 1 / 5}),
            **zooming(8),
            **with_features(2, "logit"),
            **context_free(),
        },
        reference=(0.0, 0.0),
    ),
    side_by_side(
        "ridges",
        "Two ridges over contexts and arms: 100 arms in [0, 1], 2 objectives",
        "The problem of pcz2018 with a hundred arms in place of the interval. An arm's row is "
        "the context and the arm itself, both in [0, 1], and near rows pay alike, as zooming "
        "assumes. Policies with cells cut this square, but keep the counts of every arm apart. "
        "They have scale 1. Policies with linear models are not here.",
        TwoRidgesGrid(points=100),
        {
            "PCZ": Pcz(),
            "Contextual Zooming": ContextualZooming(),
            **with_cells({}),
            **context_free(),
        },
        reference=(0.0, 0.0),
    ),
    side_by_side(
        "multi-armed",
        "Arms without context: 20 arms, 2 objectives",
        "The problem of drugan2013; policies that need features or contexts are not here.",
        MultiArmed(),
        context_free(),
    ),
)
