"""Run the Python blocks of pages, and write what they print below them: `python tools/snippets.py [PAGE...]`.

The blocks of a page run from top to bottom, in one namespace and in a folder of their own. A block with a title is a
file, which is written and not run; one that is called test_*.py is given to pytest. A block that prints is followed by
a block of text that shows what it prints:

    ```python
    print(1 + 1)
    ```

    ```text
    2
    ```

Lines that are too long for a page are wrapped. `...` stands for text that is not shown, as in doctest: for what
differs between machines.
Without arguments all pages are run: README.md and docs/.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
LONGEST = 120  # characters of a line of a block that a page of the site shows without a scroll bar
FENCE = re.compile(
    r'^```python(?: title="(?P<title>[^"]+)")?\n(?P<code>.*?)^```\n'
    r"(?:\n```text\n(?P<shown>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


class Snippet(NamedTuple):
    """A Python block of a page: where it is, and what the page says that it prints."""

    title: str | None
    code: str
    line: int  # of the first line of the code, from 0
    shown: str
    start: int
    end: int


def all_pages() -> list[Path]:
    """README.md and every page of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def snippets(text: str) -> list[Snippet]:
    """The Python blocks of a page, in their order."""
    found = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start("code"))
        snippet = Snippet(
            match["title"], match["code"], line, match["shown"] or "", match.start(), match.end()
        )
        found.append(snippet)
    return found


def modules(page: Path) -> dict[str, str]:
    """The Python of a page as files: those with a title, and all other blocks as one, for type checkers.

    Lines of the latter are where the page has them.
    """
    files = {}
    lines: list[str] = []
    for snippet in snippets(page.read_text()):
        if snippet.title:
            files[snippet.title] = snippet.code
        else:
            lines += [""] * (snippet.line - len(lines))
            lines += snippet.code.splitlines()

    if lines:
        name = "_".join(page.relative_to(ROOT).with_suffix("").parts)
        files[name.replace("-", "_") + ".py"] = "\n".join(lines)

    return files


def printed(page: Path, folder: Path) -> list[str]:
    """What each Python block of a page prints, run in an empty folder."""
    outputs = []
    namespace: dict[str, Any] = {"__name__": "page"}
    with working_in(folder):
        for snippet in snippets(page.read_text()):
            if snippet.title:
                write_and_test(folder / snippet.title, snippet.code)
                outputs.append("")
                continue
            # Empty lines above the code: errors then name the line of the page.
            source = "\n" * snippet.line + snippet.code
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(source, page, "exec"), namespace)
            outputs.append(shown_lines(output.getvalue()))
    return outputs


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """The folder is the current one, and modules in it can be imported, until the end of the block."""
    before, known = Path.cwd(), set(sys.modules)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(str(folder)):
                del sys.modules[name]


def write_and_test(file: Path, code: str) -> None:
    """A file that a page shows; its tests must pass where it has some."""
    file.write_text(code)
    if not file.name.startswith("test_"):
        return
    command = [sys.executable, "-m", "pytest", "-q", file.name]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stdout)


def shown_lines(output: str) -> str:
    """What is printed, as a page shows it: without spaces at the ends of lines, long lines wrapped."""
    lines: list[str] = []
    for line in output.splitlines():
        # Tables are aligned by columns, and must not be wrapped: their lines are shorter.
        lines += textwrap.wrap(line, LONGEST) if len(line) > LONGEST else [line.rstrip()]
    return "".join(f"{line}\n" for line in lines)


def agrees(shown: str, output: str) -> bool:
    """Whether a page shows what is printed; `...` in the page stands for any text."""
    return doctest.OutputChecker().check_output(shown, output, doctest.ELLIPSIS)


def with_outputs(text: str, outputs: Sequence[str]) -> str:
    """A page that shows what its Python blocks print; what agrees already is left alone."""
    parts = []
    end = 0
    for snippet, output in zip(snippets(text), outputs, strict=True):
        parts.append(text[end : snippet.start])
        block = text[snippet.start : snippet.end]
        parts.append(block if agrees(snippet.shown, output) else with_output(block, output))
        end = snippet.end
    parts.append(text[end:])
    return "".join(parts)


def with_output(block: str, output: str) -> str:
    """A Python block with what it prints below it, in place of what it showed."""
    code, _, _ = block.partition("\n```text\n")
    if not output:
        return code
    return f"{code}\n```text\n{output}```\n"


def main() -> None:
    """Run the pages, and say which ones changed."""
    pages = [Path(name).resolve() for name in sys.argv[1:]] or all_pages()
    for page in pages:
        text = page.read_text()
        if not snippets(text):
            continue
        with tempfile.TemporaryDirectory() as folder:
            outputs = printed(page, Path(folder).resolve())
        filled = with_outputs(text, outputs)
        if filled != text:
            page.write_text(filled)
            print(f"{page} shows what it prints now")


if __name__ == "__main__":
    main()
