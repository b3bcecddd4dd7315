"""From experiments to folders of tables, verdicts, figures and pages.

The way of an experiment: `playing` makes its table, `claims` judge it, `collect` and `write_claims`
write both, and `pages` draw them. What is finished is never run twice. Tables, manifests and claims
are handed on as objects; files are read of earlier calls only.
"""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, cast

import polars as pl

from mobandits.figures.contents import Manifest
from mobandits.figures.page import write_page
from mobandits.simulation.folder import TABLE, is_finished, read_table
from mobandits.simulation.manifest import read_manifest
from mobandits.simulation.run import check_engine, shared_engine
from mobandits.simulation.threads import settle
from mobandits.support.checks import integer
from mobandits.support.files import locked
from mobandits.support.progress import ProgressCallback
from mobandits_papers.catalogue import EXPERIMENTS, find
from mobandits_papers.claims import SECOND, at_smaller_scale
from mobandits_papers.collection import RUNS, check_collection, collect
from mobandits_papers.contents import (
    ClaimEntry,
    ExperimentSpecification,
    ExperimentSummary,
    Judgement,
    PlotEntry,
    RowEntry,
)
from mobandits_papers.experiment import (
    Computed,
    Experiment,
    Run,
    RunOptions,
    name_of_metric,
)
from mobandits_papers.outcome import Outcome
from mobandits_papers.pages.paper_page import paper_page
from mobandits_papers.pages.write import (
    CLAIMS,
    read_claims,
    write_claims,
    write_index,
)
from mobandits_papers.paretobandit2026.routing import RoutingFiles
from mobandits_papers.playing import (
    Player,
    RunResult,
    SharedEngine,
)

COLLECTION = "reproduced"  # in place of an experiment's ID in the manifest above all of them
# Experiments at the same time: one plays while another is drawn and a third waits for its last
# trial.
ABREAST = 3
DRAWING = threading.Lock()  # Matplotlib's settings are the whole process's


class ExperimentResult(NamedTuple):
    """What the files of a reproduced experiment hold."""

    table: pl.DataFrame
    manifest: Manifest
    claims: list[ClaimEntry]


def reproduce(
    ids: Sequence[str],
    out: str | Path,
    *,
    rounds: int | None = None,
    trials: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    engine: str = "threads",
    address: str | None = None,
    data: RoutingFiles | None = None,
    progress: ProgressCallback | None = None,
) -> Path:
    """Run experiments, judge their claims, and write a page for each and one above them.

    `out` gets `results.parquet`, `manifest.json`, `claims.json`, `figures/` and `report.html` for
    all experiments that it holds, whether they came from this call or an earlier one; the page is
    the index, or that of the experiment while there is only one. Every experiment has the same
    files, and its runs, in a folder `runs/paper/name` of its own.

    Args:
        ids: such as "molts2025/fig2"; "molts2025" stands for all of a paper, "all" for everything.
        out: the folder; the same call again resumes.
        rounds: in place of the papers' horizons.
        trials: in place of the papers' repetitions; more may be added later.
        seed: of everything, at least 0.
        workers: how many trials of a simulation are played at the same time; None: one per
            processor.
        engine: "threads" or "ray", as in `simulate`; parts that are no simulation run in this
            process.
        address: of a Ray cluster, as in `simulate`.
        data: prompts in the place of those of paretobandit2026.
        progress: called with the rounds that are done and how many there will be.

    Returns:
        The page above all.

    Raises:
        ValueError: where an ID is unknown, a number makes no sense, or a file does not fit.
        FolderError: where `out` holds something else.
        MissingExtraError: where the engine is not installed.
        EngineError: where the cluster cannot be reached, or lost a trial for good.
    """
    # All mistakes are told before a folder is made.
    experiments = find(ids, data)
    check_engine(engine, address)
    for name, value, least in (
        ("rounds", rounds, 2),
        ("trials", trials, 1),
        ("workers", workers, 1),
    ):
        if value is not None:
            integer(name, value, at_least=least)

    integer("seed", seed, at_least=0)
    options = RunOptions(rounds, trials, seed, workers, engine, address)
    out = Path(out)
    with locked(out):
        check_collection(out, COLLECTION)
        (out / RUNS).mkdir(exist_ok=True)
        results = _run_all(experiments, out / RUNS, options, progress)
        manifest, claims = merge_results(out, results)
        return write_index(out, manifest, claims)


def are_finished(experiments: Sequence[Experiment], out: Path, options: RunOptions) -> bool:
    """Whether a folder has the tables, the verdicts and the pages of all these experiments.

    Args:
        experiments: from `catalogue.find`.
        out: the folder, which need not exist.
        options: what is asked for.

    Raises:
        FolderError: where the folder holds something that cannot be read.
    """
    if not is_finished(out, {"experiment": COLLECTION}) or not (out / CLAIMS).exists():
        return False

    manifest = read_manifest(out)
    listed = manifest["specification"]["experiments"] if manifest is not None else []
    known = {entry["experiment"] for entry in listed}
    for experiment in experiments:
        folder = out / RUNS / experiment.id
        wanted = dict(specification(experiment, options, ()))
        # Which constants were chosen is what a run finds out.
        of_run = is_finished(folder, wanted, unless=["rows"])
        if experiment.id not in known or not of_run or not (folder / CLAIMS).exists():
            return False

    return True


def _run_all(
    experiments: Sequence[Experiment],
    folder: Path,
    options: RunOptions,
    progress: ProgressCallback | None,
) -> dict[str, ExperimentResult]:
    """{ID: result} of experiments, some of them side by side."""
    results: dict[str, ExperimentResult] = {}
    total = sum(run.work(options) for one in experiments for run in one.runs)
    with (
        ThreadPoolExecutor(ABREAST) as pool,
        shared_engine(options.engine, options.address, options.workers) as threads,
    ):
        engine = SharedEngine(threads, total, progress)

        def run(experiment: Experiment) -> None:
            place = folder / experiment.id
            results[experiment.id] = _run(experiment, place, options, engine)

        # Those that measure time come first, while nothing else of ours runs.
        side_by_side = []
        for experiment in experiments:
            if threads is None or options.workers == 1 or experiment.measures_time():
                run(experiment)
            else:
                side_by_side.append(experiment)

        # While one is judged and drawn, or waits for its last trial, others play.
        try:
            settle({pool.submit(run, experiment) for experiment in side_by_side})
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise

    return results


def _run(
    experiment: Experiment, folder: Path, options: RunOptions, engine: SharedEngine
) -> ExperimentResult:
    with locked(folder):
        check_collection(folder, experiment.id)
        (folder / RUNS).mkdir(exist_ok=True)
        played = Player(experiment, folder / RUNS, options, engine).play()
        claims = judge_claims(experiment, played)
        if is_shorter(experiment, options):
            claims = [cast("ClaimEntry", at_smaller_scale(dict(claim))) for claim in claims]

        # A kill must not leave claims beside a table of other trials.
        (folder / CLAIMS).unlink(missing_ok=True)
        content = dict(specification(experiment, options, played.rows))
        manifest = collect(folder, "experiment", played.table, content, played.manifests)
        write_claims(folder, claims)
        with DRAWING:
            # Others may have failed while this one waited for its turn.
            engine.check()
            write_page(folder, paper_page(folder, played.table, manifest, claims))

    return ExperimentResult(played.table, manifest, claims)


def merge_results(
    out: Path, results: Mapping[str, ExperimentResult]
) -> tuple[Manifest, list[ClaimEntry]]:
    """One table, one list of claims and one manifest above all experiments that a folder holds.

    Args:
        out: the folder.
        results: {ID: result} of this call; those of earlier calls are read.

    Returns:
        The manifest and the claims.
    """
    # In the order of the catalogue, whichever call they came from.
    kept = []
    for name in EXPERIMENTS:
        result = results.get(name) or _read_result(out / RUNS / name)
        if result is not None:
            kept.append(result)

    claims = [claim for result in kept for claim in result.claims]
    manifests = [dict(result.manifest) for result in kept]
    content: dict[str, Any] = {
        "experiment": COLLECTION,
        "experiments": [_summary(result.manifest) for result in kept],
    }
    # In one piece: how many calls the tables came from leaves no trace in the file.
    table = pl.concat([result.table for result in kept], rechunk=True)
    (out / CLAIMS).unlink(missing_ok=True)
    manifest = collect(out, "experiments", table, content, manifests)
    write_claims(out, claims)

    return manifest, claims


def _read_result(folder: Path) -> ExperimentResult | None:
    """The result of an earlier call; None where there is none."""
    if not (folder / CLAIMS).exists():  # or a kill fell between the table and the claims
        return None

    manifest = read_manifest(folder)
    if manifest is None:
        return None

    table = read_table(folder / TABLE)

    return ExperimentResult(table, cast("Manifest", manifest), read_claims(folder))


def _summary(manifest: Manifest) -> ExperimentSummary:
    own = manifest["specification"]
    return {
        "experiment": own["experiment"],
        "title": own["title"],
        "seed": own["seed"],
        "changed": own["changed"],
        "seconds": manifest["wall_seconds"],
    }


def judge_claims(experiment: Experiment, played: RunResult) -> list[ClaimEntry]:
    """The entries of claims.json.

    Where constants were chosen, the verdict with the best ones of the reported trials stands beside
    that with those of the tuning seed.
    """
    rows = played.rows
    chosen = {(row["run"], row["row"]): row["policy"] for row in rows}
    best = {(row["run"], row["row"]): row["best"] for row in rows}
    outcome = _outcome(experiment, played.table, chosen)
    entries = [cast("ClaimEntry", claim.judge(outcome)) for claim in experiment.claims]
    if best == chosen:  # then the paper's rule gives the same
        return entries

    outcome_of_best = _outcome(experiment, played.table, best)
    for claim, entry in zip(experiment.claims, entries, strict=True):
        if not claim.chosen_only:
            again = claim.judge(outcome_of_best)
            entry["papers_rule"] = cast("Judgement", {key: again[key] for key in SECOND})

    return entries


def is_shorter(experiment: Experiment, options: RunOptions) -> bool:
    """Whether fewer rounds were asked for than some run of an experiment has."""
    horizons = []
    for run in experiment.runs:
        if isinstance(run, Run):
            horizons.append(run.rounds)
        elif isinstance(run, Computed):
            horizons.append(run.scale.get("rounds", 0))

    asked = options.rounds
    return asked is not None and asked < max(horizons, default=0)


def _outcome(
    experiment: Experiment, table: pl.DataFrame, rows: Mapping[tuple[str, str], str]
) -> Outcome:
    """The table as claims read it.

    Args:
        experiment: that it is of.
        table: all rows.
        rows: {(run, row): the row of the table that it stands for}.
    """
    recorded = {run.name: list(map(name_of_metric, run.metrics)) for run in experiment.runs}
    reported = table.filter(pl.col("experiment") == experiment.id)

    return Outcome(reported, experiment.places(), rows, recorded)


def specification(
    experiment: Experiment, options: RunOptions, rows: Sequence[RowEntry]
) -> ExperimentSpecification:
    """What the page needs to know, for the manifest."""
    scales = [run.own_scale() for run in experiment.runs]
    return {
        "experiment": experiment.id,
        "title": experiment.title,
        "source": experiment.source,
        "about": list(experiment.about),
        "seed": options.seed,
        "changed": _changed(experiment, options),
        "scale": [scale for scale in scales if scale is not None],
        "places": experiment.places(),
        "rows": list(rows),
        "plots": [cast("PlotEntry", asdict(plot)) for plot in experiment.plots],
    }


def _changed(experiment: Experiment, options: RunOptions) -> dict[str, int]:
    """What was asked for in place of the runs' own numbers, where it differs from them."""
    asked = {"rounds": options.rounds, "trials": options.trials}
    return {
        name: value
        for name, value in asked.items()
        if value is not None and any(run.is_changed(name, value) for run in experiment.runs)
    }
