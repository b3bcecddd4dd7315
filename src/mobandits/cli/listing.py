"""`mobandits list`: the names that commands and files take."""

from typing import Annotated, Any

import typer

from mobandits.cli import completion, console

WHAT = "what it is"


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
        lines = [(name, f"mobandits list {name}") for name in KINDS]
        console.print_table(("kind", WHAT), lines)
        return

    console.check_choice("KIND", kind, KINDS)
    lines = [(name, line_on(member)) for name, member in sorted(catalogue(kind).items())]
    console.print_table((kind, WHAT), lines)


def line_on(member: Any) -> str:
    """The title of an experiment, or else the first line of the docstring."""
    title = getattr(member, "title", None)
    if isinstance(title, str):
        return title
    return (member.__doc__ or "").partition("\n")[0]
