"""What an agent has learned and how it plays: a compiled policy, which takes more arms or another order."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mobandits.agent import compiled_calls as compiled
from mobandits.agent.growth import has_own_models, joined
from mobandits.agent.parts import comparing, has_means, random_beliefs, with_order
from mobandits.compiling.session import compiled_for, open_session, state_of
from mobandits.contracts.protocols import Array, IntArray, Policy, Recipe, Rng, Shape, Stage
from mobandits.orders.validity import check_objectives, check_order


class Mind:
    """A recipe, bound once it is known whether the arms share a context, and its state.

    Args:
        recipe: what to bind.
        shape: of the problem; whether contexts are shared is not known yet.
        seed: of all decisions.
        propensity: as for the agent, "none" saves the work.

    Attributes:
        rng: the stream of all decisions.
        other_rng: that of sampled propensities, which change no decision.
        shape: of the problem now: `arms` counts slots.
        order: the preference that was set; None: the recipe's.
        stage: which policy of the recipe it is, from 1; 0 before the first context.
        left: decisions that the stage has left; None: no end.
        own_models: whether arms have models of their own.
        means: whether the beliefs are means of all objectives.

    Raises:
        ValueError: where the recipe fits neither layout of contexts, or cannot tell exact propensities.
    """

    def __init__(self, recipe: Recipe, shape: Shape, seed: int, propensity: str) -> None:
        self.recipe, self.shape, self._propensity = recipe, shape, propensity
        self.rng, self.other_rng = np.random.default_rng(seed), np.random.default_rng([seed, 1])
        self.order: Any = None
        self.stage = 0
        self.left: int | None = None
        self._stages: Iterator[Stage] = iter(())
        self.policy: Any = None
        self._bound: Any = None
        self._refuse_misfit()

    def lay(self, *, shared: bool) -> None:
        """Settle whether the arms share the context, and begin."""
        self.shape = self.shape._replace(shared=shared)
        self._stages = self.recipe.stages(self.shape)
        self.begin()

    def begin(self) -> None:
        """The next stage: a policy that has seen nothing."""
        bound, self.left = next(self._stages)
        self.open(bound, bound.init())
        self.stage += 1

    def open(self, bound: Policy, state: Any) -> None:
        """Play on with what the recipe binds to, from a state."""
        self._bound = bound
        self.policy = bound if self.order is None else with_order(bound, self.order)
        self.session = open_session(self.policy, self.rng, state)
        self.means, self.own_models = has_means(self.policy), has_own_models(self.recipe, self.shape)
        decide = compiled.decide if self._propensity == "none" else compiled.decide_openly
        self.decide, self.decide_many, self.law_of = (
            compiled_for(function, self.session) for function in (decide, compiled.decide_many, compiled.law_of)
        )
        self.learn = compiled_for(compiled.learn, self.session, stores_arguments=True)

    def chance(self, rows: Array, slots: IntArray, law: Array, place: int, samples: int) -> tuple[float, float]:
        """The probability of the arm that was drawn from `law`, and its standard error.

        Where propensities are sampled: the mean of the probabilities given `samples` further beliefs and given those
        that were played, `law`. To count those too keeps the mean positive, and the average of 1 / propensity over
        decisions next to unbiased.
        """
        if self._propensity == "exact":
            return float(law[place]), 0.0
        total, squares, n = law.copy(), law**2, samples + 1
        self.law_of(self.session, rows, slots, self.other_rng, samples, total, squares)
        mean = float(total[place] / n)
        return mean, math.sqrt(max(float(squares[place]) / n - mean**2, 0.0) / n)

    def probabilities(self, rows: Array, slots: IntArray, rng: Rng) -> Array:
        """(arms,) the law of the next draw, given beliefs that are drawn from `rng` where they are drawn."""
        total, squares = np.zeros(len(slots)), np.zeros(len(slots))
        self.law_of(self.session, rows, slots, rng, 1, total, squares)
        return total

    def state(self) -> Any:
        """The state as it is now, in arrays that change with it."""
        return state_of(self.session)

    def any_policy(self) -> Any:
        """The policy, or the one that there would be."""
        return self.policy if self.stage else next(iter(self.recipe.stages(self.shape))).policy

    def preference(self) -> Any:
        """The order that is played; None where the policy has none of its own."""
        inner = comparing(self.any_policy())
        return self.order if self.order is not None or inner is None else inner.order

    def check(self, order: Any) -> None:
        """Refuse what is no order of these objectives; None stands for the recipe's."""
        if order is not None:
            check_order("preference", order)
            check_objectives(order, self.shape.objectives)

    def prefer(self, order: Any) -> None:
        """Play another order from now on; None: the recipe's."""
        if order is not None:
            with_order(self.any_policy(), order)
        self.order = order
        if self.stage:
            self.open(self._bound, self.state())

    def join(self, slot: int, like: int | None) -> None:
        """Make room for an arm in `slot`, which starts from the prior or from what is believed of the arm in `like`.

        Raises:
            ValueError: where the recipe does not go with so many arms.
        """
        if self.left is not None:
            raise ValueError(f"arm must not be added to {type(self.recipe).__name__}, which plays in stages")
        more = self.shape._replace(arms=max(self.shape.arms, slot + 1))
        if self.stage:
            bound, state = joined(self.recipe, self.shape, self.state(), slot, like)
            self.shape = more
            self.open(bound, state)
        else:
            self.recipe.bind(more)
            self.shape = more

    def restore(self, stage: int, left: int | None, arrays: Any) -> None:
        """Go on from where another mind of this recipe was; `arrays` makes its state from that of the policy.

        Raises:
            ValueError: where the recipe has no such stage.
        """
        self._stages = self.recipe.stages(self.shape)
        there = next(itertools.islice(self._stages, stage - 1, None), None)
        if there is None:
            raise ValueError(f"stage must be one that {type(self.recipe).__name__} has, got {stage}")
        bound, rounds = there
        if (left is None) != (rounds is None) or (left or 0) > (rounds or 0):
            raise ValueError(f"left must be what is left of stage {stage}, which has {rounds} rounds, got {left}")
        self.open(bound, arrays(bound))
        self.stage, self.left = stage, left

    def _refuse_misfit(self) -> None:
        said = []
        for shared in (False, True):
            try:
                policy = self.recipe.bind(self.shape._replace(shared=shared))
            except ValueError as error:
                said.append(error)
                continue
            if self._propensity == "exact" and random_beliefs(policy):
                name = type(self.recipe).__name__
                raise ValueError(
                    f"propensity must be 'sampled' or 'none' where beliefs are drawn, as in {name}, got 'exact'"
                )
        if len(said) == 2:
            raise said[0]
