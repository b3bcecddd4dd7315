"""Decisions as a CSV file that `mobandits.logs.csv` reads."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from mobandits.errors import LogError
from mobandits.logs.feedback import Feedback
from mobandits.support.files import replacing
from mobandits.support.naming import wrong_value


def write_csv(chunks: Iterator[Feedback], out: Path) -> None:
    """Write decisions, a row each; the file appears whole or not at all.

    Columns are id, time, arm and propensity; then features, x0, x1, ... where the arms share them,
    and the arm's name before them where they do not (`small:x0`); then objectives in their own
    units. An empty cell was not observed.

    Args:
        chunks: the decisions.
        out: the file.

    Raises:
        LogError: where CSV cannot say it: names that are alike as text, or arms that were not
            always eligible.
    """
    with replacing(out) as file:
        is_first = True
        for chunk in chunks:
            frame = _table(chunk, out)
            file.write(frame.write_csv(include_header=is_first).encode())
            is_first = False


def _table(chunk: Feedback, out: Path) -> pl.DataFrame:
    if chunk.eligible is not None and not chunk.eligible.all():
        raise LogError(f"{out}: CSV cannot say which arms were eligible: choose parquet or dsjson")
    if chunk.ranks is not None and chunk.ranks.any():
        raise LogError(f"{out}: CSV cannot say that arms were chosen together: choose parquet")

    arms = [str(name) for name in chunk.arm_names]
    columns = [
        ("id", chunk.ids),
        ("time", chunk.times),
        ("arm", [arms[arm] for arm in chunk.arms]),
        ("propensity", chunk.propensities),
    ]
    # A table of each arm, or one for all of them.
    tables = {"": chunk.contexts}
    if chunk.contexts.ndim == 3:
        tables = {f"{name}:": chunk.contexts[:, arm] for arm, name in enumerate(arms)}
    for prefix, table in tables.items():
        columns += [(f"{prefix}x{number}", feature) for number, feature in enumerate(table.T)]

    columns += zip(map(str, chunk.objective_names), chunk.own_rewards.T, strict=True)
    for listed in ([name for name, _ in columns], arms):
        if len(set(listed)) < len(listed):
            twice = next(name for name in listed if listed.count(name) > 1)
            raise wrong_value(f"{out}: columns and arms must have different names", twice, LogError)

    frame = pl.DataFrame([pl.Series(name, values) for name, values in columns])
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
