"""Figures 3 to 5 of moslb2024: MOSLB-PC on priority chains, MOSLB-PL on priority levels.

Against the paper's two P-UCBs: P-UCB1 looks at all objectives, P-UCB2 at the most important ones.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mobandits_papers.described import described
from mobandits_papers.experiment import Experiment, More, Run
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

FEATURES = (5, 10, 15)
BASELINES = ("P-UCB1", "P-UCB2")
PC = "MOSLB-PC"
PL = "MOSLB-PL"
THEORY = "P-UCB2, theory's width"
# Shares of the mean pace; the paper gives no numbers.
LEVELS_OFF = 0.2
ALMOST_LINEAR = 0.8


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


def panels(name: str, sections: Sequence[str], questions: Questions, *, more: bool) -> Experiment:
    """A figure whose claims hold only where they hold in every panel.

    Args:
        name: of the experiment.
        sections: of the texts.
        questions: to every panel.
        more: whether as many more problems are played as the questions need.
    """
    few = {what: asked(on_few, own, PANELS) for what, own in questions.items()}
    many = "{more_problems}" if more else ""
    figure = described(f"moslb2024/{name}", parts=few, sections=sections, many=many)
    if not more:
        return figure

    judged = []
    for claim in figure.claims:
        own = questions.get(claim.what)
        judged.append(claim if own is None else on_many_problems(claim, own, PANELS))

    every = list(itertools.chain.from_iterable(questions.values()))
    # Of chains, the authors' regret only: the exact gap is drawn on ten problems.
    on_more = [
        More(run, LOOKS, enough(every), run.metrics[:1])
        for run in figure.runs
        if isinstance(run, Run)
    ]

    return replace(figure, runs=[*figure.runs, *on_more], claims=judged)


FIG3 = panels("fig3", ["fig3", "chains", "more-problems"], chains_questions(), more=True)
# Verdicts are on fixed arms alone, so that only these are worth more problems. The sentences that
# depend on the width of P-UCB2 are on Figure 4.
FIG4 = panels(
    "fig4",
    ["fig4", "fixed", "two", "levels", "level-claims", "theory-width", "more-problems"],
    {**theory_questions(2), **levels_questions(2)},
    more=True,
)
FIG5 = panels(
    "fig5",
    ["fig5", "fixed", "three", "levels", "level-claims", "pace", "more-problems"],
    levels_questions(3),
    more=True,
)
UNROUNDED = panels("unrounded", ["unrounded", "chains"], chains_questions(), more=False)
FIG4_REDRAWN = panels(
    "fig4-redrawn",
    ["fig4-redrawn", "redrawn", "two", "levels", "level-claims"],
    levels_questions(2),
    more=False,
)
FIG5_REDRAWN = panels(
    "fig5-redrawn",
    ["fig5-redrawn", "redrawn", "three", "levels", "level-claims"],
    levels_questions(3),
    more=False,
)
FIGURES = (FIG3, FIG4, FIG5, UNROUNDED, FIG4_REDRAWN, FIG5_REDRAWN)
