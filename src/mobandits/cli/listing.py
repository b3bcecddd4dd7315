"""`mobandits list`: the names that commands and files take."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from mobandits.cli import completion, console


def list_names(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="policies, environments, metrics, orders, features, experiments or datasets. "
            "Without one, the kinds are listed.",
            autocompletion=completion.one_of(*completion.KINDS),
        ),
    ] = None,
) -> None:
    """Print names as other commands and SPEC.toml take them, with a line on each."""
    from mobandits.spec import KINDS, catalogue  # noqa: PLC0415

    if kind is None:
        print_rows("kind", [(name, f"mobandits list {name}") for name in KINDS])
        return

    console.check_choice("KIND", kind, KINDS)
    print_rows(kind, [(name, line_on(member)) for name, member in sorted(catalogue(kind).items())])


def print_rows(kind: str, rows: Sequence[tuple[str, str]]) -> None:
    """Print names, with a line on each."""
    # For other programs, lines that can be cut at tabs; for people, a table.
    if not sys.stdout.isatty():
        for name, line in rows:
            typer.echo(f"{name}\t{line}")

        return

    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(kind, "what it is", box=None)
    for row in rows:
        table.add_row(*row)

    Console().print(table)


def line_on(member: Any) -> str:
    """The title of an experiment, or else the first line of the docstring."""
    title = getattr(member, "title", None)
    if isinstance(title, str):
        return title
    return (member.__doc__ or "").partition("\n")[0]
