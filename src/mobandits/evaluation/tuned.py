"""The answer of `tune`: the values of candidates on a log, and whether one is significantly better."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from mobandits.evaluation.comparison import Comparison
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.gains import CandidateGain
from mobandits.evaluation.targets import Target
from mobandits.support.naming import conjunction, quantity
from mobandits.support.notebooks import MOST_ROWS, block, html_table, remark

WEIGHTED_SUM = "weighted sum"  # a row of the table
TABLE: dict[str, Any] = {
    "policy": pl.String,
    "objective": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "gain": pl.Float64,
    "gain_low": pl.Float64,
    "gain_high": pl.Float64,
    "p_value": pl.Float64,
    "sure": pl.Boolean,
}


@dataclass(frozen=True)
class Candidate:
    """What a log says of one candidate.

    Attributes:
        target: the recipe, or another target of `compare`.
        values: per row of the table, the value with its interval, in the objective's own direction
            and unit.
        gains: per row of the table, by how much it is better than the first.
        p_value: of the claim that it is better than the first, corrected for all candidates.
        doubts: why its numbers, or those of the first, may not be trusted; empty where they may.
        sure: whether it is significantly better than the first.
    """

    target: Target
    values: Mapping[str, CandidateGain]
    gains: Mapping[str, CandidateGain]
    p_value: float
    doubts: tuple[str, ...]
    sure: bool


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """What `tune` found.

    Attributes:
        candidates: {name: what the log says of it}, the first one, which is to be beaten, first.
        best_name: the name of a candidate that is significantly better than the first; the first's where
            nothing is.
        sure: whether the best is significantly better than the first.
        weights: of the objectives in the sum that decides; None where the Pareto order does.
        margin: per objective, the loss that does not matter; used without weights.
        level: 1 - the probability of a wrong claim.
        comparison: the estimates, as of `compare`, on the rounds that were valued.
    """

    candidates: Mapping[str, Candidate]
    best_name: str
    sure: bool
    weights: tuple[float, ...] | None
    margin: tuple[float, ...]
    level: float
    comparison: Comparison

    @property
    def best(self) -> Target:
        """The recipe that is significantly better than the first; the first where nothing is."""
        return self.candidates[self.best_name].target

    @property
    def baseline(self) -> str:
        """The name of the first candidate."""
        return next(iter(self.candidates))

    @property
    def decides(self) -> str | None:
        """The row of the table that decides; None where the Pareto order does."""
        if self.weights is None:
            return None
        return next(iter(self.candidates[self.baseline].values))

    @property
    def answer(self) -> str:
        """The result in one sentence."""
        if self.sure:
            return (
                f"{self.best_name} is significantly better than {self.baseline}{self._how_much()}"
            )
        return f"no policy is significantly better than the first, {self.baseline}{self._nearest()}"

    def __str__(self) -> str:
        return self.answer

    def __repr__(self) -> str:
        rounds = self.estimate(self.baseline).rounds
        verdict = "no policy is significantly better than the first"
        if self.sure:
            verdict = f"{self.best_name} is significantly better"

        counts = [
            quantity(len(self.candidates), "candidate"),
            quantity(rounds, "valued round"),
            verdict,
        ]
        return f"Tuned({', '.join(counts)})"

    def _repr_html_(self) -> str:
        """The answer, and a row per candidate: its values, its gain over the first, its doubts."""
        rows_of_values = list(self.candidates[self.baseline].values)
        decides = self.decides
        header = ["candidate", *(self.title(label) for label in rows_of_values)]
        if decides is not None:
            header.append(f"gain in {decides}")

        header += ["p-value", "significantly better", "doubts"]
        rows = []
        for name, candidate in list(self.candidates.items())[:MOST_ROWS]:
            values = [value.text for value in candidate.values.values()]
            cells: list[Any] = [name, *values]
            if decides is not None:
                cells.append(candidate.gains[decides].text)

            cells += [candidate.p_value, candidate.sure, len(candidate.doubts)]
            rows.append(cells)

        table = html_table(header, rows, total=len(self.candidates), noun="candidate")
        return block(repr(self), remark(self.answer), table)

    def estimate(self, name: str) -> Estimate:
        """The estimate of a candidate's value.

        Raises:
            KeyError: where there is no such candidate.
        """
        return self.comparison[name, self.comparison.estimators[0]]

    def title(self, label: str) -> str:
        """A row's label with its unit, where it is an objective that has one."""
        titles = {str(each.name): each.title for each in self.comparison.objectives}
        return titles.get(label, label)

    def table(self) -> pl.DataFrame:
        """A row per candidate and objective, and one for the weighted sum where it decides.

        Returns:
            `policy`, `objective` str; `value`, `low`, `high` float in the objective's own direction
            and unit: the ends are right for all objectives of a candidate at once with probability
            `level`, those of the weighted sum by themselves; `gain`, `gain_low`, `gain_high` float:
            by how much the value is better than the first's (of a cost, how much is saved), each
            column of ends right for all candidates at once with probability `level`; `p_value`
            float, `sure` bool: of the candidate, the same in all its rows.
        """
        rows = []
        for name, candidate in self.candidates.items():
            for label, value in candidate.values.items():
                gain = candidate.gains[label]
                ends = (value.value, value.low, value.high, gain.value, gain.low, gain.high)
                rows.append((name, label, *ends, candidate.p_value, candidate.sure))

        return pl.DataFrame(rows, TABLE, orient="row")

    def lines(self) -> list[str]:
        """A line per candidate: its values and, but for the first, its gains; the answer last."""
        lines = []
        decides = self.decides
        for name, candidate in self.candidates.items():
            parts = [
                f"{self.title(label)} {value.text}" for label, value in candidate.values.items()
            ]
            is_first = name == self.baseline
            if decides is not None and not is_first:
                parts.append(f"gain in {decides} {candidate.gains[decides].text}")
            if not is_first:
                parts.append(f"p = {candidate.p_value:.2g}")

            lines.append(f"{name}: {', '.join(parts)}")
            lines += [f"    {doubt}" for doubt in candidate.doubts]

        return [*lines, self.answer]

    def _how_much(self) -> str:
        """The gain of the best, as the end of a sentence."""
        decides = self.decides
        if decides is None:
            return (
                f": better in one objective, and in none worse by more than the margin {self._at}"
            )

        gain = self.candidates[self.best_name].gains[decides]
        return f": by {gain.value:.4g} in {self._sum}, at least by {gain.low:.4g} {self._at}"

    def _nearest(self) -> str:
        """The candidate that comes nearest, as the end of a sentence."""
        others = list(self.candidates)[1:]
        name = min(others, key=lambda other: self.candidates[other].p_value)
        nearest = self.candidates[name]
        is_shown = nearest.p_value <= 1.0 - self.level
        if is_shown and nearest.doubts:
            doubt = nearest.doubts[0].partition(";")[0]
            return f"; {name} would be, but its estimate is in doubt: {doubt}"

        decides = self.decides
        if decides is None:
            return f"; {name} comes nearest, p = {nearest.p_value:.2g} {self._at}"

        gain = nearest.gains[decides]
        ends = f"{gain.low:.4g} and {gain.high:.4g}"
        return f"; the gain of {name} in {self._sum} is between {ends} {self._at}"

    @property
    def _at(self) -> str:
        others = len(self.candidates) - 1
        return f"({100 * self.level:g} %, {quantity(others, 'candidate')} against the first)"

    @property
    def _sum(self) -> str:
        """What decides, in words."""
        objectives = self.comparison.objectives
        if self.weights is None or len(objectives) == 1:
            return str(self.decides)

        parts = []
        for weight, objective in zip(self.weights, objectives, strict=True):
            if weight > 0.0:
                parts.append(f"{weight:g} {objective.name}")

        return f"the sum of {conjunction(parts)}"
