"""What a client hands out for a decision of the service, or for a fallback in its place."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Choice:
    """The arm to play, and what is needed to report what it brought.

    Attributes:
        arm: which to play.
        key: of the call.
        decision: its number in the service; None where the service did not answer, and the arm is
            the client's fallback.
        propensity: the probability with which it was played; None where it is not known.
        front: the arms that could have been played; None likewise.
        replayed: whether an earlier attempt of the same call had made it.
        context: of a fallback, which is still to be reported.
    """

    arm: str
    key: str
    decision: str | None = None
    propensity: float | None = None
    front: tuple[str, ...] | None = None
    replayed: bool = False
    context: Any = field(default=None, repr=False, compare=False)

    @property
    def is_fallback(self) -> bool:
        """Whether the client chose, because the service did not answer."""
        return self.decision is None
