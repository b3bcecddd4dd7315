"""The findings of the demonstration, in plain words that follow from its numbers alone."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from mobandits.demo.deployed import Deployed
from mobandits.figures.formatting import (
    format_number,
    interval,
    join_words,
    money,
    plus_minus,
)

FEW = 3  # so many weights are named, more are counted
# A cheaper model that gives up less than this share of the best one's quality will do for most
# purposes.
CLOSE = 0.02


class Finding(NamedTuple):
    """A headline, and what stands behind it; both plain text."""

    headline: str
    text: str


class SortedWeights(NamedTuple):
    """The weights at which something was clearly better, clearly worse, or neither."""

    better: list[float]
    worse: list[float]
    unclear: list[float]


def sort_weights(bands: pl.DataFrame) -> SortedWeights:
    """The weights, sorted by where their 95 % interval lies: above 0, below 0, or around it.

    Args:
        bands: `weight`, `low`, `high`.

    Example:
        >>> intervals = {"low": [1.0, -2.0, -1.0], "high": [2.0, -1.0, 1.0]}
        >>> sort_weights(pl.DataFrame({"weight": [0.1, 0.2, 0.3], **intervals}))
        SortedWeights(better=[0.1], worse=[0.2], unclear=[0.3])
    """
    weights = SortedWeights([], [], [])
    for weight, low, high in bands.select("weight", "low", "high").rows():
        if low > 0.0:
            weights.better.append(weight)
        elif high < 0.0:
            weights.worse.append(weight)
        else:
            weights.unclear.append(weight)

    return weights


def describe_weights(bands: pl.DataFrame, weights: Sequence[float], digits: int) -> str:
    """How many weights there are, which if they are few, and by how much something differs at most.

    Args:
        bands: `weight`, `mean`: one row per weight.
        weights: some of them.
        digits: of the amount.

    Example:
        >>> bands = pl.DataFrame({"weight": [0.1, 0.2, 0.3, 0.9], "mean": [0.5, -0.25, 0.75, 0.1]})
        >>> describe_weights(bands, [0.1, 0.2, 0.3, 0.9], 1)
        'at 4 of them (by up to 0.8)'
        >>> describe_weights(bands, [0.2, 0.9], 2), describe_weights(bands, [], 2)
        ('at 2 of them (0.2 and 0.9, by up to 0.25)', 'at none of them')
    """
    if not weights:
        return "at none of them"

    named = bands.filter(pl.col("weight").is_in(weights))
    largest = max(named["mean"].abs())
    up_to = "up to " if len(weights) > 1 else ""
    amount = f"by {up_to}{largest:.{digits}f}"
    if len(weights) > FEW:
        return f"at {len(weights)} of them ({amount})"

    words = join_words([f"{weight:g}" for weight in weights])

    return f"at {len(weights)} of them ({words}, {amount})"


class PricedModel(NamedTuple):
    """A model, with its price in dollars per 1,000 prompts and its mean quality."""

    dollars: float
    quality: float
    name: str


def about_models(models: pl.DataFrame) -> Finding:
    """What the single models are worth.

    Args:
        models: `policy` ("always <model>"), `dollars`, `quality`: one row per model.
    """
    priced = []
    for dollars, quality, policy in sorted(models.select("dollars", "quality", "policy").rows()):
        name = policy.removeprefix("always ")
        priced.append(PricedModel(dollars, quality, name))

    best = max(priced, key=lambda model: model.quality)
    good_enough = (1.0 - CLOSE) * best.quality
    # Models are sorted by price, so that the first good one is the cheapest; the best one is good.
    close = next(model for model in priced if model.quality >= good_enough)

    entries = [f"{model.name} {model.quality:.3f} for {money(model.dollars)}" for model in priced]
    prices = f"Mean quality, and price per 1,000 prompts: {'; '.join(entries)}."
    if close is best:
        headline = "The best model has no cheap rival."
        rival = f"No cheaper model comes within {100 * CLOSE:.0f} % of the quality of {best.name}."
    else:
        headline = "One model alone is hard to beat."
        share = 100 * close.quality / best.quality
        price = 100 * close.dollars / best.dollars
        rival = (
            f"{close.name} gives {share:.0f} % of the quality of {best.name} "
            f"for {price:.0f} % of its price."
        )

    return Finding(headline, f"{rival} {prices}")


def about_deployment(results: Sequence[Deployed]) -> Finding:
    """What to deploy, what it costs, how sure: the budget at which the gain is the surest.

    Args:
        results: of every budget.
    """
    best = max(results, key=lambda result: result.gain.low)
    better = [result for result in results if result.gain.low > 0.0]
    if not better:
        headline = "Deploy a mixture of models: nothing learned from the log was surely better."
    elif len(better) == len(results):
        headline = "Deploy a policy that has learned from a log, with a budget."
    else:
        budgets = join_words([f"${result.budget:g}" for result in better])
        headline = f"Deploy a policy that has learned from a log, at a budget of {budgets}."

    gain = format_number(best.gain.mean, 3)
    sureness = interval(best.gain.low, best.gain.high, 3)
    gains = [f"{plus_minus(*result.gain, 3)} at ${result.budget:g}" for result in results]

    most = max(result.most / result.budget for result in results)
    text = (
        f"With ${best.budget:g} per 1,000 prompts it delivered a quality of "
        f"{best.quality.mean:.3f} for ${best.spent.mean:.3f}; the best mixture of models for that "
        f"money, known only afterwards, {best.bound:.3f} (difference {gain}, {sureness}). At every "
        f"budget, quality less that of the mixture: {join_words(gains)}. No trial spent more than "
        f"{100 * most:.1f} % of its budget."
    )

    return Finding(headline, text)


COIN_HEADLINES = {  # whether some weights were clearly better, and whether some were clearly worse
    (True, True): "Choosing by prompt paid for some preferences, and not for others.",
    (True, False): "Choosing by prompt paid.",
    (False, True): "Choosing by prompt did not pay.",
    (False, False): "Choosing by prompt made no clear difference.",
}


def about_coins(whole: pl.DataFrame, late: pl.DataFrame) -> Finding:
    """Whether choosing by prompt beats tossing a coin between two models for the same money.

    Args:
        whole: per reading `weight`, `dollars`, `quality` and the band of its gain over the coin,
            `mean`, `low`, `high`.
        late: the bands over the second half of the prompts.
    """
    weights = sort_weights(whole)
    late_weights = sort_weights(late)
    headline = COIN_HEADLINES[bool(weights.better), bool(weights.worse)]

    best = max(whole.rows(named=True), key=lambda row: float(row["mean"]))
    quality = best["quality"]
    coin = best["quality"] - best["mean"]
    dollars = money(best["dollars"])
    gain = format_number(best["mean"], 3)
    gain_interval = interval(best["low"], best["high"], 3)

    above = describe_weights(whole, weights.better, 3)
    below = describe_weights(whole, weights.worse, 3)
    late_above = describe_weights(late, late_weights.better, 3)
    late_below = describe_weights(late, late_weights.worse, 3)
    # The best of the weights is picked after the fact, so that all of them are counted beside it.
    text = (
        "One learner’s beliefs can be read with any weight of quality against cost. Read with "
        f"{best['weight']:g}, they delivered a quality of {quality:.3f} for {dollars} per 1,000 "
        f"prompts; a coin tossed between two models for the same money, {coin:.3f} (difference "
        f"{gain}, {gain_interval}). This is the most favourable of {len(whole)} weights: quality "
        f"was clearly above the coin’s {above} and below {below}. Learning is included; over the "
        f"second half of the prompts, it was above {late_above} and below {late_below}."
    )

    return Finding(headline, text)


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
    with_text, with_constant = regrets
    mean, low, high = difference
    # Less regret is better: an interval below 0 speaks for the text.
    if high < 0.0:
        headline = f"Context helped {best}."
    elif low > 0.0:
        headline = f"Context did not help {best}: it hurt."
    else:
        headline = f"Context did not measurably help {best}."

    text = (
        f"Its effective Pareto regret, which measures waste, was {with_text:.1f} with the prompt’s "
        f"text and {with_constant:.1f} with a constant as its only feature: a difference of "
        f"{format_number(mean, 1)} ({interval(low, high, 1)}; below 0, the text helps)."
    )

    return Finding(headline, text)


def about_preferences(whole: pl.DataFrame, late: pl.DataFrame) -> Finding:
    """For which preferences the text improved the score that was asked for.

    Args:
        whole: the bands of `context_gain`: `weight`, `mean`, `low`, `high`.
        late: the same for the second half of the prompts.
    """
    weights = sort_weights(whole)
    late_weights = sort_weights(late)
    if weights.better and weights.worse:
        headline = "For a stated preference, context helped at some weights and hurt at others."
    elif weights.better:
        headline = "For a stated preference, context helped."
    else:
        headline = "For a stated preference, context did not help."

    higher = describe_weights(whole, weights.better, 4)
    lower = describe_weights(whole, weights.worse, 4)
    late_higher = describe_weights(late, late_weights.better, 4)
    late_lower = describe_weights(late, late_weights.worse, 4)
    text = (
        f"Each of {len(whole)} weights asks for a score of its own. With the text, that score was "
        f"clearly higher than without it {higher} and lower {lower}. Features take time to learn: "
        f"over the second half of the prompts, it was higher {late_higher} and lower {late_lower}."
    )

    return Finding(headline, text)
