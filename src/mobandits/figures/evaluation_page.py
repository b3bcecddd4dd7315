"""The page of an evaluation: the values of policies, how sure they are, and what to beware of."""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from mobandits.figures.contents import EvaluationSummary, LogSummary
from mobandits.figures.formatting import format_number
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.policy_front import draw_front
from mobandits.figures.policy_values import draw_values
from mobandits.figures.provenance import Fact, Provenance

TITLE = "What policies would have brought"
NAMES = {
    "ips": "inverse propensity scoring",
    "snips": "self-normalised inverse propensity scoring",
    "dr": "the doubly robust estimator",
    "switch-dr": "the switch doubly robust estimator",
    "dm": "the direct method",
    "replay": "replay",
}
UNKNOWN = "–"


@dataclass(frozen=True)
class EvaluationPage:
    """What `evaluation.html` shows.

    Args:
        title: of the page.
        policies: how many there are.
        log: what was evaluated on.
        estimator: of the values, in words.
        best: the policies on the front of the estimates.
        beaten: who is dominated, and by whom.
        warnings: {warning: whose}.
        front: the front; None where there is one objective.
        values: the table of values.
        by_estimator: every policy by every estimator; None where there is one.
        diagnostics: the table of what the weights look like.
        provenance: what was asked for.
    """

    title: str
    policies: int
    log: LogSummary
    estimator: str
    best: Sequence[str]
    beaten: Sequence[tuple[str, str]]
    warnings: dict[str, list[str]]
    front: Picture | None
    values: Table
    by_estimator: Picture | None
    diagnostics: Table
    provenance: Provenance


def evaluation_page(
    directory: Path,
    values: pl.DataFrame,
    front: pl.DataFrame,
    outlines: pl.DataFrame | None,
    summary: EvaluationSummary,
) -> str:
    """Write the figures of an evaluation, and make its page.

    Args:
        directory: the figures go to its folder `figures`.
        values: `policy`, `estimator`, `objective` str, `value`, `standard_error`, `low`, `high`
            float.
        front: `policy`, `objective`, `dominated_by` str, `value`, `low`, `high`, `front_share`
            float, `on_front` bool.
        outlines: `policy` str, `x`, `y` float, the borders of joint regions, where there are two
            objectives.
        summary: the content of evaluation.json.
    """
    figures = directory / "figures"
    share = f"{100 * summary['options']['level']:g} %"
    estimator = summary["shown"]
    header, rows = value_rows(values, estimator)
    verdicts = front.unique("policy", keep="first", maintain_order=True)
    dominated = verdicts.filter(pl.col("dominated_by") != "")
    page = EvaluationPage(
        title=TITLE,
        policies=len(summary["policies"]),
        log=summary["log"],
        estimator=NAMES.get(estimator, estimator),
        best=verdicts.filter("on_front")["policy"].to_list(),
        beaten=dominated.select("policy", "dominated_by").rows(),
        warnings=warnings_of(summary),
        front=front_picture(figures, front, outlines, share),
        values=Table(header, rows, f"Values, with joint {share} intervals"),
        by_estimator=estimators_picture(figures, values, share),
        diagnostics=diagnostics_table(summary),
        provenance=provenance_of(summary),
    )

    return render("evaluation.html", page)


def front_picture(
    figures: Path, front: pl.DataFrame, outlines: pl.DataFrame | None, share: str
) -> Picture | None:
    """The front, where there are several objectives.

    Args:
        figures: where its files are written.
        front: as in `evaluation_page`.
        outlines: as in `evaluation_page`.
        share: the joint level, in per cent.
    """
    if front["objective"].n_unique() < 2:
        return None

    regions = f"Ellipses are joint {share} regions."
    if outlines is None:  # which only a plane of two objectives has
        regions = f"Intervals are joint, {share}."

    caption = (
        f"{regions} Dominated is what another policy is shown to beat in every objective, on the "
        f"same rounds; with {share} confidence the true front is among the rest."
    )
    alt = (
        "The estimated values of all policies with their joint regions; "
        "the table below has the numbers."
    )
    borders = pl.DataFrame() if outlines is None else outlines
    draw = functools.partial(draw_front, front, borders)

    return draw_picture(draw, figures, "front", alt, caption)


def estimators_picture(figures: Path, values: pl.DataFrame, share: str) -> Picture | None:
    """Every policy by every estimator, where there are several estimators.

    Args:
        figures: where its files are written.
        values: as in `evaluation_page`.
        share: the joint level, in per cent.
    """
    if values["estimator"].n_unique() < 2:
        return None

    alt = "Every policy's value by every estimator, with intervals; values.csv has the numbers."
    caption = (
        f"The same policies by every estimator, with joint {share} intervals. Estimators that "
        "disagree by more than their intervals are a reason to believe none of them."
    )

    return draw_picture(functools.partial(draw_values, values), figures, "values", alt, caption)


def warnings_of(summary: EvaluationSummary) -> dict[str, list[str]]:
    """{warning: whose}, a policy and an estimator each.

    Example:
        >>> warnings_of({"policies": {"a": {"estimates": {"ips": {"warnings": ["few rounds"]}}}}})
        {'few rounds': ['a by ips']}
    """
    warnings: dict[str, list[str]] = {}
    for policy, content in summary["policies"].items():
        for estimator, estimate in content["estimates"].items():
            for warning in estimate["warnings"]:
                warnings.setdefault(warning, []).append(f"{policy} by {estimator}")

    return warnings


def value_rows(values: pl.DataFrame, estimator: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table of values: a policy, then a value and an interval per objective.

    Args:
        values: as in `evaluation_page`.
        estimator: whose values are shown.
    """
    shown = values.filter(pl.col("estimator") == estimator)
    header = ["policy"]
    digits = {}
    for objective in shown["objective"].unique(maintain_order=True):
        header += [objective, "interval"]
        errors = shown.filter(pl.col("objective") == objective)["standard_error"]
        digits[objective] = digits_of_errors(errors)

    rows = []
    for own in shown.partition_by("policy", maintain_order=True):
        row = [own["policy"][0]]
        for objective, value, low, high in own.select("objective", "value", "low", "high").rows():
            places = digits[objective]
            row.append(number_or_dash(value, places))
            row.append(f"{number_or_dash(low, places)} to {number_or_dash(high, places)}")

        rows.append(row)

    return header, rows


def diagnostics_table(summary: EvaluationSummary) -> Table:
    """What the weights of every policy look like."""
    header = ["policy", "effective rounds", "largest weight", "mean weight", "beyond the log"]
    rows = []
    for name, content in summary["policies"].items():
        diagnostics = content["diagnostics"]
        rows.append(
            [
                name,
                number_or_dash(diagnostics["effective_rounds"], 0),
                number_or_dash(diagnostics["largest_weight"], 1),
                number_or_dash(diagnostics["mean_weight"], 3),
                f"{100 * diagnostics['uncovered_mass']:.2f} %",
            ]
        )

    return Table(header, rows)


def provenance_of(summary: EvaluationSummary) -> Provenance:
    """What was asked for, as the foot of the page."""
    facts: list[Fact] = []
    for name, content in summary["policies"].items():
        facts.append((name, content["target"]))

    facts += summary["estimators"].items()
    for name, value in summary["options"].items():
        facts.append((name, str(value)))

    facts.append(("mobandits", summary["versions"]["mobandits"]))

    return Provenance(facts)


def digits_of_errors(errors: Iterable[float | None]) -> int:
    """How many digits after the point show two digits of the smallest standard error: 2 to 8.

    Example:
        >>> digits_of_errors([0.012, 0.3]), digits_of_errors([])
        (3, 3)
    """
    known = [error for error in errors if error and math.isfinite(error)]
    # A value that was never uncertain, such as a constant reward, gets three digits.
    smallest = min(known, default=0.01)
    exponent = math.floor(math.log10(smallest))
    digits = 1 - exponent

    return min(max(digits, 2), 8)


def number_or_dash(value: float | None, digits: int) -> str:
    """A number, or a dash where it is not known.

    Example:
        >>> number_or_dash(0.5, 2), number_or_dash(None, 2)
        ('0.50', '–')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return format_number(value, digits)
