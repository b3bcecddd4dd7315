"""An agent of a service: its calls as messages, and what it takes to start it again."""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Hashable
from typing import Any

import msgspec

from mobandits.agent import Agent, Decision
from mobandits.agent.budget import Balance
from mobandits.agent.repricing import announced_factor, announced_factors
from mobandits.agent.transfer import take_over
from mobandits.errors import LogError, StateError
from mobandits.logs.store import SharedStore, Store
from mobandits.logs.store.lookup import RecentDecisions
from mobandits.support.naming import check_name, quoted
from mobandits_client.messages import (
    Adopted,
    AgentState,
    ArmPrice,
    Decide,
    DecideBatch,
    Decided,
    DecisionList,
    DecisionsQuery,
    Explained,
    NewPrice,
    Observed,
    PreferenceState,
    PriceList,
    Recorded,
)
from mobandits_service.agent_states import has_nan, state_of_closed, state_of_open
from mobandits_service.batches import check_batch
from mobandits_service.context_columns import check_columns
from mobandits_service.decision_names import decision_number
from mobandits_service.explaining import explanation_of, rehearse_explanation
from mobandits_service.preferences import fitting_order, order_table, present_preference
from mobandits_service.problems import Problem
from mobandits_service.recorded import decision_list, found_decision, recorded_decision
from mobandits_service.shares import opened_agent
from mobandits_service.specification import AgentSpecification

LOG = logging.getLogger("mobandits.service")
ROUNDING = 1e-9  # of factors that are multiplied and divided
STARTING = "starting"
READY = "ready"
UNSOUND = "its state has NaN, which no reward mends: PUT an earlier snapshot"


class HostedAgent:
    """An agent, the store that it writes, and its state in the service.

    Calls change the agent at once. They may be answered once what they wrote is on disk, and only
    if `check_saved` then agrees.

    Args:
        name: of the agent.
        specification: of the agent.
        file: of all agents of the service.
        is_by_call: whether a call made it, and no file.

    Attributes:
        name: as given.
        specification: as given.
        is_by_call: as given.
        is_loading: whether what it plays is still loaded: it is opened afterwards.
        status: "starting", "ready", or why it cannot decide.
        is_sound: whether all numbers of its state are numbers, when they were last looked at.
        generation: how often it was opened: what was written before the last time may be lost.
        changing: held by calls that change it in a thread, one after the other.
    """

    def __init__(
        self,
        name: str,
        specification: AgentSpecification,
        file: SharedStore,
        *,
        is_by_call: bool = False,
    ) -> None:
        self.name = name
        self.specification = specification
        self.is_by_call = is_by_call
        self.is_loading = False
        self.status = STARTING
        self.is_sound = True
        self.generation = 0
        self.changing = asyncio.Lock()
        self._file = file
        self._agent: Agent | None = None
        self._store: Store | None = None
        self._preference = ""

    # --- its life

    def open(self) -> None:
        """Open the agent, where it stood when it was last closed, killed, or lost events.

        After a failure it is ready once something can be written: a full disk can still be read.

        Raises:
            ValueError: where the store has another agent of this name, or it cannot be opened.
        """
        has_failed = self.status != STARTING
        self.status = STARTING
        # First: no call that was made before may find that it is saved.
        self.generation += 1
        self.close()
        self._load(has_failed=has_failed)
        # Last: it is opened in a thread, and calls may come from now on.
        self.status = READY

    def _load(self, *, has_failed: bool) -> None:
        store = Store(self._file, agent=self.name)
        try:
            agent = opened_agent(self.specification, store)
            # It may play by another order than its recipe's: nobody else has to wait for that.
            rehearse_explanation(agent)
        except BaseException:
            store.close()
            raise

        self._store = store
        self._agent = agent
        self.check_numbers()
        self._preference = present_preference(agent.core)
        if has_failed:
            # Write the state, and see that it is on the disk.
            agent.checkpoint()
            store.flush()

    def check_numbers(self) -> None:
        """Note whether the state has a number that is none, and say so when that begins."""
        agent = self._agent
        if agent is None:
            return

        was_sound = self.is_sound
        self.is_sound = not has_nan(agent)
        if was_sound and not self.is_sound:
            LOG.error("agent %s: %s", quoted(self.name), UNSOUND)

    @property
    def health(self) -> str:
        """Its status; or, where it decides from a state that no reward mends, that."""
        return UNSOUND if self.is_ready and not self.is_sound else self.status

    def stand_by(self, reason: str) -> None:
        """Close the agent, since this process must not write its store now.

        Args:
            reason: why.
        """
        # First, so that no call begins meanwhile.
        self.status = reason
        self.generation += 1
        self.close()

    def close(self) -> None:
        """Close the agent; where nothing was lost, with a snapshot."""
        agent = self._agent
        self._agent = None
        self._store = None
        if agent is not None:
            agent.close()

    @property
    def is_ready(self) -> bool:
        """Whether it can decide."""
        return self.status == READY

    def check_saved(self, generation: int | None = None) -> None:
        """Refuse to answer a call that was made, but is not on disk.

        Args:
            generation: what `generation` was when the call was made; None: it is being made.

        Raises:
            Problem: where events were lost.
        """
        if generation is not None and generation != self.generation:
            rule = f"agent {quoted(self.name)} was opened again from what is on disk"
            raise Problem(503, rule, retry_after=1)

        store = self._store
        if store is None:
            raise self._unusable()
        try:
            store.check_usable()
        except LogError as error:
            self.status = f"failed: {error}"
            raise Problem(503, str(error), retry_after=1) from error

    @property
    def agent(self) -> Agent:
        """The agent itself.

        Raises:
            Problem: where it cannot be used now.
        """
        # Once: another thread may close the agent meanwhile, which then takes no call.
        agent = self._agent
        if agent is None or self.status != READY:
            raise self._unusable()

        # What could not be written since the last call is known by now.
        self.check_saved()

        return agent

    @property
    def store(self) -> Store:
        """Its store.

        Raises:
            Problem: where the agent cannot be used now.
        """
        store = self._store
        if store is None or not self.is_ready:
            raise self._unusable()

        return store

    @property
    def answers_at_once(self) -> bool:
        """Whether a decision takes no time: the first one makes the state, which may be large."""
        agent = self._agent
        # One that is closed refuses it.
        return agent is None or agent.core.bound.stage > 0

    # --- calls

    def decide(self, request: Decide) -> Decided:
        """A decision, or the one that was made with the same key."""
        agent = self.agent
        check_columns(agent.core.encoder, request.context)
        decision = agent.decide(
            request.context,
            request.eligible,
            key=request.key,
            active=request.active,
            session=request.session,
        )

        return self._decided(decision)

    def decide_batch(self, request: DecideBatch) -> list[Decided]:
        """A decision per context."""
        check_batch(request)
        agent = self.agent
        for context in request.contexts:
            check_columns(agent.core.encoder, context)
        decisions = agent.decide_batch(request.contexts, request.eligible, keys=request.keys)

        return [self._decided(decision) for decision in decisions]

    def adopt(self, request: Observed) -> Adopted:
        """A decision that somebody else made, learned from where its rewards are known."""
        agent = self.agent
        check_columns(agent.core.encoder, request.context)
        decision = agent.adopt(
            request.context,
            request.arm,
            propensity=request.propensity,
            rewards=request.rewards,
            key=request.key,
            compare=True,
        )
        own = decision.counterfactual

        return Adopted(
            decision=str(decision.id),
            replayed=decision.replayed,
            own_arm=None if own is None else str(own.arm),
            own_propensity=None if own is None else own.propensity,
        )

    def set_preference(self, order: Any) -> None:
        """Compare arms by another order from now on.

        Args:
            order: its name, or a table of its name and parameters; None: the recipe's own.
        """
        agent = self.agent
        agent.preference = fitting_order(agent.core, order)
        self._preference = present_preference(agent.core)

    def take_over(self, data: bytes) -> None:
        """Go on from what the agent of a snapshot has learned.

        Raises:
            Problem: where it is none, or of an agent of another kind.
        """
        core = self.agent.core
        try:
            take_over(core, data)
        except LogError:
            raise
        except StateError as error:
            raise Problem(422, f"the body {error}") from error
        except ValueError as error:
            raise Problem(409, str(error)) from error

        self._preference = present_preference(core)

    def preference(self) -> PreferenceState:
        """The order by which arms are compared."""
        order = self.agent.core.bound.order
        return PreferenceState(order_table(order), self._preference)

    def set_share(self, share: float) -> None:
        """Let the policy decide for another share from now on; what was learned stays.

        Raises:
            Problem: where the agent is one of the file, which says its share.
            ValueError: where it has no baseline, or what was learned cannot be kept.
        """
        if not self.is_by_call:
            raise Problem(409, f"agent {quoted(self.name)} is one of the file: change it there")
        if self.specification.share is None:
            raise ValueError("share must be of an agent with a baseline, got one without")

        changed = msgspec.structs.replace(self.specification, share=share)
        self.agent.retune(changed.recipe())
        self.specification = changed

    def add_arm(self, name: str, like: str | None) -> bool:
        """One arm more; whether it is new: the same call once more is no error."""
        agent = self.agent
        if name in agent.arms:
            return False

        check_name("arm", name)
        agent.add_arm(name, like)

        return True

    def remove_arm(self, name: str) -> None:
        """One arm less; once more is no error."""
        agent = self.agent
        if name in agent.arms:
            agent.remove_arm(name)

    def set_price(self, arm: str, new: NewPrice) -> None:
        """Take in what an arm costs now; once more is no error.

        Raises:
            Problem: where there is no such arm.
            ValueError: where the recipe has no prices of costs, or no such cost.
        """
        agent = self.agent
        if arm not in agent.arms:
            raise Problem(404, f"there is no arm {quoted(arm)}")

        before = announced_factor(agent.core, arm, new.objective)
        change = new.factor / before
        if not math.isclose(change, 1.0, rel_tol=ROUNDING):
            agent.reprice(arm, change, new.objective)

    # --- what is there

    def announced_prices(self) -> PriceList:
        """What announcements say of the costs of arms.

        Raises:
            ValueError: where the recipe has no prices of costs.
        """
        announced = announced_factors(self.agent.core)
        prices = [ArmPrice(str(arm), str(cost), factor) for arm, cost, factor in announced]
        return PriceList(prices)

    def recorded(self, number: int) -> Recorded:
        """A decision as it was, with its rewards.

        Raises:
            Problem: where there is none.
        """
        return recorded_decision(self.agent.core, self.store, number)

    def listed(self, query: DecisionsQuery) -> DecisionList:
        """A page of decisions as they were, with their rewards.

        Raises:
            Problem: where the query does not fit.
        """
        after = None if query.after is None else decision_number(query.after)
        return decision_list(self.agent.core, self.store, query, after)

    @property
    def arm_names(self) -> list[Hashable]:
        """All arms that there ever were, by number: as recorded decisions name them."""
        return [] if self._store is None else self._store.arm_names

    def recent(self, count: int) -> RecentDecisions:
        """The last decisions that are on disk, at most so many; from any thread."""
        if self._store is None:
            return RecentDecisions([], 0)
        return self._store.recent(count)

    def explained(self, number: int) -> Explained:
        """Why the agent would decide as it did, by what it believes now.

        Raises:
            Problem: where there is no such decision, or it cannot be explained any more.
        """
        store = self.store
        found = found_decision(store, number)

        return explanation_of(self.agent, store, found)

    def balances(self) -> tuple[Balance, ...]:
        """What became of the budgets, by now; of an agent that cannot be used, nothing."""
        agent = self._agent
        if agent is None or not self.is_ready:
            return ()
        # Time may bring something that cannot be written any more.
        with contextlib.suppress(LogError):
            return agent.balances

        return ()

    def snapshot_time(self) -> float | None:
        """When its last snapshot was taken; None where that is not known."""
        store = self._store
        with contextlib.suppress(LogError):
            return None if store is None else store.snapshot_time()

        return None

    def seconds_ahead(self) -> float:
        """By how much the agent's time is ahead of the clock, and stands still."""
        agent = self._agent
        return 0.0 if agent is None else max(0.0, agent.core.now - time.time())

    def times_ahead(self) -> int:
        """How often the clock turned out to have been ahead, since the agent was opened."""
        agent = self._agent
        return 0 if agent is None else agent.core.times_ahead

    def state(self) -> AgentState:
        """The agent as it is now."""
        agent = self._agent
        if agent is None:
            return state_of_closed(self.name, self.status, self.specification)

        return state_of_open(agent, self.name, self.status, self.specification, self._preference)

    # ---

    def _unusable(self) -> Problem:
        return Problem(503, f"agent {quoted(self.name)} is {self.status}", retry_after=1)

    def _decided(self, decision: Decision) -> Decided:
        front = decision.front
        return Decided(
            decision=str(decision.id),
            arm=str(decision.arm),
            propensity=decision.propensity,
            error=decision.error,
            front=None if front is None else list(map(str, front)),
            preference=self._preference,
            replayed=decision.replayed,
        )
