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
    """Means per round of what the demonstration counts, learning included; and the regret, a sum.

    Args:
        table: rows as `simulate` records them, with the metrics dollars, reward and
            effective_pareto_regret.
        rows: `policy` str, `role` str, `weight` float or null: what each policy is.
        late: count the second half of the rounds only, and leave out policies that were not
            recorded before it.

    Returns:
        `environment`, `policy`, `role`, `weight`, `trial`, `dollars` (US dollars per 1,000 rounds),
        `quality` (objective 0), `thrift` (objective 1), `regret` (effective Pareto regret, null
        where unknown), in the order of `rows`.

    Example:
        >>> both = [("e", "a", 0, 10, "dollars", 0, 0.5), ("e", "a", 0, 10, "reward", 0, 9.0)]
        >>> columns = ["environment", "policy", "trial", "round", "metric", "component", "value"]
        >>> named = ["policy", "role", "weight"]
        >>> rows = pl.DataFrame([("a", "learner", None)], named, orient="row")
        >>> table = pl.DataFrame(both, columns, orient="row")
        >>> outcomes(table, rows).select("dollars", "quality").rows()
        [(50.0, 0.9)]
    """
    sums = sums_of_late_rounds(table) if late else sums_of_all_rounds(table)
    wide = sums.select(*KEYS).unique(maintain_order=True)
    for column, (metric, component, factor) in MEASURED.items():
        of_metric = pl.col("metric") == metric
        of_component = pl.col("component") == component
        measured = sums.filter(of_metric & of_component)
        value = pl.col("value")
        # The regret is a sum, as everywhere in this library; everything else a mean per round.
        share = value if column == "regret" else factor * value / pl.col("rounds")
        wide = wide.join(
            measured.select(*KEYS, share.alias(column)),
            on=KEYS,
            how="left",
            maintain_order="left",
        )

    # Environments in the order of the table, policies in the order of `rows`.
    names = table["environment"].unique(maintain_order=True)
    environment_rank = {name: i for i, name in enumerate(names)}
    by_environment = pl.col("environment").replace_strict(environment_rank, return_dtype=pl.Int64)
    ranked = wide.join(rows.with_row_index("rank"), on="policy")
    ranked = ranked.sort(by_environment, "rank", "trial")

    return ranked.select("environment", "policy", "role", "weight", "trial", *MEASURED)


def sums_of_all_rounds(table: pl.DataFrame) -> pl.DataFrame:
    """The rows of the last round, with a column `rounds`: how many the sums are of."""
    end = table["round"].max()
    is_last = pl.col("round") == end
    at_end = table.filter(is_last)
    return at_end.with_columns(rounds=pl.col("round"))


def sums_of_late_rounds(table: pl.DataFrame) -> pl.DataFrame:
    """The same for the second half of the rounds: sums at the end less sums before."""
    end = table["round"].max()
    at_end = table.filter(pl.col("round") == end)
    # The half begins after the last recorded round of the first half.
    first_half = table.filter(pl.col("round") <= pl.lit(end) // 2)
    before = first_half.filter(pl.col("round") == pl.col("round").max())
    joined = at_end.join(
        before,
        on=[*KEYS, "metric", "component"],
        suffix="_before",
        maintain_order="left",
    )

    return joined.with_columns(
        value=pl.col("value") - pl.col("value_before"),
        rounds=pl.col("round") - pl.col("round_before"),
    )
