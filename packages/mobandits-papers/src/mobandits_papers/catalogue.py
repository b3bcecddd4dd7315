"""All experiments by their IDs."""

from collections.abc import Sequence

from mobandits.support.nearest import refusal
from mobandits_papers import cross
from mobandits_papers import theorem_experiments as theorems
from mobandits_papers.demo import demo
from mobandits_papers.experiment import Experiment
from mobandits_papers.guan2026 import experiments as guan2026
from mobandits_papers.mocmab2018 import experiments as mocmab2018
from mobandits_papers.moglb2019 import experiments as moglb2019
from mobandits_papers.molts2025 import experiments as molts2025
from mobandits_papers.moslb2024 import experiments as moslb2024
from mobandits_papers.paretobandit2026 import experiments as paretobandit2026
from mobandits_papers.paretobandit2026.routing import RoutingFiles
from mobandits_papers.pcz2018 import experiments as pcz2018
from mobandits_papers.publications import paper_of

ON_DATA = "paretobandit2026"  # the paper that is also played on files of a user's own
DEMO = "demo"
EXPERIMENTS: dict[str, Experiment] = {
    one.id: one
    for one in (
        *moglb2019.EXPERIMENTS,
        theorems.EXPERIMENTS["moglb2019"],
        *pcz2018.EXPERIMENTS,
        theorems.EXPERIMENTS["pcz2018"],
        *mocmab2018.EXPERIMENTS,
        theorems.EXPERIMENTS["mocmab2018"],
        *molts2025.EXPERIMENTS,
        theorems.EXPERIMENTS["molts2025"],
        *moslb2024.EXPERIMENTS,
        theorems.EXPERIMENTS["moslb2024"],
        *paretobandit2026.EXPERIMENTS,
        *guan2026.EXPERIMENTS,
        *cross.EXPERIMENTS,
    )
}
# What `mobandits list experiments` shows; `mobandits demo` plays the first one.
LISTED = {DEMO: demo, **EXPERIMENTS}


def find(ids: Sequence[str], data: RoutingFiles | None = None) -> list[Experiment]:
    """The experiments that some IDs stand for, each once, in the order of the catalogue.

    Args:
        ids: of experiments; a paper's key stands for all of its experiments, "all" for everything.
        data: prompts to play them on, in the place of those of paretobandit2026.

    Raises:
        ValueError: naming the ID and the nearest valid one; where a file of `data` does not fit, or
            other experiments are asked for with one.

    Example:
        >>> [one.id for one in find(["moslb2024/fig4"])]
        ['moslb2024/fig4']
        >>> find(["moslb2024/figure4"])
        Traceback (most recent call last):
        ValueError: ID: 'moslb2024/figure4' is unknown; did you mean moslb2024/fig4? It must be all, \
a paper or one that `mobandits list experiments` shows
    """
    papers = dict.fromkeys(map(paper_of, EXPERIMENTS))
    known = ["all", *papers, *EXPERIMENTS]
    for wanted in ids:
        if wanted == DEMO:
            raise ValueError("ID: demo is a command of its own, `mobandits demo`")

        if wanted not in known:
            rule = "be all, a paper or one that `mobandits list experiments` shows"
            raise ValueError(refusal("ID", rule, wanted, known))

    chosen = []
    for name, experiment in EXPERIMENTS.items():
        if not {"all", paper_of(name), name}.isdisjoint(ids):
            chosen.append(experiment)

    if data is None:
        return chosen

    others = [one.id for one in chosen if paper_of(one.id) != ON_DATA]
    if others:
        raise ValueError(f"data must go with experiments of {ON_DATA}, got {others[0]}")

    return paretobandit2026.experiments_on_files(data, [one.id for one in chosen])
