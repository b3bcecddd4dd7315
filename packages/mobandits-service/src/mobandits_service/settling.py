"""What becomes of the decisions of an agent: their rewards, and whether they take effect."""

import math
from collections.abc import Iterable

from mobandits.agent import Agent
from mobandits.support.numbering import is_of_worker
from mobandits_client.messages import Rewarded
from mobandits_client.messages.base import Rewards
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem
from mobandits_service.recorded import found_decision
from mobandits_service.reward_answers import check_unchanged, rewarded


def reward(hosted: HostedAgent, number: int, rewards: Rewards) -> Rewarded:
    """Rewards of a decision, or some of them.

    Raises:
        Problem: where there is no such decision, it waits no more, or one of them was another
            number before.
    """
    agent = hosted.agent
    objectives = agent.core.objective_names
    known = _known_rewards(hosted, agent, number)
    check_unchanged(known, rewards)
    # No rewards at all are refused by the agent, and repeat nothing.
    is_repeated = bool(rewards) and rewards.keys() <= known.keys()
    is_remembered = _is_remembered(agent, number)
    if is_repeated and not is_remembered:
        return rewarded(number, objectives, known, is_repeated=True)
    if not is_remembered:
        raise Problem(409, f"decision {number} waits for rewards no more")

    agent.learn(number, rewards)

    return rewarded(number, objectives, known | rewards, is_repeated=is_repeated)


def activate(hosted: HostedAgent, number: int) -> None:
    """An inactive decision takes effect; once more is no error.

    Raises:
        Problem: where there is no such decision, or it waits no more.
    """
    agent = hosted.agent
    _check_made(hosted, agent, number)
    if not _is_remembered(agent, number):
        raise Problem(409, f"decision {number} waits for rewards no more")

    agent.activate(number)


def abandon(hosted: HostedAgent, number: int) -> None:
    """Wait for a decision no more; once more is no error."""
    agent = hosted.agent
    _check_made(hosted, agent, number)
    if number in agent.core.pending.open:
        agent.abandon(number)


def _known_rewards(hosted: HostedAgent, agent: Agent, number: int) -> Rewards:
    """{objective: value} of the rewards that came for a decision, wherever they are kept."""
    _check_made(hosted, agent, number)
    core = agent.core
    waiting = core.pending.open.get(number)
    values: Iterable[float] | None
    if waiting is None:
        values = core.pending.settled.get(number)
    else:
        values = waiting.rewards or ()
    if values is None:
        return found_decision(hosted.store, number).rewards

    rewards = {}
    for name, value in zip(core.objective_names, values, strict=False):
        if not math.isnan(value):
            rewards[str(name)] = value

    return rewards


def _check_made(hosted: HostedAgent, agent: Agent, number: int) -> None:
    if number < agent.core.pending.next_id:
        return

    # Nothing follows from a worker's number: where the agent knows nothing of it, the log may.
    is_known = is_of_worker(number) and (
        _is_remembered(agent, number) or hosted.store.decision(number) is not None
    )
    if not is_known:
        raise Problem(404, f"there is no decision {number}")


def _is_remembered(agent: Agent, number: int) -> bool:
    """Whether a decision waits for rewards, or was settled lately."""
    pending = agent.core.pending
    return number in pending.open or number in pending.settled
