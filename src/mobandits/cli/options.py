"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from mobandits.cli import completion

Out = Annotated[
    Path, typer.Option("--out", help="The folder to write. Run again into it to resume.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Threads; by default one per processor.")
]
Together = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Trials at the same time; by default one per processor, here or in all.",
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        help="What plays them: threads, or ray for processes or a cluster.",
        autocompletion=completion.one_of("ray", "threads"),
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="With ray: a cluster's host:port, or auto for this machine's; else one is started.",
    ),
]
