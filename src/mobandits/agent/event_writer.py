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

    def write_decision(self, decision: Decision, now: float, options: CallOptions) -> None:
        """A decision."""

    def write_decision_of_worker(
        self, decision: Decision, now: float, options: CallOptions, source: tuple[int, int]
    ) -> None:
        """A decision that a worker made, and the epoch and the position of what it knew."""

    def write_decisions(
        self, decisions: Sequence[Decision], now: float, options_of_calls: Sequence[CallOptions]
    ) -> None:
        """Decisions of one call, and what it said of each."""

    def write_ranking(
        self, decisions: Sequence[Decision], now: float, options: CallOptions
    ) -> None:
        """Decisions for one context, the first rank first."""

    def write_adoptions(
        self, adoptions: Sequence[Adoption], now: float, *, begun: bool = False
    ) -> None:
        """Decisions of others, with their rewards; `begun`: the same call has written some."""

    def write_reward(self, number: int, rewards: list[float], now: float) -> None:
        """The new part of a decision's reward."""

    def write_activation(self, number: int, now: float) -> None:
        """A decision that takes effect only now."""

    def write_abandonment(self, number: int, now: float) -> None:
        """A decision that is waited for no more."""

    def write_new_arm(self, name: Hashable, like: Hashable | None, now: float) -> None:
        """An arm that joined."""

    def write_removed_arm(self, name: Hashable, now: float) -> None:
        """An arm that left."""

    def write_preference(self, description: Any, now: float) -> None:
        """Another preference, as `describe_order` gave it."""

    def write_retuning(self, event: dict[str, Any], changed: dict[str, Any], now: float) -> None:
        """Other parameters of the agent."""

    def write_first_prices(self, prices: dict[str, list[float]], now: float) -> None:
        """The prices that a log has told."""

    def write_repricing(self, event: dict[str, Any], now: float) -> None:
        """Another price of an arm."""

    def write_state(self, state: str, now: float) -> None:
        """Write what was taken over from another agent."""

    def write_clock(self, spent: Sequence[tuple[Hashable, str, float]], now: float) -> None:
        """The clock was ahead, and goes on from a time; what was spent of each budget by then."""

    def spent_since(self, objective: Hashable, start: float) -> float:
        """The sum of an objective's rewards that decisions since a time have brought."""

    def done(self, core: Any) -> None:
        """The agent has done what was written."""
