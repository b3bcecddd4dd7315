"""What commands share: progress, the line after an interruption, and a user's mistakes."""

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from mobandits.errors import DamagedError
from mobandits.support import json_lines
from mobandits.support.progress import STARTING, TerminalBar

NOTHING_KEPT = "no trial was finished, so nothing is kept; run the same command again"
INTERRUPTED = 130  # what shells report of a program that an interruption ended

OnProgress = Callable[[int, int], None]


@contextlib.contextmanager
def parameters() -> Iterator[None]:
    """A context in which a `ValueError` is about a parameter, and becomes one line."""
    try:
        yield
    except DamagedError:
        raise
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def complain(kind: str, text: str) -> None:
    """A line on stderr, of JSON where that is how this process says everything.

    Args:
        kind: "error", "warning" or "interrupted".
        text: of one line.
    """
    if json_lines.are_asked():
        level = logging.ERROR if kind == "error" else logging.WARNING
        json_lines.LOG.log(level, "%s", text)
        return

    typer.echo(f"{kind}: {text}", err=True)


@contextlib.contextmanager
def interruptible(kept: str, folder: Path | None = None) -> Iterator[None]:
    """A context whose interruption ends the program, with a line on what is kept.

    Args:
        kept: what it says.
        folder: where finished trials are kept; None: nothing else than `kept` is said.
    """
    try:
        yield
    except KeyboardInterrupt:
        has_trials = folder is None or any(Path(folder).rglob("*.parquet"))
        text = kept if has_trials else NOTHING_KEPT
        complain("interrupted", text)
        raise typer.Exit(INTERRUPTED) from None


def progress_of(what: str, unit: str = "rounds") -> contextlib.AbstractContextManager[OnProgress]:
    """Progress on stderr, a bar on a terminal and lines elsewhere."""
    # A bar moves the cursor, which files and logs of builds cannot.
    if sys.stderr.isatty():
        return bar(what)
    return contextlib.nullcontext(lines(what, unit))


@contextlib.contextmanager
def bar(what: str) -> Iterator[OnProgress]:
    """A progress bar on stderr."""
    shown = TerminalBar(what)
    try:
        yield shown.show
    finally:
        shown.close()


def lines(what: str, unit: str = "rounds") -> OnProgress:
    """Lines on stderr, at the start and after every tenth of the work."""
    tenth = -1

    def progress(done: int, total: int) -> None:
        nonlocal tenth
        now = 10 * done // total
        if now > tenth:
            tenth = now
            count = f"{done} of {total} {unit}" if done else STARTING
            typer.echo(f"{what}: {count}", err=True)

    return progress


def write_report(folder: Path, **options: Any) -> None:
    """The figures and the page of a finished run; `options` are passed to `report.write`."""
    from mobandits import report as page  # noqa: PLC0415

    typer.echo(page.write(folder, **options))


def say_finished(what: str, folder: Path) -> None:
    """The line on what a folder has already; nothing is played, judged or drawn again."""
    typer.echo(f"finished: {what}; report: {folder / 'report.html'}")


def check_choice(name: str, value: str, valid: Sequence[str]) -> None:
    """Refuse an unknown name."""
    from mobandits.support.checks import choice  # noqa: PLC0415

    with parameters():
        choice(name, value, valid)


def check_engine_options(engine: str, address: str | None) -> None:
    """Refuse an engine that cannot work here."""
    from mobandits.simulation import run  # noqa: PLC0415

    check_choice("--engine", engine, run.ENGINES)
    try:
        run.check_engine(engine, address)
    except ValueError as error:
        raise typer.BadParameter(f"--{error}") from error
