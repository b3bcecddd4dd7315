"""Base of estimators that keep something beside a regression, or teach it in another way."""

from typing import Any

from mobandits.contracts.protocols import Array, Evidence, IntArray, Rng


class AroundRegression:
    """Base of estimators with a regression in `model`, which believe what it believes."""

    model: Any

    def model_state(self, state: Any) -> Any:
        """The regression's state: the field `model` of theirs, where nothing else is said."""
        return state.model

    def mean(self, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the regression's means."""
        mean: Array = self.model.mean(self.model_state(state), context, arms)
        return mean

    def width(self, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, grams) the regression's widths, for rewards of deviation 1."""
        width: Array = self.model.width(self.model_state(state), context, arms)
        return width

    def sample(
        self, state: Any, context: Array, arms: IntArray, draws: int, radius: Array, rng: Rng
    ) -> Array:
        """(arms, objectives) as the regression samples."""
        sample: Array = self.model.sample(
            self.model_state(state), context, arms, draws, radius, rng
        )
        return sample

    def evidence(self, state: Any, context: Array, arms: IntArray) -> Evidence:
        """The regression's evidence."""
        evidence: Evidence = self.model.evidence(self.model_state(state), context, arms)
        return evidence

    def deviations(self, state: Any) -> Array:
        """(slots, objectives) the standard deviations that the regression estimates, if it does."""
        deviations: Array = self.model.deviations(self.model_state(state))
        return deviations

    def sizes(self, state: Any) -> Array:
        """(objectives,) the root mean squares of rewards that it estimates, if it does."""
        sizes: Array = self.model.sizes(self.model_state(state))
        return sizes
