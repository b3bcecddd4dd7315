"""Figures 3 to 5 of moslb2024: MOSLB-PC on priority chains, MOSLB-PL on priority levels.

Against the paper's two P-UCBs: P-UCB1 looks at all objectives, P-UCB2 at the most important ones.
"""

import itertools
from dataclasses import replace

from mobandits_papers.described import described, tables_of
from mobandits_papers.experiment import Experiment, More, Run
from mobandits_papers.moslb2024.questions import questions_of
from mobandits_papers.sequential_stopping import LOOKS, asked, enough, on_few, on_many_problems

PANELS = ("d = 5", "d = 10", "d = 15")
MORE = "more-problems"  # the section of figures that are judged on more problems than the paper has


def panels(name: str, *sections: str) -> Experiment:
    """A figure whose claims hold only where they hold in every panel.

    Args:
        name: of the experiment.
        sections: of the texts, after its own.
    """
    id = f"moslb2024/{name}"  # noqa: A001 - as in Experiment
    sections = (name, *sections)
    questions = {}
    for table in tables_of(id, sections, {}):
        for what, row in table.get("questions", {}).items():
            questions[what] = questions_of(**row)

    few = {what: asked(on_few, own, PANELS) for what, own in questions.items()}
    figure = described(id, parts=few, sections=sections)
    if MORE not in sections:
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


# Verdicts are on fixed arms alone, so that only these are worth more problems. The sentences that
# depend on the width of P-UCB2 are on Figure 4.
FIGURES = (
    panels("fig3", "chains", MORE),
    panels("fig4", "fixed", "two", "levels", "level-claims", "theory-width", MORE),
    panels("fig5", "fixed", "three", "levels", "level-claims", "pace", MORE),
    panels("unrounded", "chains"),
    panels("fig4-redrawn", "redrawn", "two", "levels", "level-claims"),
    panels("fig5-redrawn", "redrawn", "three", "levels", "level-claims"),
)
