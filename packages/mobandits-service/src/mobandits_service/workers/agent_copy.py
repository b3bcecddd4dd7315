"""An agent as a worker has it: what the learner published last, from which it decides."""

import json
import math
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.inputs import reward_list
from mobandits.agent.keys import another_context, as_given, call_options
from mobandits.agent.workers import core_of_worker, decide_apart
from mobandits.logs.names import name_of, name_text
from mobandits.logs.store.rows import DOUBLE
from mobandits_client.messages import Decide, DecideBatch, Decided, Rewarded
from mobandits_client.messages.base import Rewards
from mobandits_service.batches import check_batch
from mobandits_service.context_columns import check_columns
from mobandits_service.postgres.inbox import InboxDecision, InboxReward
from mobandits_service.postgres.inbox_writer import Accepted, Earlier
from mobandits_service.postgres.publications import Publication
from mobandits_service.postgres.shared_database import check_kept
from mobandits_service.preferences import present_preference
from mobandits_service.problems import Problem
from mobandits_service.reward_answers import check_unchanged, rewarded


class AgentCopy:
    """A copy of an agent that decides, and neither waits nor learns.

    Args:
        name: of the agent.
        number: of the agent in the store.
        publication: what was published of it.
        incarnation: of the worker.
        before: the copy that it takes the place of; None: it is the first one.

    Attributes:
        name: as given.
        number: as given.
        version: of the publication.
        incarnation: as given.
    """

    def __init__(
        self,
        name: str,
        number: int,
        publication: Publication,
        incarnation: int,
        before: "AgentCopy | None",
    ) -> None:
        self.name = name
        self.number = number
        self.version = publication.version
        self.incarnation = incarnation
        streams = None
        if before is not None and before.incarnation == incarnation:
            streams = before.core
        self.core: AgentCore = core_of_worker(publication.state, incarnation, streams)
        self._arms: list[Any] = list(publication.arms)
        self._numbers = {arm: place for place, arm in enumerate(self._arms)}
        self._preference = present_preference(self.core)

    @property
    def has_begun(self) -> bool:
        """Whether the agent has seen a context: the first one is for the learner to see."""
        return self.core.bound.stage > 0

    # --- decisions

    def decide(self, request: Decide) -> InboxDecision:
        """A decision that is to join the inbox.

        Raises:
            ValueError: where the request does not fit.
        """
        if request.session is not None:
            self.core.sessions.check(request.session)
        arms = as_given(request.eligible)
        return self._inbox_decision(request.context, arms, request.key, request.active)

    def decide_batch(self, request: DecideBatch) -> list[InboxDecision]:
        """A decision per context; those with one key are one decision in the inbox.

        Raises:
            ValueError: where one does not fit; then there is none.
        """
        check_batch(request)
        count = len(request.contexts)
        keys: Sequence[str | None] = [None] * count
        if request.keys is not None:
            keys = request.keys
        if len(keys) != count:
            raise ValueError(f"keys must be {count:,}, one per context, got {len(keys):,}")

        arms = as_given(request.eligible)
        pairs = zip(request.contexts, keys, strict=True)

        return [self._inbox_decision(context, arms, key, True) for context, key in pairs]

    def decided(self, inbox_decision: InboxDecision, answer: int | Earlier) -> Decided:
        """The answer to a call of a client.

        Args:
            inbox_decision: that was made for it.
            answer: its number, once it has joined the inbox; or the decision of an earlier call,
                which had the same key.

        Raises:
            ValueError: where the earlier call had another context.
        """
        made: InboxDecision | Earlier
        if isinstance(answer, int):
            number = answer
            made = inbox_decision
        else:
            number = answer.id
            made = answer
            if made.request != inbox_decision.request:
                raise another_context(inbox_decision.key, number)

        front = None
        if made.front is not None:
            front = [str(self._arms[arm]) for arm in json.loads(made.front)]

        return Decided(
            decision=str(number),
            arm=str(self._arms[made.arm]),
            propensity=made.propensity,
            error=made.error,
            front=front,
            preference=self._preference,
            replayed=made is answer,
        )

    def _inbox_decision(
        self, context: Any, eligible: Any, key: str | None, active: bool
    ) -> InboxDecision:
        check_columns(self.core.encoder, context)
        numbers = self.core.contexts.encoded(context)
        options = call_options(key, active, numbers, eligible)
        check_kept(options.key)
        decision = decide_apart(self.core, numbers, eligible)
        rows = decision.context
        assert rows is not None  # noqa: S101 - it was just made
        front = None
        if decision.front is not None:
            front = self._numbers_of(decision.front)
        blob = np.ascontiguousarray(rows, DOUBLE).tobytes()
        count, features = rows.shape

        return InboxDecision(
            agent=self.number,
            arm=self._numbers[decision.arm],
            propensity=decision.propensity,
            error=decision.error,
            front=front,
            rows=count,
            features=features,
            context=blob,
            eligible=self._numbers_of(decision.eligible),
            key=options.key,
            request=options.request,
            active=options.active,
            epoch=self.version.epoch,
            position=self.version.position,
            at=time.time(),
            fence=self.version.fence,
        )

    def _numbers_of(self, names: Iterable[Any]) -> str:
        return json.dumps([self._numbers[name] for name in names])

    # --- rewards

    def inbox_reward(self, number: int, rewards: Rewards) -> InboxReward:
        """Rewards that are to join the inbox.

        Raises:
            ValueError: where they are none of the agent's.
        """
        core = self.core
        new = reward_list(rewards, core.reward_places)
        core.guard.check_rewards(core.scales.inward(new))
        core.expectations.check(new)
        texts = {}
        for name, value in zip(core.objective_names, new, strict=True):
            if not math.isnan(value):
                # As the tables keep it: without the sign of a zero.
                texts[name_text(name)] = value + 0.0

        return InboxReward(self.number, number, time.time(), texts)

    def rewarded(self, inbox_reward: InboxReward, accepted: Accepted) -> Rewarded:
        """The answer to rewards.

        Raises:
            Problem: where there is no such decision, or one of them was another number before.
        """
        if not accepted.is_known:
            raise Problem(404, f"there is no decision {inbox_reward.decision}")

        before = accepted.before
        check_unchanged(before, inbox_reward.rewards)
        is_repeated = all(name in before for name in inbox_reward.rewards)
        # The tables have names of objectives by their texts.
        known = {str(name_of(text)) for text in (*before, *inbox_reward.rewards)}

        return rewarded(
            inbox_reward.decision, self.core.objective_names, known, is_repeated=is_repeated
        )
