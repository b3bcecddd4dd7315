"""The program: its commands, its exit statuses, and how it prints mistakes."""

import contextlib
import functools
import itertools
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from mobandits import __version__
from mobandits.cli import agents, bench, console, listing, logs, simulations
from mobandits.cli.command import AGAIN, RESUME, Command
from mobandits.errors import (
    BackendError,
    DamagedError,
    EngineError,
    FolderError,
    LogError,
    MissingExtraError,
    SpecError,
    UnavailableError,
)
from mobandits.support import json_lines
from mobandits.support.files import private_files
from mobandits.support.guests import contributions
from mobandits.support.optional import missing_extra

# Of other errors the traceback is worth more than one line.
MISTAKES = (BackendError, EngineError, FolderError, LogError, MissingExtraError, SpecError)
DAMAGED = 1  # as of other failures: nothing about the command was wrong
TEMPORARY = 75  # as EX_TEMPFAIL of sysexits.h: whoever starts programs may try again
# Of which a line each is a mistake by itself; others are one, wherever their lines break.
SEVERAL = (SpecError, typer.BadParameter)


COLUMNS = "--column arm=item --column rewards=click --column context=age --column propensity=p"
CHANGED = f"{{store}} has all of the change or none; {AGAIN}"
READ = f"{{store}} is as it was; {AGAIN}"
READ_LOG = f"{{log}} is as it was; {AGAIN}"
OWN = (
    Command(
        "list",
        listing.list_names,
        AGAIN,
        ("mobandits list policies", "mobandits list experiments"),
    ),
    Command(
        "run",
        simulations.run_specification,
        RESUME,
        (
            "mobandits run examples/linear.toml --out runs/linear",
            "mobandits run examples/linear.toml --out runs/linear --trials 10",
            "mobandits run examples/linear.toml --out runs/other --seed 2 --live",
        ),
    ),
    Command(
        "report",
        simulations.report,
        f"tables are as they were; {AGAIN}",
        ("mobandits report runs/linear", "mobandits report runs/linear --latex --csv --pdf"),
    ),
    Command(
        "compare",
        simulations.compare,
        AGAIN,
        ("mobandits compare runs/linear runs/other --out runs/compared",),
    ),
    Command(
        "bench",
        bench.bench,
        f"entries that were played are kept; {AGAIN}",
        (
            "mobandits bench MOB-1 --policy mine.toml --quick --out runs/mob-1",
            "mobandits bench MOB-1 --verify runs/mob-1/mine.json",
            "mobandits bench MOB-1 --entries runs/mob-1 --quick --out runs/leaderboard",
        ),
    ),
    Command(
        "cite",
        simulations.cite,
        AGAIN,
        ("mobandits cite mol-ucb linear", "mobandits cite runs/linear"),
    ),
    Command(
        "evaluate",
        logs.evaluate_policies,
        f"{{log}} is as it was; {AGAIN} to fill {{out}}",
        (
            "mobandits evaluate agent.db --policy uniform --policy arm:b --out runs/values",
            "mobandits evaluate agent.db --policy new=mol-ucb --deploy new --out runs/new",
            f"mobandits evaluate log.csv {COLUMNS} --policy mol-ucb --out runs/log",
        ),
        is_private=True,
    ),
    Command(
        "tune",
        logs.tune_policies,
        READ_LOG,
        (
            "mobandits tune agent.db --policy mol-ucb:scale=0.1 --policy mol-ucb:scale=1.0",
            "mobandits tune paid.db --budget cost=0.4 --write routed.toml",
            "mobandits tune paid.db --within 0.1",
        ),
        is_private=True,
    ),
    Command(
        "identify",
        logs.identify_arms,
        READ_LOG,
        (
            "mobandits identify agent.db --delta 0.05",
            "mobandits identify log.csv --column arm=item --column rewards=click --epsilon 0.05",
        ),
    ),
    Command(
        "retune",
        agents.retune_agent,
        CHANGED,
        (
            "mobandits retune agent.db --policy mol-ucb:scale=0.3",
            "mobandits retune agent.db --objective click:low=0,high=1",
        ),
        is_private=True,
    ),
    Command(
        "correct",
        agents.correct_reward,
        CHANGED,
        ("mobandits correct agent.db 17 --reward click=1",),
        is_private=True,
    ),
    Command(
        "rename-arm",
        agents.rename_arm_of,
        CHANGED,
        ("mobandits rename-arm agent.db b c",),
        is_private=True,
    ),
    Command(
        "reset-clock",
        agents.reset_clock_of,
        CHANGED,
        ("mobandits reset-clock agent.db",),
        is_private=True,
    ),
    Command(
        "export",
        logs.export_decisions,
        f"no decision is lost; {AGAIN}",
        (
            "mobandits export agent.db --out decisions.parquet",
            "mobandits export agent.db --out january.csv --format csv --before 2026-02-01",
        ),
        is_private=True,
    ),
    Command(
        "backup",
        logs.back_up_store,
        READ,
        ("mobandits backup agent.db agent-copy.db",),
        is_private=True,
    ),
    Command(
        "check",
        logs.check_store,
        READ,
        ("mobandits check agent.db", "mobandits check agent.db --salvage saved.db"),
        is_private=True,
    ),
    Command(
        "monitor",
        agents.monitor_agent,
        READ,
        ("mobandits monitor agent.db --out runs/monitor --window 50",),
        is_private=True,
    ),
    Command(
        "warm",
        agents.warm,
        f"what was compiled is kept; {AGAIN} to compile the rest",
        (
            "mobandits warm mol-ucb mol-ts",
            "mobandits warm --agents mol-ucb --order lexicographic",
        ),
    ),
)
# {command of another distribution: the extra that installs it}
OF_GUESTS = {
    "demo": "papers",
    "reproduce": "papers",
    "check-theorems": "papers",
    "serve": "service",
    "keys": "service",
}

# Commands of guests come first in the help: who installed them wants them.
COMMANDS: tuple[Command, ...] = (
    *itertools.chain.from_iterable(contributions("mobandits.commands")),
    *OWN,
)
GROUPS: list[typer.Typer] = contributions("mobandits.command_groups")

app = typer.Typer(
    help="Multi-objective contextual bandits: policies, environments, experiments.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def describe_program(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Multi-objective contextual bandits: policies, environments, experiments."""
    if version:
        typer.echo(f"mobandits {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def guarded(command: Command) -> Callable[..., None]:
    """A command's function, whose interruption is one line and a status of its own."""

    # `wraps`, because the parser reads the signature and the docstring.
    @functools.wraps(command.function)
    def run(**parameters: Any) -> None:
        folder = parameters.get("out") if command.kept == RESUME else None
        mode = private_files() if command.is_private else contextlib.nullcontext()
        with mode, console.interruptible(command.kept.format(**parameters), folder):
            command.function(**parameters)

    return run


for command in COMMANDS:
    app.command(command.name, epilog=command.epilog)(guarded(command))

for group in GROUPS:
    app.add_typer(group)


def main() -> None:
    """The program.

    Exits with 0; with 2 after a mistake of the user's, with 75 where the same command may do later,
    with 130 after Ctrl-C; else with 1, as where a store is damaged.
    """
    warnings.showwarning = show_warning
    json_lines.begin_if_asked()
    try:
        status = call(sys.argv[1:])
    except KeyboardInterrupt:  # a second one, while the first was told
        status = console.INTERRUPTED

    if status == console.INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # A thread that is compiling cannot be stopped, and to wait for it may take a minute. What
        # is worth keeping is in files that appear whole, and the system lets go of their locks.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)

    sys.exit(status)


def call(arguments: Sequence[str]) -> int:
    """Run the program with these arguments, and return its exit status."""
    # Not standalone, since the parser would then exit by itself, and print errors in its own way.
    try:
        _check_installed(arguments)
        status = app(args=list(arguments), prog_name="mobandits", standalone_mode=False)
    except Exception as error:
        mistakes = mistakes_of(error)
        if not mistakes:
            raise

        for mistake in mistakes:
            console.complain("error", mistake)

        return _status_of(error)

    return status if isinstance(status, int) else 0


def _check_installed(arguments: Sequence[str]) -> None:
    """Refuse a command of a distribution that is not installed."""
    name = arguments[0] if arguments else ""
    known = {*(command.name for command in COMMANDS), *(group.info.name for group in GROUPS)}
    if name in OF_GUESTS and name not in known:
        raise missing_extra(f"mobandits {name}", OF_GUESTS[name])


def _with_advice(error: DamagedError) -> str:
    """The error, with the command that looks at all of a file."""
    from mobandits.logs.address import is_address  # noqa: PLC0415 - the help needs no logs

    if is_address(error.source):
        return str(error)

    return f"{error}; `mobandits check {error.source}` says what can be saved"


def _status_of(error: Exception) -> int:
    """The exit status after a mistake, or after damage that was met."""
    if isinstance(error, DamagedError):
        return DAMAGED

    # A mistake of a command is one of the parser's, whose cause is the library's.
    causes = (error, error.__cause__)
    may_pass = any(isinstance(cause, UnavailableError) for cause in causes)

    return TEMPORARY if may_pass else 2


def show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """A warning in one line."""
    # Without the place in the program, which is of no use to the user of a command.
    console.complain("warning", on_one_line(str(message)))


def mistakes_of(error: Exception) -> list[str]:
    """The user's mistakes that an error tells, each on one line; none: it is a defect."""
    if isinstance(error, typer.BadParameter) and error.param is None:  # a command's own
        text = error.message
    elif hasattr(error, "format_message"):  # the parser's
        text = error.format_message()
    elif isinstance(error, DamagedError):
        text = _with_advice(error)
    elif isinstance(error, MISTAKES):
        text = str(error)
    else:
        return []

    lines = text.splitlines() if isinstance(error, SEVERAL) else [text]

    return [on_one_line(line) for line in lines]


def on_one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())
