"""A worker: decides from what a learner published, and takes rewards; nothing is learned here."""

import asyncio
from collections.abc import Callable, Collection, Sequence

from mobandits.logs.address import Address
from mobandits.support.naming import quoted
from mobandits_client.messages import (
    Decide,
    DecideBatch,
    Decided,
    Rewarded,
    RewardOutcome,
    RewardsOf,
)
from mobandits_client.messages.base import Rewards
from mobandits_service.calls.requests import refusal_of
from mobandits_service.decision_names import number_or_key, unknown_key
from mobandits_service.postgres.inbox import InboxDecision
from mobandits_service.problems import Problem
from mobandits_service.workers.agent_copy import AgentCopy
from mobandits_service.workers.copies import Copies
from mobandits_service.workers.gathering import Gathering

ATTEMPTS = 3  # more than one only where arms come and go one after the other
PATIENCE = 2.0  # seconds that an attempt waits for a state behind the new fence
BEHIND = "its arms are changed just now"


class Worker:
    """The calls of a worker.

    Args:
        address: of the store.
        durability: "disk" or "system", as of `SharedDatabase`.
        expected: names of agents that will be published, if they are not yet.

    Attributes:
        gathering: of what is written.
        copies: of the agents.
    """

    def __init__(self, address: Address, durability: str, expected: Collection[str] = ()) -> None:
        self.gathering = Gathering(address, durability)
        self.copies = Copies(address, self.gathering.incarnation, expected)

    def start(self) -> None:
        """Begin to connect, and to look for agents."""
        self.gathering.start()
        self.copies.start()

    def close(self) -> None:
        """Answer what waits, and end."""
        self.copies.close()
        self.gathering.close()

    async def decide(self, agent: str, request: Decide) -> Decided | None:
        """A decision, or the one that was made with the same key.

        Returns:
            None where the agent has seen no context yet: its first decision is the learner's, which
            settles their shape for all.

        Raises:
            Problem: where there is no such agent, or none can be made now.
            ValueError: where the request does not fit.
            LogError: where it is not certain that it was written.
        """
        decided = await self._decide(agent, lambda copy: [copy.decide(request)])
        return None if decided is None else decided[0]

    async def decide_batch(self, agent: str, request: DecideBatch) -> list[Decided] | None:
        """A decision per context; what is returned and raised besides, as of `decide`."""
        return await self._decide(agent, lambda copy: copy.decide_batch(request))

    async def _decide(
        self, agent: str, rows_of: Callable[[AgentCopy], list[InboxDecision]]
    ) -> list[Decided] | None:
        """The decisions that a copy makes, once they have joined the inbox."""
        for _ in range(ATTEMPTS):
            copy = self.copies.named(agent)
            if not copy.has_begun:
                return None

            try:
                rows = rows_of(copy)
            except ValueError:
                if not await self._catches_up(copy):
                    raise
                continue

            item = await self.gathering.settled(decisions=rows)
            answers = [each for each in item.answers if each is not None]
            if len(answers) == len(rows):
                pairs = zip(rows, answers, strict=True)
                return [copy.decided(row, answer) for row, answer in pairs]
            await self.copies.behind_another(copy, PATIENCE)

        raise Problem(503, f"agent {quoted(agent)} cannot decide now: {BEHIND}", retry_after=1)

    async def _catches_up(self, copy: AgentCopy) -> bool:
        """Whether a copy that refused something had other arms than there are, and has them now."""
        if not await self.copies.is_behind(copy):
            return False

        await self.copies.behind_another(copy, PATIENCE)

        return True

    async def reward(self, agent: str, number: int, rewards: Rewards) -> Rewarded:
        """Rewards of a decision, or some of them.

        Raises:
            Problem: where there is no such decision, or one of them was another number before.
            ValueError: where they are none of the agent's.
            LogError: where it is not certain that they were written.
        """
        copy = self.copies.named(agent)
        inbox_reward = copy.inbox_reward(number, rewards)
        item = await self.gathering.settled(rewards=[inbox_reward])
        (accepted,) = item.accepted

        return copy.rewarded(inbox_reward, accepted)

    async def reward_all(self, agent: str, items: Sequence[RewardsOf]) -> list[RewardOutcome]:
        """Rewards of the items of a list, an answer for each."""
        waiting: dict[str, list[int]] = {}
        for place, item in enumerate(items):
            # Those of one decision come one after the other.
            waiting.setdefault(item.decision or item.key or "", []).append(place)

        outcomes = [RewardOutcome() for _ in items]

        async def reward_in_order(places: Sequence[int]) -> None:
            for place in places:
                try:
                    outcomes[place].rewarded = await self.reward_one(agent, items[place])
                except Exception as error:  # noqa: BLE001 - what is no refusal is raised again
                    outcomes[place].refused = refusal_of(error)

        # Together, so that they are committed together; nothing goes on after the answer.
        in_order = [reward_in_order(places) for places in waiting.values()]
        for failure in await asyncio.gather(*in_order, return_exceptions=True):
            if failure is not None:
                raise failure

        return outcomes

    async def reward_one(self, agent: str, item: RewardsOf) -> Rewarded:
        """Rewards of an item of a list; errors as `reward`."""
        named = number_or_key(item)
        number = named if isinstance(named, int) else await self._number_of_key(agent, named)

        return await self.reward(agent, number, item.rewards)

    async def _number_of_key(self, agent: str, key: str) -> int:
        copy = self.copies.named(agent)
        item = await self.gathering.settled(keys=[(copy.number, key)])
        (earlier,) = item.found
        if earlier is None:
            raise unknown_key(key)

        return earlier.id
