"""How often each arm is used over time: a panel per policy, shares that fill it."""

import math

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.style import BLUE, ORANGE, SKY, WIDTH, panels, styled

FILLS = (SKY, BLUE, ORANGE)
HATCHES = ("", "", "////")


def use_data(table: pl.DataFrame, policies: list[str], windows: int = 24) -> pl.DataFrame:
    """The share of the rounds in which each arm was chosen, window by window, over trials.

    Shares are averaged over trials.

    Args:
        table: rows as `simulate` records them, with the metric plays; its first environment counts.
        policies: which ones, in order.
        windows: at most so many, of equal length but for the grid of recorded rounds.

    Returns:
        `policy`, `component` int (the arm), `round` int (the window's last), `share` float; shares
        of one policy and round sum to 1.
    """
    of_plays = pl.col("metric") == "plays"
    of_policies = pl.col("policy").is_in(policies)
    of_environment = pl.col("environment") == pl.col("environment").first()
    plays = table.filter(of_plays & of_policies & of_environment)
    ends = window_ends(plays["round"].unique().sort(), windows)

    keys = ["policy", "trial", "component"]
    chosen = plays.filter(pl.col("round").is_in(ends.implode())).sort(*keys, "round")
    # Plays are sums: a window's are those at its end, less those at the end of the one before.
    value_before = pl.col("value").shift(1, fill_value=0).over(keys)
    round_before = pl.col("round").shift(1, fill_value=0).over(keys)
    in_window = pl.col("value") - value_before
    length = pl.col("round") - round_before
    shares = chosen.with_columns(share=in_window / length)

    groups = shares.group_by("policy", "component", "round", maintain_order=True)
    means = groups.agg(pl.col("share").mean())
    rank = {name: i for i, name in enumerate(policies)}
    by_policy = pl.col("policy").replace_strict(rank, return_dtype=pl.Int64)

    return means.sort(by_policy, "component", "round")


def window_ends(rounds: pl.Series, windows: int) -> pl.Series:
    """The last round of every window: each so-many-th recorded round, and the very last one.

    Example:
        >>> window_ends(pl.Series([10, 20, 30, 40, 50]), 3).to_list()
        [10, 30, 50]
    """
    recorded = len(rounds)
    step = max(math.ceil(recorded / windows), 1)
    # Counted from the end, so that a window that is too short is the first one.
    first = (recorded - 1) % step

    return rounds.gather_every(step, first)


@styled()
def draw_use(data: pl.DataFrame, arms: list[str], width: float = WIDTH) -> Figure:
    """One panel per policy; from bottom to top the arms in order.

    Args:
        data: from `use_data`.
        arms: their names.
        width: in inches.
    """
    policies = data.partition_by("policy", maintain_order=True)
    rows = math.ceil(len(policies) / 2)
    height = 0.7 + 1.35 * rows
    figure, axes = panels(width, height, rows, 2, shared=True)
    for panel, group in zip(axes, policies, strict=False):
        shares = group.pivot("component", index="round", values="share")
        title = group["policy"][0]
        draw_stack(panel, shares, title)

    # An odd number of policies leaves the last panel empty.
    for panel in axes[len(policies) :]:
        panel.set_axis_off()

    handles = axes[0].collections[: len(arms)]
    figure.legend(
        handles,
        arms,
        loc="outside upper left",
        ncols=len(arms) if width >= WIDTH else 1,
        frameon=False,
    )
    figure.supxlabel("prompts so far", fontsize=9.5)
    figure.supylabel("share of the prompts", fontsize=9.5)

    return figure


def draw_stack(panel: Axes, shares: pl.DataFrame, title: str) -> None:
    """Draw shares as steps, one on top of the other.

    Args:
        panel: where.
        shares: the column `round`, then one per arm.
        title: of the panel.
    """
    ends = np.concatenate([[0], shares["round"].to_numpy()])
    base = np.zeros(len(ends))
    for fill, hatch, arm in zip(FILLS, HATCHES, shares.columns[1:], strict=False):
        share = shares[arm].to_numpy()
        # A step reaches back from its end: the first share stands at round 0 as well.
        from_start = np.concatenate([share[:1], share])
        top = base + from_start
        panel.fill_between(
            ends,
            base,
            top,
            step="pre",
            facecolor=fill,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.0,
        )
        base = top

    panel.set(
        title=title,
        xlim=(0, ends[-1]),
        ylim=(0, 1),
        yticks=[0, 0.5, 1],
        yticklabels=["0", "50 %", "100 %"],
    )
    panel.grid(visible=False)
