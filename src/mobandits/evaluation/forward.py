"""Values on what follows: policies learn from the past of a log, and are valued on its next block.

A policy that is learned from all other folds, and valued on its own, shares the noise of its
training rounds with every other fold's value. Where policies differ by noise alone, that doubles
the variance of a difference of values, and no standard error shows it: the product of two rounds'
noise counts twice, once as what one fold taught and once as what another was valued on. Forward in
time no pair of rounds counts twice. Given the past, the terms of a block are independent of each
other and have the mean that they stand for, also where the logging policy learned while it logged.
"""

from functools import cached_property

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Recipe
from mobandits.evaluation.case import EvaluationCase, Predictions
from mobandits.evaluation.diagnostics import diagnose
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.folds import blocks_of
from mobandits.evaluation.reliability import estimate_case
from mobandits.evaluation.reward_model import Model, predictions_of
from mobandits.evaluation.targets import Target, learner_of, probabilities_of
from mobandits.evaluation.training import (
    Learned,
    add_frozen_probabilities,
    check_assumptions,
    learned_parts,
)
from mobandits.logs import Feedback
from mobandits.support.checks import integer


class ForwardLog:
    """A log in blocks: whatever is valued on a block was learned from the blocks before it.

    The first block only teaches. The reward model of a block is fitted on the same rounds as the
    policies.

    Args:
        log: the logged decisions, in the order of time.
        blocks: their number, at least 2, as even as can be; or (rounds,) the block of each.
        model: of the rewards, see `compare`.
        seed: of what policies draw.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> rewards = [[0.5]] * 10
        >>> log = Feedback(np.ones((10, 1)), [0, 1] * 5, rewards, [0.5] * 10, ["a", "b"], ["q"])
        >>> forward = ForwardLog(log, blocks=5, model=None, seed=0)
        >>> len(forward.valued), forward.blocks.tolist()
        (8, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    """

    def __init__(self, log: Feedback, blocks: int | IntArray, model: Model, seed: int) -> None:
        integer("seed", seed, at_least=0)
        self.log = log
        self.blocks = blocks if isinstance(blocks, np.ndarray) else blocks_of(len(log), blocks)
        self.first = int(np.searchsorted(self.blocks, 1))
        self.valued = log[self.first :]
        self._model = model
        self._seed = seed
        # To fit a model takes long, and waits until it is asked for; a given one is checked now.
        if isinstance(model, np.ndarray):
            _ = self.predictions

    @cached_property
    def predictions(self) -> Predictions:
        """Those of the reward model, for the valued rounds."""
        return predictions_of(self._model, self.log, self.blocks, forward=True)

    def learned(self, recipe: Recipe) -> list[Learned]:
        """The recipe's policy before every block but the first.

        Raises:
            ValueError: where the recipe cannot work on such a log.
        """
        check_assumptions(recipe, self.log)
        # Draws apart: all candidates share their luck.
        policies = learned_parts(
            recipe, self.log, self.blocks, self._seed, forward=True, apart=True
        )
        return list(policies)

    def probabilities(self, learned: list[Learned], draws: int) -> Array:
        """(valued rounds, arms) of learned policies, each on its block.

        Args:
            learned: from `learned`.
            draws: see `Trained`.
        """
        table = np.zeros((len(self.log), len(self.log.arm_names)))
        for each in learned:
            rng = np.random.default_rng(each.seed)
            add_frozen_probabilities(
                each.policy, each.state, self.log, each.rounds, draws, rng, table
            )

        return table[self.first :]

    def probabilities_of(self, target: Target) -> Array | None:
        """(valued rounds, arms) of any target of `compare`; None for the logging policy."""
        learns = learner_of(target)
        if learns is not None:
            return self.probabilities(self.learned(learns.recipe), learns.draws)

        probabilities = probabilities_of(target, self.log, self.blocks)
        if probabilities is None:
            return None

        return probabilities[self.first :]

    def estimate(self, name: str, probabilities: Array | None) -> Estimate:
        """The doubly robust estimate of a target's value on the valued rounds.

        Args:
            name: of the target.
            probabilities: (valued rounds, arms), None for the logging policy.
        """
        case = EvaluationCase(self.valued, probabilities, self.predictions)
        return estimate_case(name, case, DoublyRobust(), diagnose(case))
