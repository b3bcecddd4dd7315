"""The lines of a TOML file on which its keys and values stand, which `tomllib` does not tell."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping

Path = tuple[str | int, ...]

BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# Two quotes may stand before the three that close a text of several lines.
TEXT = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'",
    re.DOTALL,
)
SCALAR = re.compile(r"[^,\]}\n#]*")


def key_lines(text: str) -> dict[Path, int]:
    r"""{path: line} of all keys, tables and items of a TOML file; the first line is 1.

    A path has the keys, and the positions in lists, that lead to a value in what `tomllib` reads.

    Args:
        text: a file that `tomllib` can read.

    Example:
        >>> lines = key_lines('rounds = 9\n[[policies]]\nname = "a"\ngrid = {x = [1,\n2]}')
        >>> lines[("policies", 0, "name")], lines[("policies", 0, "grid", "x", 1)]
        (3, 5)
    """
    scanner = _Scanner(text)
    scanner.read_file()
    return scanner.lines


def nearest_line(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of a path, or else of the innermost thing around it that has one.

    Example:
        >>> nearest_line({("a",): 7}, ("a", "missing")), nearest_line({("a",): 7}, ("b",))
        (7, None)
    """
    for length in range(len(path), 0, -1):
        line = lines.get(path[:length])
        if line is not None:
            return line

    return None


class _Scanner:
    """Walks through a file that is known to be right, so that it needs to refuse nothing."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._lengths: dict[Path, int] = {}  # of lists of tables

    def read_file(self) -> None:
        table: Path = ()
        self._skip(BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

            self._skip(BLANK)

    def _header(self) -> Path:
        """The path of the table that begins here, as [table] or [[table]]."""
        line = self._line()
        is_item = self._text.startswith("[[", self._at)
        self._at += 2 if is_item else 1
        keys = self._keys()
        self._at += 2 if is_item else 1

        *outer, last = keys
        path = (*self._resolved(outer, line), last)
        self.lines.setdefault(path, line)
        if is_item:
            position = self._lengths.get(path, 0)
            self._lengths[path] = position + 1
            path = (*path, position)
            self.lines[path] = line
        elif path in self._lengths:  # a table inside of the last item of a list of tables
            path = (*path, self._lengths[path] - 1)

        return path

    def _resolved(self, keys: list[str], line: int) -> Path:
        """The path of a table; of a list of tables, the one that came last is meant."""
        path: Path = ()
        for key in keys:
            path = (*path, key)
            self.lines.setdefault(path, line)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)

        return path

    def _pair(self, table: Path) -> None:
        """A key, which may be dotted, and its value."""
        line = self._line()
        path = table
        for key in self._keys():
            path = (*path, key)
            self.lines.setdefault(path, line)

        self._skip(BLANK)
        self._at += 1  # the equals sign
        self._value(path)

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(BLANK)
            match = TEXT.match(self._text, self._at) or BARE_KEY.match(self._text, self._at)
            if match is None:
                raise ValueError("text must be TOML that tomllib can read")

            written = match.group()
            is_quoted = written[0] in "\"'"
            # Its escapes are those of any text.
            keys.append(tomllib.loads(f"k = {written}")["k"] if is_quoted else written)
            self._at = match.end()
            self._skip(BLANK)
            if not self._text.startswith(".", self._at):
                return keys

            self._at += 1

    def _value(self, path: Path) -> None:
        self._skip(BLANK)
        self.lines.setdefault(path, self._line())
        start = self._text[self._at]
        if start == "[":
            self._items(path)
        elif start == "{":
            self._inline_table(path)
        elif start in "\"'":
            self._skip(TEXT)
        else:
            self._skip(SCALAR)

    def _items(self, path: Path) -> None:
        self._at += 1
        position = 0
        while not self._ends("]"):
            self._value((*path, position))
            position += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while not self._ends("}"):
            self._pair(path)

    def _ends(self, bracket: str) -> bool:
        """Whether a list or a table ends here; passes by the bracket, or by a comma before more."""
        self._skip(BLANK)
        if self._text.startswith(",", self._at):
            self._at += 1
            self._skip(BLANK)

        ends = self._text.startswith(bracket, self._at)
        if ends:
            self._at += 1

        return ends

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        if match is not None:
            self._at = match.end()

    def _line(self) -> int:
        return bisect_right(self._starts, self._at)
