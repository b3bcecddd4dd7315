"""What a plugin asks of the agent that decides for it, and how it is asked.

A plugin's work is written once, as generators that yield steps: gateways call a plugin from
coroutines and from threads that wait.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

Result = TypeVar("Result")


class MadeDecision(NamedTuple):
    """A decision that was made for an attempt.

    Attributes:
        handle: under which its decider knows it.
        arm: that was chosen.
        front: the arms that could have been; None where that is not known.
    """

    handle: Any
    arm: str
    front: tuple[str, ...] | None


class Known(NamedTuple):
    """What an agent has.

    Attributes:
        arms: their names; None where that cannot be found out.
        objectives: likewise.
    """

    arms: frozenset[str] | None = None
    objectives: frozenset[str] | None = None


class Step(NamedTuple):
    """A call of a `Decider`: the name of the method that is awaited, and its arguments."""

    name: str
    arguments: tuple[Any, ...] = ()


Steps = Generator[Step, Any, Result]


class Decider(Protocol):
    """An agent, in this process or in a service; `..._now` are the calls that wait."""

    async def known(self) -> Known:
        """What the agent has."""
        ...

    async def decide(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """An arm among those that are eligible."""
        ...

    async def reward(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """What a decision brought."""
        ...

    async def abandon(self, made: MadeDecision) -> None:
        """Nothing will come of a decision."""
        ...

    def known_now(self) -> Known:
        """As `known`."""
        ...

    def decide_now(self, context: Any, eligible: Sequence[str], key: str) -> MadeDecision:
        """As `decide`."""
        ...

    def reward_now(self, made: MadeDecision, rewards: Mapping[str, float]) -> None:
        """As `reward`."""
        ...

    def abandon_now(self, made: MadeDecision) -> None:
        """As `abandon`."""
        ...


async def run_awaiting(decider: Decider, steps: Steps[Result]) -> Result:
    """Do the steps in a coroutine, and return what they come to."""
    try:
        step = next(steps)
        while True:
            call = getattr(decider, step.name)
            try:
                answer = await call(*step.arguments)
            except Exception as error:  # noqa: BLE001 - the steps say what it means for them
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result


def run_waiting(decider: Decider, steps: Steps[Result]) -> Result:
    """Do the steps in this thread, and return what they come to."""
    try:
        step = next(steps)
        while True:
            call = getattr(decider, f"{step.name}_now")
            try:
                answer = call(*step.arguments)
            except Exception as error:  # noqa: BLE001 - the steps say what it means for them
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result
