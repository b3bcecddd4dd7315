"""The command line: it parses, calls, and prints a user's mistake in one line.

Every command imports what it needs when it runs: `mobandits --help` loads neither a compiler nor
tables.
"""

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from mobandits import __version__
from mobandits.errors import (
    BackendError,
    EngineError,
    FolderError,
    LogError,
    MissingExtraError,
    SpecError,
)
from mobandits.support.progress import STARTING, TerminalBar

OnProgress = Callable[[int, int], None]
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
    typer.Option("--engine", help="What plays them: threads, or ray for processes or a cluster."),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        help="With ray: a cluster's host:port, or auto for this machine's; else one is started.",
    ),
]

DATES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]
TARGETS = ("uniform", "logging", "arm:NAME")  # policies that learn nothing
# Of other errors the traceback is worth more than one line.
MISTAKES = (BackendError, EngineError, FolderError, LogError, MissingExtraError, SpecError)
INTERRUPTED = 130  # the parser's status where a command did not handle the interruption itself

app = typer.Typer(
    help="Multi-objective contextual bandits: policies, environments, experiments.",
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """The program: exits with 0, with 2 after a mistake of the user's, else with 1."""
    warnings.showwarning = show_warning
    sys.exit(call(sys.argv[1:]))


def call(arguments: Sequence[str]) -> int:
    """Run the program with these arguments, and return its exit status."""
    # Not standalone, since the parser would then exit by itself, and print errors in its own way.
    try:
        status = app(args=list(arguments), prog_name="mobandits", standalone_mode=False)
    except Exception as error:
        mistake = one_line(error)
        if mistake is None:
            raise

        typer.echo(f"error: {mistake}", err=True)
        return 2

    if status == INTERRUPTED:
        typer.echo("interrupted", err=True)
        return 1

    return status if isinstance(status, int) else 0


def show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """A warning in one line."""
    # Without the place in the program, which is of no use to the user of a command.
    typer.echo(f"warning: {on_one_line(str(message))}", err=True)


def one_line(error: Exception) -> str | None:
    """The message of an error that is the user's mistake, in one line; else None."""
    if hasattr(error, "format_message"):  # the parser's own
        return on_one_line(error.format_message())
    return on_one_line(str(error)) if isinstance(error, MISTAKES) else None


def on_one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


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


@app.command()
def demo(
    out: Out,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, in seconds.")] = False,
    workers: Workers = None,
) -> None:
    """Route prompts to language models, on real data: figures, a table, and one HTML page."""
    from mobandits.demo import demo as experiment  # noqa: PLC0415

    with resumable("demo") as progress:
        page = experiment.run(out, quick=quick, workers=workers, progress=progress)

    typer.echo(page)


@app.command("list")
def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="policies, environments, metrics, orders, features, experiments or datasets."
        ),
    ],
) -> None:
    """Print names as other commands and SPEC.toml take them, with a line on each."""
    from mobandits.spec import KINDS, catalogue  # noqa: PLC0415

    check_choice("KIND", kind, KINDS)
    rows = [(name, line_on(member)) for name, member in sorted(catalogue(kind).items())]
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


@app.command("run")
def run_specification(
    spec: Annotated[
        Path, typer.Argument(help="A TOML file; examples/linear.toml explains its keys.")
    ],
    out: Out,
    rounds: Annotated[int | None, typer.Option(min=1, help="In place of the file's.")] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="In place of the file's; more may be added later.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="In place of the file's.")] = None,
    workers: Together = None,
    engine: Engine = "threads",
    address: Address = None,
) -> None:
    """Run the simulation of a TOML file: a table, a manifest, and the report."""
    from mobandits.simulation.run import run_plan  # noqa: PLC0415
    from mobandits.spec import load  # noqa: PLC0415

    check_engine_options(engine, address)
    plan = load(spec).plan(rounds=rounds, trials=trials, seed=seed)
    with resumable(spec.stem) as progress:
        results = run_plan(
            plan, out=out, workers=workers, engine=engine, address=address, progress=progress
        )

    typer.echo(f"{out / 'results.parquet'}: {len(results.table)} rows")
    write_report(out)


@app.command("reproduce")
def reproduce_papers(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="Such as molts2025/fig2, molts2025, or all."),
    ],
    out: Out,
    rounds: Annotated[
        int | None, typer.Option(min=2, help="In place of the papers' horizons.")
    ] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="In place of the papers' repetitions.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything.")] = 0,
    workers: Together = None,
    engine: Engine = "threads",
    address: Address = None,
) -> None:
    """Run the experiments of the papers: tables, figures, a verdict per claim, and a page."""
    from mobandits.papers.catalogue import find  # noqa: PLC0415
    from mobandits.papers.reproduce import reproduce  # noqa: PLC0415

    check_engine_options(engine, address)
    # Before anything is written: a mistake in the last name is found at once.
    with parameters():
        find(ids)

    with resumable("reproduce") as progress:
        page = reproduce(
            ids,
            out,
            rounds=rounds,
            trials=trials,
            seed=seed,
            workers=workers,
            engine=engine,
            address=address,
            progress=progress,
        )

    typer.echo(page)


@app.command()
def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", help="Folders of finished runs, of evaluate, or of check-theorems."
        ),
    ],
) -> None:
    """Draw the figures and write the page again, from the tables."""
    from mobandits import report as page  # noqa: PLC0415

    # All are looked at before the first is drawn: a mistake in the last name is told at once.
    for folder in folders:
        page.check(folder)

    for folder in folders:
        write_report(folder)


@app.command("check-theorems")
def check_theorems_of(
    paper: Annotated[str, typer.Argument(help="The key of a paper, such as molts2025.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    runs: Annotated[int, typer.Option(min=1, help="Independent runs.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of all runs together.")] = 0,
    workers: Workers = None,
) -> None:
    """Count how often the events of a paper's theorems fail, against their promise, and test what follows from them."""
    from mobandits.papers.check_theorems import PAPERS, check_theorems  # noqa: PLC0415
    from mobandits.papers.pages.write import write_theorems  # noqa: PLC0415
    from mobandits.papers.protocol.files import (  # noqa: PLC0415
        read_checks,
        theorem_checks,
        write_checks,
    )
    from mobandits.simulation.files import locked  # noqa: PLC0415

    check_choice("PAPER", paper, list(PAPERS))
    with locked(out), progress_of(f"check-theorems {paper}", "runs") as progress:
        report = check_theorems(paper, runs=runs, seed=seed, workers=workers, progress=progress)

    for count in report.counts:
        typer.echo(count)

    checks = theorem_checks(paper, report, runs=runs, seed=seed)
    papers_before = read_checks(out)
    typer.echo(write_checks(out, checks))
    write_theorems(out, {**papers_before, paper: checks})
    if not report.holds:
        typer.echo(
            "something is not as the theory says: this is a mistake in the program", err=True
        )
        raise typer.Exit(1)


@app.command("evaluate")
def evaluate_policies(
    log: Annotated[
        Path, typer.Argument(metavar="LOG", help="Logged decisions, with their propensities.")
    ],
    policies: Annotated[
        list[str],
        typer.Option(
            "--policy",
            help="uniform, logging, arm:NAME, or such as mol-ucb:scale=0.3. NAME=SPEC gives it a "
            "name in tables and figures. Repeat for more.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    columns: Annotated[
        list[str],
        typer.Option(
            "--column",
            help="Of a .csv file: arm=, rewards=, context=, propensity=, minimise=. "
            "context=age,city:category,prompt:text encodes columns of several kinds.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    estimators: Annotated[
        list[str],
        typer.Option(
            "--estimator", help="ips, snips, dr, dm, switch-dr or replay. Repeat for more."
        ),
    ] = ["ips", "snips", "dr"],  # noqa: B006 - the parser copies it
    level: Annotated[float, typer.Option(help="Of the joint confidence regions.")] = 0.95,
    folds: Annotated[
        int, typer.Option(min=2, help="Parts of the log; none judges what it taught.")
    ] = 5,
    clip: Annotated[float | None, typer.Option(help="The largest weight; by default any.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything.")] = 0,
    deploy: Annotated[
        str | None,
        typer.Option(
            help="The name of a policy: makes an agent that has learned the log, in the store "
            "agent.db of the folder."
        ),
    ] = None,
    maps: Annotated[
        list[str],
        typer.Option(
            "--map",
            help="A kind of feature maps: what it gains over linear rewards on held-out rounds. "
            "crosses, bins, fourier, net or trees. Repeat for more.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
) -> None:
    """Estimate the values of policies from a log, with confidence regions and a page."""
    from mobandits.evaluation.command import evaluate_file, is_plain, named_specs  # noqa: PLC0415
    from mobandits.features.fitting import FITTERS  # noqa: PLC0415
    from mobandits.features.log_gains import gains_by_map  # noqa: PLC0415
    from mobandits.simulation.files import locked  # noqa: PLC0415
    from mobandits.spec import catalogue, recipe_named  # noqa: PLC0415

    try:
        specs = named_specs(policies)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error

    # Names first, since to read a log may take minutes.
    for spec in specs.values():
        kind = "arm:NAME" if spec.startswith("arm:") else spec.partition(":")[0]
        check_choice("--policy", kind, [*TARGETS, *catalogue("policies")])

    options: Any = {
        "columns": columns,
        "estimators": estimators,
        "level": level,
        "folds": folds,
        "clip": clip,
        "seed": seed,
        "deploy": deploy,
    }
    for kind in maps:
        check_choice("--map", kind, list(FITTERS))

    kinds: Any = maps  # which are kinds, now that they are checked

    def feature_gains(feedback: Any) -> Any:
        # The maps of the policies are measured unasked: whoever evaluates one should know whether
        # it is worth its rounds.
        recipes = [recipe_named(spec) for spec in specs.values() if not is_plain(spec)]
        return gains_by_map(feedback, kinds, recipes, folds=folds, seed=seed)

    options["feature_gains"] = feature_gains
    with progress_of("evaluate", "policies") as progress, parameters():
        page = evaluate_file(
            log, out, policies, recipe_named, **options, hold=locked, progress=progress
        )

    typer.echo(page)


@app.command("tune")
def tune_policies(
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG", help="Logged decisions, with their propensities, in the order of time."
        ),
    ],
    policies: Annotated[
        list[str],
        typer.Option(
            "--policy",
            help="The first is the one to beat. As in evaluate; repeat for more.",
        ),
    ],
    weights: Annotated[
        list[str],
        typer.Option(
            "--weight",
            help="OBJECTIVE=NUMBER, in the sum that decides; repeat for more. Without any, several "
            "objectives are compared by the Pareto order.",
        ),
    ] = [],  # noqa: B006 - the parser copies it
    margin: Annotated[
        float, typer.Option(min=0.0, help="Without --weight: the loss that does not matter.")
    ] = 0.0,
    columns: Annotated[
        list[str], typer.Option("--column", help="Of a .csv file, as in evaluate.")
    ] = [],  # noqa: B006 - the parser copies it
    level: Annotated[float, typer.Option(help="1 - the probability of a wrong claim.")] = 0.95,
    blocks: Annotated[
        int, typer.Option(min=2, help="Parts of the log; each is valued on what came before it.")
    ] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Of everything.")] = 0,
) -> None:
    """Say which policy is surely better than the first on a log, or that nothing is."""
    from mobandits.evaluation.tune_command import result_lines, tune_file  # noqa: PLC0415
    from mobandits.spec import recipe_named  # noqa: PLC0415

    options: Any = {
        "weights": weights,
        "margin": margin,
        "columns": columns,
        "level": level,
        "blocks": blocks,
        "seed": seed,
    }
    with progress_of("tune", "candidates") as progress, parameters():
        tuned = tune_file(log, policies, recipe_named, **options, progress=progress)

    for line in result_lines(tuned):
        typer.echo(line)


@app.command("import")
def import_journal_as_store(
    folder: Annotated[Path, typer.Argument(help="The folder of a journal of version 0.1.")],
    store: Annotated[Path, typer.Argument(help="The file to make.")],
) -> None:
    """Make a store of the journal that an agent of version 0.1 wrote; the journal stays."""
    from mobandits.logs import import_journal  # noqa: PLC0415

    count = import_journal(folder, store)
    typer.echo(f"{store}: {count} events")


@app.command("retune")
def retune_agent(
    store: Annotated[Path, typer.Argument(help="The log of an agent, a store.")],
    policy: Annotated[
        str | None, typer.Option("--policy", help="The new recipe, such as mol-ucb:scale=0.3.")
    ] = None,
    pending: Annotated[
        int | None, typer.Option(min=1, help="How many decisions may wait for rewards.")
    ] = None,
    max_age: Annotated[
        float | None, typer.Option(help="Seconds after which a waiting decision is dropped.")
    ] = None,
    propensity: Annotated[str | None, typer.Option(help="exact, sampled or none.")] = None,
    agent: Annotated[str, typer.Option(help="Which, in a store of several.")] = "agent",
) -> None:
    """Give the agent of a store another recipe, or other limits; no process may use it."""
    from mobandits.agent.inputs import UNCHANGED  # noqa: PLC0415
    from mobandits.agent.replaying import opened  # noqa: PLC0415
    from mobandits.agent.retuning import retune  # noqa: PLC0415
    from mobandits.spec import recipe_named  # noqa: PLC0415
    from mobandits.support.naming import short_repr  # noqa: PLC0415

    with parameters():
        recipe = None if policy is None else recipe_named(policy)
        core = opened(store, agent)
        writer = core.writer
        assert writer is not None  # noqa: S101 - it was opened from its log
        try:
            age = UNCHANGED if max_age is None else max_age
            retune(core, recipe, pending, age, propensity)
        finally:
            writer.close(core)

    typer.echo(f"{store}: {short_repr(core.recipe)}")


@app.command("export")
def export_decisions(
    store: Annotated[Path, typer.Argument(help="The file of an agent's log.")],
    out: Annotated[Path, typer.Option("--out", help="The file to write; it must not exist.")],
    file_format: Annotated[
        str, typer.Option("--format", help="parquet, dsjson or csv.")
    ] = "parquet",
    before: Annotated[
        datetime | None,
        typer.Option(help="Only decisions before this date or time, of UTC.", formats=DATES),
    ] = None,
    delete: Annotated[
        bool,
        typer.Option("--delete", help="Delete from the store what was written, but what waits."),
    ] = False,
    agent: Annotated[
        str | None, typer.Option(help="Whose decisions, where the store has several agents.")
    ] = None,
    objective: Annotated[
        str | None, typer.Option(help="Of dsjson: whose negated reward is the cost.")
    ] = None,
) -> None:
    """Write logged decisions with their rewards as Parquet, dsjson or CSV, and shorten the log."""
    from mobandits.logs import export  # noqa: PLC0415

    check_choice("--format", file_format, ["parquet", "dsjson", "csv"])
    with parameters():
        count = export(
            store,
            out,
            file_format,  # type: ignore[arg-type]
            before,
            delete,
            agent=agent,
            objective=objective,
        )
    typer.echo(f"{out}: {count} decisions{', deleted from ' + str(store) if delete else ''}")


@app.command("monitor")
def monitor_agent(
    store: Annotated[Path, typer.Argument(help="The file of an agent's log; it is only read.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    window: Annotated[
        int | None,
        typer.Option(min=2, help="Decisions per window; by default, up to 40 windows."),
    ] = None,
    window_by: Annotated[
        str | None, typer.Option(help="day or hour, of UTC, in place of a number.")
    ] = None,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration/--no-calibration",
            help="Replay the log to compare what was believed with what came.",
        ),
    ] = True,
    agent: Annotated[
        str | None, typer.Option(help="Whose history, where the store has several agents.")
    ] = None,
) -> None:
    """Write a page of an agent's history: arms, rewards, drift, calibration, what waits."""
    from mobandits.monitoring import write_page  # noqa: PLC0415
    from mobandits.simulation.files import locked  # noqa: PLC0415

    if window_by is not None:
        check_choice("--window-by", window_by, ["day", "hour"])

    with parameters():
        page = write_page(
            store,
            out,
            window=window,
            window_by=window_by,
            calibration=calibration,
            agent=agent,
            hold=locked,
        )

    typer.echo(page)


@app.command()
def warm(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[POLICY]...", help="By default, all.")
    ] = None,
    agents: Annotated[
        bool, typer.Option("--agents", help="What an agent calls, instead of simulations.")
    ] = False,
    orders: Annotated[
        list[str] | None,
        typer.Option(
            "--order",
            help="With --agents, a preference that may be set, such as lexicographic; repeat for "
            "more. By default, all of the built-in orders.",
        ),
    ] = None,
) -> None:
    """Compile built-in policies and keep them compiled, so that later runs start at once.

    With --agents, also for every preference that may be set: many combinations, so name policies
    and orders.

    For images and CI: run it once while an image is built, with NUMBA_CACHE_DIR set to a folder
    inside the image.
    """
    from mobandits.precompile import precompile_agent, precompile_simulation  # noqa: PLC0415
    from mobandits.spec import catalogue  # noqa: PLC0415

    policies = catalogue("policies")
    preferences = catalogue("orders")
    for name in names or ():
        check_choice("POLICY", name, list(policies))

    for order in orders or ():
        check_choice("--order", order, list(preferences))

    if orders and not agents:
        raise typer.BadParameter(
            "--order must come with --agents: simulations play the orders of their policies"
        )

    # On stderr, as all progress: stdout is for what a command makes.
    for name in sorted(names or policies):
        recipe = policies[name]
        outcome = precompile_agent(recipe) if agents else precompile_simulation(recipe)
        typer.echo(f"{name}: {outcome}", err=True)
        if not agents or outcome != "compiled":
            continue

        for order in sorted(orders or preferences):
            outcome = precompile_agent(recipe, preferences[order])
            # Nothing is to be told of a policy that takes no preference.
            if outcome:
                typer.echo(f"{name}, {order}: {outcome}", err=True)


@contextlib.contextmanager
def parameters() -> Iterator[None]:
    """A context in which a `ValueError` is about a parameter, and becomes one line."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@contextlib.contextmanager
def resumable(what: str) -> Iterator[OnProgress]:
    """Progress on stderr, and after an interruption a line on how to go on."""
    try:
        with progress_of(what) as progress:
            yield progress
    except KeyboardInterrupt:
        typer.echo(
            "interrupted: run the same command again to resume; finished trials are kept", err=True
        )
        raise typer.Exit(1) from None


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


def write_report(folder: Path) -> None:
    """The figures and the page of a finished run."""
    from mobandits import report as page  # noqa: PLC0415

    typer.echo(page.write(folder))


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
