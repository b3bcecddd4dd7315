"""Fallback choices that the service does not know of yet."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from mobandits.client.choice import Choice
from mobandits.service.messages import Observed

MOST = 10_000  # that are kept while the service is down; then the oldest are forgotten
PREFIX = "fallback-"  # of their keys: the call may have reached the service, under its own


class Fallbacks:
    """Choices that a client made itself, with what they brought, until they are reported."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, Observed] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, choice: Choice) -> None:
        """A choice was made."""
        observed = Observed(context=choice.context, arm=choice.arm, key=PREFIX + choice.key)
        self._waiting[choice.key] = observed
        if len(self._waiting) > MOST:
            self._waiting.popitem(last=False)

    def reward(self, key: str, rewards: Mapping[str, float]) -> bool:
        """Rewards of a choice came; whether it is still to be reported, with these."""
        observed = self._waiting.get(key)
        if observed is None:
            return False

        known = observed.rewards or {}
        observed.rewards = {**known, **rewards}

        return True

    def drop(self, key: str) -> bool:
        """Nothing will come of a choice; whether it was still to be reported."""
        return self._waiting.pop(key, None) is not None

    def take(self, count: int) -> dict[str, Observed]:
        """The oldest choices, to be reported; they stay until `forget`."""
        keys = list(self._waiting)[:count]
        return {key: self._waiting[key] for key in keys}

    def forget(self, keys: Iterable[str]) -> None:
        """Choices were reported."""
        for key in keys:
            self._waiting.pop(key, None)
