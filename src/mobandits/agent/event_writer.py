"""Protocol of an agent's event log."""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from mobandits.agent.decision import Adoption, Decision
from mobandits.agent.keys import CallOptions


class EventWriter(Protocol):
    """A writer of an agent's calls, each before its effect is seen: see `recording`.

    Attributes:
        silent: whether nothing is written, while events are replayed.
    """

    silent: bool

    def position(self) -> int:
        """Number of events written so far."""

    def flush(self) -> None:
        """Have all of it on disk."""

    def snapshot(self, core: Any) -> None:
        """Write the whole state, so that what came before need not be replayed."""

    def close(self, core: Any) -> None:
        """Write no more."""

    def check_usable(self) -> None:
        """Refuse to go on where nothing can be written."""

    def check_name(self, name: Hashable) -> None:
        """Refuse an arm whose name cannot be written, before there is one."""

    def describe_order(self, order: Any) -> Any:
        """An order as it is written; refused where that is not possible, before it is played."""

    def keyed(self, key: str) -> tuple[str, Decision] | None:
        """The request and the decision of a client's key; None where there is none."""

    def write_decisions(
        self,
        decisions: Sequence[Decision],
        now: float,
        options_of_calls: Sequence[CallOptions],
        *,
        are_ranks: bool = False,
    ) -> None:
        """Decisions of one call, and what it said of each; `are_ranks`: for one context."""

    def write_decision_of_worker(
        self, decision: Decision, now: float, options: CallOptions, source: tuple[int, int]
    ) -> None:
        """A decision that a worker made, and the epoch and the position of what it knew."""

    def write_adoptions(
        self, adoptions: Sequence[Adoption], now: float, *, begun: bool = False
    ) -> None:
        """Decisions of others, with their rewards; `begun`: the same call has written some."""

    def write_reward(self, number: int, rewards: list[float], now: float) -> None:
        """The new part of a decision's reward."""

    def write(self, event: dict[str, Any], changed: dict[str, Any] | None = None) -> None:
        """Any other event; `changed`: what the agent's description has from then on."""

    def spent_since(self, objective: Hashable, start: float) -> float:
        """The sum of an objective's rewards that decisions since a time have brought."""

    def done(self, core: Any) -> None:
        """The agent has done what was written."""
