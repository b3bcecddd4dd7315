"""The page of a reproduced experiment: what the paper says, what came out, and the verdicts."""

import functools
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.figures.formatting import component_name, format_number, join_words, quantity
from mobandits.figures.metric_curves import spoken
from mobandits.figures.page import grid, page, picture
from mobandits.figures.provenance import provenance
from mobandits.figures.run_page import final_rows
from mobandits.papers.pages.claim_counts import counted, holds, judgement, kind_of
from mobandits.papers.pages.paper_figures import draw_plot, drawable, shown
from mobandits.statistics.bands import bands

SHOWN = 3  # so many names are said, more are counted
FEW = 4  # so many numbers of a claim fit into one cell
VERDICTS = {"reproduced": "yes", "not reproduced": "no", "reported": "said"}


def paper_page(
    directory: Path, table: pl.DataFrame, manifest: dict[str, Any], claims: list[dict[str, Any]]
) -> str:
    """Write the figures of an experiment, and make its page.

    Args:
        directory: of the experiment; the figures go to its folder `figures`.
        table: its rows.
        manifest: its manifest.
        claims: what `claims.json` holds.
    """
    said = manifest["specification"]
    rows = shown(table, said)
    body = [
        f"<h1>{escape(said['title'])}</h1>",
        f'<p class="lead">{escape(said["source"])}. <code>mobandits reproduce {escape(said["experiment"])}</code></p>',
        *scale(said),
        *(f"<p>{escape(text)}</p>" for text in said["about"]),
    ]
    if claims:
        body += ["<h2>Claims</h2>", f"<p>{escape(counted(claims))}</p>", claims_table(claims)]
    for plot in said["plots"]:
        caption = escape(plot["caption"])
        if drawable(rows, plot):
            draw = functools.partial(draw_plot, rows, plot)
            body.append(
                picture(draw, directory / "figures", plot["name"], plot["caption"], caption)
            )
        else:
            body.append(f"<p>Nothing was measured at this scale for the figure: {caption}</p>")
    body += constants(said)
    body += values(rows, shown(table, said, "best"), said)
    if claims:
        body += ["<h2>Every number of every claim</h2>", *(details(claim) for claim in claims)]
    body += grids(table, said)
    return page(said["title"], body + provenance(manifest))


def scale(said: dict[str, Any]) -> list[str]:
    """Where another scale than the experiment's own was asked for: both, before a text that speaks of its own.

    Example:
        >>> run = {"run": "a", "rounds": 10000, "trials": 1}
        >>> scale({"changed": {"trials": 3}, "scale": [run]})[0].partition("</strong> ")[2]
        'The descriptions below are of the full scale, which is 10,000 rounds and 1 trial.</p>'
    """
    if not said["changed"]:
        return []
    asked = join_words(
        [quantity(value, name.removesuffix("s")) for name, value in said["changed"].items()]
    )
    runs: dict[str, list[str]] = {}
    for one in said.get("scale", []):  # tables of earlier versions have none
        known = [name for name in ("rounds", "trials") if one[name]]
        size = join_words([quantity(one[name], name.removesuffix("s")) for name in known])
        runs.setdefault(size, []).append(one["run"])
    sizes = [
        f"{size} in {join_words(names)}" if len(runs) > 1 else size for size, names in runs.items()
    ]
    which = f", which is {'; '.join(sizes)}" if sizes else ""
    smaller = f"<strong>Not at the paper's scale: {escape(asked)} were asked for.</strong>"
    return [f"<p>{smaller} The descriptions below are of the full scale{escape(which)}.</p>"]


def claims_table(claims: Sequence[Mapping[str, Any]], link: str = "") -> str:
    """Claim, the paper's, what was measured, verdict or kind, and a sentence where they differ.

    Args:
        claims: entries of claims.json.
        link: a pattern of addresses, "{}" for the experiment's ID; empty: no links.
    """
    rows = []
    for claim in claims:
        sentence = f"<br><small>{escape(remarks(claim))}</small>" if remarks(claim) else ""
        badge = f'<span class="{badge_of(claim)}">{judgement(claim)}</span>'
        badge += f"<br><small>{escape(otherwise(claim))}</small>" if otherwise(claim) else ""
        name = claim["id"].rpartition("/")[0]
        first = (
            f'<a href="{escape(link.format(name))}">{escape(claim["id"])}</a><br>' if link else ""
        )
        own = "<br>".join(
            f"{escape(number)}<br><small>{escape(said)}</small>" for said, number in telling(claim)
        )
        cells = [escape(claim["target"]), own, badge]
        rows.append(
            f"<tr><td>{first}{escape(claim['claim'])}{sentence}</td>{''.join(f'<td>{c}</td>' for c in cells)}</tr>"
        )
    names = ("claim", "the paper", "measured", "verdict")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return (
        f'<div class="scroll"><table class="claims"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody>'
        "</table></div>"
    )


def badge_of(claim: Mapping[str, Any]) -> str:
    """The style of a verdict; what is not a verdict is grey, except a violated check.

    Example:
        >>> badge_of({"verdict": "reproduced"})
        'yes'
        >>> badge_of({"verdict": "reported", "kind": "check", "holds": False})
        'no'
    """
    if kind_of(claim) == "check" and holds(claim) is False:
        return "no"
    return VERDICTS[claim["verdict"]]


def telling(claim: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The numbers to show of a claim: the one that decides; where no rule decides, all of them, or their range.

    Example:
        >>> parts = [{"said": said, "measured": value, "interval": None} for said, value in (("a", 1.0), ("b", 3.0))]
        >>> telling({"verdict": "reported", "of": "a", "measured": 1.0, "interval": None, "parts": parts})
        [('a', '1.00'), ('b', '3.00')]
    """
    parts = claim["parts"]
    if holds(claim) is not None or len(parts) < 2:
        return [(claim["of"], measured(claim)), *on_papers_trials(claim)]
    if len(parts) <= FEW:
        return [(one["said"], measured(one)) for one in parts]
    known = sorted(
        (one for one in parts if one["measured"] is not None),
        key=lambda one: float(one["measured"]),
    )
    ends = [measured({**one, "interval": None}) for one in known]
    range_of = f"{ends[0]} to {ends[-1]}" if ends else "–"
    return [(f"{len(parts)} numbers, listed on the experiment's page", range_of)]


def on_papers_trials(claim: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The same on as many trials as the paper has, where a claim is judged on more.

    Example:
        >>> few = {"of": "a less b, d = 5", "measured": 2.0, "interval": None, "trials": 10}
        >>> on_papers_trials({"papers_trials": few}), on_papers_trials({})
        ([('a less b, d = 5, on 10 trials', '2.00')], [])
    """
    few = claim.get("papers_trials")
    if few:
        return [(f"{few['of']}, on {few['trials']} trials", measured(few))]
    return []


def measured(claim: Mapping[str, Any]) -> str:
    """A measured number with its interval; a dash where it could not be read.

    Example:
        >>> measured({"measured": 12.346, "interval": [10.0, 15.0]}), measured({"measured": 3.0, "interval": None})
        ('12.3 [10.0, 15.0]', '3.00')
        >>> measured({"measured": None, "interval": None})
        '–'
    """
    value = claim["measured"]
    interval = claim["interval"]
    if value is None:
        return "–"
    ends = [value, *(interval or [])]
    digits = min(max(2 - math.floor(math.log10(max(map(abs, ends)) or 1.0)), 0), 5)
    said = format_number(value, digits)
    if interval:
        return (
            f"{said} [{format_number(interval[0], digits)}, {format_number(interval[1], digits)}]"
        )
    return said


def remarks(claim: Mapping[str, Any]) -> str:
    """The sentences below a claim: its notes, and, unless it holds, where and why ours differ.

    Example:
        >>> part = {"said": "b less a", "holds": False, "interval": [-3.0, -1.0]}
        >>> claim = {"verdict": "not reproduced", "note": "", "differs": "Trials are few.", "parts": [part]}
        >>> remarks(claim)
        'The opposite is clear for b less a. Trials are few.'
        >>> remarks(claim | {"verdict": "reproduced"})
        ''
    """
    said = [claim["note"], claim.get("regardless", "")]
    if holds(claim) is not True:
        failed = [one for one in claim["parts"] if one["holds"] is False]
        against = [one["said"] for one in failed if one["interval"] and one["interval"][1] < 0.0]
        open_ones = [one["said"] for one in failed if one["said"] not in against]
        if open_ones and len(claim["parts"]) > 1:
            said.append(f"Not shown for {some(open_ones)}.")
        if against:
            said.append(f"The opposite is clear for {some(against)}.")
        said.append(claim["differs"])
    return " ".join(filter(None, said))


def some(names: list[str]) -> str:
    """The first of some names, and how many more there are.

    Example:
        >>> some(["a", "b", "c", "d"])
        'a, b, c and 1 more'
    """
    more = [f"{len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return join_words([*names[:SHOWN], *more])


def otherwise(claim: Mapping[str, Any]) -> str:
    """What the paper's own rule for constants, or as many trials, would give, if something else.

    Example:
        >>> otherwise({"verdict": "reproduced", "papers_rule": {"verdict": "not reproduced"}})
        'with the best constants of the reported trials: not reproduced'
        >>> few = {"verdict": "reported", "trials": 10}
        >>> otherwise({"verdict": "reproduced", "papers_trials": few})
        'on 10 trials: reported'
    """
    other = []
    for key, where in (
        ("papers_rule", "with the best constants of the reported trials"),
        ("papers_trials", "on {trials} trials"),
    ):
        again = claim.get(key, claim)
        if judgement(again) != judgement(claim):
            other.append(f"{where.format_map(again)}: {judgement(again)}")
    return "; ".join(other)


def details(claim: Mapping[str, Any]) -> str:
    """All numbers of one claim, folded."""
    rule = f"<p>Rule: {escape(claim['rule'])}.</p>"
    if again := claim.get("papers_rule"):
        rule += (
            f"<p>With the constants that are best on the reported trials, which is the paper's own rule: "
            f"{escape(judgement(again))}, {escape(measured(again))} ({escape(again['of'])}).</p>"
        )
    tables = parts_table(claim["parts"])
    if few := claim.get("papers_trials"):
        heading = f"The same on {few['trials']} trials: {judgement(few)}."
        tables += f"<p>{escape(heading)}</p>{parts_table(few['parts'])}"
    summary = f"{claim['id']}: {judgement(claim)}"
    return f"<details><summary>{escape(summary)}</summary>{rule}{tables}</details>"


def parts_table(parts: Sequence[Mapping[str, Any]]) -> str:
    """A row per number of a claim."""
    words = {True: "yes", False: "no", None: "–"}
    rows = [
        [
            escape(one["said"]),
            measured(one),
            words[one["holds"]],
            str(one["trials"]),
        ]
        for one in parts
    ]
    return grid(["number", "mean and interval", "as claimed", "trials"], rows)


def constants(said: dict[str, Any]) -> list[str]:
    """Which constants were chosen."""
    rows = [
        [escape(f"{one['row']}, {one['run']}"), escape(one["tuned"]), escape(one["best_tuned"])]
        for one in said["rows"]
        if one["tuned"]
    ]
    if not rows:
        return []
    return [
        "<h2>Constants</h2>",
        grid(["row", "chosen on the tuning seed", "best of the reported trials"], rows),
    ]


def values(chosen: pl.DataFrame, best: pl.DataFrame, said: dict[str, Any]) -> list[str]:
    """What each metric came to; below a row with a chosen constant, the same row by the paper's own rule."""
    tuned = {(one["run"], one["row"]) for one in said["rows"] if one["policy"] != one["best"]}
    again = best.filter(
        pl.struct("run", "policy").map_elements(
            lambda r: (r["run"], r["policy"]) in tuned, pl.Boolean
        )
    )
    both = pl.concat(
        [chosen, again.with_columns(policy=pl.col("policy") + ", best of the reported")]
    )
    last = both.filter(pl.col("round") == pl.col("round").max().over("run"))
    out = ["<h2>Values at the last round</h2>"]
    for metric in last["metric"].unique(maintain_order=True):
        one = last.filter(pl.col("metric") == metric)
        several = one["component"].n_unique() > 1, one["run"].n_unique() > 1
        rows = (
            bands(one, ["run", "component", "policy"])
            .sort("run", "component", maintain_order=True)
            .rows()
        )
        largest = max((abs(row[3]) for row in rows if math.isfinite(row[3])), default=1.0)
        digits = min(max(4 - math.floor(math.log10(largest or 1.0)), 0), 6)
        cells = [
            [
                escape(
                    f"{policy}{f', {component_name(metric)} {i + 1}' if several[0] else ''}{f', {run}' if several[1] else ''}"
                ),
                format_number(mean, digits),
                *(
                    [format_number(low, digits), format_number(high, digits)]
                    if trials > 1
                    else ["", ""]
                ),
                str(trials),
            ]
            for run, i, policy, mean, low, high, trials in rows
        ]
        title = spoken(metric)[0].upper() + spoken(metric)[1:]
        table = grid(["row", "mean", "95 % from", "to", "trials"], cells)
        out.append(
            f"<details{' open' if len(cells) <= 12 else ''}><summary>{escape(title)}</summary>{table}</details>"
        )
    return out


def grids(table: pl.DataFrame, said: dict[str, Any]) -> list[str]:
    """The whole grid of constants, folded: all rows of the reported trials and of the tuning trials."""
    if not any(one["tuned"] for one in said["rows"]):
        return []
    out = ["<h2>All constants</h2>"]
    for experiment in table["experiment"].unique(maintain_order=True):
        part_of = table.filter(pl.col("experiment") == experiment)
        for metric in part_of["metric"].unique(maintain_order=True):
            rows = final_rows(part_of, metric)
            title = escape(f"{experiment}: {spoken(metric)}")
            body = grid(["row", "mean", "95 % from", "to", "trials"], rows)
            out.append(f"<details><summary>{title}</summary>{body}</details>")
    return out
