"""The page above several reproduced experiments: every claim with its verdict, paper by paper."""

from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import join_words
from mobandits.figures.page import Table
from mobandits.figures.provenance import Provenance, machine_and_time
from mobandits.figures.words import Definition, definitions
from mobandits.support.naming import quantity
from mobandits_papers.contents import ClaimEntry, ExperimentSummary
from mobandits_papers.pages.claim_counts import (
    HEADER,
    by_paper,
    counted,
    experiments_by_paper,
    group_of,
    words_of_claims,
)
from mobandits_papers.pages.claim_texts import first_few
from mobandits_papers.pages.rendering import render

TITLE = "Reproduced experiments"
MOST_NAMED = 4  # claims in a sentence


@dataclass(frozen=True)
class IndexPage:
    """What `experiments.html` shows.

    Args:
        title: of the page.
        findings: what came out, in one to three sentences.
        words: the verdicts and kinds of claims.
        counts: claims by paper and kind.
        papers: {key: its experiments}, in the order of the catalogue.
        claims: of all of them.
        provenance: of the table.
    """

    title: str
    findings: Sequence[str]
    words: Sequence[Definition]
    counts: Table
    papers: dict[str, list[ExperimentSummary]]
    claims: Sequence[ClaimEntry]
    provenance: Provenance


def index_page(manifest: Manifest, claims: Sequence[ClaimEntry]) -> str:
    """The index.

    Args:
        manifest: of the folder above the experiments.
        claims: of all of them.
    """
    experiments: list[ExperimentSummary] = manifest["specification"]["experiments"]
    page = IndexPage(
        title=TITLE,
        findings=index_findings(experiments, claims),
        words=[*words_of_claims(claims), *definitions("interval", "trial")],
        counts=counts_table(claims, experiments),
        papers=experiments_by_paper(experiments),
        claims=claims,
        provenance=Provenance(machine_and_time(manifest)),
    )

    return render("experiments.html", page)


def counts_table(claims: Sequence[ClaimEntry], experiments: Sequence[ExperimentSummary]) -> Table:
    """The counts by paper and kind, without the times, which stand beside the experiments.

    Args:
        claims: of all experiments.
        experiments: of the manifest.
    """
    header = [name.replace(" ", "\n") for name in HEADER[:-1]]
    rows = [row[:-1] for row in by_paper(claims, experiments)]
    caption = (
        "Of the papers' own claims, how many have each verdict; of the others, how many hold / do "
        "not hold / have no rule that decides."
    )

    return Table(header, rows, caption)


def index_findings(
    experiments: Sequence[ExperimentSummary], claims: Sequence[ClaimEntry]
) -> list[str]:
    """How many claims came to what, and which did not reproduce.

    Args:
        experiments: of the manifest.
        claims: of all of them.
    """
    done = quantity(len(experiments), "experiment")
    judged = quantity(len(claims), "claim")
    sentences = [f"{done}, {judged}: {counted(claims)}"]
    missed = not_reproduced(claims)
    if missed:
        sentences.append(missed)

    small = [one for one in experiments if one["changed"]]
    if small:
        these = "It is" if len(experiments) == 1 else f"{len(small)} of them are"
        sentences.append(f"{these} not at the paper's scale, so that verdicts may differ.")

    return sentences


def not_reproduced(claims: Sequence[ClaimEntry]) -> str:
    """The claims of papers that did not reproduce, in a sentence; empty where all did.

    Example:
        >>> not_reproduced([{"id": "p/x/low", "verdict": "not reproduced", "kind": "paper"}])
        'Not reproduced: p/x/low.'
    """
    missed = [claim["id"] for claim in claims if group_of(claim) == "not reproduced"]
    if not missed:
        return ""

    return f"Not reproduced: {join_words(first_few(missed, MOST_NAMED))}."
