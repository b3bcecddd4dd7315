"""The page of an evaluation: the values of policies, how sure they are, and what to beware of."""

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import polars as pl

from mobandits.figures.contents import (
    EvaluationSummary,
    FeatureGainSummary,
    JsonObject,
    LookSummary,
    Objectives,
    decision_of,
    distinct,
    robustness_of,
)
from mobandits.figures.formatting import (
    SUPERLATIVE,
    UNKNOWN,
    digits_of_errors,
    folded,
    join_words,
    number_or_dash,
    signed,
    with_ends,
)
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.policy_front import draw_front
from mobandits.figures.policy_values import draw_values, title_of_objective, words_of
from mobandits.figures.provenance import Provenance
from mobandits.figures.sensitivity_section import sensitivity_table
from mobandits.figures.words import definitions
from mobandits.support.naming import quantity

NAMES = {
    "ips": "inverse propensity scoring",
    "snips": "self-normalised inverse propensity scoring",
    "dr": "the doubly robust estimator",
    "switch-dr": "the switch doubly robust estimator",
    "dm": "the direct method",
    "replay": "replay",
}
Groups = dict[str, list[str]]  # {what some have in common: their names}

MOST_FINDINGS = 3  # objectives whose best policy is named first


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
    log = summary["log"]
    objectives = log["objectives"]
    verdicts = front.unique("policy", keep="first", maintain_order=True)
    dominated: Groups = {}
    for name, better in verdicts.select("policy", "dominated_by").rows():
        if better:
            dominated.setdefault(better, []).append(name)

    facts = [(name, content["target"]) for name, content in summary["policies"].items()]
    for part in (summary["estimators"], summary["options"], summary["versions"]):
        facts += [(name, str(value)) for name, value in part.items()]

    policies = quantity(len(summary["policies"]), "policy", "policies")
    # Read by the template alone, by these names.
    page = SimpleNamespace(
        title=f"Values of {policies} on {log['source']}",
        policies=len(summary["policies"]),
        log=log,
        directions=directions(objectives),
        estimator=estimator_in_words(summary),
        leaders=leaders(values, estimator, objectives)[:MOST_FINDINGS],
        words=definitions("propensity", "weight", "effective rounds", "front"),
        best=verdicts.filter("on_front")["policy"].to_list(),
        beaten=dominated,
        warnings=warnings_of(summary),
        front=front_picture(figures, front, outlines, share, objectives),
        values=values_table(values, estimator, share, objectives),
        by_estimator=estimators_picture(figures, values, share, objectives),
        gain=gains_sentence(summary.get("feature_gains", [])),
        gains=gains_table(summary.get("feature_gains", [])),
        decisions=[decision_of(look) for look in summary.get("looks", [])],
        looks=looks_table(summary.get("looks", []), share),
        robustness=[robustness_of(row) for row in summary.get("sensitivity", [])],
        sensitivity=sensitivity_table(summary.get("sensitivity", []), share),
        diagnostics=diagnostics_table(summary),
        provenance=Provenance(facts),
    )

    return render("evaluation.html", page)


def estimator_in_words(summary: EvaluationSummary) -> str:
    """The estimator of the values, and whether its propensities were estimated.

    Example:
        >>> estimator_in_words({"shown": "dr", "options": {"propensities": "estimated"}})
        'the doubly robust estimator, with estimated propensities'
    """
    name = NAMES.get(summary["shown"], summary["shown"])
    is_estimated = "propensities" in summary["options"]

    return f"{name}, with estimated propensities" if is_estimated else name


def directions(objectives: Objectives) -> str:
    """The directions of all objectives, in words.

    Example:
        >>> quality = {"name": "quality", "minimise": False, "unit": ""}
        >>> cost = {"name": "cost", "minimise": True, "unit": "USD"}
        >>> directions([quality, cost])
        'all to be maximised except cost, which is to be minimised'
        >>> directions([quality]), directions([cost])
        ('all to be maximised', 'all to be minimised')
    """
    costs = [each["name"] for each in objectives if each["minimise"]]
    if not costs:
        return "all to be maximised"
    if len(costs) == len(objectives):
        return "all to be minimised"

    verb = "is" if len(costs) == 1 else "are"

    return f"all to be maximised except {join_words(costs)}, which {verb} to be minimised"


def front_picture(
    figures: Path,
    front: pl.DataFrame,
    outlines: pl.DataFrame | None,
    share: str,
    objectives: Objectives,
) -> Picture | None:
    """The front, where there are several objectives.

    Args:
        figures: where its files are written.
        front: as in `evaluation_page`.
        outlines: as in `evaluation_page`.
        share: the joint level, in per cent.
        objectives: what they mean.
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
    draw = functools.partial(draw_front, front, borders, objectives=objectives)

    return draw_picture(draw, figures, "front", alt, caption)


def estimators_picture(
    figures: Path, values: pl.DataFrame, share: str, objectives: Objectives
) -> Picture | None:
    """Every policy by every estimator, where there are several estimators.

    Args:
        figures: where its files are written.
        values: as in `evaluation_page`.
        share: the joint level, in per cent.
        objectives: what they mean.
    """
    if values["estimator"].n_unique() < 2:
        return None

    alt = "Every policy's value by every estimator, with intervals; values.csv has the numbers."
    caption = (
        f"The same policies by every estimator, with joint {share} intervals. Estimators that "
        "disagree by more than their intervals are a reason to believe none of them."
    )

    draw = functools.partial(draw_values, values, objectives=objectives)

    return draw_picture(draw, figures, "values", alt, caption)


def warnings_of(summary: EvaluationSummary) -> Groups:
    """{warning: whose}, a policy and an estimator each.

    Example:
        >>> warnings_of({"policies": {"a": {"estimates": {"ips": {"warnings": ["few rounds"]}}}}})
        {'few rounds': ['a by ips']}
    """
    warnings: Groups = {}
    for policy, content in summary["policies"].items():
        for estimator, estimate in content["estimates"].items():
            for warning in estimate["warnings"]:
                warnings.setdefault(warning, []).append(f"{policy} by {estimator}")

    return warnings


def leaders(values: pl.DataFrame, estimator: str, objectives: Objectives) -> list[str]:
    """The policy with the best value in each objective and its interval, a sentence each.

    Args:
        values: as in `evaluation_page`.
        estimator: whose values are shown.
        objectives: what they mean.
    """
    shown = values.filter(estimator=estimator)
    sentences = []
    for objective in distinct(shown, "objective"):
        own = shown.filter(objective=objective)
        digits = digits_of_errors(own["standard_error"])
        best, ranked = ranked_values(own, objectives)
        known = ranked.filter(pl.col("value").is_finite())
        if known.height < 2:  # nothing to compare
            continue

        first, then = (
            f"{folded(row['policy'])}, {value_cell(row, digits)}"
            for row in known.head(2).rows(named=True)
        )
        sentences.append(f"{best.capitalize()} {objective}: {first}; then {then}.")

    return sentences


def ranked_values(own: pl.DataFrame, objectives: Objectives) -> tuple[str, pl.DataFrame]:
    """Which values are best, "lowest" or "highest", and the values of an objective, the best first.

    Args:
        own: values of one objective.
        objectives: what they mean.
    """
    is_cost = words_of(own["objective"][0], objectives)["minimise"]
    # What has no value is compared with nothing, and stands last.
    last = math.inf if is_cost else -math.inf
    sizes = pl.when(pl.col("value").is_finite()).then(pl.col("value")).otherwise(last)
    # Of equal policies the first stands first: the same folder must give the same page.
    ranked = own.sort(sizes, descending=not is_cost, maintain_order=True)

    return SUPERLATIVE["smaller" if is_cost else "larger"], ranked


def values_table(values: pl.DataFrame, estimator: str, share: str, objectives: Objectives) -> Table:
    """A row per policy, the best value in the first objective first; a column per objective.

    Args:
        values: as in `evaluation_page`.
        estimator: whose values are shown.
        share: the joint level, in per cent.
        objectives: what they mean.
    """
    shown = values.filter(estimator=estimator)
    names = distinct(shown, "objective")
    digits = {}
    for objective in names:
        errors = shown.filter(objective=objective)["standard_error"]
        digits[objective] = digits_of_errors(errors)

    first = shown.filter(objective=names[0])
    best, ranked = ranked_values(first, objectives)
    cells = {(row["policy"], row["objective"]): row for row in shown.rows(named=True)}
    rows = []
    for policy in ranked["policy"]:
        row = [value_cell(cells[policy, name], digits[name]) for name in names]
        rows.append([policy, *row])

    caption = f"Values with joint {share} intervals. Sorted by {names[0]}, {best} first."
    # The direction on a line of its own, so that columns stay narrow.
    titles = [title_of_objective(name, objectives).replace(" (", "\n(") for name in names]

    return Table(["policy", *titles], rows, caption)


def value_cell(row: JsonObject, digits: int) -> str:
    r"""A value with its interval; a dash where it is not known.

    Example:
        >>> value_cell({"value": 0.5, "low": 0.4, "high": 0.65}, 2)
        '0.50 [0.40,\xa00.65]'
        >>> value_cell({"value": math.nan, "low": math.nan, "high": math.nan}, 2)
        '–'
    """
    value = number_or_dash(row["value"], digits)
    if value == UNKNOWN:
        return UNKNOWN

    low = number_or_dash(row["low"], digits)
    high = number_or_dash(row["high"], digits)

    return with_ends(value, low, high)


def diagnostics_table(summary: EvaluationSummary) -> Table:
    """The table of diagnostics: the weights of every policy."""
    header = ["policy", "effective\nrounds", "largest\nweight", "mean\nweight", "beyond\nthe log"]
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


def looks_table(looks: Sequence[LookSummary], share: str) -> Table | None:
    """Gains of every policy over the logging policy at any time; None where nobody asked.

    Args:
        looks: of evaluation.json.
        share: the level of intervals, in words.
    """
    if not looks:
        return None

    objectives = [gain["objective"] for gain in looks[0]["gains"]]
    rows = []
    for look in looks:
        cells = [look["policy"], look["decision"]]
        for gain in look["gains"]:
            digits = digits_of_errors([gain["high"] - gain["low"]])
            low = signed(gain["low"], digits)
            high = signed(gain["high"], digits)
            cells.append(f"{signed(gain['gain'], digits)} ({low} to {high})")

        after = look["decided_after"]
        rows.append([*cells, UNKNOWN if after is None else f"{after:,}"])

    gained = [f"gain in {name}" for name in objectives]
    header = ["policy", "decision", *gained, "decided after"]
    caption = (
        f"Gains over the logging policy, with {share} intervals that hold at every round: the log "
        "may be evaluated again whenever it has grown."
    )

    return Table(header, rows, caption)


def gains_table(gains: Sequence[FeatureGainSummary]) -> Table | None:
    """Gains of feature maps over linear rewards; None where no map was measured.

    Args:
        gains: of evaluation.json.
    """
    if not gains:
        return None

    # The largest gain first; what could not be told last.
    ordered = sorted(gains, key=_descending_gain)
    rows = []
    for gain in ordered:
        low = signed(gain["low"])
        high = signed(gain["high"])
        interval = f"{low} to {high}" if gain["estimate"] is not None else UNKNOWN
        answer = "yes" if gain["sure"] else "no"
        rows.append([gain["map"], gain["objective"], signed(gain["estimate"]), interval, answer])

    header = ["map", "objective", "gain", "95 % interval", "sure?"]
    caption = (
        "Shares of the variance of the rewards that the map explains and linear rewards do not, on "
        "rounds that neither was fitted on. Sorted by gain, largest first."
    )

    return Table(header, rows, caption)


def gains_sentence(gains: Sequence[FeatureGainSummary]) -> str:
    """Whether some map would help.

    Example:
        >>> gain = {"map": "crosses", "objective": "q", "estimate": 0.1, "sure": True}
        >>> gains_sentence([gain])
        'Yes: crosses is significantly better than linear rewards in q.'
        >>> gains_sentence([gain | {"sure": False}])
        'Linear is fine: no map is significantly better than linear rewards in any objective.'
    """
    sure: Groups = {}
    for gain in gains:
        if gain["sure"]:
            sure.setdefault(gain["map"], []).append(gain["objective"])

    if not sure:
        return (
            "Linear is fine: no map is significantly better than linear rewards in any objective."
        )

    parts = []
    for name, objectives in sure.items():
        parts.append(
            f"{name} is significantly better than linear rewards in {join_words(objectives)}"
        )

    return f"Yes: {join_words(parts)}."


def _descending_gain(gain: FeatureGainSummary) -> float:
    estimate = gain["estimate"]
    return math.inf if estimate is None else -estimate
