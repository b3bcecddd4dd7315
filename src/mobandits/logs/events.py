"""The events of a log: a record of each kind, and the door for events that come as dictionaries.

    {"kind": "decide", "id": 7, "time": 1.5, "context": [[0.1, 0.2]], "eligible": [0, 2], "arm": 2,
     "propensity": 0.25}
    {"kind": "learn", "id": 7, "time": 2.5, "rewards": {"quality": 0.93}}
    {"kind": "add", "arm": "huge", "like": "large"}
    {"kind": "remove", "arm": "small"}
    {"kind": "correct", "id": 7, "rewards": {"quality": 0.39}, "was": {"quality": 0.93}}

Agents make records. Whoever fills a store by hand may give dictionaries: `checked` makes records of
them, and refuses kinds and fields that there are not. Nothing looks at a record again.

Arms of decisions are positions in the list of all arms there ever were: those of the description,
then each new one as it is added. A removed arm keeps its position, and has it again where it is
added again; one that `was` another takes its place.
"""

import json
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Struct

from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.logs.names import checked_name, decoded, encoded
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.nearest import refusal
from mobandits.support.numbering import SPAN
from mobandits.support.plain_values import is_plain

LARGEST = 2**63 - 1  # what a column of a table holds

Number: TypeAlias = Annotated[int, Meta(ge=0, le=LARGEST)]
Propensity: TypeAlias = Annotated[float, Meta(gt=0.0, le=1.0)] | None
# Names are what `checked_name` takes, which no annotation can say.
Name: TypeAlias = Any
NAMES = ("arm", "like", "was", "objective")  # fields of changes
Fields = dict[str, Any]  # of an event, by name
# What a log says of its agent, and a change of what it became: plain data, by the names of parts.
Description = dict[str, Any]
Rewards: TypeAlias = Annotated[dict[Name, float], Meta(min_length=1)]


class Event(Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of all records; what a field means is the same wherever it is.

    Attributes:
        time: in seconds since 1970; None where it is not known.
        batch: whether it was made in one call with the event before it: time brought nothing in
            between, and nothing was learned.
    """

    kind: ClassVar[str]
    # Fields that have a column of their own in the table of the kind.
    columns: ClassVar[frozenset[str]] = frozenset(("time",))

    time: float | None = None
    batch: bool = False


class Answer(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A further rank of a decision with a key, as its client was told.

    Attributes:
        id: of the decision.
        arm: its position.
        propensity: of the arm among those that were left.
        front: positions of the arms that were on the front, where the policy has one.
        error: of the propensity, where it was estimated.
    """

    id: Number
    arm: Number
    propensity: Propensity = None
    front: list[Number] | None = None
    error: float = 0.0


class Instead(Struct, kw_only=True, forbid_unknown_fields=True):
    """The arm that the agent would have played where somebody else decided.

    Attributes:
        arm: its position.
        propensity: of the arm.
    """

    arm: Number
    propensity: float


class Decide(Event):
    """A decision.

    Attributes:
        id: its number.
        arm: position of the arm that was played.
        propensity: of the arm; None where it is not known.
        context: one row for all arms, or a row per arm that is present, in the order in which they
            last came.
        eligible: positions of the arms that could have been played; None: all that are present.
        own: whether the only row is that of the only arm.
        request: a digest of what was given with the key.
        front: positions of the arms that were on the front; kept for calls with a key.
        error: of the propensity, where it was estimated; kept likewise.
        further: of a ranking with a key, the answers for the other ranks.
        instead: what the agent would have done, where somebody else decided.
        rank: how many arms were chosen before, for the same context and in the same call.
        worker: number of the worker that made it.
        snapshot: the epoch and the position of what that worker knew.
        key: of a client, for calls that are tried again.
        made_by: "observed" where somebody else decided.
        active: whether it took effect when it was made.
        session: that it belongs to; None: to none.
        kept: number of the decision that chose the arm, where the session has kept it since, and no
            other arm could be played; None where it was chosen now.
    """

    kind = "decide"
    columns = frozenset(
        ("id", "time", "arm", "propensity", "context", "eligible", "key", "made_by", "active")
    )

    id: Number
    arm: Number
    propensity: Propensity = None
    context: Any = None
    eligible: list[Number] | None = None
    own: bool = False
    request: str | None = None
    front: list[Number] | None = None
    error: float = 0.0
    further: tuple[Answer, ...] = ()
    instead: Instead | None = None
    rank: Number = 0
    worker: Number | None = None
    snapshot: tuple[int, int] | None = None
    key: str | None = None
    made_by: Literal["us", "observed"] = "us"
    active: bool = True
    session: str | None = None
    kept: Number | None = None


class Learn(Event):
    """Rewards of a decision, or some of them: of an objective never twice."""

    kind = "learn"
    columns = frozenset(("id", "time", "rewards"))

    id: Number
    rewards: Rewards


class Activate(Event):
    """The moment at which an inactive decision took effect."""

    kind = "activate"

    id: Number


class Abandon(Event):
    """The end of waiting for a decision."""

    kind = "abandon"

    id: Number


class Alteration(Event, kw_only=True):
    """Base of events after which the agent is another one.

    Attributes:
        by: the key of a service's caller who has brought it about; None in a program.
    """

    by: str | None = None


class Add(Alteration):
    """An arm that came, or has another name.

    Attributes:
        arm: its name.
        like: the arm that it began like; None: it began anew.
        was: its name so far; it is there where the arm is renamed, and any name may be one.
    """

    kind = "add"

    arm: Name
    like: Name = None
    was: Name = UNSET

    @property
    def renames(self) -> bool:
        """Whether an arm that there is has another name from then on."""
        return self.was is not UNSET


class Remove(Alteration):
    """An arm that left."""

    kind = "remove"

    arm: Name


class Preference(Alteration):
    """The order by which arms are compared from now on, as data; None: the policy's own."""

    kind = "preference"

    order: Any


class Reprice(Alteration):
    """An announcement: what an arm costs has changed by a factor.

    Attributes:
        arm: its name.
        objective: the cost.
        factor: of the cost.
        next: the number of the next decision.
        prices: that were found then; None where the policy looks for none.
    """

    kind = "reprice"

    arm: Name
    objective: Name
    factor: float
    next: Number
    prices: Any = None


class FirstPrices(Alteration):
    """The prices of costs that were found on a log."""

    kind = "first_prices"

    prices: Any


class Correct(Alteration):
    """The right rewards of a decision, in place of wrong ones.

    Attributes:
        id: of the decision.
        rewards: the right ones.
        was: the wrong ones.
        decided: when the agent made the decision; None where somebody else did.
    """

    kind = "correct"

    id: Number
    rewards: Rewards
    was: Rewards
    decided: float | None = None


class Retune(Alteration):
    """Another recipe, or other limits: the agent's parameters before and after, as data."""

    kind = "retune"

    before: Description
    after: Description


class Clock(Alteration):
    """A clock that was set right, and what was spent of each budget: objective, period, amount."""

    kind = "clock"

    spent: list[tuple[Name, str, float]]


class State(Alteration):
    """A state that was learned elsewhere, in base64."""

    kind = "state"

    state: str


class Lost(Alteration):
    """The end of events that a store has lost.

    Attributes:
        events: how many.
        next: the number that decisions go on from.
        decisions: that a snapshot waits for, and are lost.
    """

    kind = "lost"

    events: Number
    next: Annotated[int, Meta(ge=0, le=SPAN)]
    decisions: list[Number] | None = None


KINDS: dict[str, type[Event]] = {
    each.kind: each
    for each in (
        Decide,
        Learn,
        Activate,
        Abandon,
        Add,
        Remove,
        Preference,
        Reprice,
        FirstPrices,
        Correct,
        Retune,
        Clock,
        State,
        Lost,
    )
}
# Beginnings of messages of msgspec, and how errors begin here.
BEGINNINGS = {
    "Expected": "must be",
    "Object missing required": "must have the",
    "Object contains unknown": "must not have the",
    "Number out of": "must be in",
    "Invalid enum value": "must not be",
}


def checked(event: Any) -> Event:
    """The record of an event; one that is a record already is as good as it is.

    Args:
        event: a record, or {"kind": ..., field: value}. NumPy's numbers and arrays will do.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> event = checked({"kind": "learn", "id": 7, "time": 3, "rewards": {"quality": 1}})
        >>> event.time, event.rewards
        (3.0, {'quality': 1.0})
    """
    if isinstance(event, Event):
        return event
    if not is_plain(event):
        raise wrong_value("event must be a dictionary with text for keys", event, LogError)

    fields = dict(event)
    kind = fields.pop("kind", None)
    # A context stays an array: as lists it would cost more than all the rest.
    is_decision = isinstance(kind, str) and kind == Decide.kind
    context = fields.pop("context", None) if is_decision else None
    made: Event = record(kind, _as_values(fields))
    if context is not None and isinstance(made, Decide):
        made.context = context_table(context)
    if made.time is not None:
        made.time += 0.0  # SQLite keeps no sign of a zero
    if isinstance(made, Add | Remove | Reprice):
        for name in NAMES:
            if name in fields:
                checked_name(fields[name], f"event.{name}")

    return made


def _as_values(fields: Fields) -> Any:
    """Fields as a file gives them back: what JSON cannot hold is refused."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            fields[name] = value.tolist()

    try:
        return decoded(encoded(fields, "event"))
    except RecursionError as error:
        raise LogError("event must not be nested as deeply as it is") from error


def record(kind: Any, fields: Fields) -> Any:
    """The record of a kind.

    Args:
        kind: one of `KINDS`.
        fields: {name: value}.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> record("abandon", {"id": -1})
        Traceback (most recent call last):
        mobandits.errors.LogError: event.id must be int >= 0, got -1
    """
    if not isinstance(kind, str) or kind not in KINDS:
        names = ", ".join(KINDS)
        raise LogError(refusal("event.kind", f"be one of {names}", kind, KINDS))

    try:
        return msgspec.convert(fields, KINDS[kind])
    except msgspec.ValidationError as error:
        said = str(error).replace("`", "")
        rule, _, path = said.partition(" - at $")
        rule, _, _ = rule.partition(", got ")
        for theirs, ours in BEGINNINGS.items():
            rule = rule.replace(theirs, ours)

        name = path[1:].partition("[")[0]
        value = quoted(fields.get(name, fields))
        raise LogError(f"event{path} {shortened(rule)}, got {value}") from error


def event_of_change(kind: str, time: float | None, body: str) -> Any:
    """The record of a change, of which stores and tables have kind and time apart.

    Args:
        kind: one of `KINDS`.
        time: of the event.
        body: its other fields as JSON.

    Raises:
        LogError: naming field, rule and value.
    """
    return record(kind, decoded(json.loads(body)) | {"time": time})


def context_table(value: Any) -> Array:
    """The context of a decision, of shape (rows, features).

    Raises:
        LogError: where it is no table of finite numbers with at least one row.

    Example:
        >>> context_table([[1, 2]]).tolist()
        [[1.0, 2.0]]
    """
    try:
        array = np.asarray(value)
        # NumPy would turn text and booleans into numbers, too.
        if array.dtype.kind not in "fiu" or array.ndim != 2:
            raise TypeError(f"numbers of type {array.dtype}, shape {array.shape}")  # noqa: TRY301

        array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise wrong_value(
            "event.context must be a list of rows of as many numbers each", value, LogError
        ) from error

    if not len(array):
        raise LogError("event.context must have at least one row, got none")

    finite = np.isfinite(array)
    if not finite.all():
        raise LogError(f"event.context must be finite, got {array[~finite][0]}")

    return array
