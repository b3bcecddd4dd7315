"""What every policy of the demonstration spent and delivered: one row per policy and trial."""

import polars as pl

KEYS = ["environment", "policy", "trial"]
MEASURED = {  # column: metric, component, factor
    "dollars": ("dollars", 0, 1000.0),
    "quality": ("reward", 0, 1.0),
    "thrift": ("reward", 1, 1.0),
    "regret": ("effective_pareto_regret", 0, 1.0),
}


def outcomes(table: pl.DataFrame, rows: pl.DataFrame, *, late: bool = False) -> pl.DataFrame:
    """Means per round, learning included, of what the demonstration counts; and the regret, a sum.

    Args:
        table: rows as `simulate` records them, with the metrics dollars, reward and effective_pareto_regret.
        rows: `policy` str, `role` str, `weight` float or null: what each policy is.
        late: count the second half of the rounds only, and leave out policies that were not recorded before it.

    Returns:
        `environment`, `policy`, `role`, `weight`, `trial`, `dollars` (US dollars per 1,000 rounds), `quality`
        (objective 0), `thrift` (objective 1), `regret` (effective Pareto regret, null where unknown), in the order of
        `rows`.

    Example:
        >>> both = [("e", "a", 0, 10, "dollars", 0, 0.5), ("e", "a", 0, 10, "reward", 0, 9.0)]
        >>> columns = ["environment", "policy", "trial", "round", "metric", "component", "value"]
        >>> rows = pl.DataFrame([("a", "learner", None)], ["policy", "role", "weight"], orient="row")
        >>> outcomes(pl.DataFrame(both, columns, orient="row"), rows).select("dollars", "quality").rows()
        [(50.0, 0.9)]
    """
    end = table["round"].max()
    at_end = table.filter(pl.col("round") == end)
    sums = at_end.with_columns(rounds=pl.col("round"))
    if late:
        before = table.filter(pl.col("round") <= pl.lit(end) // 2)
        before = before.filter(pl.col("round") == pl.col("round").max())
        joined = at_end.join(
            before, on=[*KEYS, "metric", "component"], suffix="_before", maintain_order="left"
        )
        sums = joined.with_columns(
            value=pl.col("value") - pl.col("value_before"),
            rounds=pl.col("round") - pl.col("round_before"),
        )
    wide = sums.select(*KEYS).unique(maintain_order=True)
    for column, (metric, component, factor) in MEASURED.items():
        some = sums.filter((pl.col("metric") == metric) & (pl.col("component") == component))
        share = (
            pl.col("value") if column == "regret" else factor * pl.col("value") / pl.col("rounds")
        )
        wide = wide.join(
            some.select(*KEYS, share.alias(column)), on=KEYS, how="left", maintain_order="left"
        )
    environments = {
        name: i for i, name in enumerate(table["environment"].unique(maintain_order=True))
    }
    ranked = wide.join(rows.with_row_index("rank"), on="policy").sort(
        pl.col("environment").replace_strict(environments, return_dtype=pl.Int64), "rank", "trial"
    )
    return ranked.select("environment", "policy", "role", "weight", "trial", *MEASURED)
