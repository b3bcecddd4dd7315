"""What was changed of an agent, when and by whom, in words."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from mobandits.logs.events import Add, Alteration, Correct, Lost, Preference, Retune
from mobandits.logs.parts_as_data import made
from mobandits.orders.order import in_words
from mobandits.support.naming import quantity, shortened

SAID = {
    "add": "arm {arm} came",
    "remove": "arm {arm} left",
    "first_prices": "first prices of costs were found on a log",
    "clock": "the clock was set right",
    "reprice": "arm {arm} costs {factor} times as much",
    "correct": "rewards of decision {id} were corrected: {rewards}, and not {was}",
}
KINDS = (*SAID, "preference", "retune", "lost")
SHOWN = 20  # the last ones


class Change(NamedTuple):
    """A change.

    Attributes:
        at: seconds since 1970; None where it is not known.
        what: in words.
        by: the key that changed it; empty where that is not known.
    """

    at: float | None
    what: str
    by: str


def changes_in_words(events: Iterable[Alteration], objectives: Sequence[Hashable]) -> list[Change]:
    """Changes of an agent, as its log has them.

    Args:
        events: of `KINDS`.
        objectives: the names of the agent's.

    Example:
        >>> event = Correct(id=7, rewards={"cost": 0.5}, was={"cost": 50.0})
        >>> changes_in_words([event], ["cost"])[0].what
        'rewards of decision 7 were corrected: cost 0.5, and not cost 50'
    """
    changes = []
    for event in events:
        what = _what(event, objectives)
        changes.append(Change(event.time, what, event.by or ""))

    return changes


def preference_in_words(event: Preference, objectives: Sequence[Hashable]) -> str | None:
    """The order of a change of preference; None where it went back to the policy's own.

    Args:
        event: of the change.
        objectives: the names of the agent's.
    """
    if event.order is None:
        return None

    return in_words(made(event.order, "preference"), list(map(str, objectives)))


def _what(event: Alteration, objectives: Sequence[Hashable]) -> str:
    if isinstance(event, Preference):
        words = preference_in_words(event, objectives) or "the policy's own"
        return f"preference: {words}"
    if isinstance(event, Lost):
        return f"{quantity(event.events, 'event')} were lost"
    if isinstance(event, Retune):
        # What is described has its class first: whoever wants more reads the log.
        return shortened("other parameters: " + ", ".join(_changed(event)))
    if isinstance(event, Add) and event.renames:
        return shortened(f"arm {event.was} is called {event.arm}")

    fields = msgspec.structs.asdict(event)
    if isinstance(event, Correct):
        for name in ("rewards", "was"):
            pairs = fields[name].items()
            fields[name] = ", ".join(f"{objective} {value:.4g}" for objective, value in pairs)

    return shortened(SAID[event.kind].format_map(fields))


def _changed(event: Retune) -> list[str]:
    return [name for name in event.after if event.before.get(name) != event.after[name]]
