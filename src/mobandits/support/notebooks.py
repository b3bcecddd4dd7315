"""HTML of objects for notebooks: short, and without colours of its own.

An object's `_repr_html_` is `block`, of a title, `facts` and an `html_table`. Every text is
escaped. Sizes are bounded, so that an agent with a million arms, or a log of a million rounds, is
shown at once.
"""

import html
import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

from mobandits.support.naming import quantity, shortened

MOST_ROWS = 20
MOST_COLUMNS = 10
MOST_CHARACTERS = 60  # of a cell: ten of them fit on a screen, or nearly
NOTHING = "–"  # in cells: not known, or not observed


def block(title: str, *pieces: str) -> str:
    """The HTML of an object.

    Args:
        title: plain text, such as the object's `repr`.
        *pieces: HTML, from `facts`, `html_table` and `remark`.

    Example:
        >>> block("a < b")
        '<div><p><b>a &lt; b</b></p></div>'
    """
    return f"<div><p><b>{escaped(title)}</b></p>{''.join(pieces)}</div>"


def remark(text: str) -> str:
    """A line of plain text below a table.

    Example:
        >>> remark("3 & more")
        '<p>3 &amp; more</p>'
    """
    return f"<p>{escaped(text)}</p>"


def facts(pairs: Iterable[tuple[str, Any]]) -> str:
    """A table of names and values, a row each.

    Example:
        >>> facts([("arms", 1000)])
        '<table><tbody><tr><th scope="row" style="text-align: left">arms</th>\
<td style="text-align: left">1,000</td></tr></tbody></table>'
    """
    rows = []
    for name, value in pairs:
        head = _cell("th", name, "left", "row")
        rows.append(f"<tr>{head}{_cell('td', cell_text(value), 'left')}</tr>")

    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def html_table(
    header: Sequence[Any], rows: Iterable[Sequence[Any]], *, total: int, noun: str = "row"
) -> str:
    """A table of at most 20 rows and 10 columns, and a line that says what it leaves out.

    Args:
        header: a name per column.
        rows: a value per column each; not more of them are read than are shown.
        total: how many rows there are, of which `rows` may be some.
        noun: what a row is, in singular.

    Example:
        >>> text = html_table(["arm", "share"], [["a", 0.25], ["b", None]], total=2)
        >>> text.count("<tr>"), "0.25" in text, "left out" in text
        (3, True, False)
        >>> text = html_table(range(11), [range(11)] * 20, total=1000, noun="arm")
        >>> text.partition("</table>")[2]
        '<p>20 of 1,000 arms are shown; 1 column is left out.</p>'
    """
    columns = len(header)
    shown_columns = min(columns, MOST_COLUMNS)
    head = [_cell("th", cell_text(name), "left", "col") for name in header[:shown_columns]]
    body: list[str] = []
    for row in rows:
        if len(body) == MOST_ROWS:
            break

        cells = ""
        for value in row[:shown_columns]:
            is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
            # Numbers are read from the right; a cell without a value stands in a column of numbers.
            side = "right" if is_number or value is None else "left"
            cells += _cell("td", cell_text(value), side)

        body.append(f"<tr>{cells}</tr>")

    text = f"<table><thead><tr>{''.join(head)}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    left_out = []
    if len(body) < total:
        left_out.append(f"{len(body)} of {quantity(total, noun)} are shown")
    if shown_columns < columns:
        number = columns - shown_columns
        verb = "is" if number == 1 else "are"
        left_out.append(f"{quantity(number, 'column')} {verb} left out")
    if left_out:
        text += remark(f"{'; '.join(left_out)}.")

    return text


def shown_places(total: int) -> list[int]:
    """The rows to show of a long table: all, or the first ten and the last ten.

    Example:
        >>> shown_places(3), len(shown_places(21)), shown_places(1000)[9:12]
        ([0, 1, 2], 20, [9, 990, 991])
    """
    if total <= MOST_ROWS:
        return list(range(total))

    half = MOST_ROWS // 2
    return [*range(half), *range(total - half, total)]


def cell_text(value: Any) -> str:
    """A value as a cell shows it: plain text, numbers with at most four digits.

    Example:
        >>> cell_text(0.123456), cell_text(1_000_000), cell_text(float("nan")), cell_text(True)
        ('0.1235', '1,000,000', '–', 'yes')
    """
    if value is None:
        return NOTHING
    # NumPy's truth values are no Python ones, and no numbers either.
    if type(value).__name__ in ("bool", "bool_"):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return f"{int(value):,}"
    if isinstance(value, numbers.Real):
        number = float(value)
        return NOTHING if math.isnan(number) else f"{number:.4g}"

    return clipped(value_text(value))


def value_text(value: Any) -> str:
    """The text of any object; to show it must not fail where the object has none.

    Example:
        >>> class Silent:
        ...     def __str__(self):
        ...         raise RuntimeError("no text")
        >>> value_text(("a", 1)), value_text(Silent())
        ("('a', 1)", 'a Silent that cannot be printed')
    """
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - classes of others may raise anything
        return f"a {type(value).__name__} that cannot be printed"


def listed(names: Sequence[Any], most: int = 6) -> str:
    """Some names, and how many others there are.

    Example:
        >>> listed(["a", "b"]), listed(range(100), most=3)
        ('a, b', '0, 1, 2 and 97 more')
    """
    texts = [clipped(value_text(name)) for name in names[:most]]
    text = ", ".join(texts)
    others = len(names) - len(texts)
    return f"{text} and {others:,} more" if others else text


def clipped(text: str) -> str:
    """A text of at most 60 characters, on one line.

    Example:
        >>> clipped("a"), len(clipped("a" * 100)), clipped("a" * 100)[-2:]
        ('a', 60, 'a…')
    """
    line = shortened(text)
    if len(line) <= MOST_CHARACTERS:
        return line
    return f"{line[: MOST_CHARACTERS - 1]}…"


def escaped(text: str) -> str:
    r"""A text as HTML.

    Example:
        >>> escaped("<b>"), escaped("half a pair: \ud800")
        ('&lt;b&gt;', 'half a pair: ?')
    """
    # Half a surrogate pair, as in a name that was cut, would make the notebook's file unwritable.
    writable = text.encode("utf-8", "replace").decode("utf-8")
    return html.escape(writable)


def _cell(tag: str, text: str, side: str, scope: str = "") -> str:
    # Only where the text stands: a colour of ours would be wrong on some notebook's background.
    role = f' scope="{scope}"' if scope else ""
    return f'<{tag}{role} style="text-align: {side}">{escaped(text)}</{tag}>'
