"""What is answered to rewards of a decision, by an agent's own process and by workers alike."""

from collections.abc import Container, Hashable, Iterable
from typing import Literal

from mobandits_client.messages import Rewarded
from mobandits_service.problems import Problem


def rewarded(
    number: int, objectives: Iterable[Hashable], known: Container[str], *, is_repeated: bool
) -> Rewarded:
    """The answer to rewards that were taken.

    Args:
        number: of the decision.
        objectives: the names of those of the agent.
        known: names of those whose rewards have come by now.
        is_repeated: whether all of it was known already.
    """
    missing = []
    for objective in objectives:
        name = str(objective)
        if name not in known:
            missing.append(name)
    status: Literal["waiting", "settled"] = "waiting" if missing else "settled"

    return Rewarded(str(number), status, missing, is_repeated)


def changed_reward(name: str, before: float, value: float) -> Problem:
    """The refusal of a reward that was another number before."""
    rule = f"rewards.{name} was {before:g} before and must not change"
    return Problem(409, f"{rule}, got {value:g}")
