"""Events on their way into the table of a segment, a block at a time: so sealing does not wait for all of them."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from mobandits.errors import LogError

if TYPE_CHECKING:
    import polars as pl

BLOCK = 1000  # events that become a table at a time,
BLOCK_BYTES = 2**22  # or as many as have so many bytes as lines


class Collector:
    """The events of the open segment.

    Args:
        first: the number of its first event.
        earlier: those that were there when it was opened again; they are read and become tables as new ones come.
        count: how many earlier ones there are.

    Attributes:
        count: how many events there are.
    """

    def __init__(
        self, first: int, earlier: Iterator[dict[str, Any]] | None = None, count: int = 0
    ) -> None:
        self.count = count
        self._first = first
        self._bytes = 0
        self._earlier = earlier or iter(())
        self._earlier_count = count
        self._fresh: list[dict[str, Any]] = []
        self._tables: tuple[list[pl.DataFrame], list[pl.DataFrame]] = (
            [],
            [],
        )  # of earlier and of new events

    def add(self, event: dict[str, Any], size: int) -> None:
        """Add the next event, a copy in its canonical form, and the length of its line.

        Raises:
            LogError: where a table would not give it back.
        """
        self._fresh.append(event)
        self.count = self.count + 1
        self._bytes = self._bytes + size
        if len(self._fresh) >= BLOCK or self._bytes >= BLOCK_BYTES:
            self._convert_earlier()
            self._convert(self._fresh, 1)
            self._fresh = []
            self._bytes = 0

    def table(self) -> "pl.DataFrame":
        """All events as one table."""
        import polars as pl  # noqa: PLC0415 - tables take a tenth of a second to load

        while self._convert_earlier():
            pass

        self._convert(self._fresh, 1)
        self._fresh = []
        self._bytes = 0

        return pl.concat([*self._tables[0], *self._tables[1]])

    def _convert_earlier(self) -> bool:
        block = list(islice(self._earlier, BLOCK))
        self._convert(block, 0)
        return bool(block)

    def _convert(self, events: list[dict[str, Any]], new: int) -> None:
        from mobandits.logs.table import event_table, events_of  # noqa: PLC0415

        if events:
            first = self._first + new * self._earlier_count + sum(map(len, self._tables[new]))
            frame = event_table(events, first)
            if list(events_of(frame)) != events:
                raise LogError("events cannot be made a table: it would not give them back")

            self._tables[new].append(frame)
