"""What the demonstration found, in plain words that follow from its numbers, whichever way they fall."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import polars as pl

from mobandits.figures.formatting import format_number, interval, join_words, money

FEW = 3  # so many weights are named, more are counted
CLOSE = 0.02  # a cheaper model that gives up less than this share of the best one's quality will do for most purposes


class Finding(NamedTuple):
    """A headline, and what stands behind it; both HTML."""

    headline: str
    text: str


class Tally(NamedTuple):
    """The weights at which something was clearly better, clearly worse, or neither."""

    better: list[float]
    worse: list[float]
    unclear: list[float]


def tally(bands: pl.DataFrame) -> Tally:
    """Sort the weights by what their 95 % interval says: above 0, below 0, or around it.

    Args:
        bands: `weight`, `low`, `high`.

    Example:
        >>> tally(pl.DataFrame({"weight": [0.1, 0.2, 0.3], "low": [1.0, -2.0, -1.0], "high": [2.0, -1.0, 1.0]}))
        Tally(better=[0.1], worse=[0.2], unclear=[0.3])
    """
    out = Tally([], [], [])
    for weight, low, high in bands.select("weight", "low", "high").rows():
        (out.better if low > 0.0 else out.worse if high < 0.0 else out.unclear).append(weight)
    return out


def where(bands: pl.DataFrame, weights: Sequence[float], digits: int) -> str:
    """At how many weights something is so, at which if they are few, and by how much at most.

    Args:
        bands: `weight`, `mean`: one row per weight.
        weights: some of them.
        digits: of the amount.

    Example:
        >>> bands = pl.DataFrame({"weight": [0.1, 0.2, 0.3, 0.9], "mean": [0.5, -0.25, 0.75, 0.1]})
        >>> where(bands, [0.1, 0.2, 0.3, 0.9], 1), where(bands, [0.2, 0.9], 2), where(bands, [], 2)
        ('at 4 of them (by up to 0.8)', 'at 2 of them (0.2 and 0.9, by up to 0.25)', 'at none of them')
    """
    if not weights:
        return "at none of them"
    amounts = bands.filter(pl.col("weight").is_in(weights))["mean"].abs()
    most = f"by {'up to ' if len(weights) > 1 else ''}{max(amounts):.{digits}f}"
    which = f"{join_words([f'{weight:g}' for weight in weights])}, " if len(weights) <= FEW else ""
    return f"at {len(weights)} of them ({which}{most})"


def about_models(models: pl.DataFrame) -> Finding:
    """What the single models are worth.

    Args:
        models: `policy` ("always <model>"), `dollars`, `quality`: one row per model.
    """
    rows = sorted(models.select("dollars", "quality", "policy").rows())
    named = [
        (dollars, quality, escape(policy.removeprefix("always ")))
        for dollars, quality, policy in rows
    ]
    best = max(named, key=lambda row: row[1])
    close = next(row for row in named if row[1] >= (1.0 - CLOSE) * best[1])
    said = "; ".join(
        f"{name} {quality:.3f} for {money(dollars)}" for dollars, quality, name in named
    )
    prices = f"Mean quality, and price per 1,000 prompts: {said}."
    if close is best:
        text = f"No cheaper model comes within {100 * CLOSE:.0f} % of the quality of {best[2]}. {prices}"
        return Finding("The best model has no cheap rival.", text)
    share = 100 * close[1] / best[1]
    price = 100 * close[0] / best[0]
    text = f"{close[2]} gives {share:.0f} % of the quality of {best[2]} for {price:.0f} % of its price. {prices}"
    return Finding("One model alone is hard to beat.", text)


def about_coins(whole: pl.DataFrame, late: pl.DataFrame) -> Finding:
    """Whether choosing by prompt beats tossing a coin between two models for the same money.

    Args:
        whole: per reading `weight`, `dollars`, `quality` and the band of its gain over the coin, `mean`, `low`, `high`.
        late: the bands over the second half of the prompts.
    """
    found = tally(whole)
    then = tally(late)
    heads = {
        (True, True): "Choosing by prompt paid for some preferences, and not for others.",
        (True, False): "Choosing by prompt paid.",
        (False, True): "Choosing by prompt did not pay.",
        (False, False): "Choosing by prompt made no clear difference.",
    }
    best = max(whole.rows(named=True), key=lambda row: float(row["mean"]))
    quality = best["quality"]
    coin = best["quality"] - best["mean"]
    gain = format_number(best["mean"], 3)
    text = (
        f"One learner’s beliefs can be read with any weight of quality against cost. Read with {best['weight']:g}, "
        f"they delivered a quality of {quality:.3f} for {money(best['dollars'])} per 1,000 prompts; a coin tossed "
        f"between two models for the same money, {coin:.3f} (difference {gain}, "
        f"{interval(best['low'], best['high'], 3)}). This is the most favourable of {len(whole)} weights: quality was "
        f"clearly above the coin’s {where(whole, found.better, 3)} and below {where(whole, found.worse, 3)}. Learning "
        f"is included; over the second half of the prompts, it was above {where(late, then.better, 3)} and below "
        f"{where(late, then.worse, 3)}."
    )
    return Finding(heads[bool(found.better), bool(found.worse)], text)


def about_context(
    best: str, regrets: tuple[float, float], difference: tuple[float, float, float]
) -> Finding:
    """Whether the learner with the text did better than the same learner with a constant.

    Args:
        best: its name.
        regrets: mean final effective Pareto regret with the text, and with a constant.
        difference: the first less the second, order by order: mean, and both ends of its interval.

    Example:
        >>> about_context("MOL-TS", (40.0, 39.5), (0.5, -1.0, 2.0)).headline
        'Context did not measurably help MOL-TS.'
    """
    mean, low, high = difference
    if high < 0.0:
        headline = f"Context helped {escape(best)}."
    elif low > 0.0:
        headline = f"Context did not help {escape(best)}: it hurt."
    else:
        headline = f"Context did not measurably help {escape(best)}."
    text = (
        f"Its effective Pareto regret, which measures waste, was {regrets[0]:.1f} with the prompt’s text and "
        f"{regrets[1]:.1f} with a constant as its only feature: a difference of {format_number(mean, 1)} "
        f"({interval(low, high, 1)}; below 0, the text helps)."
    )
    return Finding(headline, text)


def about_preferences(whole: pl.DataFrame, late: pl.DataFrame) -> Finding:
    """For which preferences the text improved the score that was asked for.

    Args:
        whole: the bands of `context_gain`: `weight`, `mean`, `low`, `high`.
        late: the same for the second half of the prompts.
    """
    found = tally(whole)
    then = tally(late)
    if found.better and found.worse:
        headline = "For a stated preference, context helped at some weights and hurt at others."
    elif found.better:
        headline = "For a stated preference, context helped."
    else:
        headline = "For a stated preference, context did not help."
    text = (
        f"Each of {len(whole)} weights asks for a score of its own. With the text, that score was clearly higher than "
        f"without it {where(whole, found.better, 4)} and lower {where(whole, found.worse, 4)}. Features take time to "
        f"learn: over the second half of the prompts, it was higher {where(late, then.better, 4)} and lower "
        f"{where(late, then.worse, 4)}."
    )
    return Finding(headline, text)
