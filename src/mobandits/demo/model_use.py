"""How often each arm is used over time: a panel per policy, shares that fill it."""

import math

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.style import BLUE, ORANGE, SKY, WIDTH, panels, styled

FILLS = (SKY, BLUE, ORANGE)
INKS = ("black", "white", "black")
HATCHES = ("", "", "////")


def use_data(table: pl.DataFrame, policies: list[str], windows: int = 24) -> pl.DataFrame:
    """The share of the rounds in which each arm was chosen, window by window, averaged over trials.

    Args:
        table: rows as `simulate` records them, with the metric plays; its first environment counts.
        policies: which ones, in order.
        windows: at most so many, of equal length but for the grid of recorded rounds.

    Returns:
        `policy`, `component` int (the arm), `round` int (the window's last), `share` float; shares of one policy and
        round sum to 1.
    """
    plays = table.filter(
        (pl.col("metric") == "plays")
        & pl.col("policy").is_in(policies)
        & (pl.col("environment") == pl.col("environment").first())
    )
    rounds = plays["round"].unique().sort()
    ends = rounds.gather_every(
        max(math.ceil(len(rounds) / windows), 1),
        (len(rounds) - 1) % max(math.ceil(len(rounds) / windows), 1),
    )
    keys = ["policy", "trial", "component"]
    chosen = plays.filter(pl.col("round").is_in(ends.implode())).sort(*keys, "round")
    before = [pl.col(name).shift(1, fill_value=0).over(keys) for name in ("value", "round")]
    shares = chosen.with_columns(
        share=(pl.col("value") - before[0]) / (pl.col("round") - before[1])
    )
    means = shares.group_by("policy", "component", "round", maintain_order=True).agg(
        pl.col("share").mean()
    )
    rank = {name: i for i, name in enumerate(policies)}
    return means.sort(
        pl.col("policy").replace_strict(rank, return_dtype=pl.Int64), "component", "round"
    )


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
    figure, axes = panels(width, 0.7 + 1.35 * rows, rows, 2, shared=True)
    for panel, group in zip(axes, policies, strict=False):
        draw_stack(
            panel, group.pivot("component", index="round", values="share"), group["policy"][0]
        )
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
    """Shares as steps, one on top of the other; `shares` has the column `round`, then one per arm."""
    ends = np.concatenate([[0], shares["round"].to_numpy()])
    base = np.zeros(len(ends))
    for fill, hatch, arm in zip(FILLS, HATCHES, shares.columns[1:], strict=False):
        share = shares[arm].to_numpy()
        top = base + np.concatenate([share[:1], share])
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
