"""The header of an agent's file: its fields, with their types and ranges.

Files are written from a `Header` and read into one. A checksum proves that a file is whole, and not
that an agent wrote it: what does not have these types is refused, and so is a header that the agent
which it leads to would not write (`loading`).
"""

import json
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np

from mobandits.agent.sessions import Stay
from mobandits.contracts.terms import MOST_FACTOR

MOST_COUNTED = 2**62  # of what is counted, which goes on being counted: 64 bits will hold it
MOST_FEATURES = 100_000  # a Gram matrix of so many has 80 GB
MOST_STAGES = 10_000  # each is bound on the way to the last one

NOT_NEGATIVE = msgspec.Meta(ge=0)
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MOST_COUNTED)]
Factor: TypeAlias = Annotated[float, msgspec.Meta(ge=1.0 / MOST_FACTOR, le=MOST_FACTOR)]
# As the file has it: an integer stays one.
Number: TypeAlias = int | float
Seconds: TypeAlias = Annotated[int, NOT_NEGATIVE] | Annotated[float, NOT_NEGATIVE]
# Why the encoder does not know a value, and why a decision waits no more; $ would pass a line end.
Why: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^(unknown|missing)\Z")]
Reason: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^(limit|age)\Z")]
# Of NumPy; V and a number of bytes is a row of `decision_rows`.
ArrayKind: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^(<f8|<i8|\|b1|\|V[1-9][0-9]{0,8})\Z")]


class HeaderPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of a header's parts: a field that nobody knows is refused."""


class Options(HeaderPart, frozen=True):
    """Parameters of the agent, which checks most of them itself."""

    features: Annotated[int, msgspec.Meta(ge=0, le=MOST_FEATURES)]
    seed: int
    propensity: str
    samples: int
    rounds: int | None
    pending: int
    max_age: Number | None
    remembered: int


class Stream(HeaderPart, frozen=True):
    """A random stream, as NumPy describes it."""

    bit_generator: Literal["PCG64"]
    state: dict[Literal["state", "inc"], int]
    has_uint32: int
    uinteger: int


class BudgetEntry(HeaderPart, frozen=True):
    """A budget, and what was spent of it in its present period.

    What is reserved follows from the decisions that wait.
    """

    budget: dict[str, Any]
    period: Count
    spent: Number


class Origin(msgspec.Struct, frozen=True):
    """The first two fields of a header, which those of all versions have.

    Attributes:
        version: of the format.
        by: the version of this library that wrote it.
    """

    version: Annotated[int, msgspec.Meta(ge=1)]
    by: str


class Header(Origin, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The header of a file. Names, objectives and budgets are as `plain_values` encodes them.

    Attributes:
        recipe: as `parts_as_data` describes it; {"other": class} where files cannot hold it.
        options: of the agent.
        objectives: the fields of each.
        budgets: of the agent.
        arms: their names.
        slots: the number of the arm in each slot of the policy; -1: none.
        arms_ever: how many arms there ever were.
        encoder: its `data`; None: contexts are numbers.
        unseen: (column, why, count) of values that the encoder had not seen.
        preference: the order that replaced that of the recipe, or None.
        shared: whether arms share a context; None before the first one.
        stage: of the recipe; 0 before the first context.
        left: decisions that are left of it; None: no end.
        streams: of decisions, and of propensities.
        now: when the agent was last asked.
        next_id: of the next decision.
        of_workers: how many decisions workers made.
        dropped: how many decisions were dropped, by reason.
        adopted: the decisions that wait and that somebody else made.
        former: (decision, ((objective, factor), ...)) of those that wait for a bill from before
            prices changed.
        lessons: how many rewards were learned.
        logged: how many events of its log it knows.
        arrays: kind and shape of every array behind the header.
        sticky: seconds for which sessions keep their arm; None: there are none.
        sessions: the stay of each, in their order.
    """

    recipe: Any
    options: Options
    objectives: list[dict[str, Any]]
    budgets: list[BudgetEntry]
    arms: list[Any]
    slots: list[int]
    arms_ever: Count
    encoder: dict[str, Any] | None
    unseen: list[tuple[str, Why, Count]]
    preference: Any
    shared: bool | None
    stage: Annotated[int, msgspec.Meta(ge=0, le=MOST_STAGES)]
    left: Count | None
    streams: tuple[Stream, Stream]
    now: Seconds
    next_id: Count
    of_workers: Count
    dropped: dict[Reason, Count]
    adopted: list[Count]
    former: list[tuple[Count, list[tuple[Count, Factor]]]]
    lessons: Count
    logged: Count
    arrays: list[tuple[ArrayKind, list[Count]]] = []
    sticky: Number | None = None
    sessions: dict[str, Stay] = {}


def as_json(part: Any) -> str:
    """A header, or a field of it, as it is written; numbers of NumPy are as Python's."""
    plain = msgspec.to_builtins(part, enc_hook=np.generic.item)
    return json.dumps(plain, allow_nan=False, separators=(",", ":"))
