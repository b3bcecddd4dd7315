"""Commands on simulations: `run`, `report`, `compare` and `cite`."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from mobandits.cli import console
from mobandits.cli.options import Address, Engine, Folder, Out, Together


def run_specification(
    spec: Annotated[
        Path, typer.Argument(help="A TOML file; examples/linear.toml explains its keys.")
    ],
    out: Out,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Override the value in the file.")
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(min=1, help="Override the trials in the file; more may be added later."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Override the value in the file.")] = None,
    workers: Together = None,
    engine: Engine = "threads",
    address: Address = None,
    live: Annotated[
        bool,
        typer.Option("--live", help="Show the run on the page of its report while it goes on."),
    ] = False,
) -> None:
    """Run the simulation of a TOML file: a table, a manifest, and the report."""
    from mobandits.comparison.findings import findings_of, findings_text  # noqa: PLC0415
    from mobandits.metrics.traits import describing  # noqa: PLC0415
    from mobandits.simulation.folder import is_finished_run  # noqa: PLC0415
    from mobandits.simulation.run import run_plan  # noqa: PLC0415
    from mobandits.spec import load  # noqa: PLC0415
    from mobandits.support.naming import quantity  # noqa: PLC0415

    console.check_engine_options(engine, address)
    plan = load(spec).plan(rounds=rounds, trials=trials, seed=seed)
    if is_finished_run(out, plan.specification()):
        size = f"{quantity(plan.trials, 'trial')} of {quantity(plan.setup.rounds, 'round')}"
        console.say_finished(size, out)
        return

    with contextlib.ExitStack() as stack:
        progress = stack.enter_context(console.progress_of(spec.stem))
        if live:
            # Drawing takes a second to load.
            from mobandits.simulation.live import LivePage  # noqa: PLC0415

            progress = stack.enter_context(LivePage(out, progress))

        results = run_plan(
            plan, out=out, workers=workers, engine=engine, address=address, progress=progress
        )

    typer.echo(f"{out / 'results.parquet'}: {len(results.table)} rows")
    with describing(results.specification):
        found = findings_of(results.table)
        typer.echo(findings_text(results.table, found))

    console.write_report(out, found=found)


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


def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            help="Folders of finished runs; the others are compared with the first.",
        ),
    ],
    out: Folder,
) -> None:
    """Write a page that compares runs: final values, curves, and what differs between them."""
    from mobandits import report as page  # noqa: PLC0415

    with console.parameters():
        typer.echo(page.compare(folders, out))


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
