"""All experiments by their IDs."""

from collections.abc import Sequence

from mobandits.papers import cross
from mobandits.papers import theorem_experiments as theory
from mobandits.papers.experiment import Experiment
from mobandits.papers.mocmab2018 import experiments as mocmab2018
from mobandits.papers.moglb2019 import experiments as moglb2019
from mobandits.papers.molts2025 import experiments as molts2025
from mobandits.papers.moslb2024 import experiments as moslb2024
from mobandits.papers.pcz2018 import experiments as pcz2018
from mobandits.support.nearest import refusal

EXPERIMENTS: dict[str, Experiment] = {
    one.id: one
    for one in (
        *moglb2019.EXPERIMENTS,
        theory.MOGLB2019,
        *pcz2018.EXPERIMENTS,
        theory.PCZ2018,
        *mocmab2018.EXPERIMENTS,
        theory.MOCMAB2018,
        *molts2025.EXPERIMENTS,
        theory.MOLTS2025,
        *moslb2024.EXPERIMENTS,
        theory.MOSLB2024,
        *cross.EXPERIMENTS,
    )
}


def find(ids: Sequence[str]) -> list[Experiment]:
    """The experiments that some IDs stand for, each once, in the order of the catalogue.

    Args:
        ids: of experiments; a paper's key stands for all of its experiments, "all" for everything.

    Raises:
        ValueError: naming the ID and the nearest valid one.

    Example:
        >>> [one.id for one in find(["moslb2024/fig4"])]
        ['moslb2024/fig4']
        >>> find(["moslb2024/figure4"])
        Traceback (most recent call last):
        ValueError: ID: 'moslb2024/figure4' is unknown; did you mean moslb2024/fig4? It must be all, \
a paper or one that `mobandits list experiments` shows
    """
    papers = dict.fromkeys(name.partition("/")[0] for name in EXPERIMENTS)
    known = ["all", *papers, *EXPERIMENTS]
    for wanted in ids:
        if wanted not in known:
            rule = "be all, a paper or one that `mobandits list experiments` shows"
            raise ValueError(refusal("ID", rule, wanted, known))

    chosen = []
    for name, experiment in EXPERIMENTS.items():
        paper = name.partition("/")[0]
        if not {"all", paper, name}.isdisjoint(ids):
            chosen.append(experiment)

    return chosen
