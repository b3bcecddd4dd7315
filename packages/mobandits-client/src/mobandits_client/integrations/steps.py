"""What a plugin asks of the agent that decides for it, and how it is asked.

A plugin's work is written once, as generators that yield steps: gateways call a plugin from
coroutines and from threads that wait.
"""

from collections.abc import Generator
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
    """A call of a `Decider`: its name, `known`, `decide`, `reward` or `abandon`, and its arguments."""

    name: str
    arguments: tuple[Any, ...] = ()


Steps = Generator[Step, Any, Result]


class Decider(Protocol):
    """An agent, in this process or in a service."""

    async def awaited(self, step: Step) -> Any:
        """What a step comes to, in a coroutine."""
        ...

    def waited(self, step: Step) -> Any:
        """What a step comes to, in a thread that waits."""
        ...


async def run_awaiting(decider: Decider, steps: Steps[Result]) -> Result:
    """Do the steps in a coroutine, and return what they come to."""
    try:
        step = next(steps)
        while True:
            try:
                answer = await decider.awaited(step)
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
            try:
                answer = decider.waited(step)
            except Exception as error:  # noqa: BLE001 - the steps say what it means for them
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result
