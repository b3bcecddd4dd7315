"""The page of the demonstration: a figure, a table, a sentence, and how to go on."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.errors import FolderError
from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import format_number, plus_minus
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.provenance import Provenance, provenance
from mobandits_papers.demo.figure import draw_budgets
from mobandits_papers.demo.results import Point, budget_results, mixture_line, model_points
from mobandits_papers.pages import TEMPLATES
from mobandits_papers.paretobandit2026.source import money

FIGURE = "budgets"
CSV = "budgets.csv"
TITLE = "Which model should answer this prompt?"
HEADER = (
    "budget",
    "router,\nquality",
    "best fixed\nmixture",
    "ParetoBandit,\npublished",
    "router, spent\n(worst log)",
    "ParetoBandit,\nspent",
)

CAPTION = (
    "Budgets are US dollars per 1,000 prompts, and what was spent is a share of them. Quality ± half "
    "of its 95 % interval over logs, which all play the same prompts."
)


@dataclass(frozen=True)
class DemoPage:
    """What `demo.html` shows.

    Args:
        title: of the page.
        price_ratio: of the dearest model to the cheapest.
        specification: of the manifest.
        picture: of cost and quality.
        budgets: the table of the same.
        sentence: what came out.
        router_budget: of the router in a file, in words.
        decision_budget: the same in US dollars per decision.
        provenance: of the table.
    """

    title: str
    price_ratio: float
    specification: dict[str, Any]
    picture: Picture
    budgets: Table
    sentence: str
    router_budget: str
    decision_budget: str
    provenance: Provenance


def demo_page(directory: Path, table: pl.DataFrame, manifest: Manifest) -> str:
    """Write the figure and the numbers of the demonstration, and make its page.

    Args:
        directory: of the demonstration, for `budgets.csv` and `figures/`.
        table: its rows.
        manifest: its manifest.

    Raises:
        FolderError: where an earlier version wrote the folder.
    """
    specification = manifest["specification"]
    if "budgets" not in specification:
        raise FolderError(
            f"{directory} holds a demonstration of an earlier version: run mobandits demo into "
            "another folder"
        )

    results = budget_results(table, specification["budgets"])
    results.write_csv(directory / CSV)
    models = model_points(table)
    costs = [dollars for dollars, _ in models.values()]
    router_budget = specification["router"]["budget"]
    page = DemoPage(
        title=TITLE,
        price_ratio=max(costs) / min(costs),
        specification=specification,
        picture=budgets_picture(directory / "figures", results, models),
        budgets=budgets_table(results),
        sentence=sentence_of(results),
        router_budget=money(router_budget),
        decision_budget=f"{router_budget / 1000.0:g}",
        provenance=provenance(manifest),
    )

    return render("demo.html", page, TEMPLATES)


def budgets_picture(figures: Path, results: pl.DataFrame, models: Mapping[str, Point]) -> Picture:
    """The plane of cost and quality; its text for those who cannot see it lists the budgets."""
    mixtures = mixture_line(list(models.values()))
    draw = functools.partial(draw_budgets, results, models, mixtures)
    listed = [
        f"with ${row['budget']:g} the router {row['quality']:.3f}, the mixture "
        f"{row['mixture']:.3f}, ParetoBandit {row['published']:.3f}"
        for row in results.iter_rows(named=True)
    ]
    alt = f"Dollars per 1,000 prompts against mean quality: {'; '.join(listed)}."

    return draw_picture(draw, figures, FIGURE, alt)


def budgets_table(results: pl.DataFrame) -> Table:
    """A row per budget."""
    rows = [
        (
            f"${row['budget']:g}",
            plus_minus(row["quality"], row["low"], row["high"], 4),
            f"{row['mixture']:.4f}",
            f"{row['published']:.3f}",
            f"{row['spent']:.3f} ({row['most_spent']:.3f})",
            f"{row['published_spent']:.2f}",
        )
        for row in results.iter_rows(named=True)
    ]

    return Table(HEADER, rows, CAPTION)


def sentence_of(results: pl.DataFrame) -> str:
    """What came out, in a sentence."""
    above_mixture = _range_above(results, "mixture")
    above_published = _range_above(results, "published")
    spent = max(results["spent"])
    most = max(results["most_spent"])

    return (
        f"Across the budgets, the router’s quality is {above_mixture} above the best fixed mixture "
        f"and {above_published} above ParetoBandit’s published numbers; it spends at most "
        f"{spent:.3f} of the budget in the mean and {most:.3f} in the worst log."
    )


def _range_above(results: pl.DataFrame, name: str) -> str:
    """By how much the router's quality is above another one."""
    differences = results["quality"] - results[name]
    least = format_number(min(differences), 3)
    most = format_number(max(differences), 3)
    return f"{least} to {most}"
