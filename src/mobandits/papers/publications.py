"""The papers that are reproduced, as publications: what stands first on their pages."""

from typing import NamedTuple


class Publication(NamedTuple):
    """A paper.

    Attributes:
        title: of the paper.
        authors: in its order.
        venue: the conference or the journal.
        year: of the conference or the issue.
        link: where it can be read.
    """

    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    link: str


# In the order in which they appeared.
PUBLICATIONS = {
    "pcz2018": Publication(
        title="Multi-objective Contextual Bandit Problem with Similarity Information",
        authors=("Eralp Turğay", "Doruk Öner", "Cem Tekin"),
        venue="AISTATS",
        year=2018,
        link="https://proceedings.mlr.press/v84/turgay18a.html",
    ),
    "mocmab2018": Publication(
        title="Multi-objective Contextual Multi-armed Bandit With a Dominant Objective",
        authors=("Cem Tekin", "Eralp Turğay"),
        venue="IEEE Transactions on Signal Processing",
        year=2018,
        link="https://doi.org/10.1109/TSP.2018.2841822",
    ),
    "moglb2019": Publication(
        title="Multi-Objective Generalized Linear Bandits",
        authors=("Shiyin Lu", "Guanghui Wang", "Yao Hu", "Lijun Zhang"),
        venue="IJCAI",
        year=2019,
        link="https://www.ijcai.org/proceedings/2019/427",
    ),
    "moslb2024": Publication(
        title="Hierarchize Pareto Dominance in Multi-Objective Stochastic Linear Bandits",
        authors=("Ji Cheng", "Bo Xue", "Jiaxiang Yi", "Qingfu Zhang"),
        venue="AAAI",
        year=2024,
        link="https://doi.org/10.1609/aaai.v38i10.29030",
    ),
    "molts2025": Publication(
        title="Thompson Sampling for Multi-Objective Linear Contextual Bandit",
        authors=("Somangchan Park", "Heesang Ann", "Min-hwan Oh"),
        venue="NeurIPS",
        year=2025,
        link="https://arxiv.org/abs/2512.00930",
    ),
}


def publication_of(name: str) -> Publication | None:
    """The paper that an experiment or a claim belongs to; None where no paper has it.

    Args:
        name: an ID, or the paper's key.

    Example:
        >>> publication_of("moglb2019/fig1").year, publication_of("cross/linear")
        (2019, None)
    """
    paper = name.partition("/")[0]
    return PUBLICATIONS.get(paper)
