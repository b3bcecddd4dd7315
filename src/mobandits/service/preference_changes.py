"""Changes of the preference of an agent, which go on where compiling takes longer than a client waits.

An order that this machine never played is compiled in a child process first. That takes seconds,
in which the agent decides by the order before. So a change is a task: its call is answered when the
task ends, or, where that takes too long, before.
"""

import asyncio
import logging
from typing import Any

from starlette.requests import Request

from mobandits.orders.order import in_words
from mobandits.service.hosted_agent import HostedAgent
from mobandits.service.preferences import check_match, fitting_order
from mobandits.service.problems import Problem, problem_of
from mobandits.service.running import Running
from mobandits.support.naming import quoted

LOG = logging.getLogger("mobandits.service")
LONGEST_WAIT = 600  # seconds, for which a header may ask
WAIT = "wait="  # of RFC 7240


async def change_preference(
    running: Running, hosted: HostedAgent, order: Any, wanted: str | None, patience: float
) -> int | None:
    """Have an agent compare arms by another order.

    Changes of one agent are made in the order of their calls.

    Args:
        running: the service.
        hosted: the agent.
        order: its name, or a table of its name and parameters; None: the recipe's own.
        wanted: the header `If-Match`; None: there is none.
        patience: seconds after which the change goes on, and nobody waits for it.

    Returns:
        `hosted.openings` when it was made; None where it goes on.

    Raises:
        Problem: where `If-Match` does not agree.
        ValueError: where there is no such order, or it does not fit the agent.
    """
    fitting = fitting_order(hosted.agent.core, order)
    check_match(wanted, hosted.preference())
    names = [str(name) for name in hosted.agent.core.objective_names]
    phrase = "that of the policy" if fitting is None else in_words(fitting, names)
    change = running.begin(_change(running, hosted, order, wanted))
    done, _ = await asyncio.wait([change], timeout=patience)
    hosted.preference_error = None
    if done:
        return change.result()

    hosted.next_preference = phrase
    change.add_done_callback(lambda ended: _end(hosted, phrase, ended))

    return None


async def _change(running: Running, hosted: HostedAgent, order: Any, wanted: str | None) -> int:
    await running.prepare_order(hosted, order)
    # One after the other, so that nothing changes between what is compared and what is set.
    async with hosted.changing:
        check_match(wanted, hosted.preference())
        openings = hosted.openings
        # In a thread: what was compiled for it may still have to be loaded, while others decide.
        await asyncio.to_thread(hosted.set_preference, order)

    return openings


def _end(hosted: HostedAgent, phrase: str, change: "asyncio.Task[int]") -> None:
    """Note how a change ended for which nobody waits."""
    if hosted.next_preference == phrase:
        hosted.next_preference = None
    if change.cancelled():
        return

    error = change.exception()
    if error is None:
        LOG.info("agent %s compares arms by %s now", quoted(hosted.name), phrase)
    elif isinstance(error, Exception):
        hosted.preference_error = problem_of(error).detail
        LOG.error("agent %s: %s does not hold: %s", quoted(hosted.name), phrase, error)


def patience_of(request: Request, usual: float) -> float:
    """Seconds that a client waits for a change: of its header `Prefer: wait=10` (RFC 7240).

    Args:
        request: of the client.
        usual: without the header.

    Raises:
        Problem: where they are no whole number of at most `LONGEST_WAIT`.
    """
    for line in request.headers.getlist("prefer"):
        for each in line.split(","):
            preference = each.strip().lower()
            if preference.startswith(WAIT):
                return _seconds(preference.removeprefix(WAIT))

    return usual


def _seconds(text: str) -> float:
    is_number = text.isascii() and text.isdigit()
    if not is_number or len(text) > 6 or int(text) > LONGEST_WAIT:
        rule = f"Prefer: wait must be whole seconds of at most {LONGEST_WAIT}"
        raise Problem(422, f"{rule}, got {quoted(text)}")

    return float(text)
