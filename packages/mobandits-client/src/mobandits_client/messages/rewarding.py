"""Rewards as clients send them, and what came of them."""

from typing import Literal

from mobandits_client.messages.base import Message


class Rewarded(Message):
    """What became of rewards.

    Attributes:
        decision: of which.
        status: "waiting" for further objectives, or "settled".
        missing: the objectives that are waited for.
        repeated: whether all of it was known already.
    """

    decision: str
    status: Literal["waiting", "settled"]
    missing: list[str]
    repeated: bool


class RewardsOf(Message):
    """Rewards of one decision, in a list of those of several.

    Attributes:
        decision: its number, as a text; or
        key: the client's key of the decision.
        rewards: {objective: value} of some or all objectives.
    """

    rewards: dict[str, float]
    decision: str | None = None
    key: str | None = None


class RefusedItem(Message):
    """An item of a list that was refused.

    Attributes:
        status: of HTTP, as if it had been sent alone.
        detail: one line.
    """

    status: int
    detail: str


class RewardOutcome(Message):
    """What became of rewards in a list; one that is refused does not keep the others from counting.

    Attributes:
        rewarded: where they were taken.
        refused: where they were not.
    """

    rewarded: Rewarded | None = None
    refused: RefusedItem | None = None
