"""Simulations as the files of papers write them: an environment, rows, metrics and a scale.

Environments, policies and metrics are names, or tables of a name and parameters, as in the
specification of a simulation. A row with a constant to choose has the arguments of `Tuned.over`.
What only code can make, such as a recipe of the papers' own, is given to the file as a word.
"""

from collections.abc import Mapping
from typing import Any

from mobandits.contracts.protocols import Metric, Recipe
from mobandits.spec.building import build
from mobandits_papers.experiment import Run, Tuned


def run_of(entry: Mapping[str, Any]) -> Run:
    """A simulation from a table with the arguments of `Run`.

    Rows are a table, or several that follow each other.

    Example:
        >>> scale = {"name": "small", "rounds": 100, "trials": 5, "metrics": ["reward"]}
        >>> rows = {"MOL-UCB": {"name": "mol-ucb", "scale": 0.3}}
        >>> run = run_of({**scale, "environment": "linear", "rows": rows})
        >>> run.environment.arms, run.rows["MOL-UCB"].scale
        (50, 0.3)
    """
    groups = entry["rows"] if isinstance(entry["rows"], list) else [entry["rows"]]
    rows: dict[str, Recipe | Tuned] = {}
    for group in groups:
        rows |= {row: row_of(written) for row, written in group.items()}

    arguments = {
        **entry,
        "environment": made("environments", entry["environment"]),
        "rows": rows,
        "metrics": tuple(map(metric_of, entry["metrics"])),
    }
    return Run(**arguments)


def row_of(written: Any) -> Recipe | Tuned:
    """A recipe, or a constant to choose."""
    if not isinstance(written, dict) or "recipe" not in written:
        recipe: Recipe = made("policies", written)
        return recipe

    arguments = {**written, "recipe": made("policies", written["recipe"])}
    if "metric" in written:
        arguments["metric"] = metric_of(written["metric"])
    if written.get("component") == "all":  # TOML has no None
        arguments["component"] = None

    return Tuned.over(**arguments)


def metric_of(written: Any) -> str | Metric:
    """The name of a metric as it is, or a metric with parameters."""
    if isinstance(written, str):
        return written

    metric: Metric = made("metrics", written)
    return metric


def made(kind: str, written: Any) -> Any:
    """A part of one of the kinds of `mobandits.spec`; what code has given stays as it is."""
    return build(kind, written, kind) if isinstance(written, str | dict) else written
