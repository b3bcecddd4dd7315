"""The commands that play: `run`, `demo`, `reproduce`, `report` and `check-theorems`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mobandits.cli import completion, console
from mobandits.cli.options import Address, Engine, Out, Together, Workers


def demo(
    out: Out,
    quick: Annotated[bool, typer.Option("--quick", help="Four logs in place of twenty.")] = False,
) -> None:
    """Route prompts to language models, on real data: a figure, a table, and one HTML page."""
    from mobandits.demo import demo as experiment  # noqa: PLC0415

    if experiment.is_finished(out, quick=quick):
        console.say_finished("the demonstration", out)
        return

    with console.progress_of("demo") as progress:
        page = experiment.run(out, quick=quick, progress=progress)

    typer.echo(page)


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
    from mobandits.comparison.findings import sentences  # noqa: PLC0415
    from mobandits.simulation.finished import is_finished_run  # noqa: PLC0415
    from mobandits.simulation.run import run_plan  # noqa: PLC0415
    from mobandits.spec import load  # noqa: PLC0415
    from mobandits.support.naming import quantity  # noqa: PLC0415

    console.check_engine_options(engine, address)
    plan = load(spec).plan(rounds=rounds, trials=trials, seed=seed)
    if is_finished_run(out, plan.specification()):
        size = f"{quantity(plan.trials, 'trial')} of {quantity(plan.setup.rounds, 'round')}"
        console.say_finished(size, out)
        return

    with console.progress_of(spec.stem) as progress:
        results = run_plan(
            plan, out=out, workers=workers, engine=engine, address=address, progress=progress
        )

    typer.echo(f"{out / 'results.parquet'}: {len(results.table)} rows")
    for sentence in sentences(results):
        typer.echo(sentence)

    console.write_report(out)


def reproduce_papers(
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...",
            help="Such as molts2025/fig2, molts2025, or all.",
            autocompletion=completion.experiments,
        ),
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
    from mobandits.papers.catalogue import find  # noqa: PLC0415
    from mobandits.papers.experiment import RunOptions  # noqa: PLC0415
    from mobandits.papers.finished import are_finished  # noqa: PLC0415
    from mobandits.papers.reproduce import reproduce  # noqa: PLC0415
    from mobandits.support.naming import quantity  # noqa: PLC0415

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
        page = reproduce(
            ids,
            out,
            rounds=rounds,
            trials=trials,
            seed=seed,
            workers=workers,
            engine=engine,
            address=address,
            data=files,
            progress=progress,
        )

    typer.echo(page)


def _routing_files(data: tuple[Path, Path] | None, judges: str, quality: str) -> Any:
    """The files of `--data`, read as its other options say; None where there are none."""
    from mobandits.papers.paretobandit2026.routing import RoutingFiles  # noqa: PLC0415
    from mobandits.spec.building import order_named  # noqa: PLC0415

    if data is None:
        return None

    order = quality if quality == "mean" else order_named(quality, "--quality")
    columns = tuple(column.strip() for column in judges.split(","))

    return RoutingFiles(*data, columns, order)


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", help="Folders of finished runs, of evaluate, or of check-theorems."
        ),
    ],
    latex: Annotated[
        bool, typer.Option("--latex", help="Also write tables/results.tex, for booktabs.")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Also write tables/results.csv.")] = False,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Also write the figures as PDF, 3.25 inches wide.")
    ] = False,
) -> None:
    """Draw the figures and write the page again, from the tables."""
    from mobandits import report as page  # noqa: PLC0415

    asked = {"latex": latex, "csv": csv, "pdf": pdf}
    for_papers = {name: True for name, is_asked in asked.items() if is_asked}
    # All are looked at before the first is drawn: a mistake in the last name is told at once.
    for folder in folders:
        page.check(folder, for_papers=bool(for_papers))

    for folder in folders:
        console.write_report(folder, **for_papers)


def cite(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Folders of finished runs, or names of policies, environments, metrics and data "
            "sets.",
        ),
    ],
) -> None:
    """Print BibTeX of what runs used, or of what names stand for, and of this library."""
    from mobandits.references import bibtex, citations, citations_of_names  # noqa: PLC0415
    from mobandits.simulation.folder import read_folder  # noqa: PLC0415

    found = []
    for name in names:
        # A folder of the same name as a policy would be a folder: paths are what exists.
        if Path(name).exists():
            _, manifest = read_folder(Path(name))
            found += citations(manifest["specification"])
        else:
            with console.parameters():
                found += citations_of_names([name])

    typer.echo(bibtex(dict.fromkeys(found)), nl=False)


def check_theorems_of(
    paper: Annotated[
        str,
        typer.Argument(
            help="The key of a paper, such as molts2025.", autocompletion=completion.papers
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
    runs: Annotated[int, typer.Option(min=1, help="Independent runs.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of all runs together.")] = 0,
    workers: Workers = None,
) -> None:
    """Count how often the events of a paper's theorems fail, and test what follows from them."""
    from mobandits.papers.check_theorems import PAPERS, check_theorems  # noqa: PLC0415
    from mobandits.papers.pages.write import write_theorems  # noqa: PLC0415
    from mobandits.papers.protocol.files import (  # noqa: PLC0415
        read_checks,
        theorem_checks,
        write_checks,
    )
    from mobandits.simulation.files import locked  # noqa: PLC0415
    from mobandits.support.naming import quantity  # noqa: PLC0415

    console.check_choice("PAPER", paper, list(PAPERS))
    with locked(out), console.progress_of(f"check-theorems {paper}", "runs") as progress:
        report = check_theorems(paper, runs=runs, seed=seed, workers=workers, progress=progress)

    for count in report.counts:
        typer.echo(count)

    checks = theorem_checks(paper, report, runs=runs, seed=seed)
    papers_before = read_checks(out)
    write_checks(out, checks)
    page = write_theorems(out, {**papers_before, paper: checks})
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
