"""The page of theorem checks: counts of every statement, and the regret beside its bounds."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mobandits.figures.formulas import with_formulas
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.provenance import Fact, Provenance
from mobandits.papers.contents import TheoremCount, TheoremSummary
from mobandits.papers.pages.regret_bounds import draw_bounds
from mobandits.papers.pages.statements import Statement, statements
from mobandits.papers.protocol.files import TheoremChecks

HEADER = (
    "statement",
    "source",
    "kind",
    "runs",
    "cases",
    "false",
    "allowed",
    "largest ratio",
    "holds",
)
CAPTION = (
    "Regret beside its bound, on logarithmic axes: the mean and the largest of the runs in which "
    "the event holds, and the mean of the bound."
)


@dataclass(frozen=True)
class TheoremSection:
    """What the page shows of one paper.

    Args:
        paper: its key.
        runs: how many there were.
        holds: whether everything is as the theory says.
        counts: one row per statement.
        bounds: the regret beside its bounds; None where the paper has no bounds.
        statements: what the theorems say, with formulas.
    """

    paper: str
    runs: int
    holds: bool
    counts: Table
    bounds: Picture | None
    statements: Sequence[Statement]


@dataclass(frozen=True)
class TheoremsPage:
    """What `theorems.html` shows.

    Args:
        title: of the page.
        papers: in alphabetical order.
        kinds: (kind of statement, when it holds).
        provenance: of all papers.
    """

    title: str
    papers: Sequence[TheoremSection]
    kinds: Sequence[tuple[str, str]]
    provenance: Provenance


def theorems_page(directory: Path, checks: Mapping[str, TheoremChecks]) -> str:
    """Write the figures of theorem checks, and make their page.

    Args:
        directory: that holds them; the figures go to its folder `figures`.
        checks: {paper: findings}, at least one.
    """
    # A kind means the same in all papers.
    kinds: dict[str, str] = {}
    facts: list[Fact] = []
    sections = []
    for paper in sorted(checks):
        summary = checks[paper].summary
        kinds |= summary["kinds"]
        facts.append((paper, _origin(summary)))
        sections.append(theorem_section(directory / "figures", checks[paper]))

    page = TheoremsPage("Theorem checks", sections, list(kinds.items()), Provenance(facts))

    return render("theorems.html", page)


def theorem_section(figures: Path, checks: TheoremChecks) -> TheoremSection:
    """What the page shows of one paper.

    Args:
        figures: where the files of its figure are written.
        checks: of the paper.
    """
    summary = checks.summary
    paper = summary["paper"]
    rows = [_count_row(count) for count in summary["counts"]]
    bounds = None
    if not checks.curves.is_empty():
        draw = functools.partial(draw_bounds, checks.curves)
        alt = f"The regret of {paper}'s policies beside its bounds; the table has the ratios."
        bounds = draw_picture(draw, figures, paper, alt, CAPTION)

    counts = Table(HEADER, rows)

    return TheoremSection(
        paper, summary["runs"], summary["holds"], counts, bounds, statements(paper)
    )


def _count_row(count: TheoremCount) -> list[str]:
    # Only an event may fail now and then; of a bound that is in doubt nothing is asked.
    allowed = f"{count['allowed']:.1f}" if count["kind"] == "event" else "–"
    holds = "yes" if count["holds"] else "no"
    if count["kind"] == "doubted" and not count["holds"]:
        holds = "in doubt"

    return [
        with_formulas(count["name"]),
        count["source"],
        count["kind"],
        f"{count['runs']:,}",
        f"{count['cases']:,}",
        f"{count['broken']:,}",
        allowed,
        f"{count['closest']:.3g}",
        holds,
    ]


def _origin(summary: TheoremSummary) -> str:
    versions = []
    for name, version in summary["versions"].items():
        versions.append(f"{name} {version}")

    runs = f"{summary['runs']} runs, seed {summary['seed']}"

    return f"{runs}; with {', '.join(versions)}"
