"""The papers that are reproduced, as publications: what stands first on their pages."""

from typing import NamedTuple

from mobandits.references import REFERENCES


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
PAPERS = (
    "pcz2018",
    "mocmab2018",
    "moglb2019",
    "moslb2024",
    "molts2025",
    "paretobandit2026",
    "guan2026",
)


def paper_of(name: str) -> str:
    """The key of the paper that an experiment or a claim belongs to.

    Example:
        >>> paper_of("moglb2019/fig1/low")
        'moglb2019'
    """
    return name.partition("/")[0]


def publication_of(name: str) -> Publication | None:
    """The paper that an experiment or a claim belongs to; None where no paper has it.

    Args:
        name: an ID, or the paper's key.

    Example:
        >>> publication_of("moglb2019/fig1").year, publication_of("cross/linear")
        (2019, None)
    """
    paper = paper_of(name)
    if paper not in PAPERS:
        return None

    reference = REFERENCES[paper]
    # The publisher's address comes first.
    links = list(reference.links().values())

    return Publication(
        title=reference.title,
        authors=reference.spoken_authors(),
        # One that has not appeared yet is where its links lead to.
        venue=reference.venue or f"arXiv:{reference.arxiv}",
        year=reference.year,
        link=links[0],
    )
