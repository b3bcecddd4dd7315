"""Decisions that somebody else made, and what the agent would have done."""

from typing import Any

from mobandits_client.messages.base import Message
from mobandits_client.messages.rewarding import RefusedItem


class Observed(Message):
    """A decision that somebody else made, which the agent learns from.

    Attributes:
        context: as in `Decide`.
        arm: that was played.
        propensity: the probability with which it was; null where it is not known.
        rewards: {objective: value} of those that are known already.
        key: of the client.
    """

    context: Any
    arm: str
    propensity: float | None = None
    rewards: dict[str, float] | None = None
    key: str | None = None


class Adopted(Message):
    """A decision of others, as the agent keeps it.

    Attributes:
        decision: its number, as a text.
        replayed: whether it was known already, by its key; the answer is then that of the first
            time.
        own_arm: the arm that the agent would most probably have played, before it learned from this
            decision; null where it is asked for no propensities.
        own_propensity: the probability with which it would have played the arm that was; null
            likewise.
    """

    decision: str
    replayed: bool
    own_arm: str | None
    own_propensity: float | None


class ObservedOutcome(Message):
    """What became of a decision in a list; one that is refused does not keep out the others.

    Attributes:
        adopted: where it was taken.
        refused: where it was not.
    """

    adopted: Adopted | None = None
    refused: RefusedItem | None = None
