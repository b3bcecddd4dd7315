"""Base of estimators that keep something beside a regression, and believe what it believes."""

from typing import Any

from mobandits.contracts.protocols import Array, Evidence, IntArray, Rng


class AroundRegression:
    """Base of estimators with a regression in `model`, whose state is in the `model` of theirs."""

    model: Any

    def mean(self, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the regression's means."""
        mean: Array = self.model.mean(state.model, context, arms)
        return mean

    def width(self, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, grams) the regression's widths, for rewards of deviation 1."""
        width: Array = self.model.width(state.model, context, arms)
        return width

    def sample(
        self, state: Any, context: Array, arms: IntArray, draws: int, radius: Array, rng: Rng
    ) -> Array:
        """(arms, objectives) as the regression samples."""
        sample: Array = self.model.sample(state.model, context, arms, draws, radius, rng)
        return sample

    def evidence(self, state: Any, context: Array, arms: IntArray) -> Evidence:
        """The regression's evidence."""
        evidence: Evidence = self.model.evidence(state.model, context, arms)
        return evidence
