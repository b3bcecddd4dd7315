"""Tables as plain text, for consoles and files."""

import io
import shutil
from collections.abc import Collection, Iterable, Sequence

UNBOUNDED = (10_000, 24)  # columns and lines where no terminal breaks lines


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table whose cells nothing breaks, with a name per column first.

    Example:
        >>> aligned([["arm", "share"], ["a", "0.5"]])
        ['arm  share', 'a    0.5']
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())

    return lines


def text_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str] = ()
) -> str:
    """A table in columns; a narrow terminal breaks its cells, and a file none.

    Args:
        header: a name per column.
        rows: a text per column each.
        numbers: the names of columns that are set to the right.

    Example:
        >>> print(text_table(["policy", "mean"], [["ucb", "9.5"], ["[red]", "10.5"]], ["mean"]))
         policy  mean
         ucb      9.5
         [red]   10.5
    """
    # Rich takes a tenth of a second to load.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None)
    for name in header:
        table.add_column(name, justify="right" if name in numbers else "left")
    for row in rows:
        table.add_row(*row)

    text = io.StringIO()
    width = shutil.get_terminal_size(UNBOUNDED).columns
    # Names may hold what Rich would read as markup or as an emoji.
    console = Console(file=text, width=width, color_system=None, markup=False, emoji=False)
    console.print(table)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]

    return "\n".join(lines)
