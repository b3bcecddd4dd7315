"""What is answered to rewards of a decision, by an agent's own process and by workers alike."""

from collections.abc import Container, Hashable, Iterable, Mapping
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


def check_unchanged(before: Mapping[str, float], rewards: Mapping[str, float]) -> None:
    """Refuse rewards of which one was another number before.

    Args:
        before: {objective: value} that are known.
        rewards: that came now.

    Raises:
        Problem: naming the first.
    """
    for name, value in rewards.items():
        known = before.get(name, value)
        if known != value:
            rule = f"rewards.{name} was {known:g} before and must not change"
            raise Problem(409, f"{rule}, got {value:g}")
