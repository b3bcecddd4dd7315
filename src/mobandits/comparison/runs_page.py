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
from mobandits.figures.metric_tables import HOW, mean_cell
from mobandits.figures.page import Table, draw_picture, render
from mobandits.figures.provenance import Provenance, RunFacts, provenance
from mobandits.figures.run_page import MetricSection, run_title
from mobandits.figures.style import DASHES, looks
from mobandits.metrics.metric import Better
from mobandits.metrics.traits import traits_of
from mobandits.statistics.bands import bands
from mobandits.support.naming import quantity, shortened

Texts = tuple[str, ...]
DASHED = "A colour is a policy; lines of A are solid, those of other runs are not."
MOST_RUNS = len(DASHES)  # that a figure tells apart


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
        """Its specification as texts."""
        return provenance(self.manifest).runs[0]

    def names(self, column: str) -> list[str]:
        """The policies or the metrics, in order."""
        return self.table[column].unique(maintain_order=True).to_list()


@dataclass(frozen=True)
class RunsPage:
    """The content of `runs.html`.

    Args:
        title: what was measured, of which policies, where.
        runs: (letter, description) of each.
        notes: sentences on how runs are compared, and what only one of them has.
        contents: (anchor, title) of the metrics.
        metrics: that all runs have; a table per run but the first.
        differences: of the descriptions: what, and the text of each run.
        provenance: the specifications of all runs.
    """

    title: str
    runs: Sequence[Texts]
    notes: Sequence[str]
    contents: Sequence[tuple[str, str]]
    metrics: Sequence[MetricSection]
    differences: Sequence[Texts]
    provenance: Provenance


def common_names(runs: Sequence[Run], column: str) -> list[str]:
    """The policies or the metrics that all runs have, in the order of the first one.

    Args:
        runs: to be compared.
        column: "policy" or "metric".
    """
    first, *others = [run.names(column) for run in runs]
    return [name for name in first if all(name in other for other in others)]


def runs_page(directory: Path, runs: Sequence[Run]) -> str:
    """Draw the curves of several runs, and make the page that compares them.

    Args:
        directory: the figures go to its folder `figures`.
        runs: at least two, with a common policy and a common metric.
    """
    policies = common_names(runs, "policy")
    metrics = common_names(runs, "metric")
    first, *others = runs
    main = main_metric(first.table.filter(pl.col("metric").is_in(metrics)))
    places = [run.manifest["specification"]["environment"] for run in runs]
    titles = dict.fromkeys(run_title(main, policies, place) for place in places)
    sections = [metric_section(directory / "figures", runs, policies, metric) for metric in metrics]
    notes = [pairing_sentence(first, other) for other in others]
    for column in ("policy", "metric"):
        notes += sentences_on_the_rest(runs, column)

    facts = [dataclasses.replace(run.facts, title=f"{run.name}: {run.facts.title}") for run in runs]
    page = RunsPage(
        title=f"{quantity(len(runs), 'run')} compared: {join_words(list(titles))}",
        runs=[(run.name, f"{run.facts.title}; {run.folder}") for run in runs],
        notes=notes,
        contents=[(section.anchor, section.title) for section in sections],
        metrics=sections,
        differences=description_differences(runs),
        provenance=Provenance([], facts),
    )

    return render("runs.html", page)


def is_paired(first: Run, other: Run) -> bool:
    """Whether two runs have drawn the same problems and rounds, trial by trial."""
    one = first.manifest["specification"]
    two = other.manifest["specification"]
    return all(one[key] == two[key] for key in ("environment", "seed"))


def pairing_sentence(first: Run, other: Run) -> str:
    """Sentence on how two runs are compared, and why."""
    names = f"{first.name} and {other.name}"
    if is_paired(first, other):
        return (
            f"{names} have the same environment and seed: their differences are paired, over the "
            "trials of both (signed-rank test)."
        )

    return f"{names} differ in environment or seed: differences are unpaired (Welch's t-test)."


def sentences_on_the_rest(runs: Sequence[Run], column: str) -> list[str]:
    """A sentence per run on its policies or metrics that not all runs have.

    Args:
        runs: to be compared.
        column: "policy" or "metric".
    """
    common = common_names(runs, column)
    sentences = []
    for run in runs:
        rest = [name for name in run.names(column) if name not in common]
        if rest:
            named = join_words(rest)
            sentences.append(f"Not in every run: {column} {named} of {run.name}.")

    return sentences


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
        # One panel, wherever the runs have played.
        series = pl.format("{}, {}", "policy", pl.lit(run.name))
        own = run.table.filter(pl.col("policy").is_in(policies))
        tables.append(
            own.with_columns(policy=series, experiment=pl.lit(""), environment=pl.lit(""))
        )
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
    traits = traits_of(metric)
    paired = is_paired(first, other)
    ends = final_values(first.table, other.table, metric, paired=paired)
    keys = ["policy", "component"]
    cells = []
    for end in ends:
        means = bands(end, keys, traits.least, traits.most).rows(named=True)
        cells.append({(row["policy"], row["component"]): mean_cell(row) for row in means})

    differences = run_differences(*ends, paired=paired)
    several = differences["component"].n_unique() > 1
    rows = []
    for row in differences.rows(named=True):
        key = row["policy"], row["component"]
        name = f"{key[0]}, {component_name(metric)} {key[1]}" if several else key[0]
        difference = mean_cell({**row, "mean": row["difference"]})
        verdict = verdict_of(row["difference"], traits.better) if row["sure"] else UNKNOWN
        rows.append(
            [name, *(cell[key] for cell in cells), difference, p_text(row["p_holm"]), verdict]
        )

    ends_at = " and ".join(f"{number:,}" for number in differences["round"].unique().sort())
    caption = (
        f"{title_of(metric)} at round {ends_at}, the last that both runs recorded; {HOW}. The last "
        "column says what is significant at 5 % after Holm's correction over all rows."
    )
    header = ["policy", first.name, other.name, f"{other.name} less {first.name}", "p (Holm)"]

    return Table([*header, f"{other.name} is"], rows, caption)


def verdict_of(difference: float, better: Better | None) -> str:
    """A significant difference in a word.

    Example:
        >>> verdict_of(-1.0, "smaller"), verdict_of(-1.0, "larger"), verdict_of(-1.0, None)
        ('better', 'worse', 'lower')
    """
    if better is None:
        return "higher" if difference > 0.0 else "lower"

    is_better = (difference > 0.0) == (better == "larger")
    return "better" if is_better else "worse"


def description_differences(runs: Sequence[Run]) -> list[Texts]:
    """Where the descriptions of runs differ: the name, and the text of each run."""
    descriptions = [description(run) for run in runs]
    names = dict.fromkeys(name for texts in descriptions for name in texts)
    rows = []
    for name in names:
        texts = [each.get(name, UNKNOWN) for each in descriptions]
        if len(set(texts)) > 1:
            rows.append((name, *map(shortened, texts)))

    return rows


def description(run: Run) -> dict[str, str]:
    """Everything that decided or computed the table of a run, and its digest."""
    manifest = run.manifest
    policies = {f"policy {name}": recipe for name, recipe in run.facts.policies}
    computed = {**manifest["versions"], **manifest["machine"]}
    texts = {name: str(value) for name, value in computed.items()}
    digest = manifest.get("results_sha256", UNKNOWN)

    return {**dict(run.facts.settings), **policies, **texts, "SHA-256 of the table": digest}
