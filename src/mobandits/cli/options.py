"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from mobandits.cli import completion

Out = Annotated[
    Path, typer.Option("--out", help="The folder to write. Run again into it to resume.")
]
Folder = Annotated[Path, typer.Option("--out", help="The folder to write.")]
AgentName = Annotated[str | None, typer.Option(help="The agent, if the store has several.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Number of threads. Default: one per processor."),
]
Together = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Trials that run at the same time. Default: one per processor, here or on the cluster.",
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        help="What runs the trials: threads, or ray for processes or a cluster.",
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
