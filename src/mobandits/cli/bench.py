"""The command `bench`: plays entries in a suite, verifies them, and builds the leaderboard."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mobandits.cli import console
from mobandits.cli.options import Together
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    from mobandits.simulation.threads import Threads
    from mobandits.suite.definition import Suite
    from mobandits.suite.entries import Entrant, Entry

DEVELOPMENT = "development"  # the token of seeds that everyone may tune on
ROUTING = "MOB-LLM"  # the suite of prompts
DIFFERENT = 1  # the exit status where an entry is not what it claims


def bench(
    name: Annotated[str, typer.Argument(metavar="SUITE", help="MOB-1 or MOB-LLM.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder to write: entries and the page.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            help="The entry: a TOML file with [[policies]], NAME:key=value, or MODULE:NAME.",
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            help="Prompts of MOB-LLM: lines of JSON, or a CSV file. Default: the built-in ones.",
        ),
    ] = None,
    built_in: Annotated[
        bool, typer.Option("--built-in", help="Play the entries of this library.")
    ] = False,
    entries: Annotated[
        Path | None,
        typer.Option("--entries", help="Verify the entries of a folder, and rank them."),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option("--verify", help="Play 3 trials per environment of an entry's file again."),
    ] = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", help="The file of an entry to stand beside.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Play few trials: 10 of 100, or 3 logs of 20.")
    ] = False,
    token: Annotated[str, typer.Option(help="The text that seeds are made of.")] = DEVELOPMENT,
    workers: Together = None,
) -> None:
    """Play a policy in all environments of a suite, score it, and verify and rank entries."""
    from mobandits.simulation.run import threads_for  # noqa: PLC0415

    ways = {"--policy": policy, "--built-in": built_in, "--entries": entries, "--verify": verify}
    given = sum(map(bool, ways.values()))
    # A table of prompts is played by the entries of this library in any case.
    if given > 1 or (given == 0 and name != ROUTING):
        raise typer.BadParameter(f"one of {', '.join(ways)} must be given")

    with console.parameters():
        suite = suite_of(name, token, table, quick=quick)
        entrants = entrants_in(suite, policy)

    with threads_for(workers) as threads:
        if verify is not None:
            verify_file(suite, verify, threads)
            return
        if out is None:
            raise typer.BadParameter("--out must be given")

        refused: list[str] = []
        if entries is not None:
            shown, refused = verified_entries(suite, entries, threads)
        else:
            names = [each.name for each in entrants]
            beside = [] if compare is None else [entry_beside(suite, compare, names)]
            played = [played_entry(suite, each, out, threads) for each in entrants]
            shown = [*played, *beside]

        show(out, suite, shown, refused)


def suite_of(name: str, token: str, table: Path | None, *, quick: bool) -> "Suite":
    """The suite of a name, that of prompts on a table of the user's own where one is given."""
    from mobandits.suite.definition import load_suite  # noqa: PLC0415

    if name == ROUTING:
        from mobandits.suite.routing import load_routing_suite  # noqa: PLC0415

        return load_routing_suite(token, table=table, quick=quick)
    if table is not None:
        raise typer.BadParameter(f"--table is for {ROUTING} alone, got {name}")

    return load_suite(name, token, quick=quick)


def entrants_in(suite: "Suite", policy: str | None) -> list["Entrant"]:
    """The user's entrants, or those of this library; in the suite of prompts both."""
    from mobandits.suite.entries import BUILT_IN, entrants_of  # noqa: PLC0415

    own = [] if policy is None else entrants_of(policy)
    references = suite.references()
    taken = {each.name for each in references}
    twice = [each.name for each in own if each.name in taken]
    if twice:
        raise ValueError(
            f"--policy must have another name than {quoted(twice[0])}: give it a label"
        )

    return own + references if own or references else entrants_of(str(BUILT_IN))


def entry_beside(suite: "Suite", path: Path, names: Sequence[str]) -> "Entry":
    """The entry of a file, of the same scoring and with another name than those beside it."""
    from mobandits.suite.entries import Entry  # noqa: PLC0415

    entry = Entry.read(path)
    refusal = entry.refusal(suite)
    if entry.entry in names:
        refusal = f"its name must be another one than {quoted(entry.entry)}: give one a label"
    if refusal:
        raise typer.BadParameter(f"--compare: {path}: {refusal}")

    return entry


def played_entry(suite: "Suite", entrant: "Entrant", out: Path, threads: "Threads") -> "Entry":
    """An entry that was played now, or by an earlier call into the same folder."""
    from mobandits.suite.entries import Entry, file_of, play_entry  # noqa: PLC0415

    path = file_of(out, entrant.name)
    if path.exists():
        before = Entry.read(path)
        if not before.refusal(suite) and before.is_of(entrant):
            return before

    with console.progress_of(entrant.name) as progress:
        entry = play_entry(suite, entrant, threads, progress)

    typer.echo(entry.write(out))

    return entry


def verify_file(suite: "Suite", path: Path, threads: "Threads") -> None:
    """Play an entry again, in part; the program exits with 1 where it is not what it claims."""
    from mobandits.suite.entries import Entry, differences  # noqa: PLC0415

    entry = Entry.read(path)
    own = dataclasses.replace(suite, token=entry.token, trials=entry.trials)
    found = differences(own, entry, threads)
    if found:
        console.complain("error", f"{path} does not verify: {', '.join(found)}")
        raise typer.Exit(DIFFERENT)

    typer.echo(f"{path} verifies")


def verified_entries(
    suite: "Suite", folder: Path, threads: "Threads"
) -> tuple[list["Entry"], list[str]]:
    """The entries of a folder that verify, and sentences on the others."""
    from mobandits.errors import FolderError  # noqa: PLC0415
    from mobandits.suite.entries import Entry, differences  # noqa: PLC0415

    verified: dict[str, Entry] = {}
    refused = []
    for path in sorted(folder.glob("*.json")):
        try:
            entry = Entry.read(path)
        except FolderError as error:
            refused.append(f"Refused: {error}")
            continue

        found = differences(suite, entry, threads)
        if entry.entry in verified:
            found = ["another file has an entry of the same name"]
        if found:
            refused.append(f"Refused: {entry.entry} ({path.name}): {', '.join(found)}")
        else:
            verified[entry.entry] = entry

    for sentence in refused:
        console.complain("warning", sentence)
    if not verified:
        raise FolderError(f"{folder} must hold at least one entry that verifies, got none")

    return list(verified.values()), refused


def show(out: Path, suite: "Suite", entries: Sequence["Entry"], refused: Sequence[str]) -> None:
    """Print the table of some entries, and write their page."""
    from mobandits.suite.page import board_table, entry_table, write_suite_page  # noqa: PLC0415
    from mobandits.support.text_tables import text_table  # noqa: PLC0415

    if len(entries) > 1:
        table = board_table(suite, entries)
    else:
        table = entry_table(suite, entries[0])

    typer.echo(text_table(table.header, table.rows, table.header[1:]))
    typer.echo(table.caption)
    typer.echo(write_suite_page(out, suite, entries, refused))
