"""Commands that this distribution adds to the program: `demo`, `reproduce` and `check-theorems`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mobandits.cli import completion, console
from mobandits.cli.command import AGAIN, RESUME, Command
from mobandits.cli.options import Address, Engine, Out, Together, Workers

PACKAGE = Path(__file__).parent


def papers_with_checks(incomplete: str) -> list[str]:
    """Keys of papers that have theorem checks."""
    return completion.starting(_papers_with("checks"), incomplete)


def experiments(incomplete: str) -> list[str]:
    """Papers, and after a slash their experiments."""
    # Experiments are known by their modules only, which take a second to load.
    if "/" in incomplete:
        from mobandits_papers.catalogue import EXPERIMENTS  # noqa: PLC0415

        return completion.starting(EXPERIMENTS, incomplete)

    return completion.starting({*_papers_with("experiments"), "all", "cross"}, incomplete)


def _papers_with(module: str) -> set[str]:
    """The papers that have a module."""
    return {file.parent.name for file in PACKAGE.glob(f"*/{module}.py")}


def demo(
    out: Out,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use four logs instead of twenty.")
    ] = False,
) -> None:
    """Route prompts to language models, on real data: a figure, a table, and one HTML page."""
    from mobandits_papers.demo import demo as experiment  # noqa: PLC0415

    if experiment.is_finished(out, quick=quick):
        console.say_finished("the demonstration", out)
        return

    with console.progress_of("demo") as progress:
        page = experiment.run(out, quick=quick, progress=progress)

    typer.echo(page)


def reproduce_papers(
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...",
            help="Experiments, such as molts2025/fig2, molts2025, or all.",
            autocompletion=experiments,
        ),
    ],
    out: Out,
    rounds: Annotated[
        int | None, typer.Option(min=2, help="Override the papers' numbers of rounds.")
    ] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Override the papers' numbers of trials.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    workers: Together = None,
    engine: Engine = "threads",
    address: Address = None,
    data: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="FILE1 FILE2",
            help="JSONL files of prompts with the answers of two or more models, to learn and to "
            "play, in place of those of paretobandit2026.",
        ),
    ] = None,
    judges: Annotated[
        str, typer.Option(help="With --data, the columns that grade an answer, as a,b.")
    ] = "reward",
    quality: Annotated[
        str,
        typer.Option(
            help="With --data, mean of the judges, or an order over them and then the cost, such "
            "as weighted:weights=[2,1,0]."
        ),
    ] = "mean",
) -> None:
    """Run the experiments of the papers: tables, figures, a verdict per claim, and a page."""
    from mobandits.support.naming import quantity  # noqa: PLC0415
    from mobandits_papers.catalogue import find  # noqa: PLC0415
    from mobandits_papers.experiment import RunOptions  # noqa: PLC0415
    from mobandits_papers.reproduce import are_finished, reproduce  # noqa: PLC0415

    console.check_engine_options(engine, address)
    # Before anything is written: a mistake in the last name is found at once.
    with console.parameters():
        files = _routing_files(data, judges, quality)
        chosen = find(ids, files)

    options = RunOptions(rounds, trials, seed, workers, engine, address)
    if are_finished(chosen, out, options):
        console.say_finished(quantity(len(chosen), "experiment"), out)
        return

    with console.progress_of("reproduce") as progress:
        page = reproduce(ids, out, data=files, progress=progress, **options._asdict())

    typer.echo(page)


def _routing_files(data: tuple[Path, Path] | None, judges: str, quality: str) -> Any:
    """The files of `--data`, read as its other options say; None where there are none."""
    from mobandits.spec.building import order_named  # noqa: PLC0415
    from mobandits_papers.paretobandit2026.routing import RoutingFiles  # noqa: PLC0415

    if data is None:
        return None

    order = quality if quality == "mean" else order_named(quality, "--quality")
    columns = tuple(column.strip() for column in judges.split(","))

    return RoutingFiles(*data, columns, order)


def check_theorems_of(
    paper: Annotated[
        str,
        typer.Argument(
            help="The key of a paper, such as molts2025.", autocompletion=papers_with_checks
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    runs: Annotated[int, typer.Option(min=1, help="Number of independent runs.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Confidence level of all runs together.")] = 0,
    workers: Workers = None,
) -> None:
    """Count how often the events of a paper's theorems fail, and test their consequences."""
    from mobandits.figures.page import write_page  # noqa: PLC0415
    from mobandits.support.files import locked  # noqa: PLC0415
    from mobandits.support.naming import quantity  # noqa: PLC0415
    from mobandits_papers.check_theorems import PAPERS, check_theorems  # noqa: PLC0415
    from mobandits_papers.pages.theorems_page import theorems_page  # noqa: PLC0415
    from mobandits_papers.protocol.files import (  # noqa: PLC0415
        read_checks,
        theorem_checks,
        write_checks,
    )

    console.check_choice("PAPER", paper, list(PAPERS))
    with locked(out), console.progress_of(f"check-theorems {paper}", "runs") as progress:
        report = check_theorems(paper, runs=runs, seed=seed, workers=workers, progress=progress)

    for count in report.counts:
        typer.echo(count)

    checks = theorem_checks(paper, report, runs=runs, seed=seed)
    papers_before = read_checks(out)
    write_checks(out, checks)
    page = write_page(out, theorems_page(out, {**papers_before, paper: checks}))
    statements = quantity(len(report.counts), "statement")
    tested = f"{paper}: {statements} in {quantity(runs, 'run')}"
    if report.holds:
        typer.echo(f"{tested}, and everything is as the theory says")
    else:
        verdict = "something is not as the theory says: this is a mistake in the program"
        typer.echo(f"{tested}, and {verdict}", err=True)

    typer.echo(page)
    if not report.holds:
        raise typer.Exit(1)


COMMANDS = (
    Command("demo", demo, RESUME, ("mobandits demo --out runs/demo --quick",)),
    Command(
        "reproduce",
        reproduce_papers,
        RESUME,
        (
            "mobandits reproduce molts2025/fig2 --out runs/fig2",
            "mobandits reproduce moslb2024/fig4 --out runs/small --rounds 300 --trials 2",
        ),
    ),
    Command(
        "check-theorems",
        check_theorems_of,
        f"the runs of {{paper}} are lost, and other papers in {{out}} are kept; {AGAIN}",
        ("mobandits check-theorems mocmab2018 --out runs/theorems --runs 20",),
    ),
)
