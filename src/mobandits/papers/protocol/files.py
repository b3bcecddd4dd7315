"""What `mobandits check-theorems` leaves in its folder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from mobandits.errors import FolderError
from mobandits.papers.protocol.protocol import KINDS, Report
from mobandits.simulation.files import write_atomically
from mobandits.simulation.manifest import versions


def write(folder: Path, paper: str, report: Report, **said: Any) -> Path:
    """`<paper>.json`, the counts and what else is said, and `<paper>.parquet`, the curves of the bounds.

    The table has the columns name, round, mean and highest (of the regret over the runs), bound (its mean over them).

    Returns:
        The path of the first.

    Raises:
        FolderError: where the folder cannot be written.
    """
    counts = [count._asdict() for count in report.counts]
    content = {
        "paper": paper,
        "versions": versions(),
        **said,
        "holds": report.holds,
        "kinds": KINDS,
        "counts": counts,
    }
    file = folder / f"{paper}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(file, (json.dumps(content, indent=2) + "\n").encode())
        curves(report).write_parquet(folder / f"{paper}.parquet")
    except OSError as error:
        raise FolderError(f"{folder} cannot be written: {error.strerror}") from error
    return file


def curves(report: Report) -> pl.DataFrame:
    """The regret beside its bounds: one row per bound and round."""
    tables = []
    for name, several in report.curves.items():
        regret = np.stack([one.regret for one in several])
        bound = np.stack([one.bound for one in several])
        columns = {
            "round": several[0].rounds,
            "mean": regret.mean(0),
            "highest": regret.max(0),
            "bound": bound.mean(0),
        }
        tables.append(pl.DataFrame(columns).select(pl.lit(name).alias("name"), pl.all()))
    return pl.concat(tables) if tables else pl.DataFrame()
