"""Events on their way into the table of a segment, a block at a time: so sealing does not wait for all of them."""

from typing import TYPE_CHECKING, Any

from mobandits.logs.errors import LogError

if TYPE_CHECKING:
    import polars as pl

BLOCK = 1000  # events that become a table at a time,
BLOCK_BYTES = 2**22  # or as many as have so many bytes as lines


class Collector:
    """What the open segment holds.

    Args:
        first: the number of its first event.

    Attributes:
        count: how many events there are.
    """

    def __init__(self, first: int) -> None:
        self.count, self._first, self._bytes = 0, first, 0
        self._fresh: list[dict[str, Any]] = []
        self._tables: list[pl.DataFrame] = []

    def add(self, event: dict[str, Any], size: int) -> None:
        """The next event, in its canonical form and nobody else's, and the length of its line.

        Raises:
            LogError: where a table would not give it back.
        """
        self._fresh.append(event)
        self.count, self._bytes = self.count + 1, self._bytes + size
        if len(self._fresh) >= BLOCK or self._bytes >= BLOCK_BYTES:
            self._convert()

    def table(self) -> "pl.DataFrame":
        """All events as one table."""
        import polars as pl  # noqa: PLC0415 - tables take a tenth of a second to load

        self._convert()
        return pl.concat(self._tables)

    def _convert(self) -> None:
        from mobandits.logs.table import events_of, table  # noqa: PLC0415

        frame = table(self._fresh, self._first + self.count - len(self._fresh))
        if list(events_of(frame)) != self._fresh:
            raise LogError("events cannot be made a table: it would not give them back")
        self._tables.append(frame)
        self._fresh, self._bytes = [], 0
