"""Mixtures of two models, by tossing a coin: the reference that choosing by prompt has to beat."""

import itertools

import polars as pl

Point = tuple[float, float]  # dollars per 1,000 rounds, mean quality


def mixtures(models: list[Point], steps: int = 40) -> list[list[Point]]:
    """What coins between two models give, for every pair of models.

    Args:
        models: (dollars, quality) of each, the dollars positive.
        steps: how many coins per pair; their costs are evenly spaced on a logarithmic scale.

    Returns:
        A list of points per pair, from the cheaper to the dearer model.

    Example:
        >>> mixtures([(1.0, 0.5), (4.0, 0.8)], steps=2)
        [[(1.0, 0.5), (2.0, 0.6), (4.0, 0.8)]]
    """
    lines = []
    for cheap, dear in itertools.combinations(sorted(models), 2):
        least_cost, _ = cheap
        most_cost, _ = dear
        ratio = most_cost / least_cost
        line = []
        for step in range(steps + 1):
            # Evenly on the logarithmic axis of the figure, on which the line is a curve.
            cost = least_cost * ratio ** (step / steps)
            quality = quality_between(cheap, dear, cost)
            line.append((cost, quality))

        lines.append(line)

    return lines


def quality_between(cheap: Point, dear: Point, cost: float) -> float:
    """The mean quality of the coin between two models whose mean cost is given.

    Example:
        >>> quality_between((1.0, 0.5), (3.0, 0.75), 2.0)
        0.625
    """
    least_cost, low = cheap
    most_cost, high = dear
    # The coin's probability of the dear model is what makes the mean cost right.
    cost_range = most_cost - least_cost
    quality_range = high - low

    return low + quality_range * (cost - least_cost) / cost_range


def best_mixture(models: list[Point], dollars: float) -> float:
    """The best quality that one model, or a coin between two, buys for at most so many dollars.

    Args:
        models: (dollars, quality) of each.
        dollars: the budget; below the cheapest model, its quality.

    Example:
        >>> models = [(1.0, 0.5), (3.0, 0.75), (4.0, 0.7)]
        >>> [best_mixture(models, dollars) for dollars in (2.0, 5.0)]
        [0.625, 0.75]
    """
    qualities = [quality for cost, quality in models if cost <= dollars]
    if not qualities:
        _, cheapest_quality = min(models)
        qualities = [cheapest_quality]

    # A coin that spends the whole budget is the best one of its pair, or one of its models is.
    for cheap, dear in itertools.permutations(models, 2):
        if cheap[0] <= dollars < dear[0]:
            qualities.append(quality_between(cheap, dear, dollars))

    return max(qualities)


def gains(outcomes: pl.DataFrame) -> pl.DataFrame:
    """How much better than the best coin for the same money every policy was, trial by trial.

    Args:
        outcomes: from `outcomes`, with policies of role model; a coin is tossed between those of
            the same trial.

    Returns:
        The same with a column `value`: quality less the coin's; rows of trials without models are
        left out.
    """
    rows_of_models = outcomes.filter(pl.col("role") == "model")
    # The second half of an order has other prompts than that of another one, so that means differ.
    models: dict[int, list[Point]] = {}
    for trial, dollars, quality in rows_of_models.select("trial", "dollars", "quality").rows():
        points = models.setdefault(trial, [])
        points.append((dollars, quality))

    known = outcomes.filter(pl.col("trial").is_in(list(models)))
    coins = []
    for trial, dollars in known.select("trial", "dollars").rows():
        coin = best_mixture(models[trial], dollars)
        coins.append(coin)

    coin_quality = pl.Series(coins, dtype=pl.Float64)

    return known.with_columns(value=pl.col("quality") - coin_quality)
