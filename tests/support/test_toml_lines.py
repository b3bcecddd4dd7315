"""Lines of TOML files: every path that `tomllib` reads has the line on which it was written."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.support.toml_lines import key_lines, nearest_line

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
BARE = st.text("abz09_-", min_size=1, max_size=3)
KEYS = BARE | st.text("a .\"\\'#=[]{}\té\n", min_size=1, max_size=4)
TEXTS = st.text("a \"'\\#=[]{},\té\n", max_size=8)
SCALARS = st.integers(-99, 99) | st.booleans() | TEXTS | st.floats(-9, 9, width=16)


def inner(values):
    return st.lists(values, max_size=3) | st.dictionaries(KEYS, values, max_size=3)


VALUES = st.recursive(SCALARS, inner, max_leaves=6)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)


class Writer:
    """Writes a document as TOML, in a way that hypothesis chooses, and notes every line."""

    def __init__(self, draw):
        self.draw = draw
        self.text = ""
        self.lines = {}

    def chance(self):
        return self.draw(st.booleans())

    def line(self):
        return self.text.count("\n") + 1

    def note(self, path):
        self.lines.setdefault(path, self.line())

    def blank(self, between):
        """Blanks and comments, of which a line break is a part only inside of lists."""
        self.text += self.draw(st.sampled_from(between))

    def key(self, key):
        is_bare = key.isascii() and all(c.isalnum() or c in "_-" for c in key)
        if is_bare and self.chance():
            self.text += key
        elif "'" not in key and "\n" not in key and self.chance():
            self.text += f"'{key}'"
        else:
            self.text += json.dumps(key)

    def scalar(self, value):
        if isinstance(value, str) and self.chance():
            escaped = value.replace("\\", "\\\\").replace('"""', '""\\"')
            # A quote at the end is one of the two that may stand before the closing three.
            self.text += f'"""\n{escaped}"""' if not escaped.endswith('""') else json.dumps(value)
        elif isinstance(value, str) and "'''" not in value and not value.endswith("'"):
            self.text += f"'''\n{value}'''"
        else:
            self.text += json.dumps(value)

    def value(self, path, value):
        self.note(path)
        if isinstance(value, list):
            self.text += "["
            for i, item in enumerate(value):
                self.blank(["", " ", "\n", " # [ comment, {\n  "])
                self.value((*path, i), item)
                self.blank(["", "\n", " # ]\n"])
                self.text += ","
            self.blank(["", "\n", " # ]\n"])
            self.text += "]"
        elif isinstance(value, dict):
            self.text += "{"
            for i, (key, item) in enumerate(value.items()):
                self.text += ", " if i else " "
                self.pair((*path, key), key, item)
            self.text += "}"
        else:
            self.scalar(value)

    def pair(self, path, key, value):
        self.note(path)
        self.key(key)
        # A table of one value may be a dotted key.
        while isinstance(value, dict) and len(value) == 1 and self.chance():
            (key, value) = next(iter(value.items()))
            path = (*path, key)
            self.text += "."
            self.note(path)
            self.key(key)
        self.text += " = "
        self.value(path, value)

    def table(self, path, content, header):
        """Plain values first, and then tables with headers of their own."""
        later = []
        for key, value in content.items():
            tables = value if isinstance(value, list) else [value]
            has_tables = bool(tables) and all(isinstance(each, dict) for each in tables)
            if has_tables and self.chance():
                later.append((key, value))
                continue
            self.blank(["", "\n", "# a = 1\n", "  "])
            self.pair((*path, key), key, value)
            self.blank(["\n", " # end\n"])
        for key, value in later:
            names = [*header, key]
            if isinstance(value, dict):
                self.header("[", (*path, key), names, "]")
                self.table((*path, key), value, names)
                continue
            for i, item in enumerate(value):
                self.header("[[", (*path, key, i), names, "]]")
                self.table((*path, key, i), item, names)

    def header(self, opening, path, names, closing):
        self.blank(["", "\n", "# [b]\n"])
        self.lines.setdefault(path[:-1] if closing == "]]" else path, self.line())
        self.note(path)
        self.text += opening
        for i, name in enumerate(names):
            self.text += " . " if i else ""
            self.key(name)
        self.text += closing + "\n"


@pytest.mark.long
@given(DOCUMENTS, st.data())
def test_every_path_has_its_line(document, data):
    writer = Writer(data.draw)
    writer.table((), document, [])
    assert tomllib.loads(writer.text) == document
    found = key_lines(writer.text)
    expected = {path: line for path, line in writer.lines.items() if path}
    assert {path: found[path] for path in expected} == expected
    assert found.keys() == paths_of(document)


def paths_of(value, path=()):
    found = {path} if path else set()
    steps = value.items() if isinstance(value, dict) else ()
    steps = enumerate(value) if isinstance(value, list) else steps
    for step, item in steps:
        found |= paths_of(item, (*path, step))
    return found


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.name)
def test_the_examples(file):
    text = file.read_text()
    content = tomllib.loads(text)
    found = key_lines(text)
    assert found.keys() == paths_of(content)
    rows = text.splitlines()
    for i, policy in enumerate(content["policies"]):
        assert rows[found["policies", i] - 1] == "[[policies]]"
        for key in policy:
            assert rows[found["policies", i, key] - 1].startswith(key)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a = 1\r\nb = 2\r\n", ("b",), 2),
        ('a = """x\n"""""\nb = 2', ("b",), 3),
        ("a = '''x\n'''''\nb = 2", ("b",), 3),
        ('a = "\\"#\\\\" # "\nb = 2', ("b",), 2),
        ("a = 1979-05-27 07:32:00\nb = 2", ("b",), 2),
        ("[[a]]\n[a.b]\nc = 1\n[[a]]\n[a.b]\nc = 2", ("a", 1, "b", "c"), 6),
        ("[[a]]\n[[a.b]]\n[[a.b]]\n[[a]]\n[[a.b]]\nc = 1", ("a", 1, "b", 0, "c"), 6),
        ("a.b = 1\na.c = {d = [\n1,\n{e = 2}]}", ("a", "c", "d", 1, "e"), 4),
        ('"a.b" = 1\n["c" . d]\nx = 1', ("c", "d", "x"), 3),
    ],
)
def test_lines(text, path, line):
    tomllib.loads(text.replace("\r\n", "\n"))
    assert key_lines(text)[path] == line


def test_what_is_missing_has_the_line_around_it():
    lines = key_lines("[a]\nb = [1,\n2]")
    assert nearest_line(lines, ("a", "b", 7, "c")) == 2
    assert nearest_line(lines, ("a", "x")) == 1
    assert nearest_line(lines, ("x",)) is None


def test_what_is_no_toml_is_refused():
    with pytest.raises(ValueError, match="must be TOML that tomllib can read"):
        key_lines("= 1")
