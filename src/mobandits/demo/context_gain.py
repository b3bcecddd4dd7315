"""Did context help? The score that each preference asks for, with the text and without it."""

import polars as pl
from matplotlib.figure import Figure

from mobandits.figures.style import BLUE, INK, ORANGE, WIDTH, panels, styled


def context_gain(outcomes: pl.DataFrame, text: str, constant: str) -> pl.DataFrame:
    """What the text added to the score w quality + (1 - w) thrift of each reading, on the same order of the prompts.

    Args:
        outcomes: from `outcomes`.
        text: the environment with the text as context.
        constant: the environment with a constant as context.

    Returns:
        `weight`, `trial`, `value`: the score with the text less the score without.
    """
    weight = pl.col("weight")
    scores = outcomes.filter(pl.col("role") == "reading").with_columns(
        score=weight * pl.col("quality") + (1.0 - weight) * pl.col("thrift")
    )
    sides = [
        scores.filter(pl.col("environment") == name).select("weight", "trial", "score")
        for name in (text, constant)
    ]
    both = sides[0].join(
        sides[1], on=["weight", "trial"], suffix="_constant", maintain_order="left"
    )
    return both.select("weight", "trial", value=pl.col("score") - pl.col("score_constant"))


@styled()
def draw_context_gain(whole: pl.DataFrame, late: pl.DataFrame, width: float = WIDTH) -> Figure:
    """A point with its interval per weight, for all prompts and for their second half.

    Args:
        whole: `weight`, `mean`, `low`, `high`: the bands of `context_gain`.
        late: the same for the second half of the prompts.
        width: in inches.
    """
    figure, (panel,) = panels(width, 3.4)
    series = (
        (whole, -0.012, BLUE, "o", "all prompts, learning included"),
        (late, 0.012, ORANGE, "D", "second half only"),
    )
    for data, shift, colour, marker, name in series:
        x = data["weight"].to_numpy() + shift
        mean = data["mean"].to_numpy()
        reach = [mean - data["low"].to_numpy(), data["high"].to_numpy() - mean]
        panel.errorbar(
            x,
            mean,
            reach,
            fmt=marker,
            color=colour,
            markersize=5.5,
            markeredgecolor=INK,
            markeredgewidth=0.5,
            elinewidth=1.4,
            capsize=2.5,
            label=name,
        )
    panel.axhline(0.0, color=INK, linewidth=0.9)
    panel.set_xticks(whole["weight"].to_list(), [f"{weight:g}" for weight in whole["weight"]])
    panel.set_xlabel("weight of quality; thrift has the rest")
    panel.set_ylabel("score with the text\nless score without")
    for y, side, said in ((0.97, "top", "the text helped"), (0.03, "bottom", "the text hurt")):
        panel.text(0.01, y, said, transform=panel.transAxes, va=side, fontsize=8.5)
    figure.legend(loc="outside upper left", ncols=2 if width >= WIDTH else 1, frameon=False)
    return figure
