"""The page above several reproduced experiments: every claim with its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.figures.contents import Manifest
from mobandits.figures.page import Table, render
from mobandits.figures.provenance import Provenance, machine_and_time
from mobandits.papers.contents import ClaimEntry, ExperimentSummary
from mobandits.papers.pages.claim_counts import HEADER, MEANING, by_paper, counted
from mobandits.papers.pages.claim_texts import ClaimRow, claim_rows
from mobandits.papers.pages.scale import scale_of

TITLE = "Reproduced experiments"
LINK = "runs/{}/report.html"  # from the folder above the experiments to the page of one


@dataclass(frozen=True)
class ExperimentRow:
    """An experiment in the table of the index.

    Args:
        experiment: its ID.
        link: the address of its page.
        title: a line on it.
        changed: what was asked for in place of its own scale; empty: nothing.
        counts: how many of its claims came to what; empty: it has none.
        seconds: of its runs.
    """

    experiment: str
    link: str
    title: str
    changed: str
    counts: str
    seconds: float


@dataclass(frozen=True)
class IndexPage:
    """What `experiments.html` shows.

    Args:
        title: of the page.
        lead: how many experiments and claims there are.
        counts: claims by paper and kind.
        meaning: of the kinds.
        experiments: in the order of the catalogue.
        claims: of all experiments.
        provenance: of the table.
    """

    title: str
    lead: str
    counts: Table
    meaning: str
    experiments: Sequence[ExperimentRow]
    claims: Sequence[ClaimRow]
    provenance: Provenance


def index_page(manifest: Manifest, claims: Sequence[ClaimEntry]) -> str:
    """The index.

    Args:
        manifest: of the folder above the experiments.
        claims: of all of them.
    """
    experiments: list[ExperimentSummary] = manifest["specification"]["experiments"]
    numbers = f"{len(experiments)} experiments, {len(claims)} claims"
    page = IndexPage(
        title=TITLE,
        lead=f"{numbers}: {counted(claims)}",
        counts=Table(HEADER, by_paper(claims, experiments)),
        meaning=MEANING,
        experiments=[experiment_row(one, claims) for one in experiments],
        claims=claim_rows(claims, LINK),
        provenance=Provenance(machine_and_time(manifest)),
    )

    return render("experiments.html", page)


def experiment_row(experiment: ExperimentSummary, claims: Sequence[ClaimEntry]) -> ExperimentRow:
    """The row of one experiment.

    Args:
        experiment: of the manifest.
        claims: of all experiments.
    """
    name = experiment["experiment"]
    changed = experiment["changed"]
    # The ID of a claim begins with that of its experiment.
    own = [claim for claim in claims if claim["id"].rpartition("/")[0] == name]

    return ExperimentRow(
        experiment=name,
        link=LINK.format(name),
        title=experiment["title"],
        changed=scale_of(changed) if changed else "",
        counts=counted(own) if own else "",
        seconds=experiment["seconds"],
    )
