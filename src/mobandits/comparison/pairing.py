"""The last values of a metric, side by side: a row per trial, a column per policy."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.support.naming import quoted, shortened, wrong_value

PROBLEM = ["experiment", "environment"]


class PairedValues(NamedTuple):
    """One component of a metric on one problem, at the last round.

    Attributes:
        experiment: its name.
        environment: its name.
        component: its number.
        policies: their names, in the order of the table.
        values: (trials, policies), finite.
    """

    experiment: str
    environment: str
    component: int
    policies: tuple[str, ...]
    values: Array

    @property
    def key(self) -> dict[str, Any]:
        """What it is of, for the rows of tables."""
        return dict(zip((*PROBLEM, "component"), self, strict=False))


def paired_values(table: pl.DataFrame, metric: str) -> list[PairedValues]:
    """The values to compare: an entry per experiment, environment and component.

    Args:
        table: rows as `simulate` records them, in any order.
        metric: its name, of those in the table.

    Raises:
        ValueError: where a problem has one policy only or other
            policies than the first, or its policies do not have the same trials and last round,
            or a value is missing, twice there, or not finite.
    """
    rows = table.filter(pl.col("metric") == metric)
    policies = rows["policy"].unique(maintain_order=True).to_list()
    if len(policies) < 2:
        raise wrong_value("compare needs at least two policies", policies)

    pairs = []
    for problem in rows.partition_by(PROBLEM, maintain_order=True):
        missing = sorted(set(policies) - set(problem["policy"]))
        if missing:
            rule = "policies must be the same in every experiment and environment to be compared"
            raise ValueError(f"{rule}, got none of {quoted(missing)} in {_place(problem)}")

        _require_same_rounds(problem)
        last = problem.filter(pl.col("round") == pl.col("round").max())
        components = last.sort("component").partition_by("component", maintain_order=True)
        pairs += [_paired(component, policies) for component in components]

    return pairs


def _require_same_rounds(problem: pl.DataFrame) -> None:
    ends = problem.group_by("policy", "trial").agg(pl.col("round").max())
    ends = ends.sort("round", "policy", "trial")
    early_policy, _, early_round = ends.row(0)
    late_policy, _, late_round = ends.row(-1)
    if early_round == late_round:
        return

    rule = f"policies must end in the same round to be compared; in {_place(problem)}"
    early = f"{_name(early_policy)} ends in round {early_round:,}"
    late = f"{_name(late_policy)} in round {late_round:,}"
    raise ValueError(f"{rule} {early}, {late}")


def _paired(rows: pl.DataFrame, policies: Sequence[str]) -> PairedValues:
    """One problem and component; rows of the last round."""
    keys = rows.select("policy", "trial")
    again = keys.filter(keys.is_duplicated())
    if len(again):
        policy, trial = again.row(0)
        rule = "policies must have one value per trial to be compared"
        raise ValueError(f"{rule}, got several of {_name(policy)} in trial {trial}")

    # Sorted, so that the order of the rows of a table changes no number.
    columns = rows.pivot(on="policy", index="trial", values="value").sort("trial")
    trials = columns["trial"]
    values = np.empty((len(trials), len(policies)))
    for j, policy in enumerate(policies):
        # A policy without any value of this component has no column either.
        lacking = trials
        if policy in columns.columns:
            lacking = trials.filter(columns[policy].is_null())
            values[:, j] = columns[policy].fill_null(0.0).to_numpy()

        if len(lacking):
            rule = f"policies must have the same trials to be compared; in {_place(rows)}"
            raise ValueError(f"{rule} {_name(policy)} has no value in trial {lacking[0]}")

    lost = np.argwhere(~np.isfinite(values))
    if len(lost):
        i, j = lost[0].tolist()
        rule = f"values must be finite to be compared, got {values[i, j]}"
        raise ValueError(f"{rule} of {_name(policies[j])} in trial {trials[i]}")

    experiment, environment, component = rows.select(*PROBLEM, "component").row(0)

    return PairedValues(experiment, environment, component, tuple(policies), values)


def _place(rows: pl.DataFrame) -> str:
    return shortened(str(rows["environment"][0]))


def _name(policy: str) -> str:
    return shortened(policy)
