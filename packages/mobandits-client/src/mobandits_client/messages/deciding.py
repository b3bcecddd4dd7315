"""Decisions as clients ask for them and get them."""

from typing import Annotated

from mobandits_client.messages.base import Context, Key, Message, Names, schema_rules
from mobandits_client.messages.looking_up import Explained


class Decide(Message):
    """A request for a decision.

    Attributes:
        context: numbers in order, {arm: numbers}, or {column: value} where the agent has an encoder.
        eligible: the arms that may be played; None: all.
        key: of the client: the same key and body get the same decision again.
        active: false where it is not yet sure that the arm will be played.
        session: that keeps its arm for as long as the agent says (`sticky`), such as the id of a
            conversation; null: none.
    """

    context: Context = None
    eligible: Names | None = None
    key: Key | None = None
    active: bool = True
    session: Key | None = None


class DecideQuery(Message):
    """How a decision is answered.

    Attributes:
        explain: whether with its explanation.
    """

    explain: bool = False


class DecideBatch(Message):
    """A request for a decision per context, all in one moment: all are made, or none.

    Attributes:
        contexts: as in `Decide`, at most 1,000.
        eligible: the arms that may be played, in all of them; None: all.
        keys: per context, of the client; None: no keys.
    """

    contexts: Annotated[list[Context], schema_rules(minItems=1, maxItems=1000)]
    eligible: Names | None = None
    keys: list[Key | None] | None = None


class Decided(Message, omit_defaults=True):
    """A decision.

    Attributes:
        decision: its number, as a text, under which rewards are reported.
        arm: which to play.
        propensity: the probability with which the agent played it; null where it was not asked for.
        error: the standard error of the propensity; 0 where it is exact.
        front: the arms that could have been played; null likewise.
        preference: the order by which arms are compared now, also where the decision is an older
            one.
        replayed: whether it was made by an earlier call with the same key.
        explanation: why, by what the agent believes now; left out where it was not asked for, or
            there is none: to look it up says why.
    """

    decision: str
    arm: str
    propensity: float | None
    error: float
    front: list[str] | None
    preference: str
    replayed: bool
    explanation: Explained | None = None


class DecidedBatch(Message):
    """Decisions, in the order of the contexts."""

    decisions: list[Decided]
