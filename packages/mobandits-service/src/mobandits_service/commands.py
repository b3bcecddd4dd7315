"""Commands of the decision service: `serve`, and `keys`."""

from pathlib import Path
from typing import Annotated

import typer

from mobandits.cli import console
from mobandits.cli.command import AGAIN, Command

StoreOfKeys = Annotated[
    str, typer.Option("--store", help="The service's decisions: a file, or postgresql://...")
]

keys = typer.Typer(
    name="keys", help="Keys that let applications use a service.", no_args_is_help=True
)


def serve_agents(
    file: Annotated[
        Path | None, typer.Argument(help="A TOML file of agents; see docs/how-to/serve.md.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Override the value in the file.")] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Override the port in the file; 0 takes any free one."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            help="Where decisions are stored: a file, or postgresql://... Default: a file next to FILE; for the "
            "demonstration one in a new temporary folder."
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=1,
            help="Processes that decide, beside one that learns for all of them; the store must be "
            "in PostgreSQL. With 1, one process does both.",
        ),
    ] = 1,
    check: Annotated[
        bool, typer.Option("--check", help="Print what would be served, compile it, and exit.")
    ] = False,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Instead of FILE, serve an agent that routes real prompts, which arrive for half an hour. "
            "It needs the extra `data`.",
        ),
    ] = False,
) -> None:
    """Serve agents over HTTP: decisions and rewards for applications in any language."""
    if file is None and not demo:
        raise typer.BadParameter("FILE must be given, or --demo")
    if demo and file is not None:
        raise typer.BadParameter(f"--demo must go without FILE, got {file}")
    if demo and check:
        raise typer.BadParameter("--demo must go without --check")
    if demo and workers > 1:
        raise typer.BadParameter("--workers must be 1 with --demo, which has a file as its store")
    if demo:
        with console.parameters():
            _serve_demo(host, port, store)
        return

    from mobandits_service.command import serve_file  # noqa: PLC0415

    assert file is not None  # noqa: S101 - it was just checked
    with console.parameters():
        serve_file(
            file,
            host=host,
            port=port,
            store=store,
            workers=workers,
            check=check,
            say=typer.echo,
        )


def _serve_demo(host: str | None, port: int | None, store: str | None) -> None:
    from mobandits.logs.address import is_address  # noqa: PLC0415

    if is_address(store):
        raise typer.BadParameter("--store must be a file or a folder with --demo")
    from mobandits_service.demo.command import serve_demo  # noqa: PLC0415

    place = None if store is None else Path(store)
    serve_demo(host=host, port=port, store=place, say=typer.echo)


@keys.command("add")
def add_key(
    label: Annotated[
        str, typer.Argument(help="A note for people, such as the application's name.")
    ],
    store: StoreOfKeys,
    scope: Annotated[
        list[str], typer.Option(help="read, decide (and read) or admin (everything); repeat.")
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Agent that the key may call. Repeat for more. Default: all."),
    ] = None,
) -> None:
    """Create a key and print it once; the store keeps only its digest."""
    from mobandits_service.keys_command import added  # noqa: PLC0415

    with console.parameters():
        typer.echo(added(store, label, scope, agent or []))


@keys.command("list")
def list_keys(store: StoreOfKeys) -> None:
    """List the keys of a store: id, label, scopes, agents; nothing that is secret."""
    from mobandits_service.keys_command import listed  # noqa: PLC0415

    with console.parameters():
        for line in listed(store):
            typer.echo(line)


@keys.command("revoke")
def revoke_key(
    number: Annotated[
        str,
        typer.Argument(metavar="ID", help="The key's number, as `mobandits keys list` shows it."),
    ],
    store: StoreOfKeys,
) -> None:
    """Revoke a key; a running service notices within a second."""
    from mobandits_service.keys_command import revoked  # noqa: PLC0415

    with console.parameters():
        revoked(store, number)


COMMANDS = (
    Command(
        "serve",
        serve_agents,
        f"every answered call is in the store; {AGAIN}",
        (
            "mobandits serve router.toml --check",
            "mobandits serve router.toml --port 8080",
            "mobandits serve --demo",
        ),
        is_private=True,
    ),
)
