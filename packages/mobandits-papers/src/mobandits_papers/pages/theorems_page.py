"""The page of theorem checks: counts of every statement, and the regret beside its bounds."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mobandits.figures.formatting import join_words
from mobandits.figures.page import Picture, Table, draw_picture
from mobandits.figures.provenance import Fact, Provenance
from mobandits.figures.words import Definition, definitions
from mobandits.support.naming import quantity
from mobandits_papers.formulas.prose import with_formulas
from mobandits_papers.pages.regret_bounds import bounds_data, bounds_rows, draw_bounds
from mobandits_papers.pages.rendering import render
from mobandits_papers.protocol.files import TheoremChecks
from mobandits_papers.protocol.protocol import Count

RUN = Definition("run", "one problem, played from the first round to the last")
HEADER = ("statement", "kind", "holds", "false\nof cases", "allowed\nruns", "largest\nratio")
NOT_SO = "no"
IN_DOUBT = "in doubt"
# What a reader looks for comes first.
ORDER = {NOT_SO: 0, IN_DOUBT: 1}
TABLE_CAPTION = (
    "What does not hold comes first, then the paper's order. A case is a round; an event or an "
    "expectation has one per run. Up to so many failing runs of an event as are allowed agree with "
    "its promise. The largest ratio is that of the two sides: above 1 a bound is false."
)
CAPTION = (
    "Regret beside its bound, on logarithmic axes: the mean and the largest of the runs in which "
    "the event holds, and the mean of the bound."
)


@dataclass(frozen=True)
class TheoremSection:
    """What the page shows of one paper.

    Args:
        checks: of the paper.
        counts: one row per statement.
        bounds: the regret beside its bounds; None where the paper has no bounds.
    """

    checks: TheoremChecks
    counts: Table
    bounds: Picture | None


@dataclass(frozen=True)
class TheoremsPage:
    """What `theorems.html` shows.

    Args:
        title: of the page.
        findings: whether everything is as the theory says.
        words: that the page uses.
        papers: in alphabetical order.
        kinds: (kind of statement, when it holds).
        provenance: of all papers.
    """

    title: str
    findings: Sequence[str]
    words: Sequence[Definition]
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
    for paper, own in sorted(checks.items()):
        kinds |= own.kinds
        facts.append((paper, _origin(own)))
        sections.append(theorem_section(directory / "figures", own))

    page = TheoremsPage(
        title="Theorem checks",
        findings=[finding(own) for _, own in sorted(checks.items())],
        words=[RUN, *definitions("regret")],
        papers=sections,
        kinds=list(kinds.items()),
        provenance=Provenance(facts),
    )

    return render("theorems.html", page)


def finding(checks: TheoremChecks) -> str:
    """Whether a paper's statements hold, in a sentence with its numbers.

    Example:
        >>> count = Count("p2018", "bound", "a bound", "s", 3, 30, 0, 0.0, 0.0, 0.5, True)
        >>> finding(TheoremChecks("p2018", {}, 3, 0, True, {}, [count], None))
        'p2018: 1 statement in 3 runs, all as the theory says.'
    """
    counts = checks.counts
    statements = quantity(len(counts), "statement")
    runs = quantity(checks.runs, "run")
    checked = f"{checks.paper}: {statements} in {runs}"
    wrong = _named_so(counts, NOT_SO)
    doubtful = _named_so(counts, IN_DOUBT)
    if wrong:
        return f"{checked}; not as the theory says: {join_words(wrong)}."
    if doubtful:
        return f"{checked}, all as the theory says but {join_words(doubtful)}."

    return f"{checked}, all as the theory says."


def _named_so(counts: Sequence[Count], answer: str) -> list[str]:
    return [count.name for count in counts if holds_in_words(count) == answer]


def holds_in_words(count: Count) -> str:
    """Whether a statement holds; a bound that is in doubt may fail."""
    if count.holds:
        return "yes"
    return IN_DOUBT if count.kind == "doubted" else NOT_SO


def theorem_section(figures: Path, checks: TheoremChecks) -> TheoremSection:
    """What the page shows of one paper.

    Args:
        figures: where the files of its figure are written.
        checks: of the paper.
    """
    paper = checks.paper
    # A sort keeps the paper's order among equals.
    counts = sorted(checks.counts, key=lambda count: ORDER.get(holds_in_words(count), 2))
    table = Table(HEADER, [_count_row(count) for count in counts], TABLE_CAPTION)
    bounds = None
    if not checks.curves.is_empty():
        data = bounds_data(bounds_rows(checks.curves))
        draw = functools.partial(draw_bounds, data)
        alt = f"The regret of {paper}'s policies beside its bounds; the table has the ratios."
        bounds = draw_picture(draw, figures, paper, alt, CAPTION, data)

    return TheoremSection(checks, table, bounds)


def _count_row(count: Count) -> list[str]:
    # Only an event may fail now and then; of a bound that is in doubt nothing is asked.
    allowed = f"{count.allowed:.1f}" if count.kind == "event" else "–"

    return [
        with_formulas(f"{count.name} ({count.source})"),
        count.kind,
        holds_in_words(count),
        f"{count.broken:,} of {count.cases:,}",
        allowed,
        f"{count.closest:.3g}",
    ]


def _origin(checks: TheoremChecks) -> str:
    versions = [f"{name} {version}" for name, version in checks.versions.items()]
    runs = f"{checks.runs} runs, seed {checks.seed}"

    return f"{runs}; with {', '.join(versions)}"
