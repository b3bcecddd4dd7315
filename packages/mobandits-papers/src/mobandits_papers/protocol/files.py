"""The files of `mobandits check-theorems`: a summary and a table of curves per paper."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.errors import FolderError
from mobandits.simulation.manifest import MANIFEST, versions
from mobandits.support.files import write_atomically
from mobandits.support.naming import quoted
from mobandits_papers.protocol.protocol import KINDS, Count, Report

KIND = "theorems"  # of a file, among others of the user's folder


class TheoremChecks(NamedTuple):
    """The findings on the theorems of a paper, as `mobandits check-theorems` keeps them.

    Attributes:
        paper: its key.
        versions: of what computed them.
        runs: independent ones.
        seed: of all of them.
        holds: whether everything is as the theory says.
        kinds: what is looked at in a statement of each kind.
        counts: one per statement.
        curves: the regret beside its bounds, from `bound_curves`; in a file of its own.
    """

    paper: str
    versions: dict[str, str]
    runs: int
    seed: int
    holds: bool
    kinds: dict[str, str]
    counts: Sequence[Count]
    curves: pl.DataFrame


def theorem_checks(paper: str, report: Report, *, runs: int, seed: int) -> TheoremChecks:
    """The content of a paper's files.

    Args:
        paper: its key.
        report: of all runs.
        runs: how many there were.
        seed: of all of them.
    """
    kinds = {str(kind): meaning for kind, meaning in KINDS.items()}
    return TheoremChecks(
        paper, versions(), runs, seed, report.holds, kinds, report.counts, bound_curves(report)
    )


def bound_curves(report: Report) -> pl.DataFrame:
    """The regret beside its bounds: one row per bound and round.

    Returns:
        `name`, `round`, `mean` and `highest` (of the regret over the runs), `bound` (its mean over
        them); no columns where the paper has no bounds.
    """
    tables = []
    for name, curves in report.curves.items():
        regret = np.stack([curve.regret for curve in curves])
        bound = np.stack([curve.bound for curve in curves])
        columns = {
            "round": curves[0].rounds,
            "mean": regret.mean(0),
            "highest": regret.max(0),
            "bound": bound.mean(0),
        }
        tables.append(pl.DataFrame(columns).select(pl.lit(name).alias("name"), pl.all()))

    return pl.concat(tables) if tables else pl.DataFrame()


def write_checks(folder: Path, checks: TheoremChecks) -> Path:
    """Write `<paper>.json`, the summary, and `<paper>.parquet`, the curves.

    Returns:
        The path of the first.

    Raises:
        FolderError: where the folder cannot be written.
    """
    file = folder / f"{checks.paper}.json"
    content = {"kind": KIND, **checks._asdict()}
    content["counts"] = [count._asdict() for count in checks.counts]
    del content["curves"]
    text = json.dumps(content, indent=2)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(file, f"{text}\n".encode())
        checks.curves.write_parquet(file.with_suffix(".parquet"))
    except OSError as error:
        raise FolderError(f"{folder} cannot be written: {error.strerror}") from error

    return file


def read_checks(folder: Path) -> dict[str, TheoremChecks]:
    """{paper: findings}; none where the folder is not one of `check-theorems`.

    Raises:
        FolderError: where the findings or the curves of a paper cannot be read.
    """
    if (folder / MANIFEST).exists():  # a run, whatever lies beside it
        return {}

    checks = {}
    for file in sorted(folder.glob("*.json")):
        content = _read_summary(file)
        if content is not None:
            found = _checks_of(content, file)
            checks[found.paper] = found

    return checks


def _checks_of(content: dict[str, Any], file: Path) -> TheoremChecks:
    curves = _read_curves(file)
    try:
        content["counts"] = [Count(**count) for count in content["counts"]]
        return TheoremChecks(**content, curves=curves)
    except (KeyError, TypeError) as error:  # of a key that lacks, or that nobody knows
        rule = "must be one that check-theorems of this version wrote"
        raise FolderError(f"{file} {rule}, got {quoted(error)}") from error


def _read_summary(file: Path) -> dict[str, Any] | None:
    # The folder is the user's: whatever else lies there is no mistake.
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # some other file
        return None

    is_summary = isinstance(content, dict) and content.pop("kind", None) == KIND

    return content if is_summary else None


def _read_curves(summary_file: Path) -> pl.DataFrame:
    file = summary_file.with_suffix(".parquet")
    try:
        return pl.read_parquet(file)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FolderError(f"{file} cannot be read as a Parquet file ({reason})") from error
