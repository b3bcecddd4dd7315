"""The answer of `tune` with a budget: a policy to deploy, and what the log says of it."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from mobandits.contracts.protocols import Array, Recipe
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.gains import CandidateGain
from mobandits.evaluation.own_values import own_rows, values_in_text
from mobandits.evaluation.spend_curve import Knee
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.support.naming import conjunction, quantity
from mobandits.support.notebooks import MOST_ROWS, block, html_table, remark
from mobandits.support.text_tables import aligned

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent

LEARNED = "learned"  # rows of the table
MIXTURE = "mixture"
ARM = "always "
LEVEL = 0.95  # of the intervals in the table
TABLE: dict[str, Any] = {
    "candidate": pl.String,
    "objective": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "fits": pl.Boolean,
}


@dataclass(frozen=True, eq=False, repr=False)
class BudgetTuned:
    """What `tune` found for a budget.

    Attributes:
        recipe: to deploy; `agent` makes an agent of it that has learned the log.
        plays: "learned", or "mixture" where that is the fallback and the log shows no gain.
        budget: {objective: cost per round that is allowed}, in its own unit.
        estimates: {candidate: the values}: "learned", "mixture", and "always ARM" of every arm; more
            is better in them.
        fits: {candidate: whether its estimated costs are within the budget}.
        mixture: {arm: share}, the best mixture of arms within the budget.
        compared: {arm: share}, that of the best mixture that spends no more than the learned policy.
        gain: of the learned policy over `compared`, in quality; each end by itself is right with
            probability `level`.
        level: of `gain`.
        doubts: why `gain` may not be trusted; empty where it may.
        within: the loss of quality that was allowed, where the budget was looked for; else None.
        knee: the point of the curve of quality against spending from which on money buys less than
            on average, with a 95 % interval; None with several budgets.
        options: that it was tuned with, in words.
        log: that it was tuned on.
    """

    recipe: Recipe
    plays: str
    budget: Mapping[Hashable, float]
    estimates: Mapping[str, Estimate]
    fits: Mapping[str, bool]
    mixture: Mapping[Hashable, float]
    compared: Mapping[Hashable, float]
    gain: CandidateGain
    level: float
    doubts: tuple[str, ...]
    within: float | None
    knee: Knee | None
    options: str
    log: Feedback

    @property
    def sure(self) -> bool:
        """Whether the log shows, at `level` and without doubts, that the learned policy gains."""
        return self.gain.low > 0.0 and not self.doubts

    @property
    def answer(self) -> str:
        """The result in one sentence."""
        percent = f"{100 * self.level:g} %"
        gain = self.gain
        against = f"the best mixture that spends no more ({shares_in_words(self.compared)})"
        if self.sure:
            return (
                f"The learned policy gains {gain.value:.4g} over {against}, at least {gain.low:.4g} "
                f"({percent})."
            )

        plays = f"; the {self.plays} policy is played" if self.plays == LEARNED else ""
        if self.plays == MIXTURE:
            plays = f"; the mixture within the budget is played ({shares_in_words(self.mixture)})"
        shown = f"{gain.value:.4g}, at least {gain.low:.4g} ({percent})"
        if self.doubts and gain.low > 0.0:
            doubt = self.doubts[0].partition(";")[0]
            return f"The gain over {against} is {shown}, but in doubt{plays}: {doubt}."

        return f"The log shows no gain over {against}: {shown}{plays}."

    @property
    def knee_in_words(self) -> str | None:
        """The knee in one sentence; None with several budgets."""
        if self.knee is None:
            return None

        (cost,) = self.costs
        knee = self.knee
        ends = f"{knee.low:.3g} to {knee.high:.3g}"
        return (
            f"knee: quality {knee.quality:.4g} for {cost.name} {cost.say(knee.spend)} ({ends}); "
            "beyond it money buys less than on average"
        )

    @property
    def costs(self) -> list[Objective]:
        """The objectives that have a budget."""
        return [each for each in self.log.objectives if each.name in self.budget]

    @property
    def budget_in_words(self) -> str:
        """What is allowed."""
        parts = [f"{each.name} at most {each.say(self.budget[each.name])}" for each in self.costs]
        found = ""
        if self.within is not None:
            found = f", for a quality within {self.within:g} of the best"

        return f"{conjunction(parts)} per decision{found}"

    def lines(self) -> list[str]:
        """The budget, a row per candidate, the mixture, the knee, doubts, and the answer last."""
        header = ["", *(each.title for each in self.log.objectives), "fits"]
        lines = [f"budget: {self.budget_in_words}", *aligned([header, *self._rows()])]
        lines.append(f"mixture: {shares_in_words(self.mixture)}")
        if self.knee_in_words is not None:
            lines.append(self.knee_in_words)

        lines += [f"doubt: {doubt}" for doubt in self.doubts]

        return [*lines, self.answer]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        counts = [
            quantity(len(self.estimates), "candidate"),
            quantity(len(self.log), "round"),
            f"plays the {self.plays} policy" if self.plays == LEARNED else "plays the mixture",
        ]
        return f"BudgetTuned({', '.join(counts)})"

    def _repr_html_(self) -> str:
        """The answer, and a row per candidate."""
        header = ["candidate", *(each.title for each in self.log.objectives), "fits"]
        rows = self._rows()[:MOST_ROWS]
        table = html_table(header, rows, total=len(self.estimates), noun="candidate")
        return block(repr(self), remark(self.budget_in_words), remark(self.answer), table)

    def table(self) -> pl.DataFrame:
        """A row per candidate and objective.

        Returns:
            `candidate`, `objective` str; `value`, `low`, `high` float in the objective's own
            direction and unit, the ends right for all objectives of a candidate at once with
            probability 0.95; `fits` bool, whether the estimated costs are within the budget.
        """
        rows = []
        for name, estimate in self.estimates.items():
            values = own_rows(estimate, self.log.objectives, LEVEL)
            rows += [(name, *row, self.fits[name]) for row in values]

        return pl.DataFrame(rows, TABLE, orient="row")

    def agent(self, log: Any = None, *, objectives: Any = None, **options: Any) -> "Agent":
        """An agent with the recipe, which has learned the whole log, as of `Comparison.agent`.

        Args:
            log: of the agent, as `Agent` takes it: a store that is new, or has no events.
            objectives: as `Agent` takes them, where they are to be others than those of the log.
            options: further parameters of `Agent`, and others in place of the log's.

        Raises:
            ValueError: where the store has events.
        """
        # A result that is only looked at loads no agent.
        from mobandits.evaluation.deploying import deployed  # noqa: PLC0415

        return deployed(self.recipe, self.log, log, objectives, options)

    def _rows(self) -> list[list[str]]:
        rows = []
        for name, estimate in self.estimates.items():
            texts = values_in_text(estimate, self.log.objectives, LEVEL)
            rows.append([name, *texts, "yes" if self.fits[name] else "no"])

        return rows


def shares_in_words(shares: Mapping[Hashable, float]) -> str:
    """A mixture in words.

    Example:
        >>> shares_in_words({"small": 0.62, "large": 0.38}), shares_in_words({"small": 1.0})
        ('62 % small and 38 % large', 'small alone')
    """
    if len(shares) == 1:
        (arm,) = shares
        return f"{arm} alone"

    parts = [f"{100 * share:.3g} % {arm}" for arm, share in shares.items()]
    return conjunction(parts)


def named_shares(log: Feedback, shares: Array) -> dict[Hashable, float]:
    """{arm: share} of the arms that have one."""
    numbers = zip(log.arm_names, shares.tolist(), strict=True)
    return {arm: share for arm, share in numbers if share > 0.0}
