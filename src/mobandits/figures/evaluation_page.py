"""The page of an evaluation: what policies would have brought, how sure that is, and whether to believe it."""

import functools
import math
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.figures.formatting import format_number, join_words
from mobandits.figures.page import grid, page, pairs, picture
from mobandits.figures.policy_front import draw_front
from mobandits.figures.policy_values import draw_values

NAMES = {
    "ips": "inverse propensity scoring",
    "snips": "self-normalised inverse propensity scoring",
    "dr": "the doubly robust estimator",
    "switch-dr": "the switch doubly robust estimator",
    "dm": "the direct method",
    "replay": "replay",
}

INTERVALS = (
    "<p>The intervals of a policy hold for all objectives at once. They are wider where few rounds decide, and reach "
    "further on the side of the rounds' longer tail: a value need not lie in the middle of its interval.</p>"
)


def evaluation_page(
    directory: Path,
    values: pl.DataFrame,
    front: pl.DataFrame,
    outlines: pl.DataFrame | None,
    said: dict[str, Any],
) -> str:
    """Write the figures of an evaluation, and make its page.

    Args:
        directory: the figures go to its folder `figures`.
        values: `policy`, `estimator`, `objective` str, `value`, `standard_error`, `low`, `high` float.
        front: `policy`, `objective`, `dominated_by` str, `value`, `low`, `high`, `front_share` float, `on_front` bool.
        outlines: `policy` str, `x`, `y` float, the borders of joint regions, where there are two objectives.
        said: the content of evaluation.json.
    """
    log = said["log"]
    share = f"{100 * said['options']['level']:g} %"
    title = "What policies would have brought"
    shown = NAMES.get(said["shown"], said["shown"])
    lead = (
        f"{len(said['policies'])} policies on <code>{escape(log['source'])}</code>: {log['rounds']:,} logged rounds, "
        f"{len(log['arms'])} arms, {len(log['objectives'])} objectives ({escape(join_words(log['objectives']))}), all to "
        f"be maximised. Unless said otherwise, values are by {escape(shown)}."
    )
    body = [
        f"<h1>{title}</h1>",
        f'<p class="lead">{lead}</p>',
        *findings(front, said),
        *cautions(said),
    ]
    directory /= "figures"
    if len(log["objectives"]) > 1:
        draw = functools.partial(
            draw_front, front, outlines if outlines is not None else pl.DataFrame()
        )
        alt = "The estimated values of all policies with their joint regions; the table below has the numbers."
        body += [
            "<h2>The front</h2>",
            picture(draw, directory, "front", alt, of_front(share, outlines is not None)),
        ]
    body += [
        "<h2>Values</h2>",
        grid(*value_rows(values, said["shown"]), f"Values, with joint {share} intervals"),
    ]
    body.append(INTERVALS)
    if values["estimator"].n_unique() > 1:
        alt = "Every policy's value by every estimator, with intervals; values.csv has the numbers."
        caption = (
            f"The same policies by every estimator, with joint {share} intervals. Estimators that disagree by more "
            "than their intervals are a reason to believe none of them."
        )
        body.append(
            picture(functools.partial(draw_values, values), directory, "values", alt, caption)
        )
    return page(title, [*body, *diagnostics(said), *provenance(said)])


def of_front(share: str, ellipses: bool) -> str:
    """The caption of the front."""
    regions = (
        f"Ellipses are joint {share} regions." if ellipses else f"Intervals are joint, {share}."
    )
    return (
        f"{regions} Dominated is what another policy is shown to beat in every objective, on the same rounds; with "
        f"{share} confidence the true front is among the rest."
    )


def findings(front: pl.DataFrame, said: dict[str, Any]) -> list[str]:
    """The front of the estimates, and who dominates whom."""
    rows = front.unique("policy", keep="first", maintain_order=True)
    best = rows.filter("on_front")["policy"].to_list()
    items = [f"On the front of the estimates: {escape(join_words(best))}."] if best else []
    beaten = rows.filter(pl.col("dominated_by") != "").select("policy", "dominated_by").rows()
    items += [f"{escape(name)} is dominated by {escape(by)}." for name, by in beaten]
    if len(rows) > 1 and not beaten:
        items.append("No policy is shown to dominate another.")
    count = len(warnings_of(said))
    said_so = f"{count} warning{'s' * (count > 1)}: to be read before the numbers."
    items.append(said_so if count else "No rule of caution was broken.")
    return ['<ul class="findings">', *(f"<li>{item}</li>" for item in items), "</ul>"]


def cautions(said: dict[str, Any]) -> list[str]:
    """Every warning with those it concerns."""
    found = warnings_of(said)
    if not found:
        return []
    items = [
        f"<li>{escape(text)} <small>({escape(join_words(whose))})</small></li>"
        for text, whose in found.items()
    ]
    return ["<h2>Warnings</h2>", "<ul>", *items, "</ul>"]


def warnings_of(said: dict[str, Any]) -> dict[str, list[str]]:
    """{warning: whose}, a policy and an estimator each.

    Example:
        >>> warnings_of({"policies": {"a": {"estimates": {"ips": {"warnings": ["few rounds"]}}}}})
        {'few rounds': ['a by ips']}
    """
    found: dict[str, list[str]] = {}
    for policy, content in said["policies"].items():
        for estimator, estimate in content["estimates"].items():
            for text in estimate["warnings"]:
                found.setdefault(text, []).append(f"{policy} by {estimator}")
    return found


def value_rows(values: pl.DataFrame, estimator: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows: a policy, then a value and an interval per objective."""
    rows = values.filter(pl.col("estimator") == estimator)
    objectives = rows["objective"].unique(maintain_order=True).to_list()
    digits = {
        name: decimals(rows.filter(pl.col("objective") == name)["standard_error"])
        for name in objectives
    }
    cells = []
    for one in rows.partition_by("policy", maintain_order=True):
        row = [escape(one["policy"][0])]
        for name, value, low, high in one.select("objective", "value", "low", "high").rows():
            ends = f"{number(low, digits[name])} to {number(high, digits[name])}"
            row += [number(value, digits[name]), ends]
        cells.append(row)
    return ["policy", *(cell for name in objectives for cell in (escape(name), "interval"))], cells


def diagnostics(said: dict[str, Any]) -> list[str]:
    """What the weights look like."""
    header = ["policy", "effective rounds", "largest weight", "mean weight", "beyond the log"]
    rows = []
    for name, content in said["policies"].items():
        found = content["diagnostics"]
        numbers = [
            number(found[key], at) for key, at in (("effective_rounds", 0), ("largest_weight", 1))
        ]
        numbers += [number(found["mean_weight"], 3), f"{100 * found['uncovered_mass']:.2f} %"]
        rows.append([escape(name), *numbers])
    text = (
        "<p>The mean weight is about 1 where propensities are right. Effective rounds say how many rounds of the "
        "policy's own the log is worth; beyond the log are plays of arms that it knows nothing of.</p>"
    )
    return ["<h2>How much the log can tell</h2>", text, grid(header, rows)]


def provenance(said: dict[str, Any]) -> list[str]:
    """What was asked for."""
    facts = [(name, content["target"]) for name, content in said["policies"].items()]
    facts += [
        (name, str(value)) for name, value in {**said["estimators"], **said["options"]}.items()
    ]
    return ["<h2>Provenance</h2>", pairs([*facts, ("mobandits", said["versions"]["mobandits"])])]


def decimals(errors: Iterable[float | None]) -> int:
    """So many that the smallest standard error has two digits, 2 to 8.

    Example:
        >>> decimals([0.012, 0.3]), decimals([])
        (3, 3)
    """
    least = min((error for error in errors if error and math.isfinite(error)), default=0.01)
    return min(max(1 - math.floor(math.log10(least)), 2), 8)


def number(value: float | None, digits: int) -> str:
    """A number, or a dash where it is not known."""
    if value is not None and math.isfinite(value):
        return format_number(value, digits)
    return "–"
