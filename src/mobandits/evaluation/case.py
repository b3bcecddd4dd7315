"""A target on a log: the input of every estimator."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.terms import Terms
from mobandits.logs import Feedback


class Predictions(Protocol):
    """The rewards that a model expects."""

    def logged(self) -> Array:
        """(rounds, objectives) of the arms that were played."""

    def expected(self, probabilities: Array) -> Array:
        """(rounds, objectives) of an arm drawn with these probabilities, (rounds, arms)."""


@dataclass(frozen=True, eq=False)
class EvaluationCase:
    """A log, a target's probabilities on it, and a reward model where there is one.

    Args:
        log: the logged decisions.
        probabilities: (rounds, arms) the target's; None: the target is the logging policy itself.
        predictions: of the rewards; None where no estimator asks.

    Example:
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> EvaluationCase(log, np.full((2, 2), 0.5)).weights.tolist()
        [1.0, 2.0]
    """

    log: Feedback
    probabilities: Array | None
    predictions: Predictions | None = None

    @property
    def rewards(self) -> Array:
        """(rounds, objectives) observed rewards, NaN where there is none."""
        return self.log.rewards

    @cached_property
    def played(self) -> Array:
        """The target's probability of the played arm, (rounds,); 1 for the logging policy."""
        if self.probabilities is None:
            # It did play that arm, and what else it might have played does not matter.
            return np.ones(len(self.log))

        rounds = np.arange(len(self.log))
        probabilities: Array = self.probabilities[rounds, self.log.arms]

        return probabilities

    @cached_property
    def weights(self) -> Array:
        """Importance weights, (rounds,): the probability of the played arm, over its propensity.

        Raises:
            ValueError: where propensities were not logged.
        """
        if self.probabilities is None:
            return np.ones(len(self.log))  # whether propensities were logged or not
        require_propensities(self.log)
        return self.played / self.log.propensities

    @cached_property
    def logged(self) -> Array:
        """(rounds, objectives) the rewards that the model expects of the arms that were played."""
        return self._model().logged()

    @cached_property
    def expected(self) -> Array:
        """(rounds, objectives) the rewards that the model expects of the target."""
        if self.probabilities is None:
            # Its other probabilities are not known: the arms that it played stand for them.
            return self.logged
        return self._model().expected(self.probabilities)

    def _model(self) -> Predictions:
        if self.predictions is None:
            rule = "predictions must be given for an estimator with a reward model"
            raise ValueError(f"{rule}, got None")
        return self.predictions


WEIGHTS = "importance weights"
ADVICE = "Agent(..., propensity='exact') logs them; Replay and DirectMethod need none"


def require_propensities(log: Feedback, purpose: str = WEIGHTS, advice: str = ADVICE) -> None:
    """Refuse a log whose propensities are not known in every round.

    Args:
        log: the logged decisions.
        purpose: what needs them.
        advice: how to go on.

    Raises:
        ValueError: where propensities were not logged.
    """
    lacking = int(np.isnan(log.propensities).sum())
    if lacking:
        rule = f"Feedback.propensities must be known in every round for {purpose}"
        got = f"NaN in {lacking} of {len(log)}"
        raise ValueError(f"{rule}, got {got}; {advice}")


def refuse_dependent(log: Feedback) -> None:
    """Refuse a log in which several arms were chosen for one context, or sessions kept their arms.

    They are no independent rounds, and which arms were left depends on what was chosen before: the
    mean over them is of no policy, and its standard error too small.

    Raises:
        ValueError: saying how to go on with those that are rounds as any others.
    """
    kept = 0 if log.sessions is None else int((log.sessions != log.ids).sum())
    if kept:
        raise ValueError(
            f"log must have rounds in which an arm was chosen, got {kept} of {len(log)} in which a "
            "session kept its arm; write log.per_session()"
        )

    further = 0 if log.ranks is None else int((log.ranks > 0).sum())
    if further:
        raise ValueError(
            f"log must have one arm per context, got {further} of {len(log)} rounds of further "
            "ranks; write log.first_ranks()"
        )


class ValueEstimator(Protocol):
    """An estimator of the value of a target: a frozen dataclass with keyword parameters."""

    name: ClassVar[str]  # on the command line and in tables
    needs_model: ClassVar[bool]
    needs_propensities: ClassVar[bool]  # of every round, unless the target is the logging policy

    def terms(self, case: EvaluationCase) -> Terms:
        """The terms of the estimate, of every round."""
