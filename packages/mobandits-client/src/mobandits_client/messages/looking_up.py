"""Decisions as they were, with explanations, and logs as files."""

from typing import Annotated, Literal

import msgspec

from mobandits_client.messages.base import Message


class Recorded(Message):
    """A decision as it was then, with its rewards.

    Attributes:
        decision: its number, as a text.
        arm: that was played.
        at: seconds since 1970.
        propensity: with which it was played; null where it is not known.
        eligible: the arms that could have been played; null where those were all.
        made_by: "us" or "observed".
        key: of the client.
        status: "waiting" for rewards, or "settled": all came, or no more will be taken.
        active: whether it has taken effect.
        rewards: {objective: value}, as far as they came.
        context: (eligible arms or 1, features), as numbers; null in lists.
        preference: by which arms were compared then, in words; null in lists, and where it was the
            policy's own.
    """

    decision: str
    arm: str
    at: float | None
    propensity: float | None
    eligible: list[str] | None
    made_by: str
    key: str | None
    status: Literal["waiting", "settled"]
    active: bool
    rewards: dict[str, float]
    context: list[list[float]] | None = None
    preference: str | None = None


class DecisionsQuery(Message):
    """Which decisions are listed.

    Attributes:
        after: the number of the decision after which the list begins, in its order: `next` of the
            page before.
        limit: how many, at most.
        arm: only those for this arm.
        status: only those that wait for rewards, or those that are settled.
        made_by: only those that the agent made, or those that it observed.
        order: whether the oldest come first, or the newest.
    """

    after: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100
    arm: str | None = None
    status: Literal["waiting", "settled"] | None = None
    made_by: Literal["us", "observed"] | None = None
    order: Literal["oldest", "newest"] = "oldest"


class DecisionList(Message):
    """A page of decisions.

    Attributes:
        decisions: in the order of their numbers.
        next: what `after` must be for the next page; null: there is none.
    """

    decisions: list[Recorded]
    next: str | None


class Estimate(Message):
    """What an agent believes of one arm in one objective, for the context of a decision.

    Attributes:
        arm: which.
        objective: which.
        estimate: the mean reward, in the unit of the objective.
        low: the lower end of its interval.
        high: the upper end.
        unit: of the objective.
        played: whether it is the arm that was played.
        on_front: whether it would be played now, with positive probability.
        dominated_by: arms whose estimates are at least as good in all objectives, and better in one.
    """

    arm: str
    objective: str
    estimate: float
    low: float
    high: float
    unit: str
    played: bool
    on_front: bool
    dominated_by: str


class Explained(Message):
    """Why an agent would decide as it did, by what it believes now.

    Attributes:
        decision: its number, as a text.
        sentence: in words.
        estimates: per eligible arm and objective.
    """

    decision: str
    sentence: str
    estimates: list[Estimate]


class ExportQuery(Message):
    """How a log is exported.

    Attributes:
        format: of the file: "parquet" has all events, "dsjson" the decisions with one reward, "csv"
            a table.
        objective: of "dsjson": whose negated reward is the cost; needed where there are several.
    """

    format: Literal["parquet", "dsjson", "csv"] = "parquet"
    objective: str | None = None


class CertificateQuery(Message):
    """How sure a certificate is.

    Attributes:
        delta: the probability of a mistake, at most.
        epsilon: the tolerance, in shares of the objectives' ranges.
    """

    delta: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.05
    epsilon: Annotated[float, msgspec.Meta(ge=0)] = 0.0


class ArmCertificate(Message):
    """The present arms by what is certain of them, if the mean of a reward depends on the arm alone.

    Attributes:
        inside: those on the Pareto front.
        outside: those that are dominated; they can be dropped.
        undecided: all others.
        front: the best guess of the front.
        rounds: rewards seen.
        delta: the probability of a mistake, whenever and however often one asks.
        epsilon: no arm inside is dominated by more than this in every objective.
    """

    inside: list[str]
    outside: list[str]
    undecided: list[str]
    front: list[str]
    rounds: int
    delta: float
    epsilon: float
