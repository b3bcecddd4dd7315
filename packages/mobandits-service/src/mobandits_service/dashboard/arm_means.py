"""What arms brought in a window: shares, means with joint intervals, and the front of the means."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from mobandits_service.agent_states import Objectives
from mobandits_service.dashboard.time_charts import arm_colours
from mobandits_service.rollup_reading import ArmNames, RolledSums

CONFIDENCE = 0.95  # of all intervals of a page together
FEWEST = 10  # rewards, below which the normal approximation is no use


@dataclass(frozen=True)
class Mean:
    """The mean reward of an arm in an objective.

    Attributes:
        n: how many rewards.
        value: their mean.
        half: half the width of its interval; None where there are too few.
    """

    n: int
    value: float
    half: float | None

    @property
    def low(self) -> float:
        """The lower end of its interval; the mean itself where there are too few."""
        return self.value - (self.half or 0.0)

    @property
    def high(self) -> float:
        """The upper end, likewise."""
        return self.value + (self.half or 0.0)


@dataclass(frozen=True)
class ArmSummary:
    """An arm in a window.

    Attributes:
        name: of the arm.
        colour: the name of one of the palette.
        decisions: how often it was played.
        share: of all decisions.
        means: per objective; None where no reward came.
        dominated_by: an arm whose means are at least as good in all objectives, and better in one;
            empty: there is none; None: not every mean is known.
    """

    name: str
    colour: str
    decisions: int
    share: float
    means: list[Mean | None]
    dominated_by: str | None


def arm_summaries(
    sums: Sequence[RolledSums],
    names: ArmNames,
    objectives: Objectives,
) -> list[ArmSummary]:
    """The arms that were played in a window, the most frequent first.

    Args:
        sums: of the window, in any stretches.
        names: {number: name} of the arms.
        objectives: of the agent.
    """
    cells: dict[tuple[int, Hashable], RolledSums] = {}
    for each in sums:
        cell = (each.arm, each.objective)
        before = cells.get(cell)
        cells[cell] = each if before is None else together(before, each)

    counts = {arm: cells[arm, None].n if (arm, None) in cells else 0 for arm, _ in cells}
    # Rewards may come for arms that were last played before the window.
    arms = sorted(counts, key=lambda arm: (-counts[arm], arm))
    colours = arm_colours(arms)
    total = sum(counts.values())
    # So many intervals hold together (Bonferroni).
    intervals = max(1, len(arms) * len(objectives))
    tail = (1.0 - CONFIDENCE) / (2.0 * intervals)
    quantile = NormalDist().inv_cdf(1.0 - tail)
    all_means = {}
    for arm in arms:
        found = [cells.get((arm, objective.name)) for objective in objectives]
        all_means[arm] = [_mean(cell, quantile) for cell in found]

    rewards = {}
    for arm, means in all_means.items():
        known = [mean for mean in means if mean is not None]
        if len(known) == len(means):
            rewards[arm] = as_rewards(known, objectives)

    summaries = []
    for arm in arms:
        summary = ArmSummary(
            name=str(names[arm]),
            colour=colours[arm],
            decisions=counts[arm],
            share=counts[arm] / total if total else 0.0,
            means=all_means[arm],
            dominated_by=_dominating(arm, rewards, names),
        )
        summaries.append(summary)

    return summaries


def together(one: RolledSums, other: RolledSums) -> RolledSums:
    """The sums of two stretches."""
    n = one.n + other.n
    return one._replace(n=n, total=one.total + other.total, squares=one.squares + other.squares)


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether rewards are at least as good everywhere as others, and better somewhere.

    Example:
        >>> dominates([1.0, 2.0], [1.0, 1.0]), dominates([1.0, 1.0], [1.0, 1.0])
        (True, False)
    """
    pairs = list(zip(one, other, strict=True))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)


def _mean(cell: RolledSums | None, quantile: float) -> Mean | None:
    if cell is None:
        return None

    mean = cell.total / cell.n
    if not math.isfinite(mean):
        return None
    if cell.n < FEWEST:
        return Mean(cell.n, mean, None)

    # Rounding may leave a little less than nothing where all rewards are equal.
    spread = max(0.0, cell.squares - cell.n * mean * mean) / (cell.n - 1)
    half = quantile * math.sqrt(spread / cell.n)

    return Mean(cell.n, mean, half if math.isfinite(half) else None)


def as_rewards(means: Sequence[Mean], objectives: Objectives) -> list[float]:
    """Means with the signs that make more better."""
    pairs = zip(means, objectives, strict=True)
    return [-mean.value if objective.minimise else mean.value for mean, objective in pairs]


def _dominating(arm: int, rewards: dict[int, list[float]], names: ArmNames) -> str | None:
    """As `ArmSummary.dominated_by`.

    Args:
        arm: by number.
        rewards: of the arms all of whose means are known.
        names: {number: name}.
    """
    own = rewards.get(arm)
    if own is None:
        return None

    dominating = (other for other, means in rewards.items() if dominates(means, own))
    first = next(dominating, None)

    return "" if first is None else str(names[first])
