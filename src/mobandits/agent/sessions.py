"""Sessions, which keep their arm while its cache is warm."""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from mobandits.agent.arms import Arms
from mobandits.agent.decision import Decision, Offer, narrowed
from mobandits.support.checks import number
from mobandits.support.naming import wrong_value

MOST_SESSIONS = 100_000  # that are remembered; of more, those without a decision for longest go


class Stay(NamedTuple):
    """The last decision of a session.

    Attributes:
        arm: the number of its arm; see `Arms.slots`.
        time: of the decision, in seconds.
        first: the number of the decision that chose the arm, which the session has kept since.
    """

    arm: int
    time: float
    first: int


class Sessions:
    """The stays of an agent's sessions, in the order of their last decisions.

    Args:
        arms: of the agent.
        seconds: for which a session keeps its arm after each of its decisions; None: there are no
            sessions.

    Attributes:
        seconds: as given.
        stays: {session: stay}.
    """

    def __init__(self, arms: Arms, seconds: float | None) -> None:
        if seconds is not None:
            number("sticky", seconds, above=0.0)

        self._arms = arms
        self.seconds = seconds
        self.stays: OrderedDict[str, Stay] = OrderedDict()

    def check(self, session: str) -> None:
        """Refuse a session where there are none.

        Raises:
            ValueError: saying how there are.
        """
        if self.seconds is None:
            raise wrong_value(
                "session must go with an agent that has them, such as Agent(..., sticky=300)",
                session,
            )

    def narrowed(self, session: str, offer: Offer, now: float) -> tuple[Offer, int | None]:
        """An offer of the arm that a session keeps, and the number of the decision that chose it.

        Where the session keeps none of the offered arms: the offer as it is, and None.
        """
        stay = self.stays.get(session)
        if stay is None or self._is_over(stay, now) or stay.arm not in self._arms.slots:
            return offer, None

        slot = self._arms.slots.index(stay.arm)
        places = np.flatnonzero(offer[1] == slot)
        if not len(places):
            return offer, None

        return narrowed(offer, places), stay.first

    def keep(self, session: str, decision: Decision, kept: int | None, now: float) -> None:
        """Remember the last decision of a session, and forget sessions whose time is over.

        Args:
            session: its name.
            decision: which.
            kept: number of the decision that chose its arm; None: this one.
            now: the time.
        """
        arm = self._arms.slots[self._arms.slot(decision.arm)]
        first = decision.id if kept is None else kept
        self.stays[session] = Stay(arm, now, first)
        self.stays.move_to_end(session)
        while self._has_too_many(now):
            self.stays.popitem(last=False)

    def limit_times(self, now: float) -> None:
        """Have no decision later than now, after a clock that was ahead."""
        for session, stay in self.stays.items():
            self.stays[session] = stay._replace(time=min(stay.time, now))

    def _has_too_many(self, now: float) -> bool:
        oldest = next(iter(self.stays.values()))
        return len(self.stays) > MOST_SESSIONS or self._is_over(oldest, now)

    def _is_over(self, stay: Stay, now: float) -> bool:
        return self.seconds is not None and now - stay.time >= self.seconds
