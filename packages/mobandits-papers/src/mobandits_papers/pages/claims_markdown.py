"""The claims as tables in Markdown, for the documentation and where no page can be shown."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mobandits_papers.contents import ClaimEntry, ExperimentSummary
from mobandits_papers.pages.claim_counts import (
    HEADER,
    MEANING,
    by_paper,
    claims_of,
    count_by_group,
    experiments_by_paper,
    group_of,
)
from mobandits_papers.pages.rendering import paper_templates
from mobandits_papers.publications import publication_of


def claims_markdown(claims: Sequence[ClaimEntry], experiments: Sequence[ExperimentSummary]) -> str:
    """The counts by paper and kind, and a heading per paper with its claims.

    Args:
        claims: entries of claims.json.
        experiments: `experiment`, `seconds` and `changed` (what was asked for in place of its own
            scale) of each, from the manifest.

    Example:
        >>> entry = {"id": "a/fig1/low", "claim": "A is low.", "target": "low", "parts": []}
        >>> entry |= {"measured": 1.0, "interval": [0.5, 2.0], "of": "b less a"}
        >>> rest = {"verdict": "reproduced", "kind": "paper", "holds": True}
        >>> rest |= {"differs": "", "note": ""}
        >>> experiment = {"experiment": "a/fig1", "seconds": 3.0, "changed": {}}
        >>> print(claims_markdown([entry | rest], [experiment]).splitlines()[-1])
        | `low` A is low. | low | 1.00 [0.50, 2.00] (b less a) | reproduced |
    """
    parts = [counts_markdown(claims, experiments)]
    parts += [
        f"## {paper}\n\n{paper_markdown(paper, claims, experiments)}"
        for paper in experiments_by_paper(experiments)
        if claims_of(paper, claims)  # a heading without a table would look like a loss
    ]

    return "\n".join(parts)


def counts_markdown(
    claims: Sequence[ClaimEntry], experiments: Sequence[ExperimentSummary], link: str = ""
) -> str:
    """The counts by paper and kind.

    Args:
        claims: as in `claims_markdown`.
        experiments: as in `claims_markdown`.
        link: a pattern of addresses, "{}" for a paper's key; empty: no links.
    """
    rows = by_paper(claims, experiments)
    if link:
        for row in rows[:-1]:  # the last one is of all papers
            paper = row[0]
            if claims_of(paper, claims):
                row[0] = f"[{paper}]({link.format(paper)})"

    return str(_macros().counts(claims, HEADER, rows, MEANING))


def paper_markdown(
    paper: str, claims: Sequence[ClaimEntry], experiments: Sequence[ExperimentSummary]
) -> str:
    """What one paper's claims came to: where claims of each verdict are, then every claim.

    Args:
        paper: its key.
        claims: as in `claims_markdown`, of any papers.
        experiments: as in `claims_markdown`, of any papers.
    """
    own = claims_of(paper, claims)
    return str(_macros().paper(publication_of(paper), group_rows(own), own, experiments))


def group_rows(claims: Sequence[ClaimEntry]) -> list[list[str]]:
    """Where the claims of each group are: links to the headings of their experiments.

    Example:
        >>> claim = {"id": "p/fig1/low", "verdict": "reproduced", "kind": "paper"}
        >>> group_rows([claim, claim])
        [['reproduced', '2', '[fig1](#pfig1) (2)']]
    """
    rows = []
    for group, count in count_by_group(claims).items():
        own_claims = [claim for claim in claims if group_of(claim) == group]
        counts = Counter(claim["id"].rpartition("/")[0] for claim in own_claims)
        links = []
        for experiment, own in counts.items():
            name = experiment.partition("/")[2]
            link = f"[{name}](#{anchor_of(experiment)})"
            links.append(f"{link} ({own})" if own > 1 else link)

        rows.append([group, str(count), ", ".join(links)])

    return rows


def anchor_of(experiment: str) -> str:
    """The anchor of an experiment's heading, as Markdown's readers make it of the text.

    Example:
        >>> anchor_of("mocmab2018/bumps-1")
        'mocmab2018bumps-1'
    """
    kept = [letter for letter in experiment.lower() if letter.isalnum() or letter in "-_"]
    return "".join(kept)


def _macros() -> Any:
    """The macros of `claims.md`."""
    # Markdown shows entities of HTML as they are.
    without_escaping = paper_templates().overlay(autoescape=False)
    return without_escaping.get_template("claims.md").module
