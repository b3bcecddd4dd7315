"""A decision of an agent: the arm, and what the decision rests on."""

from collections.abc import Hashable
from typing import NamedTuple

from mobandits.contracts.protocols import Array, IntArray


class Decision(NamedTuple):
    """An arm to play, and the number under which its rewards will be reported.

    An agent's propensity="exact" is the probability of the arm given all that was learned, where
    beliefs follow from that; it costs the policy's `probabilities` (the whole front). Where beliefs
    are drawn (Thompson sampling), it can only be "sampled": the mean of `probabilities` over the
    agent's `samples` further beliefs, from a stream of their own, and over the one that was played,
    which keeps it positive; it costs that many rounds. "none" costs nothing.

    Attributes:
        id: pass it to `Agent.learn`.
        arm: the arm's name.
        propensity: the probability with which this agent played this arm in this state, in (0, 1];
            None where the agent was made with propensity="none".
        front: the arms that could have been played, those of positive probability given the
            beliefs; None likewise.
        scores: (eligible arms, objectives) the means that the policy believed in, in the direction
            of each objective; None likewise, and where a policy believes in something else.
        error: the standard error of the propensity: 0 where it is exact.
        context: (eligible arms or 1, features) as it was then.
        eligible: the eligible arms, in the order of the rows of `scores` and `context`.
        replayed: whether it was made by an earlier call with the same key. It then has no scores,
            and no context where arms came or went since.
    """

    id: int
    arm: Hashable
    propensity: float | None = None
    front: tuple[Hashable, ...] | None = None
    scores: Array | None = None
    error: float = 0.0
    context: Array | None = None
    eligible: tuple[Hashable, ...] = ()
    replayed: bool = False

    def __eq__(self, other: object) -> bool:
        """The same decision with the same propensity; arrays are left out."""
        if not isinstance(other, Decision):
            return False

        # All up to `scores`, and the standard error: arrays compare element by element.
        mine = (*self[:4], self.error)
        theirs = (*other[:4], other.error)

        return mine == theirs

    def __hash__(self) -> int:
        return hash(self.id)


class Adoption(NamedTuple):
    """A decision that somebody else made, as it is written.

    Attributes:
        decision: with the agent's number for it.
        rewards: (objectives,) NaN where not observed; None: nothing is known.
        is_over: whether nothing more will come of it.
        key: of the client, or None.
        request: a digest of what was given with the key.
    """

    decision: Decision
    rewards: list[float] | None = None
    is_over: bool = False
    key: str | None = None
    request: str | None = None


# The eligible arms' names and slots, and the rows that describe them. A plain tuple, since every
# decision makes one, and a NamedTuple takes several times as long.
Offer = tuple[tuple[Hashable, ...], IntArray, Array]
