"""The folder of an evaluation: its page, and the files that it is made from, also once more."""

import dataclasses
import importlib.metadata
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.errors import FolderError
from mobandits.evaluation.comparison import TABLE, Comparison
from mobandits.evaluation.dominance import dominance
from mobandits.evaluation.front import (
    FRONT_TABLE,
    OUTLINE,
    front,
    outlines,
    shown_estimator,
    titles_of,
)
from mobandits.evaluation.monitor import Look
from mobandits.evaluation.targets import Target
from mobandits.figures.contents import (
    EvaluationSummary,
    FeatureGainSummary,
    GainSummary,
    LogSummary,
    LookSummary,
)
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective, signs_of
from mobandits.support.describe_path import describe_path
from mobandits.support.files import replacing
from mobandits.support.naming import quoted, short_repr

FORMAT = 2
SUMMARY = "evaluation.json"
REPORT = "report.html"  # written last
STORE = "agent.db"  # of an agent that is deployed
# {table: its columns}; each is a .csv file of its name.
TABLES = {"values": TABLE, "front": FRONT_TABLE, "outlines": OUTLINE}


class EvaluationTables(NamedTuple):
    """What the page of an evaluation is made from.

    Attributes:
        values: of every policy by every estimator; see `figures.evaluation_page`.
        front: which policies may be on the front.
        outlines: the borders of joint regions; None where there are not two objectives.
        summary: the content of evaluation.json.
    """

    values: pl.DataFrame
    front: pl.DataFrame
    outlines: pl.DataFrame | None
    summary: EvaluationSummary


def check_evaluation_folder(out: Path) -> None:
    """Refuse a folder that holds something else, which must not be overwritten.

    Raises:
        ValueError: naming what was found.

    Example:
        >>> check_evaluation_folder(Path("/dev/null"))
        Traceback (most recent call last):
        ValueError: --out must be a new folder, an empty one or that of an evaluation without its \
page; found an empty file at /dev/null
    """
    if not out.exists():
        return
    if out.is_dir():
        # What a kill left has no page yet: the same command may run again.
        is_unfinished = (out / SUMMARY).exists() and not (out / REPORT).exists()
        is_empty = not any(out.iterdir())
        # Never a new page beside the agent of an older evaluation.
        if is_empty or (is_unfinished and not (out / STORE).exists()):
            return

    wanted = "a new folder, an empty one or that of an evaluation without its page"
    raise ValueError(f"--out must be {wanted}; found {describe_path(out)} at {out}")


def write_evaluation(
    out: Path,
    comparison: Comparison,
    log: LogSummary,
    options: Mapping[str, Any],
    answers: Mapping[str, Sequence[Any]],
) -> Path:
    """Write evaluation.json, the tables, the figures and report.html; returns the last.

    Args:
        out: the folder, which is made where it does not exist.
        comparison: what to write.
        log: from `log_summary`.
        options: `level` float, `seed` int, and whatever else belongs into evaluation.json.
        answers: {key of `EvaluationSummary`: rows} of what was asked for besides, such as
            `feature_gains` from `gain_summaries`; what has no rows is left out.
    """
    # Not at the top: the library for drawing takes a second to load.
    from mobandits.figures.evaluation_page import evaluation_page  # noqa: PLC0415
    from mobandits.figures.page import write_page  # noqa: PLC0415

    level = options["level"]
    seed = options["seed"]
    summary = _summary(comparison, log, options, answers)
    membership = front(comparison, level=level, seed=seed)
    borders = None
    if len(comparison.objectives) == 2:
        borders = outlines(comparison, level=level)

    tables = EvaluationTables(comparison.table(level), membership, borders, summary)
    out.mkdir(parents=True, exist_ok=True)
    write_tables(out, tables)

    return write_page(out, evaluation_page(out, *tables))


def _summary(
    comparison: Comparison,
    log: LogSummary,
    options: Mapping[str, Any],
    answers: Mapping[str, Sequence[Any]],
) -> EvaluationSummary:
    """The content of evaluation.json, without numbers that JSON does not have."""
    estimators = {}
    for (_, name), estimate in comparison.estimates.items():
        estimators[name] = short_repr(estimate.estimator)

    policies = {}
    for name, target in comparison.compared.items():
        policies[name] = _policy_summary(comparison, name, target)

    summary: dict[str, Any] = {
        "format": FORMAT,
        "log": log,
        "options": options,
        "estimators": estimators,
        "shown": shown_estimator(comparison, None),
        "policies": policies,
        "dominance": _pairs(comparison, options["level"]),
        "versions": {"mobandits": importlib.metadata.version("mobandits")},
    }
    summary |= {key: rows for key, rows in answers.items() if rows}
    finite: EvaluationSummary = _finite(summary)

    return finite


def log_summary(comparison: Comparison, log: Feedback, source: str) -> LogSummary:
    """What a page says of a log.

    Args:
        comparison: the estimates on it.
        log: the logged decisions, or a piece of them.
        source: where they come from.
    """
    estimate = next(iter(comparison.estimates.values()))
    missing = (estimate.rounds - estimate.seen) / estimate.rounds
    summary: LogSummary = {
        "source": source,
        "rounds": estimate.rounds,
        "arms": [str(arm) for arm in log.arm_names],
        "objectives": titles_of(log.objectives),
        "missing": missing.tolist(),
    }
    if log.encoder is not None:
        summary["encoder"] = str(log.encoder)

    return summary


def _policy_summary(comparison: Comparison, name: str, target: Target) -> dict[str, Any]:
    estimates = {}
    signs = signs_of(comparison.objectives)
    for label in comparison.estimators:
        estimate = comparison[name, label]
        estimates[label] = {
            "value": estimate.value * signs,
            "covariance": estimate.covariance * np.outer(signs, signs),
            "bias_bound": estimate.bias_bound,
            "warnings": estimate.warnings,
        }

    # They are of the weights, which all estimators share.
    diagnostics = comparison[name, comparison.estimators[0]].diagnostics

    return {
        "target": short_repr(target),
        "diagnostics": dataclasses.asdict(diagnostics),
        "estimates": estimates,
    }


def _pairs(comparison: Comparison, level: float) -> list[dict[str, Any]]:
    """Every pair of policies once, by the estimator that is shown."""
    pairs = []
    shown = shown_estimator(comparison, None)
    for first, second in itertools.combinations(comparison.targets, 2):
        verdict = dominance(comparison[first, shown], comparison[second, shown], level=level)
        pairs.append({"first": first, "second": second, **vars(verdict)})

    return pairs


def _finite(value: Any) -> Any:
    """The same as JSON has it: lists for arrays, and null for numbers that JSON does not have."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None

    return value


def gain_summaries(gains: Mapping[str, Sequence[Any]]) -> list[FeatureGainSummary]:
    """What evaluation.json says of feature maps: a row per map and objective.

    Args:
        gains: {map: its `mobandits.features.Gain` in each objective}.
    """
    rows: list[Any] = []
    for name, own in gains.items():
        for gain in own:
            said = {**gain._asdict(), "objective": str(gain.objective)}
            rows.append({"map": name, **said, "sure": gain.is_sure})

    return rows


def look_summaries(looks: Mapping[str, Look], objectives: Sequence[Objective]) -> list[LookSummary]:
    """What evaluation.json says of decisions at any time: a row per policy.

    Args:
        looks: {policy: what is known of it}.
        objectives: of the log.
    """
    rows: list[LookSummary] = []
    for name, look in looks.items():
        gains: list[GainSummary] = []
        columns = look.gain.tolist(), look.low.tolist(), look.high.tolist()
        for each, gain, low, high in zip(objectives, *columns, strict=True):
            gains.append({"objective": str(each.name), "gain": gain, "low": low, "high": high})

        rows.append(
            {
                "policy": name,
                "decision": look.decision,
                "reason": look.reason,
                "decided_after": look.decided_after,
                "rounds": look.rounds,
                "effective_rounds": look.effective_rounds,
                "gains": gains,
                "dominated_by": list(look.dominated_by),
            }
        )

    return rows


def write_tables(out: Path, tables: EvaluationTables) -> None:
    """Write evaluation.json, and a .csv file per table."""
    text = json.dumps(tables.summary, indent=2, ensure_ascii=False)
    # First, because it marks the folder as that of an evaluation: after a kill the same command may
    # run again.
    with replacing(out / SUMMARY) as file:
        file.write((text + "\n").encode())

    for name in TABLES:
        table = getattr(tables, name)
        path = out / f"{name}.csv"
        if table is None:
            # That of an earlier evaluation with other objectives would be taken for this one's.
            path.unlink(missing_ok=True)
        else:
            table.write_csv(path)


def is_evaluation(folder: Path) -> bool:
    """Whether a folder is that of an evaluation."""
    return (folder / SUMMARY).is_file()


def read_tables(folder: Path) -> EvaluationTables:
    """The tables of an evaluation.

    Raises:
        FolderError: where a file is missing or broken.
    """
    files = {name: folder / f"{name}.csv" for name in TABLES}
    for name in ("values", "front"):
        if not files[name].is_file():
            remedy = "run mobandits evaluate into it again"
            raise FolderError(f"{quoted(str(folder))} has no {files[name].name}: {remedy}")

    tables: dict[str, Any] = dict.fromkeys(TABLES)
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        # What another version wrote has numbers that mean something else.
        if summary.get("format") != FORMAT:
            got = f"format must be {FORMAT}, got {quoted(summary.get('format'))}"
            raise ValueError(f"{got}: run mobandits evaluate again")  # noqa: TRY301

        for name, file in files.items():
            if file.is_file():
                tables[name] = _read_csv(file, TABLES[name])

        return EvaluationTables(**tables, summary=summary)
    except (ValueError, pl.exceptions.PolarsError) as error:
        rule = "must hold the files that mobandits evaluate wrote"
        raise FolderError(f"{quoted(str(folder))} {rule}, got {quoted(str(error))}") from error


def _read_csv(file: Path, schema: Mapping[str, Any]) -> pl.DataFrame:
    """The columns of a table, each with its type; names may look like numbers, and stay text."""
    table = pl.read_csv(file, schema_overrides=schema, infer_schema=False)
    return table.select(list(schema)).with_columns(pl.col(pl.String).fill_null(""))
