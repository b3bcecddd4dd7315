"""A decision of an agent: the arm, and what the decision rests on."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.logs.objectives import Names
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    # Type checkers know it without the package; Python has such defaults from 3.13 on.
    from typing_extensions import TypeVar as TypeVarWithDefault

    Arm = TypeVarWithDefault("Arm", bound=Hashable, default=Hashable, covariant=True)  # noqa: PLC0105 - what users write is Agent[Arm]
else:
    Arm = TypeVar("Arm")


class Counterfactual(NamedTuple, Generic[Arm]):
    """Decision that an agent would have made in place of somebody else's.

    Attributes:
        arm: that it would most probably have played; of equally probable ones the first.
        propensity: the probability with which it would have played the arm that was played, as of
            `Decision.propensity`; 0 where it never would.
    """

    arm: Arm
    propensity: float


class Decision(NamedTuple, Generic[Arm]):
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
        further: the decisions of the further ranks, where the call asked for the `top` arms; each
            is one among the arms that were left, with an id, and a propensity that is conditional
            on the ranks before it.
        all_break: whether every eligible arm broke a limit of the recipe (`Within`), or a budget of
            it is used up (`PrimalDual`), so that the least bad was played.
        counterfactual: of a decision that somebody else made, what the agent would have done, before it
            learned from this one; None where `Agent.adopt` was not asked to compare.
        kept: the id of the decision that chose the arm, where its session has kept it since, so that
            no other was eligible; None where it was chosen now.
    """

    id: int
    arm: Arm
    propensity: float | None = None
    front: tuple[Arm, ...] | None = None
    scores: Array | None = None
    error: float = 0.0
    context: Array | None = None
    eligible: tuple[Arm, ...] = ()
    replayed: bool = False
    further: tuple["Decision[Arm]", ...] = ()
    all_break: bool = False
    counterfactual: Counterfactual[Arm] | None = None
    kept: int | None = None

    @property
    def ranking(self) -> tuple["Decision[Arm]", ...]:
        """The decisions of all ranks, this one first."""
        return (self, *self.further)

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms of all ranks, in order."""
        return tuple(decision.arm for decision in self.ranking)

    @property
    def ranking_propensity(self) -> float | None:
        """The probability of these arms in this order; None where propensities are not known."""
        product = 1.0
        for decision in self.ranking:
            if decision.propensity is None:
                return None
            product *= decision.propensity

        return product

    def without_arrays(self) -> "Decision[Arm]":
        """The same without context and scores, which are as large as the context."""
        further = tuple(decision.without_arrays() for decision in self.further)
        return self.replaced(context=None, scores=None, further=further)

    def replaced(self, **changes: Any) -> "Decision[Arm]":
        """The same decision with other values of some attributes."""
        return self._replace(**changes)

    def __eq__(self, other: object) -> bool:
        """The same decision with the same propensity; arrays are left out."""
        if not isinstance(other, Decision):
            return False

        # All up to `scores`, and the standard error: arrays compare element by element.
        mine = (*self[:4], self.error, self.further)
        theirs = (*other[:4], other.error, other.further)

        return mine == theirs

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        """The decision in one line, without arrays and without fields that were not asked for."""
        text = f"id={self.id}, arm={quoted(self.arm)}"
        if self.propensity is not None:
            text += f", propensity={self.propensity:.4g}"
        if self.error:
            text += f" ± {self.error:.2g}"
        if self.front is not None:
            text += f", {len(self.front):,} on the front"
        if self.all_break:
            text += ", all break a limit"

        text += f", {len(self.eligible):,} eligible"
        if self.further:
            text += f", then {quoted(list(self.arms[1:]))}"

        return f"Decision({text})"

    def _repr_html_(self) -> str:
        """A row per eligible arm: whether it was played, and what was believed of it."""
        # Most decisions are never shown.
        from mobandits.support.notebooks import block, html_table, shown_places  # noqa: PLC0415

        header = ["arm", "played"]
        # Of a million arms twenty are shown, and the one that was played is among them.
        places = shown_places(len(self.eligible))
        played = self.eligible.index(self.arm) if self.arm in self.eligible else None
        if played is not None and played not in places:
            places[len(places) // 2] = played

        names = [self.eligible[place] for place in places]
        columns = [names, [name == self.arm for name in names]]
        if self.front is not None:
            header.append("on the front")
            front = set(self.front)
            columns.append([name in front for name in names])
        if self.scores is not None:
            scores = self.scores[places].T.tolist()
            header += [f"score {number}" for number in range(1, len(scores) + 1)]
            columns += scores

        rows = zip(*columns, strict=True)
        arms = html_table(header, rows, total=len(self.eligible), noun="eligible arm")

        return block(repr(self), arms)


class Adoption(NamedTuple):
    """A decision that somebody else made, as it is written.

    Attributes:
        decision: with the agent's number for it.
        rewards: (objectives,) NaN where not observed; None: nothing is known.
        is_over: whether nothing more will come of it.
        key: of the client, or None.
        request: a digest of what was given with the key.
        rank: how many arms were chosen before it for the same context.
    """

    decision: Decision
    rewards: list[float] | None = None
    is_over: bool = False
    key: str | None = None
    request: str | None = None
    rank: int = 0


# The eligible arms' names and slots, and the rows that describe them. A plain tuple, since every
# decision makes one, and a NamedTuple takes several times as long.
Offer = tuple[Names, IntArray, Array]


def narrowed(offer: Offer, places: IntArray) -> Offer:
    """An offer of some of its arms, by their positions.

    The last axis but one of its rows is that of arms, or 1. They are copies: every decision holds
    rows of its own, into which applications may write.
    """
    names, slots, rows = offer
    names_left = tuple(names[place] for place in places.tolist())
    slots_left = slots[places]
    rows_left = rows
    if rows.shape[-2] == len(names):
        rows_left = rows[..., places, :]

    return names_left, slots_left, np.array(rows_left, order="C")
