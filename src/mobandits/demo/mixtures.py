"""What tossing a coin between two models would buy: the reference that choosing by prompt has to beat."""

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
    for (cheap, low), (dear, high) in itertools.combinations(sorted(models), 2):
        costs = [cheap * (dear / cheap) ** (step / steps) for step in range(steps + 1)]
        lines.append(
            [(cost, low + (high - low) * (cost - cheap) / (dear - cheap)) for cost in costs]
        )
    return lines


def best_mixture(models: list[Point], dollars: float) -> float:
    """The best quality that a coin between two of the models, or one model alone, buys for at most so many dollars.

    Args:
        models: (dollars, quality) of each.
        dollars: the budget; below the cheapest model, its quality.

    Example:
        >>> [best_mixture([(1.0, 0.5), (3.0, 0.75), (4.0, 0.7)], dollars) for dollars in (2.0, 5.0)]
        [0.625, 0.75]
    """
    found = [quality for cost, quality in models if cost <= dollars] or [min(models)[1]]
    for (cost, quality), (dearer, better) in itertools.permutations(models, 2):
        if cost <= dollars < dearer:
            found.append(quality + (better - quality) * (dollars - cost) / (dearer - cost))
    return max(found)


def gains(outcomes: pl.DataFrame) -> pl.DataFrame:
    """How much better than the best coin for the same money every policy was, trial by trial.

    Args:
        outcomes: from `outcomes`, with policies of role model; a coin is tossed between those of the same trial.

    Returns:
        The same with a column `value`: quality less the coin's; rows of trials without models are left out.
    """
    models: dict[int, list[Point]] = {}
    for trial, dollars, quality in (
        outcomes.filter(pl.col("role") == "model").select("trial", "dollars", "quality").rows()
    ):
        models.setdefault(trial, []).append((dollars, quality))
    known = outcomes.filter(pl.col("trial").is_in(list(models)))
    coins = [
        best_mixture(models[trial], dollars)
        for trial, dollars in known.select("trial", "dollars").rows()
    ]
    return known.with_columns(value=pl.col("quality") - pl.Series(coins, dtype=pl.Float64))
