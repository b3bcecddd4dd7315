"""An agent of a service: its calls as messages, and what it takes to start it again."""

import math
from typing import Any, Literal

import msgspec

from mobandits.agent import Agent, Decision
from mobandits.agent.budget import Balance
from mobandits.errors import LogError
from mobandits.logs.store import SharedStore, Store
from mobandits.orders.order import in_words
from mobandits.service.messages import (
    Adopted,
    AgentState,
    Decide,
    DecideBatch,
    Decided,
    Estimate,
    Explained,
    ObjectiveState,
    Observed,
    Recorded,
    Rewarded,
)
from mobandits.service.problems import Problem
from mobandits.service.specification import AgentSpecification
from mobandits.spec import build
from mobandits.support.naming import quoted, short_repr

MOST_CONTEXTS = 1000  # of a batch: a call must not hold up those of others for long
STARTING = "starting"
READY = "ready"


class HostedAgent:
    """An agent, the store that it writes, and its state in the service.

    Calls change the agent at once. They may be answered once what they wrote is on disk, and only
    if `check_saved` then agrees.

    Args:
        name: of the agent.
        specification: of the agent.
        file: of all agents of the service.

    Attributes:
        name: as given.
        specification: as given.
        status: "starting", "ready", or why it cannot decide.
    """

    def __init__(self, name: str, specification: AgentSpecification, file: SharedStore) -> None:
        self.name = name
        self.specification = specification
        self.status = STARTING
        self._file = file
        self._agent: Agent | None = None
        self._store: Store | None = None
        self._preference = ""

    # --- its life

    def open(self) -> None:
        """Open the agent, where it stood when it was last closed or killed.

        Raises:
            ValueError: where the store has another agent of this name.
        """
        self.status = STARTING
        store = Store(self._file, agent=self.name)
        try:
            agent = self.specification.agent(log=store)
        except BaseException:
            store.close()
            raise

        self._store = store
        self._agent = agent
        self._preference = self._preference_in_words()
        self.status = READY

    def stand_by(self, reason: str) -> None:
        """Close the agent, since this process must not write its store now.

        Args:
            reason: why.
        """
        # First, so that no call begins meanwhile.
        self.status = reason
        self.close()

    def reopen(self) -> None:
        """Open the agent again from what is on disk, after events of it were lost."""
        self.close()
        self.open()

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

    def check_saved(self) -> None:
        """Refuse to answer a call that was made, but is not on disk.

        Raises:
            Problem: where events were lost.
        """
        store = self._store
        if store is None:
            raise Problem(503, f"agent {quoted(self.name)} is {self.status}", retry_after=1)
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
        if agent is None or not self.is_ready:
            raise Problem(503, f"agent {quoted(self.name)} is {self.status}", retry_after=1)

        # What could not be written since the last call is known by now.
        self.check_saved()

        return agent

    # --- calls

    def decide(self, request: Decide) -> Decided:
        """A decision, or the one that was made with the same key."""
        decision = self.agent.decide(
            request.context, request.eligible, key=request.key, active=request.active
        )

        return self._decided(decision)

    def decide_batch(self, request: DecideBatch) -> list[Decided]:
        """A decision per context."""
        count = len(request.contexts)
        if not 0 < count <= MOST_CONTEXTS:
            raise Problem(422, f"contexts must be 1 to {MOST_CONTEXTS:,}, got {count:,}")

        decisions = self.agent.decide_batch(request.contexts, request.eligible, keys=request.keys)

        return [self._decided(decision) for decision in decisions]

    def adopt(self, request: Observed) -> Adopted:
        """A decision that somebody else made, learned from where its rewards are known."""
        decision = self.agent.adopt(
            request.context,
            request.arm,
            propensity=request.propensity,
            rewards=request.rewards,
            key=request.key,
        )

        return Adopted(str(decision.id), decision.replayed)

    def reward(self, number: int, rewards: dict[str, float]) -> Rewarded:
        """Rewards of a decision, or some of them.

        Raises:
            Problem: where there is no such decision, it waits no more, or one of them was another
                number before.
        """
        agent = self.agent
        known = self.known_rewards(number)
        for name, value in rewards.items():
            before = known.get(name, value)
            if before != value:
                rule = f"rewards.{name} was {before:g} before and must not change"
                raise Problem(409, f"{rule}, got {value:g}")

        is_repeated = all(name in known for name in rewards)
        is_remembered = self._is_remembered(number)
        if is_repeated and not is_remembered:
            return self._rewarded(number, known, is_repeated=True)
        if not is_remembered:
            raise Problem(409, f"decision {number} waits for rewards no more")

        agent.learn(number, rewards)

        return self._rewarded(number, known | rewards, is_repeated=is_repeated)

    def activate(self, number: int) -> None:
        """An inactive decision takes effect."""
        self._check_made(number)
        self.agent.activate(number)

    def abandon(self, number: int) -> None:
        """Wait for a decision no more; once more is no error."""
        self._check_made(number)
        if number in self.agent.core.pending.open:
            self.agent.abandon(number)

    def set_preference(self, order: Any) -> None:
        """Compare arms by another order from now on.

        Args:
            order: its name, or a table of its name and parameters; None: the recipe's own.
        """
        self.agent.preference = None if order is None else build("orders", order, "order")
        self._preference = self._preference_in_words()

    def add_arm(self, name: str, like: str | None) -> bool:
        """One arm more; whether it is new: the same call once more is no error."""
        agent = self.agent
        if name in agent.arms:
            return False

        agent.add_arm(name, like)

        return True

    def remove_arm(self, name: str) -> None:
        """One arm less; once more is no error."""
        agent = self.agent
        if name in agent.arms:
            agent.remove_arm(name)

    # --- what is there

    def number_of(self, text: str) -> int:
        """The number of a decision that a client names.

        Raises:
            Problem: where it is none.
        """
        if not (text.isascii() and text.isdecimal() and len(text) < 19):
            raise Problem(404, f"there is no decision {quoted(text)}")

        return int(text)

    def number_of_key(self, key: str) -> int:
        """The number of the decision that has a client's key.

        Raises:
            Problem: where none has.
        """
        event = None if self._store is None else self._store.decision_with_key(key)
        if event is None:
            raise Problem(404, f"there is no decision with the key {quoted(key)}")

        return int(event["id"])

    def recorded(self, number: int) -> Recorded:
        """A decision as it was, with its rewards.

        Raises:
            Problem: where there is none.
        """
        store = self._store
        found = None if store is None else store.decision(number)
        if store is None or found is None:
            raise Problem(404, f"there is no decision {number}")

        names = store.arm_names
        event = found.event
        eligible = event.get("eligible")

        return Recorded(
            decision=str(number),
            arm=str(names[event["arm"]]),
            at=event.get("time"),
            propensity=event["propensity"],
            eligible=None if eligible is None else [str(names[arm]) for arm in eligible],
            made_by=found.made_by,
            key=event.get("key"),
            rewards=found.rewards,
        )

    def explained(self, number: int) -> Explained:
        """Why the agent would decide as it did, by what it believes now.

        Raises:
            Problem: where there is no such decision, or it cannot be explained any more.
        """
        decision = self._decision_again(number)
        explanation = self.agent.explain(decision)
        rows = explanation.table.to_dicts()
        estimates = [Estimate(**row) for row in rows]

        return Explained(str(number), explanation.sentence, estimates)

    def known_rewards(self, number: int) -> dict[str, float]:
        """{objective: value} of the rewards that came for a decision, wherever they are kept.

        Raises:
            Problem: where there is no such decision.
        """
        self._check_made(number)
        pending = self.agent.core.pending
        waiting = pending.open.get(number)
        values = pending.settled.get(number) if waiting is None else waiting.rewards
        if waiting is not None or values is not None:
            names = self.agent.core.objective_names
            pairs = zip(names, values or [], strict=False)
            return {str(name): value for name, value in pairs if not math.isnan(value)}

        return self.recorded(number).rewards

    def balances(self) -> tuple[Balance, ...]:
        """What became of the budgets, by now."""
        return () if self._agent is None else self._agent.balances

    def state(self) -> AgentState:
        """The agent as it is now."""
        agent = self._agent
        specification = self.specification
        if agent is None:
            return AgentState(
                name=self.name,
                status=self.status,
                policy=short_repr(specification.recipe()),
                arms=specification.arms,
                features=specification.features,
                objectives=[],
                preference="",
                decisions=0,
                waiting=0,
                learned=0,
                dropped={},
            )

        objectives = [
            ObjectiveState(str(each.name), each.minimise, each.unit) for each in agent.objectives
        ]

        return AgentState(
            name=self.name,
            status=self.status,
            policy=short_repr(agent.recipe),
            arms=[str(arm) for arm in agent.arms],
            features=agent.features,
            objectives=objectives,
            preference=self._preference,
            decisions=agent.core.pending.next_id,
            waiting=agent.waiting,
            learned=agent.lessons,
            dropped=agent.dropped,
        )

    # ---

    def _decision_again(self, number: int) -> Decision:
        """A decision as the agent made it, from the store."""
        store = self._store
        found = None if store is None else store.decision(number)
        if store is None or found is None:
            raise Problem(404, f"there is no decision {number}")

        for kind in ("add", "remove"):
            if store.first_change(kind, found.seq) is not None:
                raise Problem(409, f"decision {number} had other arms than there are now")

        event = found.event
        names = store.arm_names
        arms = self.agent.arms
        context = event.get("context")
        eligible = arms
        if "eligible" in event:
            eligible = tuple(names[place] for place in event["eligible"])
        if context is not None and len(context) == len(arms) > 1:
            # The store has a row for every arm, and explanations are of the eligible ones.
            context = context[[arms.index(name) for name in eligible]]

        return Decision(
            number,
            names[event["arm"]],
            event["propensity"],
            context=context,
            eligible=eligible,
        )

    def _check_made(self, number: int) -> None:
        if number >= self.agent.core.pending.next_id:
            raise Problem(404, f"there is no decision {number}")

    def _is_remembered(self, number: int) -> bool:
        pending = self.agent.core.pending
        return number in pending.open or number in pending.settled

    def _decided(self, decision: Decision) -> Decided:
        front = decision.front
        return Decided(
            decision=str(decision.id),
            arm=str(decision.arm),
            propensity=decision.propensity,
            error=decision.error,
            front=None if front is None else [str(arm) for arm in front],
            preference=self._preference,
            replayed=decision.replayed,
        )

    def _rewarded(self, number: int, known: dict[str, float], *, is_repeated: bool) -> Rewarded:
        names = [str(name) for name in self.agent.core.objective_names]
        missing = [name for name in names if name not in known]
        status: Literal["waiting", "settled"] = "waiting" if missing else "settled"

        return Rewarded(str(number), status, missing, is_repeated)

    def _preference_in_words(self) -> str:
        agent = self.agent if self.is_ready else self._agent
        assert agent is not None  # noqa: S101 - it was just opened
        names = [str(name) for name in agent.core.objective_names]

        return in_words(agent.preference, names)


def as_json(message: msgspec.Struct) -> bytes:
    """A message as it is sent."""
    return msgspec.json.encode(message)
