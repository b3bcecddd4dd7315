"""Write the notebooks from their sources, and execute them: `make notebooks`.

A source is a Python file in cells: `# %%` begins one of code, `# %% [markdown]` one of text, whose lines are comments.
A magic is a comment as well, `# %matplotlib inline`. Editors run such files cell by cell, differences are readable, and
the linter and the formatter know them. The notebooks are committed beside their sources, without outputs, so that
sites which show notebooks have them.

    python tools/notebooks.py                         write all notebooks
    python tools/notebooks.py --check                 say which are not those of their sources
    python tools/notebooks.py --execute FILE OUTPUT   execute one, and write it with its outputs
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
MARK = re.compile(r"^# %%(?P<kind>.*)$")
MAGIC = re.compile(r"^# (?P<magic>%[a-z].*)$")
SECONDS_PER_CELL = 300  # a cold cache compiles policies; warm cells take seconds
CODE, TEXT = "code", "markdown"


class Cell(NamedTuple):
    """A cell of a notebook: code, or text in Markdown."""

    kind: str
    lines: list[str]


def main(arguments: list[str]) -> int:
    """Do what the arguments say; the exit status."""
    match arguments:
        case []:
            for source in sources():
                notebook_of(source).write_text(text_of(source))
            return 0
        case ["--check"]:
            stale = not_written()
            for notebook in stale:
                print(f"{notebook}: python tools/notebooks.py writes it anew")
            return int(bool(stale))
        case ["--execute", source, output]:
            execute(Path(source), Path(output))
            return 0
        case _:
            print(__doc__)
            return 2


def sources() -> list[Path]:
    """The sources of all notebooks."""
    return sorted(FOLDER.glob("*.py"))


def notebook_of(source: Path) -> Path:
    """Where the notebook of a source lies."""
    return source.with_suffix(".ipynb")


def not_written() -> list[str]:
    """The notebooks that are not those of their sources: other ones, missing ones, and those without a source."""
    stale = []
    for source in sources():
        notebook = notebook_of(source)
        is_written = notebook.exists() and notebook.read_text() == text_of(source)
        if not is_written:
            stale.append(notebook.name)

    written = {notebook_of(source) for source in sources()}
    orphans = sorted(set(FOLDER.glob("*.ipynb")) - written)
    return stale + [notebook.name for notebook in orphans]


def cells(source: str) -> list[Cell]:
    r"""The cells of a source; what stands before the first mark is no cell.

    Raises:
        ValueError: where a line of a cell of text is no comment, or a mark is of another kind.

    Example:
        >>> cells("# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n")
        [Cell(kind='markdown', lines=['# Title', '', 'Text.']), Cell(kind='code', lines=['x = 1'])]
    """
    found: list[Cell] = []
    for number, line in enumerate(source.splitlines(), start=1):
        mark = MARK.match(line)
        if mark:
            kind = kind_of(mark["kind"].strip(), number)
            found.append(Cell(kind, []))
        elif found:
            lines = found[-1].lines
            is_text = found[-1].kind == TEXT
            lines.append(uncommented(line, number) if is_text else code_of(line))

    return [Cell(kind, without_blank_ends(lines)) for kind, lines in found]


def kind_of(words: str, number: int) -> str:
    """The kind of a cell from what follows its mark."""
    kinds = {"": CODE, "[markdown]": TEXT}
    if words not in kinds:
        raise ValueError(
            f"line {number}: a mark is '# %%' or '# %% [markdown]', got '# %% {words}'"
        )
    return kinds[words]


def uncommented(line: str, number: int) -> str:
    """A line of text without the sign of a comment."""
    if not line.strip():
        return ""
    if line != "#" and not line.startswith("# "):
        raise ValueError(f"line {number}: text must be a comment, got {line!r}")
    return line[2:]


def code_of(line: str) -> str:
    """A line of code; a magic is no comment any more."""
    magic = MAGIC.match(line)
    return magic["magic"] if magic else line


def without_blank_ends(lines: list[str]) -> list[str]:
    """Lines without the blank ones before the first and after the last that is not."""
    text = "\n".join(lines).strip("\n")
    return text.split("\n")


def build(source: Path) -> Any:
    """The notebook of a source, without outputs."""
    # Late, so that sources can be read where the development tools are not installed.
    from nbformat import v4  # noqa: PLC0415

    made = []
    for number, cell in enumerate(cells(source.read_text()), start=1):
        new = v4.new_code_cell if cell.kind == CODE else v4.new_markdown_cell
        # Numbers in place of random names, so that the same source gives the same bytes.
        made.append(new("\n".join(cell.lines), id=f"cell-{number}"))

    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return v4.new_notebook(cells=made, metadata=metadata)


def text_of(source: Path) -> str:
    """The bytes of the notebook of a source, as text."""
    import nbformat  # noqa: PLC0415

    return str(nbformat.writes(build(source))).rstrip("\n") + "\n"


def execute(source: Path, output: Path) -> None:
    """Run all cells of a notebook in a new kernel and an empty folder, and write it with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: where a cell fails; what ran before it is written.
    """
    import nbformat  # noqa: PLC0415
    from jupyter_client import AsyncKernelManager  # noqa: PLC0415
    from nbclient import NotebookClient  # noqa: PLC0415

    notebook = build(source)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sockets:
        # Files in place of network ports, so that nobody else on this machine can talk to the kernel.
        place = str(Path(sockets) / "kernel")
        manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=place)
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, km=manager, timeout=SECONDS_PER_CELL, resources=resources)
        try:
            client.execute()
        finally:
            nbformat.write(notebook, output)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
