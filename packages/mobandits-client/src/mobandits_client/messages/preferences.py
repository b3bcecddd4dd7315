"""Orders by which arms are compared, and previews of what they would have brought."""

from typing import Annotated, Any

import msgspec

from mobandits_client.messages.base import Message, Order


class Preference(Message):
    """An order by which arms are compared, by its name or as a table of name and parameters."""

    order: Order


class PreferenceState(Message):
    """The order by which an agent compares arms.

    Attributes:
        order: a table of its name and parameters, as `Preference` takes it; null: the policy's own.
        preference: the order that is played, in words.
    """

    order: Any
    preference: str


class PreviewWanted(Message):
    """A preference to look at before it is set.

    Attributes:
        order: as of `Preference`.
        recent: how many of the last decisions are asked again.
    """

    order: Order
    recent: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 200


class ArmShare(Message):
    """How often an arm is played, of 1; null where there were no contexts.

    Attributes:
        arm: which.
        now: under the present preference.
        then: under the other one.
    """

    arm: str
    now: float | None
    then: float | None


class MeanReward(Message):
    """The mean reward that an agent expects in an objective; null where there were no contexts.

    Attributes:
        objective: which.
        unit: of the objective.
        minimise: whether less is better.
        now: under the present preference.
        then: under the other one.
    """

    objective: str
    unit: str
    minimise: bool
    now: float | None
    then: float | None


class ValueEstimate(Message):
    """The mean reward that the log tells of, from rewards that were observed.

    Attributes:
        estimator: "snips" or "dr".
        objective: which.
        now: under the present preference; null where no reward speaks of it.
        then: under the other one.
        low: the lower end of the interval of `then`, at 95 % jointly over objectives; null: open.
        high: the upper end.
    """

    estimator: str
    objective: str
    now: float | None
    then: float | None
    low: float | None
    high: float | None


class Preview(Message):
    """What another preference would have done with recent contexts; nothing was changed.

    Attributes:
        preference_now: in words.
        preference_then: in words.
        contexts: how many were asked again.
        moved: the mean probability with which one gets another arm; null where there were none.
        arms: how often each is played.
        objectives: what the agent expects of either preference.
        estimates: what the log tells; empty where it does not allow it.
        warnings: why something is left out, or may not be trusted.
    """

    preference_now: str
    preference_then: str
    contexts: int
    moved: float | None
    arms: list[ArmShare]
    objectives: list[MeanReward]
    estimates: list[ValueEstimate]
    warnings: list[str]
