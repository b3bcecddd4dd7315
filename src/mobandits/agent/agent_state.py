"""The state of an agent: its arms, contexts, policy, pending decisions, budgets and clock."""

import os
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal

from mobandits.agent.arms import Arms
from mobandits.agent.bound_policy import BoundPolicy
from mobandits.agent.budget import Budget
from mobandits.agent.contexts import Contexts
from mobandits.agent.decision import Offer
from mobandits.agent.forked_lock import LockElsewhere
from mobandits.agent.guard import Guard
from mobandits.agent.inputs import (
    MOST_SAMPLES,
    check_clock,
    check_counts,
    check_is_recipe,
    name_count,
)
from mobandits.agent.keys import KeyedDecisions
from mobandits.agent.ledger import Ledger
from mobandits.agent.objectives import Expectations, Scales, as_objectives
from mobandits.agent.pending import PendingDecisions
from mobandits.agent.sessions import Sessions
from mobandits.agent.sizes import refuse_large
from mobandits.contracts.protocols import Recipe, Shape
from mobandits.contracts.terms import ApplicationTerms, in_terms
from mobandits.encoding.encoder import Encoder
from mobandits.logs.objectives import Objectives, terms_of
from mobandits.orders.by_number import by_number
from mobandits.support.checks import choice, integer, number
from mobandits.support.forks import on_fork

Propensity = Literal["exact", "sampled", "none"]


class AgentState:
    """The parts of an agent, and the arguments that it is made of; see `Agent` for these.

    Attributes:
        recipe: what it plays.
        objectives: what it is paid in.
        objective_names: their names.
        seed: of all decisions.
        propensity: "exact", "sampled" or "none".
        samples: beliefs per sampled propensity.
        rounds: the horizon, or None.
        features: length of a context row.
        encoder: turns named columns into such rows; None: contexts are numbers.
        arms: those that there are, and where they sit.
        contexts: their shape.
        bound: the recipe's policy and its state.
        guard: what the recipe assumes.
        expectations: what the objectives say of rewards.
        reward_places: {objective: position}.
        scales: between rewards and what is learned.
        pending: the decisions that wait.
        ledger: the budgets.
        keys: the last decisions with a key of a client, where there is no log to ask.
        sessions: the arms that sessions keep.
        clock: seconds.
        now: when it was last asked.
        is_timed: whether time matters.
        is_ahead: whether it was found to be ahead of the clock, by a minute or more.
        times_ahead: how often.
        lessons: how many rewards, or parts of one, were learned.
        log_at_hand: the last rounds of the log that was learned, for what `retune` looks up on
            them; None where there was none, or the agent has a store.
        lock: held by every call.
        process: to which it belongs: its calls are refused in the child of a fork.
        writer: writes the calls down; None where there is no log.
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        arms: int | Sequence[Hashable],
        features: int | Encoder,
        objectives: int | Sequence[Any],
        seed: int,
        rounds: int | None,
        propensity: Propensity,
        samples: int,
        pending: int,
        max_age: float | None,
        remembered: int,
        clock: Callable[[], float],
        budgets: Iterable[Budget] = (),
        sticky: float | None = None,
    ) -> None:
        check_is_recipe(recipe)
        # Everything is checked before anything is made: a wrong argument leaves nothing behind.
        integer("seed", seed, at_least=0)
        encoder = features if isinstance(features, Encoder) else None
        feature_count: Any = features if encoder is None else len(encoder)
        check_counts(
            features=(feature_count, 0),
            pending=(pending, 1),
            remembered=(remembered, 0),
        )
        if rounds is not None:
            check_counts(rounds=(rounds, 1))

        check_counts(MOST_SAMPLES, samples=(samples, 1))
        if max_age is not None:
            number("max_age", max_age, above=0.0)

        choice("propensity", propensity, ("exact", "sampled", "none"))
        check_clock(clock)
        # Before names are made of a number of arms, which may be 10^9 by mistake.
        size = Shape(
            name_count(arms),
            int(feature_count),
            name_count(objectives),
        )
        refuse_large(size)
        self.set_objectives(as_objectives(objectives))
        self.recipe: Recipe = by_number(recipe, self.objective_names)
        self.seed = int(seed)
        self.propensity = propensity
        self.samples = int(samples)
        self.rounds = rounds
        self.features = int(feature_count)
        self.encoder = encoder
        self.arms = Arms(arms)
        self.sessions = Sessions(self.arms, sticky)
        self.contexts = Contexts(self.arms, self.features, encoder)
        shape = Shape(
            len(self.arms.names),
            self.features,
            len(self.objectives),
            rounds,
        )
        own_recipe = self.in_own_terms(self.recipe)
        self.bound = BoundPolicy(own_recipe, shape, self.seed, propensity, self.own_terms())
        self.guard = Guard(self.recipe)
        self.pending = PendingDecisions(
            self.objectives,
            int(pending),
            max_age,
            int(remembered),
        )
        self.keys = KeyedDecisions(int(remembered))
        self.clock = clock
        self.now = 0.0
        self.is_ahead = False
        self.times_ahead = 0
        # A `recording.StoreWriter`, of which the core knows no more than what it calls.
        self.writer: Any = None
        self.set_budgets(budgets)
        self.lessons = 0
        self.log_at_hand: Any = None
        self.lock: Any = threading.RLock()
        self.process = os.getpid()
        on_fork(self, AgentState.leave_to_parent)

    def set_objectives(self, objectives: Objectives) -> None:
        """Take rewards in these objectives from now on."""
        self.objectives = objectives
        self.objective_names = tuple(each.name for each in objectives)
        self.reward_places = {name: i for i, name in enumerate(self.objective_names)}
        self.scales = Scales(objectives)
        self.expectations = Expectations(objectives)

    def settle_propensity(self, mode: Any) -> None:
        """Choose the mode of propensities of an agent that has decided nothing.

        Args:
            mode: as for the agent; None: as exact as the recipe has it.
        """
        chosen: Any = self.bound.best_propensity() if mode is None else mode
        self.propensity = chosen
        self.bound.set_propensity(chosen)

    def set_budgets(self, budgets: Iterable[Budget]) -> None:
        """Keep these budgets from now on; what was spent of equal ones counts on.

        Raises:
            ValueError: where one does not fit the agent.
        """
        before = getattr(self, "ledger", None)
        self.ledger = Ledger(budgets, self.objectives, self.arms)
        if before is not None:
            self.ledger.restore(before.spent(), self.pending.own, self.now)

        # Agents without budgets pay nothing for them.
        self.pending.ledger = self.ledger if self.ledger.accounts else None
        self.set_timed()

    def set_timed(self) -> None:
        """Ask the clock from now on where time matters, and else no more."""
        of_rewards = self.pending.is_timed or self.ledger.is_timed
        has_sessions = self.sessions.seconds is not None
        self.is_timed = of_rewards or has_sessions or self.writer is not None

    def within_budgets(self, offer: Offer, now: float, count: int = 1) -> Offer:
        """The arms of an offer for which the budgets have room.

        Args:
            offer: as of `Contexts.offer`, or `Contexts.offers`.
            now: the time.
            count: how many decisions are to be made.

        Raises:
            BudgetError: where there is room for none.
        """
        # What is replayed had room when it was decided, and budgets may be others by now.
        is_replayed = self.writer is not None and self.writer.silent
        if self.pending.ledger is None or is_replayed:
            return offer

        return self.ledger.fitting(offer, now, count)

    def in_own_terms(self, recipe: Recipe, objectives: Objectives | None = None) -> Recipe:
        """A recipe that knows the names, directions and units of this agent, where it needs them.

        Args:
            recipe: which.
            objectives: that the agent is about to have; None: those that it has.
        """
        own_recipe: Recipe = in_terms(recipe, self.own_terms(objectives))
        return own_recipe

    def own_terms(self, objectives: Objectives | None = None) -> ApplicationTerms:
        """The terms of this agent; argument as of `in_own_terms`."""
        slot_of = {name: self.arms.slot(name) for name in self.arms.names}
        return terms_of(objectives or self.objectives, slot_of)

    @property
    def declared_features(self) -> int | Encoder:
        """The features as they were given: their number, or the encoder."""
        return self.features if self.encoder is None else self.encoder

    def leave_to_parent(self) -> None:
        """Refuse all further calls, in the child of a fork.

        Its parent goes on from the same state and stream: both would make the same decisions, and
        what they learn would part.
        """
        self.lock = LockElsewhere(self.process)
