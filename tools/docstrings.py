"""What the reference's generator must know of this project's docstrings and classes.

mkdocstrings loads `Docstrings`. It turns the few marks that docstrings borrow from reStructuredText into Markdown,
calls the example what the generator expects, and tells it that `compiled` classes are dataclasses. Below a class it
lists the tutorials and how-tos whose code names it.
"""

import functools
import re
from pathlib import Path
from typing import Any

import griffe

from mobandits_papers.formulas.mathml import mathml
from mobandits_papers.formulas.prose import formulas_alone

DOCS = Path(__file__).parent.parent / "docs"
GUIDES = ("tutorials", "how-to")
CODE_OF_PAGE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
MOST_PAGES = 8  # of those that use a class
COMPILED = "mobandits.compiling.compiled.compiled"
CODE = re.compile(r"(``.+?``|`[^`]+`)")
NAME = re.compile(r"^\s+\*{0,2}\w+:")  # of an argument
RULE = re.compile(r"^\s*=+( +=+)+\s*$")
STARTS = re.compile(
    r"^(?P<name>Example|Reference):$|.*::$"
)  # of blocks that are not prose as it stands


class Docstrings(griffe.Extension):
    """Reads docstrings and classes as the library means them."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)
            if obj.is_class:
                obj.docstring.value += used_in(obj.name)

    def on_class_instance(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Say that a `compiled` class is a dataclass, so that its fields are its parameters."""
        for decorator in cls.decorators:
            if decorator.callable_path == COMPILED:
                decorator.value = griffe.ExprName("dataclasses.dataclass")


def used_in(name: str) -> str:
    """A paragraph of the reference with the pages that use a class; empty where none does."""
    pages = links_of_words().get(name, [])
    if not pages:
        return ""

    left = f" and {len(pages) - MOST_PAGES} more" if len(pages) > MOST_PAGES else ""
    return f"\n\nUsed in: {', '.join(pages[:MOST_PAGES])}{left}.\n"


@functools.cache
def links_of_words() -> dict[str, list[str]]:
    """{word in code: links from a page of the reference to the pages that have it}, tutorials first."""
    found: dict[str, list[str]] = {}
    for folder in GUIDES:
        for page in sorted((DOCS / folder).glob("*.md")):
            text = page.read_text()
            title = text.partition("\n")[0].removeprefix("# ")
            # Docstrings are not a page of the site: nothing turns `.md` into `.html` there.
            link = f"[{title}](../{folder}/{page.stem}.html)"
            code = " ".join(CODE_OF_PAGE.findall(text))
            for word in set(re.findall(r"\w+", code)):
                found.setdefault(word, []).append(link)

    return found


def markdown(docstring: str) -> str:
    r"""A docstring in Markdown.

    Example:
        >>> print(markdown("Play `x_a`::\n\n    a b\n\nReference:\n    a_b 2 * 3.\n\nExample:\n    x_a"))
        Play `x_a`:
        <BLANKLINE>
            a b
        <BLANKLINE>
        **Reference:**
        a\_b 2 \* 3.
        <BLANKLINE>
        Examples:
            x_a
    """
    out: list[str] = []
    literal: list[str] = []  # lines of the block that began with two colons
    block, depth = "", 0  # what goes on as long as lines are indented more than its first one
    for line in with_tables(docstring.splitlines()):
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent <= depth:
            out += literal_block(literal)
            block, literal = "", []
        if not block and (starts := STARTS.match(line)):
            block, depth = starts["name"] or "literal", indent
            out.append(
                {"Example": "Examples:", "Reference": "**Reference:**"}.get(
                    block, escaped(line.rstrip()[:-1])
                )
            )
        elif block == "literal":
            literal.append(line)
        elif block == "Reference":
            out.append(escaped(line.strip()))
        else:
            out.append(line if block or line.startswith("|") else escaped(line))
    return "\n".join([*out, *literal_block(literal)])


def literal_block(lines: list[str]) -> list[str]:
    """A block as it stands, or the formulas that it consists of.

    Example:
        >>> literal_block(["", "    2 T^2", "      + K", ""])[1][:40]
        '<div><math display="block"><mn>2</mn><ms'
        >>> literal_block(["    mobandits list"])
        ['    mobandits list']
    """
    formulas = formulas_alone(lines)
    if not formulas:
        return lines

    return ["", *(f"<div>{mathml(formula, display=True)}</div>" for formula in formulas), ""]


def escaped(line: str) -> str:
    """Prose whose signs mean themselves; code between backticks stays, and so does the name of an argument."""
    named = NAME.match(line)
    name = named.group() if named else ""
    parts = CODE.split(line[len(name) :])
    return name + "".join(
        part if i % 2 else re.sub(r"(?<!\\)([_*])", r"\\\1", part) for i, part in enumerate(parts)
    )


def with_tables(lines: list[str]) -> list[str]:
    r"""The lines, with tables between rules of equals signs as tables of Markdown.

    Example:
        >>> with_tables(["== ====", "a  here", "== ====", "c  `scale`, |x|", "   or so", "== ===="])
        ['| a | here |', '|---|---|', '| c | `scale`, \\|x\\| or so |']
    """
    rules = [i for i, line in enumerate(lines) if RULE.match(line)]
    if len(rules) < 3:
        return lines
    first, header, last = rules[:3]
    starts = [found.start() for found in re.finditer("=+", lines[first])]
    rows: list[list[str]] = []
    for line in lines[first + 1 : header] + lines[header + 1 : last]:
        cells = [
            line[a:b].strip().replace("|", "\\|")
            for a, b in zip(starts, [*starts[1:], None], strict=True)
        ]
        if cells[0]:
            rows.append(cells)
        else:  # the row before goes on
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
    table = [f"| {' | '.join(row)} |" for row in rows]
    return [
        *lines[:first],
        table[0],
        "|" + "---|" * len(starts),
        *table[1:],
        *with_tables(lines[last + 1 :]),
    ]
