"""Figures 3 to 5 of moslb2024: MOSLB-PC on priority chains, MOSLB-PL on priority levels.

Against the paper's two P-UCBs: P-UCB1 looks at all objectives, P-UCB2 at the most important ones.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mobandits.contracts.protocols import Metric, Recipe
from mobandits.environments import Linear
from mobandits.metrics import ChainRegret, ChainRegretAuthors, LevelRegret
from mobandits.policies import MoslbParetoUcb, MoslbPc, MoslbPl
from mobandits_papers.described import described
from mobandits_papers.experiment import Experiment, More, Run, Tuned
from mobandits_papers.moslb2024.questions import (
    is_lower,
    relative_pace,
    variance_is_lower,
)
from mobandits_papers.numbers import Reading, final, growth
from mobandits_papers.sequential_stopping import (
    LOOKS,
    Question,
    asked,
    enough,
    on_few,
    on_many_problems,
)

# Section 5.
ROUNDS = 3000
TRIALS = 10
FEATURES = (5, 10, 15)
# The authors' notebook has 0.1, which is among them.
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
# The paper's orders, with objectives counted from 0.
CHAINS = ((0, 1), (2, 3, 4))
TWO_LEVELS = ((0, 1, 2), (3, 4))
THREE_LEVELS = ((0, 1, 2), (3, 4, 5), (6, 7, 8, 9))
BASELINES = ("P-UCB1", "P-UCB2")
PC = "MOSLB-PC"
PL = "MOSLB-PL"
THEORY = "P-UCB2, theory's width"
# Shares of the mean pace; the paper gives no numbers.
LEVELS_OFF = 0.2
ALMOST_LINEAR = 0.8


def linear(
    features: int, objectives: int, *, fixed: bool = True, decimals: int | None = None
) -> Linear:
    """The paper's problem: 5 d arms and the parameters uniform in the unit ball, noise N(0, 1)."""
    return Linear(
        5 * features, features, objectives, fixed_arms=fixed, theta="ball", round_decimals=decimals
    )


def alpha_grid(metric: Metric, recipe: Recipe) -> Tuned:
    """A row whose alpha is chosen by the regret of all digits or levels together.

    Args:
        metric: the regret.
        recipe: which has an alpha.

    Example:
        >>> grid = alpha_grid(LevelRegret(TWO_LEVELS), MoslbPl(TWO_LEVELS))
        >>> list(grid.grid)[0]
        'alpha = 0.01'
    """
    # None: all components, so that no digit is bought with another one.
    return Tuned.over("alpha", ALPHAS, recipe, "alpha", metric=metric, component=None)


def rows_with_baselines(
    row: str, recipe: Recipe, metric: Metric, important: Sequence[int]
) -> dict[str, Recipe | Tuned]:
    """The rows of a panel: the paper's policy, and both P-UCBs.

    Args:
        row: the name of the policy.
        recipe: of the policy.
        metric: the regret.
        important: the objectives that P-UCB2 looks at.
    """
    return {
        row: alpha_grid(metric, recipe),
        "P-UCB1": alpha_grid(metric, MoslbParetoUcb()),
        "P-UCB2": alpha_grid(metric, MoslbParetoUcb(important)),
    }


def chains_run(features: int, decimals: int | None) -> Run:
    """One panel of Figure 3."""
    metric = ChainRegretAuthors(CHAINS)
    # P-UCB2 looks at the first objective of each chain.
    rows = rows_with_baselines(PC, MoslbPc(CHAINS), metric, (0, 2))
    environment = linear(features, 5, decimals=decimals)
    metrics = (metric, ChainRegret(CHAINS))

    return Run(f"d = {features}", environment, rows, ROUNDS, TRIALS, metrics)


def levels_run(
    features: int, levels: tuple[tuple[int, ...], ...], *, fixed: bool = True, theory: bool = False
) -> Run:
    """One panel of Figures 4 and 5, with P-UCB2 at the theory's width as well where asked for."""
    metric = LevelRegret(levels)
    first = levels[0]
    rows = rows_with_baselines(PL, MoslbPl(levels), metric, first)
    if theory:
        rows[THEORY] = MoslbParetoUcb(first, alpha=1.0)

    objectives = sum(map(len, levels))
    environment = linear(features, objectives, fixed=fixed)

    return Run(f"d = {features}", environment, rows, ROUNDS, TRIALS, (metric,))


def below(
    low: Sequence[str],
    high: Sequence[str],
    metric: str,
    components: Sequence[int],
    reading: Reading = final,
) -> list[Question]:
    """Questions whether rows in `low` are below rows in `high`, in some digits or levels."""
    triples = itertools.product(low, high, components)
    return [is_lower(better, worse, metric, i, reading) for better, worse, i in triples]


def steadier(
    row: str, others: Sequence[str], metric: str, components: Sequence[int]
) -> list[Question]:
    """Questions whether a row's regret varies less between problems than that of others."""
    pairs = itertools.product(others, components)
    return [variance_is_lower(row, other, metric, i) for other, i in pairs]


def paces(
    row: str, metric: str, components: Sequence[int], bar: float, *, above: bool
) -> list[Question]:
    """Questions whether a row's last pace is above or below a share of its mean pace."""
    return [relative_pace(row, metric, i, bar, above=above) for i in components]


# Components of the regrets, from 0.
FIRST = (0,)
LATER = (1, 2)
DIGITS = (0, 1, 2)
PANELS = [f"d = {d}" for d in FEATURES]
Questions = Mapping[str, Sequence[Question]]  # {claim: its numbers, of every panel}


def chains_questions() -> Questions:
    """The questions to a panel of Figure 3.

    First those that are decided last: an open one ends the search, and saves the others.
    """
    metric = "chain_regret_authors"
    return {
        "moslb-pc-below-pucb2": below((PC,), ("P-UCB2",), metric, LATER),
        "moslb-pc-levels-off": paces(PC, metric, DIGITS, LEVELS_OFF, above=False),
        "pucb1-worst": below((PC, "P-UCB2"), ("P-UCB1",), metric, FIRST),
        "pucb1-worst-later-digits": below((PC, "P-UCB2"), ("P-UCB1",), metric, LATER),
        "pucb2-good-in-digit-c0": below(("P-UCB2",), ("P-UCB1",), metric, FIRST),
        "moslb-pc-slower": below((PC,), ("P-UCB1",), metric, DIGITS, growth),
        "pucb1-almost-linear": paces("P-UCB1", metric, DIGITS, ALMOST_LINEAR, above=True),
    }


def theory_questions(levels: int) -> Questions:
    """The questions to a panel of Figure 4 on P-UCB2 at the theory's width."""
    metric = "level_regret"
    return {
        "moslb-pl-steady-theory": steadier(PL, (THEORY,), metric, range(levels)),
        "moslb-pl-best-on-level-1-theory": below((PL,), (THEORY,), metric, FIRST),
    }


def levels_questions(levels: int) -> Questions:
    """The questions to a panel of Figures 4 and 5, in the order of `chains_questions`."""
    metric = "level_regret"
    every = range(levels)
    return {
        "moslb-pl-steady": steadier(PL, BASELINES, metric, every),
        "moslb-pl-levels-off": paces(PL, metric, every, LEVELS_OFF, above=False),
        "moslb-pl-below-pucb1": below((PL,), ("P-UCB1",), metric, every),
        "moslb-pl-best-on-level-1": below((PL,), ("P-UCB2",), metric, FIRST),
        "moslb-pl-below-pucb2": below((PL,), ("P-UCB2",), metric, every[1:]),
        "pucb1-fails": below((PL, "P-UCB2"), ("P-UCB1",), metric, FIRST),
        "pucb2-good-on-level-1": below(("P-UCB2",), ("P-UCB1",), metric, FIRST),
        "moslb-pl-slower": below((PL,), ("P-UCB1",), metric, every, growth),
    }


def panels(
    id: str,  # noqa: A002 - as in Experiment
    runs: Sequence[Run],
    sections: Sequence[str],
    questions: Questions,
    *,
    many: bool,
    **words: Any,
) -> Experiment:
    """A figure whose claims hold only where they hold in every panel.

    Args:
        id: of the experiment.
        runs: a panel each.
        sections: of the texts.
        questions: to every panel.
        many: whether as many more problems are played as the questions need.
        words: as in `described`.
    """
    words["many"] = "{more_problems}" if many else ""
    few = {what: asked(on_few, own, PANELS) for what, own in questions.items()}
    figure = described(id, runs, few, sections=sections, **words)
    if not many:
        return figure

    judged = []
    for claim in figure.claims:
        own = questions.get(claim.what)
        judged.append(claim if own is None else on_many_problems(claim, own, PANELS))

    every = list(itertools.chain.from_iterable(questions.values()))
    # Of chains, the authors' regret only: the exact gap is drawn on ten problems.
    more = [More(run, LOOKS, enough(every), run.metrics[:1]) for run in runs]

    return replace(figure, runs=[*runs, *more], claims=judged)


# The paper's own problems are the rounded ones of its simulator.
FIG3 = panels(
    "moslb2024/fig3",
    [chains_run(d, 2) for d in FEATURES],
    ["fig3", "chains", "more-problems"],
    chains_questions(),
    many=True,
    kind="paper",
)
UNROUNDED = panels(
    "moslb2024/unrounded",
    [chains_run(d, None) for d in FEATURES],
    ["unrounded", "chains"],
    chains_questions(),
    many=False,
    kind="extension",
)


def levels_figure(
    name: str, title: str, source: str, levels: tuple[tuple[int, ...], ...], *, fixed: bool
) -> Experiment:
    """Figure 4 or 5, with fixed or redrawn arms.

    Of Figure 4 the paper says that MOSLB-PL has the best mean and variance; of Figure 5, that
    MOSLB-PL chooses optimal arms, that P-UCB1 fails, and that P-UCB2 does well on level 1 and
    accumulates regret on levels 2 and 3. Each sentence is asked of the other figure as an
    extension, and so is that of Figure 3, on flat regret after exploration.
    """
    count = len(levels)
    # The sentences that depend on the width of P-UCB2 are on Figure 4. Verdicts are on fixed arms
    # alone, so that only these are worth more problems.
    theory = fixed and count == 2
    kind = "paper" if fixed else "extension"
    questions = {**(theory_questions(count) if theory else {}), **levels_questions(count)}
    sections = ["levels", "level-claims"]
    if theory:
        sections.append("theory-width")
    if fixed and count == 3:
        sections.append("pace")
    if fixed:
        sections.append("more-problems")

    drawn_anew = "the arms are drawn anew in every round, as in the authors' notebook"
    return panels(
        f"moslb2024/{name}",
        [levels_run(d, levels, fixed=fixed, theory=theory) for d in FEATURES],
        sections,
        questions,
        many=fixed,
        title=title,
        source=source,
        objectives=str(sum(map(len, levels))),
        levels=str(count),
        arms="the arms are fixed" if fixed else drawn_anew,
        level_names=[f"level {i + 1}" for i in range(count)],
        kind=kind,
        of_two=kind if count == 2 else "extension",
        of_three=kind if count == 3 else "extension",
        width="{open_width}" if theory else "",
        lower_levels="level 2" if count == 2 else "levels 2 and 3",
        # Said of both figures: "best" of Figure 4, "accumulates" of Figure 5.
        lower_target="{best}" if count == 2 else "{accumulates}",
    )


FIGURES = (
    FIG3,
    levels_figure(
        "fig4", "MOSLB-PL on two levels {1, 2, 3}, {4, 5}", "Figure 4", TWO_LEVELS, fixed=True
    ),
    levels_figure(
        "fig5",
        "MOSLB-PL on three levels {1, 2, 3}, {4, 5, 6}, {7, ..., 10}",
        "Figure 5",
        THREE_LEVELS,
        fixed=True,
    ),
    UNROUNDED,
    levels_figure(
        "fig4-redrawn", "Figure 4 with arms drawn anew", "notebook", TWO_LEVELS, fixed=False
    ),
    levels_figure(
        "fig5-redrawn", "Figure 5 with arms drawn anew", "notebook", THREE_LEVELS, fixed=False
    ),
)
