"""The command line: parses, calls, and says in one line what a user got wrong."""

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mobandits import __version__

Progress = Callable[[int, int], None]
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

FIRST = (
    "starting; policies that were never played are compiled first, about a minute for all of them"
)
TARGETS = ("uniform", "logging", "arm:NAME")  # policies that learn nothing
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
    try:
        status = app(args=list(arguments), prog_name="mobandits", standalone_mode=False)
    except Exception as error:
        said = mistake(error)
        if said is None:
            raise
        typer.echo(f"error: {said}", err=True)
        return 2
    if status == INTERRUPTED:
        typer.echo("interrupted", err=True)
        return 1
    return status if isinstance(status, int) else 0


def show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """A warning in one line: where in the program it was given is of no use to who called a command."""
    typer.echo(f"warning: {' '.join(str(message).split())}", err=True)


def mistake(error: Exception) -> str | None:
    """The one line to say where an error is the user's mistake, else None."""
    if hasattr(error, "format_message"):  # the parser's own
        return " ".join(error.format_message().split())
    from mobandits.compiling import BackendError  # noqa: PLC0415

    if isinstance(error, BackendError):  # nothing that compiles can be imported then
        return str(error)
    from mobandits.simulation.files import FolderError  # noqa: PLC0415
    from mobandits.simulation.ray_engine import EngineError  # noqa: PLC0415
    from mobandits.spec import SpecError  # noqa: PLC0415
    from mobandits.support.optional import MissingExtraError  # noqa: PLC0415 - not needed where nothing fails

    theirs = SpecError | FolderError | EngineError | MissingExtraError
    return " ".join(str(error).split()) if isinstance(error, theirs) else None


@app.callback(invoke_without_command=True)
def start(
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
    from mobandits.demo import demo as experiment  # noqa: PLC0415 - every command loads what it needs

    with resumable("demo") as progress:
        page = experiment.run(out, quick=quick, workers=workers, progress=progress)
    typer.echo(page)


@app.command("list")
def list_names(
    kind: Annotated[
        str,
        typer.Argument(help="policies, environments, metrics, orders, experiments or datasets."),
    ],
) -> None:
    """Print names as other commands and SPEC.toml take them, with a line on each."""
    from mobandits.spec import KINDS, catalogue  # noqa: PLC0415

    check_choice("KIND", kind, KINDS)
    rows = [(name, line_on(member)) for name, member in sorted(catalogue(kind).items())]
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
    """A line on what a name stands for: an experiment's title, else the first line of the docstring."""
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

    check_engine(engine, address)
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

    check_engine(engine, address)
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
        list[Path], typer.Argument(metavar="DIR...", help="Folders of finished runs.")
    ],
) -> None:
    """Draw the figures and write the page again, from the tables."""
    from mobandits.simulation.folder import read_folder  # noqa: PLC0415

    for folder in folders:
        read_folder(folder)  # refuses what is not a finished run
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
    from mobandits.figures.style import save  # noqa: PLC0415
    from mobandits.papers.check_theorems import PAPERS, check_theorems  # noqa: PLC0415
    from mobandits.papers.pages.regret_bounds import draw_bounds  # noqa: PLC0415
    from mobandits.papers.protocol.files import curves, write  # noqa: PLC0415
    from mobandits.simulation.files import locked  # noqa: PLC0415

    check_choice("PAPER", paper, list(PAPERS))
    with locked(out), progress_of(f"check-theorems {paper}", "runs") as progress:
        report = check_theorems(paper, runs=runs, seed=seed, workers=workers, progress=progress)
    for count in report.counts:
        typer.echo(count)
    typer.echo(write(out, paper, report, runs=runs, seed=seed))
    if report.curves:
        save(draw_bounds(curves(report)), out / "figures", paper)
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
            help="uniform, logging, arm:NAME, or such as mol-ucb:scale=0.3. NAME=SPEC gives it a name in tables and "
            "figures. Repeat for more.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    columns: Annotated[
        list[str],
        typer.Option(
            "--column", help="Of a .csv file: arm=, rewards=, context=, propensity=, minimise=."
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
) -> None:
    """Estimate from a log what policies would have brought: values with joint confidence regions, warnings, a page."""
    from mobandits.evaluation.command import evaluate_file, named_specs  # noqa: PLC0415
    from mobandits.simulation.files import locked  # noqa: PLC0415
    from mobandits.spec import catalogue, recipe_named  # noqa: PLC0415

    try:
        specs = named_specs(policies)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
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
    }
    with progress_of("evaluate", "policies") as progress, parameters():
        page = evaluate_file(
            log, out, policies, recipe_named, **options, hold=locked, progress=progress
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
            help="With --agents, a preference that may be set, such as lexicographic; repeat for more. By default, "
            "all of the built-in orders.",
        ),
    ] = None,
) -> None:
    """Compile built-in policies and keep them compiled, so that later runs start at once.

    With --agents, also for every preference that may be set: many combinations, so name policies and orders.

    For images and CI: run it once while an image is built, with NUMBA_CACHE_DIR set to a folder inside the image.
    """
    from mobandits.agent.precompile import precompile_agents  # noqa: PLC0415
    from mobandits.simulation.precompile import warm_up  # noqa: PLC0415
    from mobandits.spec import catalogue  # noqa: PLC0415

    known = catalogue("policies")
    known_orders = catalogue("orders")
    for name in names or ():
        check_choice("POLICY", name, list(known))
    for order in orders or ():
        check_choice("--order", order, list(known_orders))
    if orders and not agents:
        raise typer.BadParameter(
            "--order must come with --agents: simulations play the orders of their policies"
        )
    for name in sorted(names or known):
        outcome = (precompile_agents if agents else warm_up)(known[name])
        typer.echo(f"{name}: {outcome}", err=True)
        for order in sorted(orders or known_orders) if agents and outcome == "compiled" else ():
            if preferred := precompile_agents(known[name], known_orders[order]):
                typer.echo(f"{name}, {order}: {preferred}", err=True)


@contextlib.contextmanager
def parameters() -> Iterator[None]:
    """A `ValueError` is about what the user gave: the parser says it in one line."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@contextlib.contextmanager
def resumable(what: str) -> Iterator[Progress]:
    """Show progress on stderr, and say how to go on after an interruption."""
    try:
        with progress_of(what) as progress:
            yield progress
    except KeyboardInterrupt:
        typer.echo(
            "interrupted: run the same command again to resume; finished trials are kept", err=True
        )
        raise typer.Exit(1) from None


def progress_of(what: str, unit: str = "rounds") -> contextlib.AbstractContextManager[Progress]:
    """Progress on stderr, a bar on a terminal and lines elsewhere."""
    if sys.stderr.isatty():
        return bar(what)
    return contextlib.nullcontext(lines(what, unit))


@contextlib.contextmanager
def bar(what: str) -> Iterator[Progress]:
    """A progress bar on stderr."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(
            task, completed=done, total=total, description=what if done else f"{what}: {FIRST}"
        )


def lines(what: str, unit: str = "rounds") -> Progress:
    """A line on stderr at the start and after every tenth of the work."""
    tenth = -1

    def progress(done: int, total: int) -> None:
        nonlocal tenth
        if 10 * done // total > tenth:
            tenth = 10 * done // total
            typer.echo(f"{what}: {f'{done} of {total} {unit}' if done else FIRST}", err=True)

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


def check_engine(engine: str, address: str | None) -> None:
    """Refuse an engine that cannot work here."""
    from mobandits.simulation import run  # noqa: PLC0415

    check_choice("--engine", engine, run.ENGINES)
    try:
        run.check_engine(engine, address)
    except ValueError as error:
        raise typer.BadParameter(f"--{error}") from error
