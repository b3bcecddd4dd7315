"""The policy of an agent, bound to its arms, with its state and its random stream.

A compiled policy, which takes more arms or another order.
"""

import contextlib
import copy
import itertools
import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from mobandits.agent import compiled_calls
from mobandits.agent.parts import comparing, has_means, unused_links, with_order
from mobandits.agent.resize_state import ResizedState, has_own_models, with_arm_added
from mobandits.agent.sizes import refuse_large
from mobandits.compiling.fingerprint import is_ours
from mobandits.compiling.first_round import rehearse, rehearse_order
from mobandits.compiling.notes import numbers_of
from mobandits.compiling.session import Session
from mobandits.compiling.tracebacks import foreign
from mobandits.contracts.protocols import Array, IntArray, Policy, Recipe, Rng, Shape, Stage
from mobandits.contracts.states import accounts_of, declares
from mobandits.contracts.terms import ApplicationTerms, CostFactors, cost_factors, in_terms
from mobandits.orders.validity import check_objectives, require_order

# What the arithmetic of policies raises where numbers are too large, or come from a file and are
# not what it made.
FAILURES = (ArithmeticError, IndexError, ValueError)
LOG = logging.getLogger("mobandits")
SLOW = 1.0  # seconds of compiling that are worth a message
SLOW_ORDER = (
    "%s was made ready for %s in %.1f seconds; "
    "`mobandits warm --agents` does so ahead for built-in ones"
)


class BoundPolicy:
    """A recipe, bound once it is known whether the arms share a context, and its state.

    Args:
        recipe: what to bind.
        shape: of the problem; whether contexts are shared is not known yet.
        seed: of all decisions.
        propensity: as for the agent, "none" saves the work.
        terms: those of the application, which the recipe has already and preferences need.

    Attributes:
        rng: the stream of all decisions.
        propensity_rng: that of sampled propensities, which change no decision.
        shape: of the problem now: `arms` counts slots.
        order: the preference that was set; None: the recipe's.
        stage: which policy of the recipe it is, from 1; 0 before the first context.
        left: decisions that the stage has left; None: no end.
        recipe_policy: the policy of the stage, with the recipe's order.
        policy: the same with the order that is preferred.
        session: policy, state and stream, and what calls `compiled_calls`.
        note_size: how many numbers its notes have.
        own_models: whether arms have models of their own.
        has_means: whether the beliefs are means of all objectives.
        has_accounts: whether the state has accounts of the policy's own decisions.
        has_limits: whether the policy has limits that every arm may break.
        links: those that turn its beliefs into mean rewards; None: they are of rewards already.

    Raises:
        ValueError: where the recipe fits neither layout of contexts, or its propensities cannot be
            exact.
    """

    def __init__(
        self,
        recipe: Recipe,
        shape: Shape,
        seed: int,
        propensity: str,
        terms: ApplicationTerms | None = None,
    ) -> None:
        self.recipe = recipe
        self.terms = terms
        self.shape = shape
        self._propensity = propensity
        self.rng = np.random.default_rng(seed)
        # A stream of its own, so that asking for propensities changes no decision.
        self.propensity_rng = np.random.default_rng([seed, 1])
        self.order: Any = None
        self.stage = 0
        self.left: int | None = None
        self._stages = _copyable(())
        self.recipe_policy: Any = None
        self.policy: Any = None
        self.note_size = 1
        # What `learning_together` gathers; None outside of it.
        self._gathered: list[tuple[Array, int, Array]] | None = None
        self._refuse_misfit()

    def rehearse(self, context: Array, *, shared: bool) -> None:
        """Play a round in Python, where the recipe or the order is from outside of this library.

        Args:
            context: (eligible arms or 1, features), the first one.
            shared: whether the arms share it.

        Raises:
            Exception: what the policy raises, at its author's line.
        """
        # Policies of this library are tested; those of others fail in Python at their line, and in
        # compiled code at one of ours.
        if not foreign([self.recipe, self.order]):
            return

        shape = self.shape.replaced(shared=shared)
        policy = next(iter(self.recipe.stages(shape))).policy
        if self.order is not None:
            policy = self._playing(policy, self.order)

        count = len(context) if len(context) > 1 else shape.arms
        arms = np.arange(count)
        rewards = np.ones((shape.arms, shape.objectives))  # there are none yet
        rehearse(
            policy,
            context,
            arms,
            rewards,
            law=self._propensity != "none",
            made_up=True,
        )

    def set_layout(self, *, shared: bool) -> None:
        """Settle whether the arms share the context, and begin."""
        shape = self.shape.replaced(shared=shared)
        stages = self.recipe.stages(shape)
        self.shape = shape
        self._stages = _copyable(stages)
        self.begin_stage()

    def begin_stage(self) -> None:
        """The next stage: a policy that has seen nothing."""
        stage = next(self._stages)
        # A later stage may be bound to more rounds, and need more memory than the one before.
        policy = stage.policy
        self.left = stage.rounds
        refuse_large(self.shape, policy)
        first_state = policy.init()
        self.load_state(policy, first_state)
        self.stage += 1

    def position(self) -> dict[str, Any]:
        """All that `set_layout` and `begin_stage` change, for `go_back`."""
        # What is learned changes arrays in place, so that it could not be undone this way: stages
        # begin with new ones.
        position = dict(vars(self))
        position["_stages"] = copy.copy(self._stages)
        return position

    def go_back(self, position: dict[str, Any]) -> None:
        """Undo what `set_layout` and `begin_stage` changed since.

        Nothing may have been learned meanwhile.
        """
        attributes = vars(self)
        attributes.update(position)

    def streams(self) -> list[Any]:
        """Positions of the streams, for `rewind`."""
        streams = [self.rng.bit_generator.state]
        if self._propensity == "sampled":
            streams.append(self.propensity_rng.bit_generator.state)
        return streams

    def rewind(self, streams: list[Any]) -> None:
        """Have the streams where they were: what was drawn since is drawn again."""
        rngs = (self.rng, self.propensity_rng)
        for rng, state in zip(rngs, streams, strict=False):
            generator = rng.bit_generator
            generator.state = state

    def load_state(self, policy: Policy, state: Any) -> None:
        """Play on with a policy of the recipe, from a state."""
        self.recipe_policy = policy
        self.policy = self._with_order(self.order)
        self.has_accounts = bool(accounts_of(state))
        self.session = Session(self.policy, self.rng, state)
        self._any_note = numbers_of(self.session.note)
        self.note_size = len(self._any_note)
        self.has_means = has_means(self.policy)
        self.own_models = has_own_models(self.recipe, self.shape)
        self.has_limits = declares(self.policy, "EASES_LIMITS")
        inner = comparing(self.policy)
        self.links = unused_links(inner) if inner is not None and self.has_means else None

    def learn(self, x: Array, slot: int, note: tuple[float, ...], lesson: Array) -> None:
        """Learn a reward (objectives,), NaN where not observed, of the arm in a slot."""
        # Of many rewards at once the policy is given one note, which must be this one.
        if self._gathered is not None and note == self._any_note:
            self._gathered.append((x, slot, lesson))
        else:
            self.learn_now(x, slot, note, lesson)

    def learn_now(self, x: Array, slot: int, note: tuple[float, ...], lesson: Array) -> None:
        """As `learn`, also where others are learned together."""
        self._learn_gathered()
        try:
            self.session.call(compiled_calls.update_state, x, slot, note, lesson)
        except FAILURES as failure:
            self.refuse_arithmetic(failure)

    def learn_many(self, x: Array, slots: IntArray, lessons: Array) -> None:
        """Learn rewards one after the other, in one call, of a policy whose notes mean nothing.

        Args:
            x: (rounds, features) of the arms that were played.
            slots: (rounds,) theirs.
            lessons: (rounds, objectives), NaN where not observed.
        """
        try:
            self.session.call(compiled_calls.update_many, x, slots, lessons)
        except FAILURES as failure:
            self.refuse_arithmetic(failure)

    @contextlib.contextmanager
    def learning_together(self) -> Iterator[None]:
        """What is learned inside is learned in one call, when the state is needed, or at the end.

        Nobody decides meanwhile, and the policy stays the same.
        """
        self._gathered = []
        try:
            yield
            self._learn_gathered()
        finally:
            self._gathered = None

    def _learn_gathered(self) -> None:
        if not self._gathered:
            return

        x, slots, lessons = zip(*self._gathered, strict=True)
        self._gathered.clear()
        self.learn_many(np.array(x), np.array(slots), np.array(lessons))

    @contextlib.contextmanager
    def accounts_kept(self) -> Iterator[None]:
        """Keep the accounts of the policy's own decisions as they are, whatever is learned inside.

        What others decided teaches the models, and uses up neither horizon nor budget.
        """
        if not self.has_accounts:
            yield
            return

        kept = [account.copy() for account in accounts_of(self.state())]
        yield
        for account, before in zip(accounts_of(self.state()), kept, strict=True):
            account[...] = before

    def cost_factors(self) -> CostFactors | None:
        """The announced factors of costs, in the state; None where the policy knows of none."""
        return cost_factors(self.recipe, self.recipe_policy, self.state())

    @contextlib.contextmanager
    def former_factors(self, slot: int, former: Mapping[int, float]) -> Iterator[None]:
        """Have the announced factors of an arm as they were, while a late cost is learned.

        Args:
            slot: of the arm.
            former: {objective: factor} when its cost was incurred.
        """
        factors = self.cost_factors()
        if factors is None:
            yield
            return

        row = factors.factor[slot]
        now = row.copy()
        for j, objective in enumerate(factors.objectives):
            row[j] = former.get(objective, now[j])

        try:
            yield
        finally:
            row[:] = now

    def all_break(self, rows: Array, slots: IntArray) -> bool:
        """Whether every arm breaks a limit, so that the least bad ones are played."""
        # Asked after the decision and not in it: the compiled call of other policies stays as it
        # is, and notes are for what updates need.
        return bool(self.session.call(compiled_calls.all_break_limits, rows, slots))

    def propensity(
        self, rows: Array, slots: IntArray, probabilities: Array, place: int, samples: int
    ) -> tuple[float, float]:
        """The probability of the arm that was drawn from `probabilities`, and its standard error.

        Where propensities are sampled: the mean of the probabilities given `samples` further
        beliefs and given those that were played. To count those too keeps the mean positive, and
        the average of 1 / propensity over decisions next to unbiased.
        """
        if self._propensity == "exact":  # beliefs are not random: these are the probabilities
            return float(probabilities[place]), 0.0

        total = probabilities.copy()
        squares = probabilities**2
        n = samples + 1
        self.session.call(
            compiled_calls.add_probabilities,
            rows,
            slots,
            self.propensity_rng,
            samples,
            total,
            squares,
        )
        mean = float(total[place] / n)
        mean_square = float(squares[place]) / n
        variance = max(mean_square - mean**2, 0.0)

        return mean, math.sqrt(variance / n)

    def probabilities(self, rows: Array, slots: IntArray, rng: Rng, draws: int = 1) -> Array:
        """(arms,) the probability of each arm in the next draw.

        Where beliefs are drawn, it is the mean over `draws` of them, from `rng`.
        """
        total = np.zeros(len(slots))
        squares = np.zeros(len(slots))
        try:
            self.session.call(
                compiled_calls.add_probabilities, rows, slots, rng, draws, total, squares
            )
        except FAILURES as failure:
            self.refuse_arithmetic(failure)

        return total / draws

    def refuse_arithmetic(self, error: Exception) -> NoReturn:
        """Say what an error of the policy's arithmetic means.

        Policies of others raise what they like.
        """
        module = type(self.policy).__module__
        # What an error of somebody else's code means only its author knows.
        if not is_ours(module):
            raise error

        name = type(self.recipe).__name__
        why = f"its numbers are too large, or do not fit together ({error})"
        raise ValueError(f"{name} cannot compute with what it has learned: {why}") from error

    def state(self) -> Any:
        """The state as it is now, in arrays that change with it."""
        self._learn_gathered()
        return self.session.state

    def any_policy(self) -> Any:
        """The policy, or one that there would be."""
        if self.stage:
            return self.policy

        # Before the first context either layout may come, and the recipe may fit one alone.
        shape, _ = self._fitting_layouts()[0]
        stages = self.recipe.stages(shape)
        first = next(iter(stages))

        return first.policy

    def preference(self) -> Any:
        """The order that is played; None where the policy has none of its own."""
        inner = comparing(self.any_policy())
        if self.order is not None or inner is None:
            return self.order
        # As the recipe says it, and not as it plays what is learned.
        return in_terms(inner.order, None)

    def check_order(self, order: Any) -> None:
        """Refuse what is no order of these objectives; None stands for the recipe's."""
        if order is not None:
            require_order("preference", order)
            check_objectives(order, self.shape.objectives)
            in_terms(order, self.terms)

    def prepare_for(self, order: Any) -> None:
        """Load for another order what was called until now, or compile it where calls wait.

        Neither the state nor the order that is played changes, so that decisions may go on
        meanwhile.

        Raises:
            ValueError: where the policy has no order that could be exchanged.
            CompileError: where the order cannot be compiled.
        """
        if not self.stage:
            return  # the first decision compiles

        start = time.perf_counter()
        policy = self._with_order(order)
        rng = np.random.default_rng(0)
        if order is not None:
            rehearse_order(order, rng.random((self.shape.arms, self.shape.objectives)))

        # Of another state, but of the same types: those are all that compiling depends on.
        session = Session(policy, np.random.default_rng(0))
        session.prepare_like(self.session)
        seconds = time.perf_counter() - start
        if seconds > SLOW:
            preferred = "the recipe's own order" if order is None else type(order).__name__
            LOG.warning(SLOW_ORDER, preferred, type(self.recipe).__name__, seconds)

    def _with_order(self, order: Any) -> Any:
        """The recipe's policy with another order; None: the recipe's."""
        if order is None:
            return self.recipe_policy
        return self._playing(self.recipe_policy, order)

    def _playing(self, policy: Policy, order: Any) -> Any:
        """A policy that plays by an order of rewards in the application's terms."""
        return with_order(policy, in_terms(order, self.terms))

    def set_order(self, order: Any) -> None:
        """Play another order from now on; None: the recipe's."""
        if order is not None:
            self._playing(self.any_policy(), order)  # which refuses it, before anything has changed

        self.order = order
        if self.stage:
            self.load_state(self.recipe_policy, self.state())

    def with_room(self, slot: int, like: int | None) -> ResizedState:
        """Policy and state with an arm in `slot`, which `add_arm` takes; nothing changes yet.

        Args:
            slot: of the arm.
            like: the slot of the arm whose beliefs it starts from; None: the prior.

        Raises:
            ValueError: where the recipe does not go with so many arms.
        """
        # The next stage would be bound to the arms that its recipe saw at the beginning.
        if self.left is not None:
            name = type(self.recipe).__name__
            raise ValueError(f"arm must not be added to {name}, which plays in stages")

        arms = max(self.shape.arms, slot + 1)
        shape = self.shape.replaced(arms=arms)
        larger = self.recipe.bind(shape)
        refuse_large(shape, larger)
        if self.stage == 0:
            return ResizedState(shape, larger, None)

        policy, state = with_arm_added(self.recipe, self.shape, self.state(), slot, like)
        return ResizedState(shape, policy, state)

    def add_arm(self, resized: ResizedState) -> None:
        """Play on with an arm more."""
        self.shape = resized.shape
        if self.stage:
            self.load_state(resized.policy, resized.state)

    def restore(self, stage: int, left: int | None, make_state: Callable[[Policy], Any]) -> None:
        """Go on from where another agent of this recipe was.

        Args:
            stage: its number, from 1.
            left: decisions that the stage has left; None: no end.
            make_state: the state, given the policy of the stage.

        Raises:
            ValueError: where the recipe has no such stage.
        """
        # Stages before it are bound on the way: each may depend on those before.
        stages = self.recipe.stages(self.shape)
        self._stages = _copyable(stages)
        later = itertools.islice(self._stages, stage - 1, None)
        found = next(later, None)
        name = type(self.recipe).__name__
        if found is None:
            raise ValueError(f"stage must be one that {name} has, got {stage}")

        policy, rounds = found
        ends = rounds is not None
        is_left = left is not None
        if is_left != ends or (left or 0) > (rounds or 0):
            rule = f"left must be what is left of stage {stage}, which has {rounds} rounds"
            raise ValueError(f"{rule}, got {left}")

        self.load_state(policy, make_state(policy))
        self.stage = stage
        self.left = left

    def _refuse_misfit(self) -> None:
        """Refuse a recipe that fits no layout of contexts, or whose propensities are not exact."""
        for _, policy in self._fitting_layouts():
            if self._propensity == "exact" and declares(policy, "RANDOM_BELIEFS"):
                name = type(self.recipe).__name__
                raise ValueError(
                    "propensity must be 'sampled' or 'none' where beliefs are drawn, as in "
                    f"{name}, got 'exact'"
                )

    def _fitting_layouts(self) -> list[tuple[Shape, Policy]]:
        """Shapes and policies of the layouts of contexts that the recipe fits.

        The first context tells which layout it is.
        """
        errors = []
        layouts = []
        for shared in (False, True):
            shape = self.shape.replaced(shared=shared)
            try:
                policy = self.recipe.bind(shape)
                refuse_large(shape, policy)
            except ValueError as error:
                errors.append(error)
                continue

            layouts.append((shape, policy))

        if not layouts:
            raise errors[0]

        return layouts

    def best_propensity(self) -> str:
        """The mode of propensities that a log is of most use with: as exact as the recipe has it."""
        policies = [policy for _, policy in self._fitting_layouts()]
        if any(not callable(getattr(policy, "probabilities", None)) for policy in policies):
            return "none"
        if any(declares(policy, "RANDOM_BELIEFS") for policy in policies):
            return "sampled"

        return "exact"

    def set_propensity(self, mode: str) -> None:
        """Choose the mode of propensities, before the first decision."""
        self._propensity = mode
        self._refuse_misfit()


def _copyable(stages: Iterable[Stage]) -> Iterator[Stage]:
    """The stages one after the other, by an iterator whose copies go on from where it is."""
    # A generator cannot be copied; what `tee` returns can.
    (iterator,) = itertools.tee(stages, 1)
    return iterator
