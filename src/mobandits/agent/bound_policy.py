"""What an agent has learned and how it plays: a compiled policy, which takes more arms or another order."""

import copy
import itertools
import logging
import math
import time
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from mobandits.agent import compiled_calls as compiled
from mobandits.agent.growth import has_own_models, joined
from mobandits.agent.parts import comparing, has_means, unused_links, with_order
from mobandits.agent.sizes import refuse_large
from mobandits.compiling.compiled import compile_loop
from mobandits.compiling.first_round import rehearse, rehearse_order
from mobandits.compiling.notes import numbers_of
from mobandits.compiling.session import (
    compiled_for,
    open_session,
    prepare,
    prepare_state_of,
    state_of,
)
from mobandits.compiling.tracebacks import foreign
from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import Array, IntArray, Policy, Recipe, Rng, Shape, Stage
from mobandits.contracts.states import declares
from mobandits.orders.validity import check_objectives, require_order

# What the arithmetic of policies raises where numbers are too large, or come from a file and are not what it made.
FAILURES = (ArithmeticError, IndexError, ValueError)
# The shape with an arm more, the policy for it, and its state; None before the first stage.
Joining = tuple[Shape, Policy, Any]
LOG = logging.getLogger("mobandits")
SLOW = 1.0  # seconds of compiling that are worth a message
SLOW_ORDER = "%s was compiled for %s in %.1f seconds; `mobandits warm --agents` does so ahead for built-in ones"


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
        self.recipe = recipe
        self.shape = shape
        self._propensity = propensity
        self.rng = np.random.default_rng(seed)
        self.other_rng = np.random.default_rng([seed, 1])
        self.order: Any = None
        self.stage = 0
        self.left: int | None = None
        self._stages = _copyable(())
        self.policy: Any = None
        self._bound: Any = None
        self.note_size = 1  # numbers of a note; no decision is made before there is a policy
        self._refuse_misfit()

    def rehearse(self, context: Array, *, shared: bool) -> None:
        """Play a round in Python, where the recipe or the order is from outside of this library.

        Args:
            context: (eligible arms or 1, features), the first one.
            shared: whether the arms share it.

        Raises:
            Exception: what the policy raises, at its author's line.
        """
        if not foreign([self.recipe, self.order]):
            return
        shape = self.shape._replace(shared=shared)
        bound = next(iter(self.recipe.stages(shape))).policy
        policy = bound if self.order is None else with_order(bound, self.order)
        arms = np.arange(len(context) if len(context) > 1 else shape.arms)
        rewards = np.ones((shape.arms, shape.objectives))  # there are none yet
        rehearse(policy, context, arms, rewards, law=self._propensity != "none", made_up=True)

    def lay(self, *, shared: bool) -> None:
        """Settle whether the arms share the context, and begin."""
        self.shape = self.shape._replace(shared=shared)
        self._stages = _copyable(self.recipe.stages(self.shape))
        self.begin()

    def begin(self) -> None:
        """The next stage: a policy that has seen nothing."""
        bound, self.left = next(self._stages)
        refuse_large(self.shape, bound)
        self.open(bound, bound.init())
        self.stage += 1

    def position(self) -> dict[str, Any]:
        """All that `lay` and `begin` change, for `go_back`."""
        return {**vars(self), "_stages": copy.copy(self._stages)}

    def go_back(self, position: dict[str, Any]) -> None:
        """Undo what `lay` and `begin` changed since; nothing may have been learned meanwhile."""
        vars(self).update(position)

    def streams(self) -> list[Any]:
        """Where the streams are, for `rewind`."""
        streams = [self.rng.bit_generator.state]
        if self._propensity == "sampled":
            streams.append(self.other_rng.bit_generator.state)
        return streams

    def rewind(self, streams: list[Any]) -> None:
        """Have the streams where they were: what was drawn since is drawn again."""
        for rng, state in zip((self.rng, self.other_rng), streams, strict=False):
            rng.bit_generator.state = state

    def open(self, bound: Policy, state: Any) -> None:
        """Play on with what the recipe binds to, from a state."""
        self._bound = bound
        self.policy = self._with(self.order)
        self.session = open_session(self.policy, self.rng, state)
        self.note_size = len(numbers_of(note_of(self.policy)))
        self.means = has_means(self.policy)
        self.own_models = has_own_models(self.recipe, self.shape)
        self.decide = self._decision()
        self.decide_many = compiled_for(compiled.decide_many, self.session)
        self.law_of = compiled_for(compiled.law_of, self.session)
        self.learn = compiled_for(compiled.learn, self.session, stores_arguments=True)

    def _decision(self) -> Any:
        """`rounds.decide`, or `rounds.decide_openly` with scores that are mean rewards, whatever beliefs are about."""
        if self._propensity == "none":
            return compiled_for(compiled.decide, self.session)
        decide = compiled_for(compiled.decide_openly, self.session)
        inner = comparing(self.policy)
        links = unused_links(inner) if inner is not None and self.means else None
        if links is None:
            return decide
        put_links = compile_loop(compiled.put_links, links)

        def decide_linked(*arguments: Any) -> Any:
            made = decide(*arguments)
            if made[0] != compiled.OUTSIDE:  # then nothing was scored
                put_links(links, arguments[-1])
            return made

        return decide_linked

    def chance(
        self, rows: Array, slots: IntArray, law: Array, place: int, samples: int
    ) -> tuple[float, float]:
        """The probability of the arm that was drawn from `law`, and its standard error.

        Where propensities are sampled: the mean of the probabilities given `samples` further beliefs and given those
        that were played, `law`. To count those too keeps the mean positive, and the average of 1 / propensity over
        decisions next to unbiased.
        """
        if self._propensity == "exact":
            return float(law[place]), 0.0
        total = law.copy()
        squares = law**2
        n = samples + 1
        self.law_of(self.session, rows, slots, self.other_rng, samples, total, squares)
        mean = float(total[place] / n)
        return mean, math.sqrt(max(float(squares[place]) / n - mean**2, 0.0) / n)

    def probabilities(self, rows: Array, slots: IntArray, rng: Rng) -> Array:
        """(arms,) the law of the next draw, given beliefs that are drawn from `rng` where they are drawn."""
        total = np.zeros(len(slots))
        squares = np.zeros(len(slots))
        try:
            self.law_of(self.session, rows, slots, rng, 1, total, squares)
        except FAILURES as failure:
            self.refuse(failure)
        return total

    def refuse(self, error: Exception) -> NoReturn:
        """Say what an error of the policy's arithmetic means; policies of others raise what they like."""
        if not type(self.policy).__module__.startswith("mobandits."):
            raise error
        name = type(self.recipe).__name__
        why = f"its numbers are too large, or do not fit together ({error})"
        raise ValueError(f"{name} cannot compute with what it has learned: {why}") from error

    def state(self) -> Any:
        """The state as it is now, in arrays that change with it."""
        return state_of(self.session)

    def any_policy(self) -> Any:
        """The policy, or the one that there would be."""
        if self.stage:
            return self.policy
        return next(iter(self.recipe.stages(self.shape))).policy

    def preference(self) -> Any:
        """The order that is played; None where the policy has none of its own."""
        inner = comparing(self.any_policy())
        if self.order is not None or inner is None:
            return self.order
        return inner.order

    def check(self, order: Any) -> None:
        """Refuse what is no order of these objectives; None stands for the recipe's."""
        if order is not None:
            require_order("preference", order)
            check_objectives(order, self.shape.objectives)

    def prepare(self, order: Any) -> None:
        """Compile for another order what was called until now: then playing on with it costs no more than before.

        Neither the state nor the order that is played changes, so that decisions may go on meanwhile.

        Raises:
            ValueError: where the policy has no order that could be exchanged.
            CompileError: where the order cannot be compiled.
        """
        if not self.stage:
            return  # the first decision compiles
        start = time.perf_counter()
        policy = self._with(order)
        if order is not None:
            rehearse_order(
                order, np.random.default_rng(0).random((self.shape.arms, self.shape.objectives))
            )
        session = open_session(
            policy, np.random.default_rng(0)
        )  # of another state, but of the same types
        for function in (
            compiled.decide,
            compiled.decide_openly,
            compiled.decide_many,
            compiled.law_of,
        ):
            prepare(function, session, self.session)
        prepare(compiled.learn, session, self.session, stores_arguments=True)
        for one in (self.session, session):
            prepare_state_of(one)  # which moves from one to the other, and back
        seconds = time.perf_counter() - start
        if seconds > SLOW:
            preferred = "the recipe's own order" if order is None else type(order).__name__
            LOG.warning(SLOW_ORDER, preferred, type(self.recipe).__name__, seconds)

    def _with(self, order: Any) -> Any:
        """What the recipe binds to, with another order; None: the recipe's."""
        return self._bound if order is None else with_order(self._bound, order)

    def prefer(self, order: Any) -> None:
        """Play another order from now on; None: the recipe's."""
        if order is not None:
            with_order(self.any_policy(), order)
        self.order = order
        if self.stage:
            self.open(self._bound, self.state())

    def joining(self, slot: int, like: int | None) -> Joining:
        """What `join` takes: room for an arm in `slot`, while all stays as it is.

        Args:
            slot: of the arm.
            like: the slot of the arm whose beliefs it starts from; None: the prior.

        Raises:
            ValueError: where the recipe does not go with so many arms.
        """
        if self.left is not None:
            raise ValueError(
                f"arm must not be added to {type(self.recipe).__name__}, which plays in stages"
            )
        shape = self.shape._replace(arms=max(self.shape.arms, slot + 1))
        more = self.recipe.bind(shape)
        refuse_large(shape, more)
        if self.stage == 0:
            return shape, more, None
        bound, state = joined(self.recipe, self.shape, self.state(), slot, like)
        return shape, bound, state

    def join(self, joining: Joining) -> None:
        """Play on with an arm more."""
        self.shape, bound, state = joining
        if self.stage:
            self.open(bound, state)

    def restore(self, stage: int, left: int | None, arrays: Any) -> None:
        """Go on from where another mind of this recipe was; `arrays` makes its state from that of the policy.

        Raises:
            ValueError: where the recipe has no such stage.
        """
        self._stages = _copyable(self.recipe.stages(self.shape))
        there = next(itertools.islice(self._stages, stage - 1, None), None)
        if there is None:
            raise ValueError(
                f"stage must be one that {type(self.recipe).__name__} has, got {stage}"
            )
        bound, rounds = there
        if (left is None) != (rounds is None) or (left or 0) > (rounds or 0):
            raise ValueError(
                f"left must be what is left of stage {stage}, which has {rounds} rounds, got {left}"
            )
        self.open(bound, arrays(bound))
        self.stage = stage
        self.left = left

    def _refuse_misfit(self) -> None:
        said = []
        for shared in (False, True):
            try:
                policy = self.recipe.bind(self.shape._replace(shared=shared))
                refuse_large(self.shape, policy)
            except ValueError as error:
                said.append(error)
                continue
            if self._propensity == "exact" and declares(policy, "RANDOM_BELIEFS"):
                name = type(self.recipe).__name__
                raise ValueError(
                    f"propensity must be 'sampled' or 'none' where beliefs are drawn, as in {name}, got 'exact'"
                )
        if len(said) == 2:
            raise said[0]


def _copyable(stages: Iterable[Stage]) -> Iterator[Stage]:
    """The stages one after the other, by an iterator whose copies go on from where it is."""
    (iterator,) = itertools.tee(stages, 1)
    return iterator
