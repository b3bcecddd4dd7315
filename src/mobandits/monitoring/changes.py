"""What was changed of an agent, when and by whom, in words."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from mobandits.logs.parts_as_data import made
from mobandits.logs.store.rows import Event
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


def changes_in_words(events: Iterable[Event], objectives: Sequence[Hashable]) -> list[Change]:
    """Changes of an agent, as its log has them.

    Args:
        events: of `KINDS`.
        objectives: the names of the agent's.

    Example:
        >>> event = {"kind": "correct", "id": 7, "rewards": {"cost": 0.5}, "was": {"cost": 50.0}}
        >>> changes_in_words([event], ["cost"])[0].what
        'rewards of decision 7 were corrected: cost 0.5, and not cost 50'
    """
    changes = []
    for event in events:
        what = _what(event, objectives)
        changes.append(Change(event.get("time"), what, event.get("by", "")))

    return changes


def preference_in_words(event: Event, objectives: Sequence[Hashable]) -> str | None:
    """The order of a change of preference; None where it went back to the policy's own.

    Args:
        event: of the change.
        objectives: the names of the agent's.
    """
    description = event["order"]
    if description is None:
        return None

    return in_words(made(description, "preference"), list(map(str, objectives)))


def _what(event: Event, objectives: Sequence[Hashable]) -> str:
    kind = event["kind"]
    if "was" in event and kind == "add":
        return shortened(f"arm {event['was']} is called {event['arm']}")
    if kind in SAID:
        rewards = {}
        for field in ("rewards", "was"):
            pairs = event.get(field, {}).items()
            rewards[field] = ", ".join(f"{name} {value:.4g}" for name, value in pairs)

        return shortened(SAID[kind].format_map({**event, **rewards}))
    if kind == "preference":
        words = preference_in_words(event, objectives) or "the policy's own"
        return f"preference: {words}"
    if kind == "lost":
        return f"{quantity(event['events'], 'event')} were lost"

    # What is described has its class first: whoever wants more reads the log.
    return shortened("other parameters: " + ", ".join(_changed(event)))


def _changed(event: Event) -> list[str]:
    before = event["before"]
    after = event["after"]
    return [name for name in after if before.get(name) != after[name]]
