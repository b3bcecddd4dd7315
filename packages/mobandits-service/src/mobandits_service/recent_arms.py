"""The arms of an agent's last decisions, and how evenly they were played."""

import math
from collections import Counter, deque
from collections.abc import Sequence

RECENT = 1000  # decisions


class RecentArms:
    """The arms of the last decisions.

    Example:
        >>> recent = RecentArms()
        >>> for arm in ["small", "large", "small", "large"]:
        ...     recent.add(arm)
        >>> recent.entropy()
        1.0
    """

    def __init__(self) -> None:
        self._arms: deque[str] = deque()
        self._counts: Counter[str] = Counter()

    def add(self, arm: str) -> None:
        """A decision was made; one that was made long before is forgotten."""
        self._arms.append(arm)
        self._counts[arm] += 1
        if len(self._arms) <= RECENT:
            return

        oldest = self._arms.popleft()
        self._counts[oldest] -= 1
        if not self._counts[oldest]:
            del self._counts[oldest]

    def entropy(self) -> float:
        """The entropy of the arms' shares, in bits: 0 where one arm had all, or there were none."""
        # A copy: a decision may come meanwhile.
        counts = list(self._counts.values())

        return entropy(counts)


def entropy(counts: Sequence[float]) -> float:
    """The entropy of the shares of some counts, in bits.

    Example:
        >>> entropy([5, 5]), entropy([7, 0])
        (1.0, 0.0)
    """
    total = sum(counts)
    bits = 0.0
    for count in counts:
        if count:
            share = count / total
            bits -= share * math.log2(share)

    return abs(bits)  # a zero without a sign
