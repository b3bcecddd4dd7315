"""The front of several targets, and how certain it is."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, Mask
from mobandits.evaluation.bootstrap import resamples
from mobandits.evaluation.comparison import TABLE, Comparison
from mobandits.evaluation.dominance import dominance
from mobandits.evaluation.estimate import Estimate
from mobandits.figures.contents import ObjectiveSummary
from mobandits.logs.objectives import Objective, signs_of
from mobandits.numerics.pareto_filter import front_of_many
from mobandits.support.checks import choice, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL = np.empty(0, np.int64)  # objectives count
ALL.setflags(write=False)  # as an order's field is: the same compilation


OF_ESTIMATES = ("estimator", "standard_error")  # columns of estimates that a front has no use for
MEMBERSHIP: dict[str, Any] = {
    "policy": pl.String,
    "on_front": pl.Boolean,
    "front_share": pl.Float64,
    "dominated_by": pl.String,
}
# What `front` returns.
FRONT_TABLE = {
    name: kind for name, kind in (TABLE | MEMBERSHIP).items() if name not in OF_ESTIMATES
}
OUTLINE: dict[str, Any] = {"policy": pl.String, "x": pl.Float64, "y": pl.Float64}


def front(
    comparison: Comparison,
    estimator: str | None = None,
    *,
    level: float = 0.95,
    samples: int = 200,
    seed: int = 0,
) -> pl.DataFrame:
    """The front of the targets: which are on it by their values, and which may be.

    Target b is named in `dominated_by` of a where `dominance` shows it at
    1 - (1 - level) / (P (P - 1)), for P targets and margin 0. So with probability `level` all
    targets of the true front have an empty `dominated_by`, for many rounds.

    Args:
        comparison: from `compare`.
        estimator: whose values; None for the last one that was asked for.
        level: of the statement above, and of the joint boxes.
        samples: number of resampled logs.
        seed: of the resampling.

    Returns:
        A row per target and objective: `policy`, `objective` str, `value`, `low`, `high` float, as
        in `Comparison.table`; `on_front` bool, by the values; `front_share` float, the share of
        resampled logs in which it is on the front, null for a log in pieces; `dominated_by` str,
        names separated by commas, empty where it may be on the true front.

    Raises:
        ValueError: where there is no such estimator.

    Example:
        >>> from mobandits.evaluation import ConstantTarget, compare
        >>> from mobandits.logs import Feedback
        >>> rng = np.random.default_rng(0)
        >>> arms = rng.integers(0, 2, 1000)
        >>> rewards = arms[:, None] + rng.normal(size=(1000, 2))
        >>> log = Feedback(np.ones((1000, 1)), arms, rewards, [0.5] * 1000, "ab", ("q", "c"))
        >>> targets = {"a": ConstantTarget("a"), "b": ConstantTarget("b")}
        >>> table = front(compare(log, targets, ["snips"])).filter(pl.col("objective") == "q")
        >>> table.select("policy", "on_front", "dominated_by").rows()
        [('a', False, 'b'), ('b', True, '')]
    """
    number("level", level, above=0.0, below=1.0)
    name = shown_estimator(comparison, estimator)
    estimates = [comparison[target, name] for target in comparison.targets]
    # Bonferroni over the ordered pairs, so that the statement holds for all targets at once.
    pairs = len(estimates) * (len(estimates) - 1)
    pair_level = 1.0 - (1.0 - level) / max(pairs, 1)
    dominators = _dominators(estimates, pair_level)
    values = np.array([estimate.value for estimate in estimates])
    columns = {
        "policy": comparison.targets,
        "on_front": nondominated_targets(values),
        "front_share": _front_share(estimates, samples, seed),
        "dominated_by": [", ".join(dominators[target]) for target in comparison.targets],
    }
    membership = pl.DataFrame(columns, MEMBERSHIP)
    table = comparison.table(level).filter(pl.col("estimator") == name)
    intervals = table.drop(OF_ESTIMATES)

    return intervals.join(membership, on="policy", maintain_order="left")


def _dominators(estimates: list[Estimate], level: float) -> dict[str, list[str]]:
    """{target: those that are shown to dominate it}."""
    dominators: dict[str, list[str]] = {estimate.target: [] for estimate in estimates}
    for first, second in itertools.permutations(estimates, 2):
        verdict = dominance(first, second, level=level)
        if verdict.decision == "dominates":
            dominators[second.target].append(first.target)

    return dominators


def outlines(
    comparison: Comparison,
    estimator: str | None = None,
    *,
    level: float = 0.95,
    objectives: tuple[int, int] = (0, 1),
) -> pl.DataFrame:
    """The borders of the joint regions on two objectives, to be drawn.

    Args:
        comparison: from `compare`.
        estimator: whose values; None for the last one that was asked for.
        level: of `Estimate.ellipsoid`.
        objectives: which two.

    Returns:
        `policy` str, `x`, `y` float: closed lines, point after point; none for a target of which
        nothing is known.
    """
    name = shown_estimator(comparison, estimator)
    signs = signs_of(comparison.objectives)[list(objectives)]
    rows = []
    for target in comparison.targets:
        region = comparison[target, name].ellipsoid(level)
        if not np.isfinite(region.radius):
            continue

        # As the table has the values: in the objectives' own directions.
        border = region.outline(objectives) * signs
        for x, y in border.tolist():
            rows.append((target, x, y))

    return pl.DataFrame(rows, OUTLINE, orient="row")


def plot_front(
    comparison: Comparison,
    estimator: str | None = None,
    *,
    level: float = 0.95,
    samples: int = 200,
    seed: int = 0,
) -> "Figure":
    """The figure of `front`: a plane with joint regions, or a panel of intervals per objective.

    The plane is for two objectives.

    Args:
        comparison: see `front`.
        estimator: see `front`.
        level: see `front`.
        samples: see `front`.
        seed: see `front`.
    """
    # Not at the top: the library for drawing takes a second to load.
    from mobandits.figures.policy_front import draw_front  # noqa: PLC0415

    table = front(comparison, estimator, level=level, samples=samples, seed=seed)
    borders = pl.DataFrame()
    if len(comparison.objectives) == 2:
        borders = outlines(comparison, estimator, level=level)

    return draw_front(table, borders, objectives=titles_of(comparison.objectives))


def titles_of(objectives: Sequence[Objective]) -> list[ObjectiveSummary]:
    """What pages and figures say of objectives."""
    return [
        {"name": str(each.name), "minimise": each.minimise, "unit": each.unit}
        for each in objectives
    ]


def shown_estimator(comparison: Comparison, estimator: str | None) -> str:
    """The estimator's name, checked; the last one for None."""
    if estimator is None:
        return comparison.estimators[-1]
    choice("estimator", estimator, comparison.estimators)
    return estimator


def nondominated_targets(values: Array) -> Mask:
    """The targets that no other dominates, (targets,); False where a value is NaN.

    To dominate is to be at least as good in all objectives and better in one.

    Example:
        >>> values = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, 1.0]])
        >>> nondominated_targets(values).tolist()
        [True, True, False, False]
    """
    known = np.flatnonzero(~np.isnan(values).any(1))
    on_front = np.zeros(len(values), bool)
    if len(known):
        loop = compile_loop(front_of_many)
        on_front[known] = loop(values[known], ALL)

    return on_front


def _front_share(estimates: list[Estimate], samples: int, seed: int) -> Array | None:
    """The share of resampled logs in which each target is on the front, (targets,).

    None where rounds are not kept, so that no log can be resampled.
    """
    if any(estimate.kept is None for estimate in estimates):
        return None

    times_on_front = np.zeros(len(estimates))
    # The same resampled log for all targets: they share its luck, as they share that of the log.
    for counts in resamples(estimates[0].rounds, samples, seed):
        values = []
        for estimate in estimates:
            numerator = counts @ estimate.terms.numerator
            denominator = counts @ estimate.terms.denominator
            with np.errstate(invalid="ignore", divide="ignore"):
                values.append(numerator / denominator)

        times_on_front += nondominated_targets(np.array(values))

    return times_on_front / samples
