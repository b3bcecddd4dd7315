"""The page of the demonstration: what was found, the figures that show it, and how far to trust them."""

from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.demo import prose
from mobandits.demo.context_gain import draw_context_gain
from mobandits.demo.cost_quality import draw_cost_quality
from mobandits.demo.model_use import draw_use, use_data
from mobandits.demo.numbers import SHOWN, Numbers, findings_of, numbers
from mobandits.demo.tables import coin_table, context_table, policy_table
from mobandits.figures.formatting import join_words, money
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.page import page, picture
from mobandits.figures.provenance import provenance

TITLE = "Which model should answer this prompt?"
REGRETS = {"pareto_regret": "Pareto regret", "effective_pareto_regret": "effective Pareto regret"}


def demo_page(directory: Path, table: pl.DataFrame, manifest: dict[str, Any]) -> str:
    """Write the figures of the demonstration, and make its page.

    Args:
        directory: of the demonstration; the figures go to its folder `figures`.
        table: its rows.
        manifest: its manifest.
    """
    data = numbers(table, manifest["specification"])
    here = table.filter(pl.col("environment") == data.said["text"])
    place = directory / "figures"
    body = [
        f"<h1>{TITLE}</h1>",
        lead(data),
        main_findings(data),
        "<h2>What it costs, what it delivers</h2>",
        plane(place, data),
        "<h2>Did context help?</h2>",
        context(place, data),
        "<h2>Regret over time</h2>",
        regret(place, here, data),
        "<h2>Which model is used how often</h2>",
        use(place, here, data),
        "<h2>How to read a regret</h2>",
        prose.READING,
        "<h2>The numbers</h2>",
        policy_table(data),
        coin_table(data),
        context_table(data),
        "<h2>What was played</h2>",
        setting(data),
        "<h2>How far to trust this</h2>",
        limits(data),
    ]
    return page(TITLE, body + provenance(manifest))


def lead(data: Numbers) -> str:
    """The problem in two sentences."""
    dollars = (
        data.points.filter(pl.col("role") == "model")
        .group_by("policy")
        .agg(pl.col("dollars").mean())["dollars"]
    )
    return prose.LEAD.format(count=len(dollars), ratio=max(dollars) / min(dollars))


def main_findings(data: Numbers) -> str:
    """What was found, as a list."""
    items = "".join(
        f"<li><b>{finding.headline}</b> {finding.text}</li>" for finding in findings_of(data)
    )
    return f'<ul class="findings">{items}</ul>'


def plane(place: Path, data: Numbers) -> str:
    """Cost and quality."""
    shown = data.points.filter(pl.col("role").is_in(SHOWN)).group_by("policy", maintain_order=True)
    rows = shown.agg(pl.col("dollars", "quality").mean()).rows()
    places = "; ".join(
        f"{name}: {money(dollars)}, quality {quality:.3f}" for name, dollars, quality in rows
    )
    alt = f"Dollars per 1,000 prompts against mean quality. {places}."
    caption = prose.PLANE.format(rounds=data.said["rounds"])
    return picture(
        lambda width: draw_cost_quality(data.points, width), place, "cost_quality", alt, caption
    )


def context(place: Path, data: Numbers) -> str:
    """What the text added, weight by weight."""
    values = ", ".join(
        f"{mean:+.4f} at {weight:g}" for weight, mean in data.text.select("weight", "mean").rows()
    )
    alt = f"Score with the text less score without it, by weight of quality, over all prompts: {values}."
    draw = draw_context_gain
    return picture(
        lambda width: draw(data.text, data.text_late, width),
        place,
        "context_gain",
        alt,
        prose.CONTEXT,
    )


def regret(place: Path, table: pl.DataFrame, data: Numbers) -> str:
    """Both regrets over time."""
    shown = table.filter(
        pl.col("policy").is_in(data.rows.filter(pl.col("role").is_in(SHOWN))["policy"].to_list())
    )
    curves = pl.concat(
        curves_data(shown, metric).with_columns(panel=pl.lit(said))
        for metric, said in REGRETS.items()
    )
    alt = "Two panels of regret over the prompts; the table of policies has the values at the end."
    said = ("regret so far", "prompts so far")
    return picture(
        lambda width: draw_curves(curves, *said, width), place, "regret", alt, prose.REGRET
    )


def use(place: Path, table: pl.DataFrame, data: Numbers) -> str:
    """Which model is used how often."""
    shares = use_data(table, data.rows.filter(pl.col("role") == "learner")["policy"].to_list())
    models = data.said["models"]
    alt = f"Shares of {join_words(models)} over the prompts, a panel per learner."
    return picture(
        lambda width: draw_use(shares, models, width), place, "model_use", alt, prose.USE
    )


def setting(data: Numbers) -> str:
    """What was played, by whom, and with which constants."""
    constants = "".join(f"<li>{escape(text)}</li>" for text in data.said["constants"])
    models = escape(join_words(data.said["models"]))
    rounds = data.said["rounds"]
    trials = data.said["trials"]
    return prose.SETTING.format(models=models, rounds=rounds, trials=trials, constants=constants)


def limits(data: Numbers) -> str:
    """How far to trust it."""
    return prose.LIMITS.format(
        best=escape(data.said["best"]), balanced=escape(join_words(data.said["balanced"]))
    )
