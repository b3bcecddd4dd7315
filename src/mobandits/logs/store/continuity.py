"""An agent's events in a store, compared with what was noted beside it: none is lost unnoticed."""

import functools
from collections.abc import Callable, Iterable

from mobandits.logs.events import Decide, Event, Lost
from mobandits.logs.store.ownership import Note, Notebook, Owner
from mobandits.support.naming import quoted
from mobandits.support.numbering import SPAN


class Continuity:
    """The notes on one agent, which outlive a write-ahead log that is cut off or deleted.

    Args:
        owner: the file with the notes; None: there is none, and nothing is noted.
        agent: its name.
        is_exact: whether every event is counted at once; else with the next decision, and at the
            end. Of "buffered" a killed process loses events anyway, and only numbers must be safe.
    """

    def __init__(self, owner: Owner | None, agent: str, *, is_exact: bool) -> None:
        self._is_exact = is_exact
        self._owner = owner
        self._agent = agent
        self._notebook: Notebook | None = None
        self._next = 0

    def warning(self, created: float | None, events: int) -> str | None:
        """The words for events that are missing; None where none are.

        Args:
            created: when the agent of the store was made; None: it has none of this name.
            events: how many it has.
        """
        noted = self._noted(created)
        if noted is None or noted.events <= events:
            return None

        return (
            f"agent {quoted(self._agent)} has {events} events, and had {noted.events} when they "
            "were last written: the write-ahead log was cut off or deleted, the file is an older "
            'copy, or a process was killed that wrote "buffered"; decisions go on from number '
            f"{noted.next}"
        )

    def renew(self, created: float) -> None:
        """An agent that was lost with all of its events is made anew: what was noted is of it.

        Args:
            created: when it is made.
        """
        noted = self._noted(None)
        if self._owner is not None and noted is not None:
            self._owner.notebook(self._agent, noted._replace(created=created))

    def begin(self, created: float, events: int, next_number: int) -> Lost | None:
        """Begin to note what is written.

        Args:
            created: when the agent was made.
            events: how many it has.
            next_number: the number after those of its decisions.

        Returns:
            the event that says what was lost, to be written first; None where nothing was.
        """
        if self._owner is None:
            return None

        noted = self._noted(created) or Note(0, 0, created)
        self._next = max(next_number, noted.next)
        # As long as the event is not written, the notes know of what was lost.
        known = Note(max(events, noted.events), self._next, created)
        self._notebook = self._owner.notebook(self._agent, known)
        if noted.events <= events:
            return None

        return Lost(events=noted.events - events, next=self._next)

    def note_after(self, listed: Iterable[Event], events: int) -> Callable[[], None] | None:
        """The call that notes some events once they are written; None where nothing is noted.

        Args:
            listed: the events.
            events: how many there are with them.
        """
        if self._notebook is None:
            return None

        decides = False
        for event in listed:
            if isinstance(event, Decide):
                decides = True
                # Workers count apart; the numbers of one that is lost are never used again.
                if self._next <= event.id < SPAN:
                    self._next = event.id + 1

        if not decides and not self._is_exact:
            return None

        return functools.partial(self._notebook.write, events, self._next)

    def end(self, events: int) -> None:
        """Note how many events there are at last, which are all written."""
        if self._notebook is not None:
            self._notebook.write(events, self._next)

    def _noted(self, created: float | None) -> Note | None:
        noted = None if self._owner is None else self._owner.noted(self._agent)
        is_other = noted is not None and created not in (None, noted.created)
        return None if is_other else noted
