"""The gain of context: the score that each preference asks for, with the text less without it."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.style import BLUE, INK, ORANGE, WIDTH, panels, styled

SHIFT = 0.012  # of both series, in weights: their intervals would lie on top of each other


def context_gain(outcomes: pl.DataFrame, text: str, constant: str) -> pl.DataFrame:
    """What the text added to the score w quality + (1 - w) thrift of each reading, order by order.

    Both sides play the same orders of the prompts.

    Args:
        outcomes: from `outcomes`.
        text: the environment with the text as context.
        constant: the environment with a constant as context.

    Returns:
        `weight`, `trial`, `value`: the score with the text less the score without.
    """
    weight = pl.col("weight")
    score = weight * pl.col("quality") + (1.0 - weight) * pl.col("thrift")
    readings = outcomes.filter(pl.col("role") == "reading")
    scores = readings.select("environment", "weight", "trial", score=score)

    with_text = scores.filter(pl.col("environment") == text)
    without = scores.filter(pl.col("environment") == constant)
    # Pairs of the same order: its luck cancels in the difference.
    both = with_text.join(
        without,
        on=["weight", "trial"],
        suffix="_constant",
        maintain_order="left",
    )
    gain = pl.col("score") - pl.col("score_constant")

    return both.select("weight", "trial", value=gain)


@styled()
def draw_context_gain(whole: pl.DataFrame, late: pl.DataFrame, width: float = WIDTH) -> Figure:
    """A point with its interval per weight, for all prompts and for their second half.

    Args:
        whole: `weight`, `mean`, `low`, `high`: the bands of `context_gain`.
        late: the same for the second half of the prompts.
        width: in inches.
    """
    figure, (panel,) = panels(width, 3.4)
    draw_gains(panel, whole, -SHIFT, BLUE, "o", "all prompts, learning included")
    draw_gains(panel, late, SHIFT, ORANGE, "D", "second half only")
    panel.axhline(0.0, color=INK, linewidth=0.9)

    labels = [f"{weight:g}" for weight in whole["weight"]]
    panel.set_xticks(whole["weight"].to_list(), labels)
    panel.set_xlabel("weight of quality; thrift has the rest")
    panel.set_ylabel("score with the text\nless score without")
    # Words for the sign: which side of the line is good depends on the order of a difference.
    for y, side, words in ((0.97, "top", "the text helped"), (0.03, "bottom", "the text hurt")):
        panel.text(
            0.01,
            y,
            words,
            transform=panel.transAxes,
            va=side,
            fontsize=8.5,
        )

    columns = 2 if width >= WIDTH else 1
    figure.legend(loc="outside upper left", ncols=columns, frameon=False)

    return figure


def draw_gains(
    panel: Axes, data: pl.DataFrame, shift: float, colour: str, marker: str, label: str
) -> None:
    """Draw one series of points with intervals, shifted to one side of its weights."""
    mean = data["mean"].to_numpy()
    below = mean - data["low"].to_numpy()
    above = data["high"].to_numpy() - mean
    panel.errorbar(
        data["weight"].to_numpy() + shift,
        mean,
        [below, above],
        fmt=marker,
        color=colour,
        markersize=5.5,
        markeredgecolor=INK,
        markeredgewidth=0.5,
        elinewidth=1.4,
        capsize=2.5,
        label=label,
    )
