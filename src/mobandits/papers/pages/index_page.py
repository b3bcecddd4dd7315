"""The page above several reproduced experiments: every claim with its verdict."""

from collections.abc import Mapping
from html import escape
from typing import Any

from mobandits.figures.formatting import join_words, quantity
from mobandits.figures.page import grid, page
from mobandits.figures.provenance import machine_and_time
from mobandits.papers.pages.claim_counts import HEADER, MEANING, by_paper, counted
from mobandits.papers.pages.paper_page import claims_table


def index_page(manifest: dict[str, Any], claims: list[dict[str, Any]]) -> str:
    """The index.

    Args:
        manifest: of the folder above the experiments.
        claims: of all of them.
    """
    experiments = manifest["specification"]["experiments"]
    rows = []
    for one in experiments:
        own = [claim for claim in claims if claim["id"].rpartition("/")[0] == one["experiment"]]
        link = f'<a href="runs/{escape(one["experiment"])}/report.html">{escape(one["experiment"])}</a>'
        smaller = (
            f"<br><strong>Not at the paper's scale: {escape(scale_of(one))}.</strong>"
            if one["changed"]
            else ""
        )
        rows.append(
            [
                f"{link}<br>{escape(one['title'])}{smaller}",
                escape(counted(own)) if own else "",
                f"{one['seconds']:.0f} s",
            ]
        )
    lead = f"{len(experiments)} experiments, {len(claims)} claims: {counted(claims)}"
    body = [
        "<h1>Reproduced experiments</h1>",
        f'<p class="lead">{escape(lead)}</p>',
        grid(HEADER, by_paper(claims, experiments)),
        f"<p>{escape(MEANING)}</p>",
        grid(["experiment", "claims", "time"], rows),
        "<h2>All claims</h2>",
        claims_table(claims, "runs/{}/report.html"),
        *machine_and_time(manifest),
    ]
    return page("Reproduced experiments", body)


def scale_of(experiment: Mapping[str, Any]) -> str:
    """What was asked for in place of an experiment's own scale.

    Example:
        >>> scale_of({"changed": {"rounds": 50, "trials": 2}})
        '50 rounds and 2 trials'
    """
    return join_words(
        [quantity(value, name.removesuffix("s")) for name, value in experiment["changed"].items()]
    )
