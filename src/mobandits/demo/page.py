"""The page of the demonstration: what was found, the figures that show it, and how far to trust them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.demo.context_gain import draw_context_gain
from mobandits.demo.cost_quality import draw_cost_quality
from mobandits.demo.deployed import Deployed, budget_results
from mobandits.demo.deployment_figure import draw_deployment
from mobandits.demo.findings import Finding, about_deployment
from mobandits.demo.model_use import draw_use, use_data
from mobandits.demo.numbers import SHOWN, Numbers, findings_of, numbers
from mobandits.demo.tables import (
    coin_table,
    context_table,
    deployment_table,
    policy_table,
)
from mobandits.errors import FolderError
from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import join_words, money
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.provenance import Provenance, provenance
from mobandits.figures.words import Definition, definitions

DEPLOYMENTS = "deployments.parquet"
TITLE = "Which model should answer this prompt?"
WORDS = (
    Definition("mixture, or coin", "a model drawn for every prompt without looking at it"),
    Definition("policy, or learner", "what chooses a model by the prompt's text"),
    Definition("regret", "the sum over prompts of how far another model's answer was better"),
)
REGRETS = {"pareto_regret": "Pareto regret", "effective_pareto_regret": "effective Pareto regret"}


@dataclass(frozen=True)
class DemoPage:
    """What `demo.html` shows; the words that do not depend on numbers are in the template.

    Args:
        title: of the page.
        models: their names.
        rounds: prompts of a trial.
        trials: how many there are.
        price_ratio: of the dearest model to the cheapest.
        deployment: what to deploy, what it costs, how sure.
        words: that the page uses.
        deployed: policies that learned from a log, and mixtures of models, in the plane of cost and
            quality.
        budgets: the table of the same.
        logs: how many logs there are.
        first: prompts of the log.
        second: prompts after it.
        findings: of the hard case, most useful first.
        cost_quality: what policies cost and deliver.
        context_gain: what the text added, weight by weight.
        regret: over time.
        model_use: which model is used how often.
        policies: the table of all policies.
        readings: the table of one learner, read with several weights.
        context: the table of what the text added.
        constants: sentences on how they were chosen.
        best: the policy of the comparison without context.
        balanced: those that it was chosen from.
        provenance: of the table.
    """

    title: str
    models: Sequence[str]
    rounds: int
    trials: int
    price_ratio: float
    deployment: Finding
    words: Sequence[Definition]
    deployed: Picture
    budgets: Table
    logs: int
    first: int
    second: int
    findings: Sequence[Finding]
    cost_quality: Picture
    context_gain: Picture
    regret: Picture
    model_use: Picture
    policies: Table
    readings: Table
    context: Table
    constants: Sequence[str]
    best: str
    balanced: Sequence[str]
    provenance: Provenance


def demo_page(directory: Path, table: pl.DataFrame, manifest: Manifest) -> str:
    """Write the figures of the demonstration, and make its page.

    Args:
        directory: of the demonstration, with its table of deployments; the figures go to its folder
            `figures`.
        table: its rows.
        manifest: its manifest.
    """
    specification = manifest["specification"]
    data = numbers(table, specification)
    with_text = table.filter(pl.col("environment") == specification["text"])
    figures = directory / "figures"
    deployments = read_deployments(directory)
    results = budget_results(deployments, specification["seed"])
    page = DemoPage(
        title=TITLE,
        models=specification["models"],
        rounds=specification["rounds"],
        trials=specification["trials"],
        price_ratio=price_ratio(data),
        deployment=about_deployment(results),
        words=[*WORDS, *definitions("interval", "trial")],
        deployed=deployment_picture(figures, deployments, results),
        budgets=deployment_table(results, specification["logs"]),
        logs=specification["logs"],
        first=specification["first"],
        second=specification["second"],
        findings=findings_of(data),
        cost_quality=cost_quality_picture(figures, data),
        context_gain=context_gain_picture(figures, data),
        regret=regret_picture(figures, with_text, data),
        model_use=model_use_picture(figures, with_text, data, specification),
        policies=policy_table(data),
        readings=coin_table(data),
        context=context_table(data),
        constants=specification["constants"],
        best=specification["best"],
        balanced=specification["balanced"],
        provenance=provenance(manifest),
    )

    return render("demo.html", page)


def read_deployments(directory: Path) -> pl.DataFrame:
    """The table of deployments.

    Raises:
        FolderError: where there is none, as in folders of earlier versions.
    """
    file = directory / DEPLOYMENTS
    if not file.exists():
        raise FolderError(f"{directory} has no {DEPLOYMENTS}: run mobandits demo into it again")
    return pl.read_parquet(file)


def price_ratio(data: Numbers) -> float:
    """How many times the price of the cheapest model the dearest one costs."""
    models = data.points.filter(pl.col("role") == "model")
    dollars = models.group_by("policy").agg(pl.col("dollars").mean())["dollars"].to_list()
    return float(max(dollars) / min(dollars))


def deployment_picture(figures: Path, table: pl.DataFrame, results: Sequence[Deployed]) -> Picture:
    """What deployed policies cost and deliver; its text lists all points."""
    points = [
        f"with ${result.budget:g} quality {result.quality.mean:.3f}, "
        f"mixtures {result.bound:.3f} for the same money"
        for result in results
    ]
    alt = f"Dollars per 1,000 prompts against mean quality: {'; '.join(points)}."

    return draw_picture(
        lambda width: draw_deployment(table, results, width), figures, "deployment", alt
    )


def cost_quality_picture(figures: Path, data: Numbers) -> Picture:
    """The plane of cost and quality; its text for those who cannot see it lists all points."""
    shown = data.points.filter(pl.col("role").is_in(SHOWN))
    means = shown.group_by("policy", maintain_order=True).agg(pl.col("dollars", "quality").mean())
    places = []
    for name, dollars, quality in means.rows():
        places.append(f"{name}: {money(dollars)}, quality {quality:.3f}")

    alt = f"Dollars per 1,000 prompts against mean quality. {'; '.join(places)}."

    return draw_picture(
        lambda width: draw_cost_quality(data.points, width), figures, "cost_quality", alt
    )


def context_gain_picture(figures: Path, data: Numbers) -> Picture:
    """What the text added, weight by weight."""
    gains = []
    for weight, mean in data.text.select("weight", "mean").rows():
        gains.append(f"{mean:+.4f} at {weight:g}")

    alt = (
        "Score with the text less score without it, by weight of quality, "
        f"over all prompts: {', '.join(gains)}."
    )

    return draw_picture(
        lambda width: draw_context_gain(data.text, data.text_late, width),
        figures,
        "context_gain",
        alt,
    )


def regret_picture(figures: Path, table: pl.DataFrame, data: Numbers) -> Picture:
    """Both regrets over time, a panel each."""
    policies = data.rows.filter(pl.col("role").is_in(SHOWN))["policy"].to_list()
    shown = table.filter(pl.col("policy").is_in(policies))
    panels = []
    for metric, title in REGRETS.items():
        panels.append(curves_data(shown, metric).with_columns(panel=pl.lit(title)))

    curves = pl.concat(panels)
    alt = "Two panels of regret over the prompts; the table of policies has the values at the end."

    return draw_picture(
        lambda width: draw_curves(curves, "regret so far", "prompts so far", width),
        figures,
        "regret",
        alt,
        data=curves,
    )


def model_use_picture(
    figures: Path, table: pl.DataFrame, data: Numbers, specification: dict[str, Any]
) -> Picture:
    """Which model is used how often, a panel per learner."""
    models = specification["models"]
    learners = data.rows.filter(pl.col("role") == "learner")["policy"].to_list()
    shares = use_data(table, learners)
    alt = f"Shares of {join_words(models)} over the prompts, a panel per learner."

    return draw_picture(lambda width: draw_use(shares, models, width), figures, "model_use", alt)
