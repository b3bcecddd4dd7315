"""The page of any run: a figure per metric, a table of what came out, and how it was made."""

import functools
import math
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.figures.formatting import component_name, format_number
from mobandits.figures.metric_curves import curves_data, draw_curves, spoken
from mobandits.figures.page import grid, page, picture
from mobandits.figures.provenance import provenance
from mobandits.statistics.bands import bands


def final_rows(table: pl.DataFrame, metric: str) -> list[list[str]]:
    """What one metric came to: a row of HTML cells per environment, policy and component, all with as many decimals.

    A row that ended earlier than others of its environment says in which round.
    """
    measured = table.filter(pl.col("metric") == metric)
    end = pl.col("round").max()
    last = measured.filter(pl.col("round") == end.over("environment", "policy")).with_columns(
        early=pl.col("round") < end.over("environment")
    )
    several = last["component"].n_unique() > 1, last["environment"].n_unique() > 1
    rows = bands(last, ["environment", "policy", "component", "round", "early"]).rows()
    largest = max((abs(end) for row in rows for end in row[5:8] if math.isfinite(end)), default=1.0)
    digits = min(max(5 - math.floor(math.log10(largest or 1.0)), 0), 6)
    kind = component_name(metric)
    cells = []
    for environment, policy, component, at, early, mean, low, high, trials in rows:
        name = f"{policy}, {kind} {component}" if several[0] else policy
        place = f" in {environment}" if several[1] else ""
        when = f" at round {at:,}" if early else ""
        ends = [format_number(end, digits) for end in (low, high)] if trials > 1 else ["", ""]
        cells.append([escape(name + place + when), format_number(mean, digits), *ends, str(trials)])
    return cells


def run_page(directory: Path, table: pl.DataFrame, manifest: dict[str, Any]) -> str:
    """Write the figures of a run, and make its page.

    Args:
        directory: of the run; the figures go to its folder `figures`.
        table: its rows.
        manifest: its manifest.
    """
    experiment = str(table["experiment"][0])
    rounds = table["round"].to_numpy().max()
    environments = ", ".join(table["environment"].unique(maintain_order=True))
    trials = table["trial"].n_unique()
    lead = (
        f"{table['policy'].n_unique()} policies in <code>{escape(environments)}</code>: {trials} trials of {rounds:,} "
        "rounds. Lines are means over the trials; bands and intervals are 95 % confidence intervals of these means."
    )
    body = [f"<h1>{escape(experiment)}</h1>", f'<p class="lead">{lead}</p>']
    for metric in table["metric"].unique(maintain_order=True):
        said = spoken(metric)[0].upper() + spoken(metric)[1:]
        data = curves_data(table, metric)
        draw = functools.partial(draw_curves, data, spoken(metric), "round")
        alt = f"{said} of every policy over the rounds; the table below has the values at the end."
        header = ["policy", "mean", "95 % from", "to", "trials"]
        body += [
            f"<h2>{escape(said)}</h2>",
            picture(
                draw,
                directory / "figures",
                metric,
                alt,
                f"{escape(said)}: means over {trials} trials, with 95 % bands.",
            ),
            grid(header, final_rows(table, metric), f"{escape(said)} at round {rounds:,}"),
        ]
    return page(experiment, body + provenance(manifest))
