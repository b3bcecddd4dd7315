"""What was changed of an agent, when and by whom, in words."""

from typing import NamedTuple

from mobandits.agent.core import AgentCore
from mobandits.logs.store import Store
from mobandits.logs.store.rows import Event
from mobandits.support.naming import quantity, shortened
from mobandits_service.recorded import preference_in_words

SAID = {
    "add": "arm {arm} came",
    "remove": "arm {arm} left",
    "first_prices": "first prices of costs were found on a log",
    "clock": "the clock was set right",
    "reprice": "arm {arm} costs {factor} times as much",
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


def last_changes(core: AgentCore, store: Store) -> list[Change]:
    """The last changes of an agent, the newest first."""
    events = store.last_changes(KINDS, limit=SHOWN)
    return [Change(event.get("time"), _what(core, event), event.get("by", "")) for event in events]


def _what(core: AgentCore, event: Event) -> str:
    kind = event["kind"]
    if kind in SAID:
        return SAID[kind].format(arm=event.get("arm"), factor=event.get("factor"))
    if kind == "preference":
        words = preference_in_words(core, event) or "the policy's own"
        return f"preference: {words}"
    if kind == "lost":
        return f"{quantity(event['events'], 'event')} were lost"

    # What is described has its class first: whoever wants more reads the log.
    return shortened("other parameters: " + ", ".join(_changed(event)))


def _changed(event: Event) -> list[str]:
    before = event["before"]
    after = event["after"]
    return [name for name in after if before.get(name) != after[name]]
