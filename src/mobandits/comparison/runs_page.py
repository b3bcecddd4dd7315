"""The page that compares finished runs: final values side by side, curves, and what differs."""

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from mobandits.comparison.findings import main_metric
from mobandits.comparison.runs import final_values, run_differences
from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import (
    UNKNOWN,
    axis_title,
    component_name,
    join_words,
    p_text,
    title_of,
)
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.metric_tables import mean_cell, plain_cell
from mobandits.figures.page import Table, draw_picture, render
from mobandits.figures.provenance import Provenance, RunFacts, provenance
from mobandits.figures.run_page import MetricSection, run_title
from mobandits.figures.style import DASHES, looks
from mobandits.metrics.traits import traits_of
from mobandits.support.naming import quantity, shortened

MOST_RUNS = len(DASHES)  # that a figure tells apart
HOW = "± is half of a 95 % interval"
VERDICT = "The last column says what is significant at 5 % after Holm's correction over all rows."
DASHED = "A colour is a policy; lines of A are solid, those of other runs are not."


class Run(NamedTuple):
    """A finished run.

    Attributes:
        name: a letter, on the page.
        folder: it.
        table: its rows.
        manifest: its manifest.
    """

    name: str
    folder: Path
    table: pl.DataFrame
    manifest: Manifest

    @property
    def facts(self) -> RunFacts:
        """Its specification as texts, with its letter and its folder."""
        (facts,) = provenance(self.manifest).runs
        return dataclasses.replace(facts, title=f"{self.name}: {facts.title} ({self.folder})")

    def names(self, column: str) -> list[str]:
        """The policies, metrics or rounds of its table, in order."""
        return self.table[column].unique(maintain_order=True).to_list()

    def description(self) -> dict[str, str]:
        """Everything that decided or computed its table, and the digest of it."""
        facts = self.facts
        policies = {f"policy {name}": recipe for name, recipe in facts.policies}
        digest = self.manifest.get("results_sha256", UNKNOWN)
        computed = self.manifest["versions"] | self.manifest["machine"]

        return {**dict(facts.settings), **policies, **computed, "SHA-256 of the table": digest}


@dataclass(frozen=True)
class RunsPage:
    """The content of `runs.html`.

    Args:
        title: what was measured, of which policies, where.
        names: of the runs.
        notes: sentences on how runs are compared, and what only some of them have.
        metrics: that all runs have; a table per run but the first.
        differences: of the descriptions: what, and the text of each run.
        provenance: the specifications of all runs.
    """

    title: str
    names: Sequence[str]
    notes: Sequence[str]
    metrics: Sequence[MetricSection]
    differences: Sequence[Sequence[str]]
    provenance: Provenance


def common_names(runs: Sequence[Run], column: str) -> list[str]:
    """The policies, metrics or rounds that all runs have, in the order of the first one.

    Args:
        runs: to be compared.
        column: "policy", "metric" or "round".
    """
    first, *others = runs
    common = first.names(column)
    for other in others:
        own = other.names(column)
        common = [name for name in common if name in own]

    return common


def runs_page(directory: Path, runs: Sequence[Run]) -> str:
    """Draw the curves of several runs, and make the page that compares them.

    Args:
        directory: the figures go to its folder `figures`.
        runs: at least two, with a common policy, metric and round.
    """
    first, *others = runs
    policies = common_names(runs, "policy")
    metrics = common_names(runs, "metric")
    is_common = pl.col("metric").is_in(metrics)
    main = main_metric(first.table.filter(is_common))
    titles = []
    for run in runs:
        place = run.manifest["specification"]["environment"]
        title = run_title(main, policies, place)
        if title not in titles:
            titles.append(title)

    count = quantity(len(runs), "run")
    figures = directory / "figures"
    pairing = [pairing_sentence(first, other) for other in others]
    rest = [sentence_on_the_rest(runs, column) for column in ("policy", "metric")]
    page = RunsPage(
        title=f"{count} compared: {join_words(titles)}",
        names=[run.name for run in runs],
        notes=[*pairing, *filter(None, rest)],
        metrics=[metric_section(figures, runs, policies, metric) for metric in metrics],
        differences=description_differences(runs),
        provenance=Provenance([], [run.facts for run in runs]),
    )

    return render("runs.html", page)


def is_paired(first: Run, other: Run) -> bool:
    """Whether two runs have drawn the same problems and rounds, trial by trial."""
    one = first.manifest["specification"]
    two = other.manifest["specification"]
    return bool(one["environment"] == two["environment"] and one["seed"] == two["seed"])


def pairing_sentence(first: Run, other: Run) -> str:
    """Sentence on how two runs are compared, and why."""
    names = f"{first.name} and {other.name}"
    if not is_paired(first, other):
        return f"{names} differ in environment or seed: differences are unpaired (Welch's t-test)."

    why = f"{names} have the same environment and seed"
    return f"{why}: differences are paired, over the trials of both (signed-rank test)."


def sentence_on_the_rest(runs: Sequence[Run], column: str) -> str:
    """Sentence on policies or metrics that not all runs have; empty where there are none."""
    common = common_names(runs, column)
    rest: list[str] = []
    for run in runs:
        others = [name for name in run.names(column) if name not in common]
        rest += [f"{name} ({run.name})" for name in others]

    return f"Not in every run: {column} {join_words(rest)}." if rest else ""


def metric_section(
    figures: Path, runs: Sequence[Run], policies: Sequence[str], metric: str
) -> MetricSection:
    """The curves of one metric in all runs, and the tables of its final values.

    Args:
        figures: where the files of the figure are written.
        runs: the first one and those that are compared with it.
        policies: that all runs have.
        metric: its name.
    """
    title = title_of(metric)
    style = {}
    tables = []
    for run, dash in zip(runs, DASHES, strict=False):
        own = run.table.filter(pl.col("policy").is_in(policies))
        series = pl.format("{}, {}", "policy", pl.lit(run.name))
        # One panel, wherever the runs have played.
        nowhere = pl.lit("")
        tables.append(own.with_columns(policy=series, experiment=nowhere, environment=nowhere))
        for name, look in looks(policies).items():
            style[f"{name}, {run.name}"] = look._replace(dash=dash)

    data = curves_data(pl.concat(tables), metric)
    draw = functools.partial(draw_curves, data, axis_title(metric), "round", style=style)
    alt = f"{title} of every policy over the rounds, a line per run; tables have the last values."
    caption = f"{title}: means over the trials of each run; bands are 95 % intervals. {DASHED}"
    picture = draw_picture(draw, figures, metric, alt, caption, data)
    values = [differences_table(runs[0], other, metric) for other in runs[1:]]

    return MetricSection(metric, title, picture, values)


def differences_table(first: Run, other: Run, metric: str) -> Table:
    """A row per policy and component: the last values of two runs, their difference, and a verdict.

    Args:
        first: run.
        other: run, of which the first is subtracted.
        metric: of both.
    """
    paired = is_paired(first, other)
    ends = final_values(first.table, other.table, metric, paired=paired)
    differences = run_differences(*ends, paired=paired)
    several = differences["component"].n_unique() > 1
    rows = []
    for row in differences.rows(named=True):
        name = row["policy"]
        if several:
            name += f", {component_name(metric)} {row['component']}"

        means = [plain_cell(row[run]) for run in ("first", "other")]
        difference = mean_cell({**row, "mean": row["difference"]})
        verdict = verdict_of(metric, row["difference"]) if row["sure"] else UNKNOWN
        p_value = p_text(row["p_holm"]).removeprefix("p ").removeprefix("= ")
        rows.append([name, *means, difference, p_value, verdict])

    rounds = differences["round"].unique().sort()
    last = join_words([f"{number:,}" for number in rounds])
    what = f"{title_of(metric)} at round {last}, the last that both runs recorded; {HOW}"
    difference = f"{other.name} − {first.name}"
    header = ["policy", first.name, other.name, difference, "p", f"{other.name} is"]

    return Table(header, rows, f"{what}. {VERDICT}")


def verdict_of(metric: str, difference: float) -> str:
    """A significant difference in a word.

    Example:
        >>> verdict_of("pareto_regret", -1.0), verdict_of("reward", -1.0), verdict_of("plays", -1.0)
        ('better', 'worse', 'different')
    """
    better = traits_of(metric).better
    if better is None:
        return "different"

    is_larger = difference > 0.0
    return "better" if is_larger == (better == "larger") else "worse"


def description_differences(runs: Sequence[Run]) -> list[list[str]]:
    """Where the descriptions of runs differ: the name, and the text of each run."""
    descriptions = [run.description() for run in runs]
    names = dict.fromkeys(name for each in descriptions for name in each)
    rows = []
    for name in names:
        texts = [shortened(str(each.get(name, UNKNOWN))) for each in descriptions]
        if len(set(texts)) > 1:
            rows.append([name, *texts])

    return rows
