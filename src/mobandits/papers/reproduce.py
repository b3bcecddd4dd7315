"""From experiments to folders: tables, verdicts, figures and pages; what is finished is never run twice."""

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from mobandits.papers.catalogue import EXPERIMENTS, find
from mobandits.papers.claims import SECOND
from mobandits.papers.engine import Progress, SharedEngine
from mobandits.papers.experiment import Computed, Experiment, More, Run, RunOptions, spread
from mobandits.papers.outcome import Outcome
from mobandits.papers.pages.write import CLAIMS, RUNS, read_claims, write_experiment, write_index
from mobandits.simulation import Plan, prepare, run_plan
from mobandits.simulation.collection import check_folder, collect
from mobandits.simulation.files import locked, write_atomically
from mobandits.simulation.folder import TABLE, Folder, read_table
from mobandits.simulation.manifest import read_manifest
from mobandits.simulation.run import check_engine, opened
from mobandits.simulation.threads import settle
from mobandits.simulation.trial import SCHEMA
from mobandits.support.checks import integer

TUNING = 1_000_003  # added to the seed: no reported trial has been seen when constants are chosen
COLLECTION = "reproduced"
ABREAST = 3  # experiments at the same time
DRAWING = threading.Lock()  # Matplotlib's settings are the whole process's


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
    progress: Progress | None = None,
) -> Path:
    """Run experiments, judge their claims, and write a page for each and one above them.

    `out` gets `results.parquet`, `manifest.json`, `claims.json`, `figures/` and `report.html` for all experiments that
    it holds, whether they came from this call or an earlier one; the page is the index, or that of the experiment while
    there is only one. Every experiment has the same files, and its runs, in a folder `runs/paper/name` of its own.

    Args:
        ids: such as "molts2025/fig2"; "molts2025" stands for all of a paper, "all" for everything.
        out: the folder; the same call again resumes.
        rounds: in place of the papers' horizons.
        trials: in place of the papers' repetitions; more may be added later.
        seed: of everything, at least 0.
        workers: how many trials of a simulation are played at the same time; None: one per processor.
        engine: "threads" or "ray", as in `simulate`; parts that are no simulation run in this process.
        address: of a Ray cluster, as in `simulate`.
        progress: called with the rounds that are done and how many there will be.

    Returns:
        The page above all.

    Raises:
        ValueError: where an ID is unknown, or a number makes no sense.
        FolderError: where `out` holds something else.
        MissingExtraError: where the engine is not installed.
        EngineError: where the cluster cannot be reached, or lost a trial for good.
    """
    chosen = find(ids)
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
    total = sum(size for one in chosen for size in _sizes(one, options))
    with locked(out):
        check_folder(out, COLLECTION)
        (out / RUNS).mkdir(exist_ok=True)
        with ThreadPoolExecutor(ABREAST) as pool, opened(engine, address, workers) as threads:
            shared = SharedEngine(threads, total, progress)

            def run(experiment: Experiment) -> None:
                _run(experiment, out / RUNS / experiment.id, options, shared)

            one_by_one = [threads is None or workers == 1 or _measures_time(one) for one in chosen]
            for experiment in itertools.compress(chosen, one_by_one):
                run(experiment)
            _in_parallel(
                pool, run, [one for one, alone in zip(chosen, one_by_one, strict=True) if not alone]
            )
        manifest, claims = merge_results(out)
        return write_index(out, manifest, claims)


def _measures_time(experiment: Experiment) -> bool:
    """Whether a part of it measures time."""
    return any(isinstance(run, Computed) and run.measures_time for run in experiment.runs)


def _in_parallel(
    pool: ThreadPoolExecutor, run: Callable[[Experiment], None], experiments: Sequence[Experiment]
) -> None:
    """Run experiments side by side: while one is judged and drawn, or waits for its last trial, others play."""
    try:
        settle({pool.submit(run, one) for one in experiments})
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


class SelectedRow(NamedTuple):
    """Which row of a table a row of the experiment stands for.

    Attributes:
        run: its run.
        row: its name.
        policy: the row of the table.
        tuned: the constant that was chosen; empty where there was no choice.
        best: the row of the table that is best on the reported trials.
        best_tuned: its constant.
    """

    run: str
    row: str
    policy: str
    tuned: str
    best: str
    best_tuned: str


def _run(experiment: Experiment, folder: Path, options: RunOptions, engine: SharedEngine) -> None:
    with locked(folder):
        check_folder(folder, experiment.id)
        (folder / RUNS).mkdir(exist_ok=True)
        tables = []
        folders = []
        rows = list[SelectedRow]()
        for run in experiment.runs:
            if isinstance(run, Computed):
                # A place of its own for each number of trials: such a part need not be able to add more to a table.
                name = (
                    run.name if options.trials is None else f"{run.name}, {options.trials} trials"
                )
                table, chosen, used = _compute(
                    experiment, run, folder / RUNS / slug(name), options, engine
                )
            elif isinstance(run, More):
                before = [one for one in rows if one.run == run.run.name]
                place = folder / RUNS / slug(run.name)
                table, chosen, used = _extend(experiment, run, before, place, options, engine)
            else:
                table, chosen, used = _simulate(
                    experiment, run, folder / RUNS / slug(run.name), options, engine
                )
            tables.append(table)
            folders += used
            rows += chosen
        table = pl.concat(tables, rechunk=True)
        places = dict[str, str]()
        for run in experiment.runs:
            places[run.name] = run.place() if isinstance(run, Run) else run.name
        claims = judge_claims(experiment, table, places, rows)
        (folder / CLAIMS).unlink(
            missing_ok=True
        )  # a kill must not leave claims beside a table of other trials
        manifest = collect(
            folder, "experiment", table, specification(experiment, options, places, rows), folders
        )
        write_claims(folder, claims)
        with DRAWING:
            engine.check()
            write_experiment(folder, table, manifest, claims)


def merge_results(out: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One table, one list of claims and one manifest above all experiments that a folder holds: the last two."""
    folders = [out / RUNS / name for name in EXPERIMENTS if (out / RUNS / name / CLAIMS).exists()]
    manifests = [manifest for folder in folders if (manifest := read_manifest(folder)) is not None]
    experiments = [
        {**{key: one["specification"][key] for key in ("experiment", "title", "seed", "changed")},
         "seconds": one["wall_seconds"]}
        for one in manifests
    ]  # fmt: skip
    table = pl.concat([read_table(folder / TABLE) for folder in folders], rechunk=True)
    claims = [claim for folder in folders for claim in read_claims(folder)]
    (out / CLAIMS).unlink(missing_ok=True)
    manifest = collect(
        out, "experiments", table, {"experiment": COLLECTION, "experiments": experiments}, folders
    )
    write_claims(out, claims)
    return manifest, claims


def write_claims(folder: Path, claims: Sequence[dict[str, Any]]) -> None:
    """`claims.json` of a folder."""
    write_atomically(
        folder / CLAIMS, (json.dumps(claims, indent=2, ensure_ascii=False) + "\n").encode()
    )


def judge_claims(
    experiment: Experiment,
    table: pl.DataFrame,
    places: Mapping[str, str],
    rows: Sequence[SelectedRow],
) -> list[dict[str, Any]]:
    """The entries of claims.json.

    Where constants were chosen, the verdict with the best ones of the reported trials stands beside that with those of
    the tuning seed.
    """
    reported = table.filter(pl.col("experiment") == experiment.id)
    recorded = {
        run.name: [one if isinstance(one, str) else one.name for one in run.metrics]
        for run in experiment.runs
        if isinstance(run, Run | More)
    }
    fresh = Outcome(reported, places, {(one.run, one.row): one.policy for one in rows}, recorded)
    entries = [claim.judge(fresh) for claim in experiment.claims]
    if any(one.policy != one.best for one in rows):
        best = Outcome(reported, places, {(one.run, one.row): one.best for one in rows}, recorded)
        for claim, entry in zip(experiment.claims, entries, strict=True):
            if not claim.chosen_only:
                again = claim.judge(best)
                entry["papers_rule"] = {key: again[key] for key in SECOND}
    return entries


def specification(
    experiment: Experiment,
    options: RunOptions,
    places: Mapping[str, str],
    rows: Sequence[SelectedRow],
) -> dict[str, Any]:
    """What the page needs to know."""
    own = [run for run in experiment.runs if not isinstance(run, More)]
    changed = {
        name: value
        for name, value in (("rounds", options.rounds), ("trials", options.trials))
        if value is not None and any(getattr(run, name, None) != value for run in own)
    }
    return {
        "experiment": experiment.id,
        "title": experiment.title,
        "source": experiment.source,
        "about": list(experiment.about),
        "seed": options.seed,
        "changed": changed,
        "scale": [
            {"run": run.name, "rounds": getattr(run, "rounds", 0), "trials": run.trials}
            for run in own
            if isinstance(run, Run) or run.trials > 1  # others repeat inside, if at all
        ],
        "places": dict(places),
        "rows": [one._asdict() for one in rows],
        "plots": [
            {
                "name": plot.name,
                "metric": plot.metric,
                "caption": plot.caption,
                "kind": plot.kind,
                "rows": list(plot.rows),
                "runs": list(plot.runs),
                "parts": list(plot.parts),
                "vertical": plot.vertical,
                "logarithmic": plot.logarithmic,
            }
            for plot in experiment.plots
        ],
    }


RunResult = tuple[pl.DataFrame, list[SelectedRow], list[Path]]


def _simulate(
    experiment: Experiment, run: Run, folder: Path, options: RunOptions, engine: SharedEngine
) -> RunResult:
    tuned = run.tuned()
    tables = []
    folders = [folder]
    choice_of = dict[str, str]()
    if tuned:
        before = folder.with_name(f"{folder.name}-tuning")
        table = played(tuning_plan(experiment, run, options), before, options, engine)
        choice_of = {row: best_of(table, row, one) for row, one in tuned.items()}
        tables = [table]
        folders = [before, folder]
    table = played(plan(experiment, run, options), folder, options, engine)
    rows = []
    for row in run.rows:
        if row in tuned:
            best = best_of(table, row, tuned[row])
            said = [name.removeprefix(f"{row}, ") for name in (choice_of[row], best)]
            rows.append(SelectedRow(run.name, row, choice_of[row], said[0], best, said[1]))
        else:
            rows.append(SelectedRow(run.name, row, row, "", row, ""))
    return pl.concat([*tables, table]), rows, folders


def _extend(
    experiment: Experiment,
    more: More,
    before: Sequence[SelectedRow],
    folder: Path,
    options: RunOptions,
    engine: SharedEngine,
) -> RunResult:
    """Play the chosen rows of a run on more problems, until they are enough.

    Whether they are is asked of the first trials only, as many as the look has, so that a folder
    with more trials, as an earlier call may leave it, gives the same table.
    """
    grid = more.run.recipes()
    recipes = {one.row: grid[one.policy] for one in before}
    rounds = options.rounds or more.run.rounds
    looks = more.looks if options.trials is None else (options.trials,)
    manifest = read_manifest(folder)
    begun = 0 if manifest is None else manifest["specification"]["trials"]
    names = {(more.name, row): row for row in recipes}
    with engine.part(rounds * looks[-1]) as progress:
        for look in looks:
            plan = prepare(
                recipes,
                more.run.environment,
                rounds=rounds,
                trials=max(look, begun),
                seed=options.seed,
                metrics=more.metrics,
                record=more.record,
                experiment=experiment.id,
            )
            whole = _run_plan(plan, folder, options, engine, progress)
            table = whole.filter(pl.col("trial") < look).with_columns(environment=pl.lit(more.name))
            outcome = Outcome(table, {more.name: more.name}, names)
            if look == looks[-1] or more.enough(outcome, more.name):
                break
    rows = [SelectedRow(more.name, row, row, "", row, "") for row in recipes]
    return table, rows, [folder]


def _run_plan(
    plan: Plan,
    folder: Path,
    options: RunOptions,
    engine: SharedEngine,
    progress: Progress | None,
) -> pl.DataFrame:
    results = run_plan(
        plan,
        out=folder,
        workers=options.workers,
        engine=options.engine,
        address=options.address,
        progress=progress,
        threads=engine.threads,
    )
    return results.table


def played(plan: Plan, folder: Path, options: RunOptions, engine: SharedEngine) -> pl.DataFrame:
    """The table of a simulation, run as the user asked."""
    with engine.part(plan.setup.rounds * plan.trials) as progress:
        return _run_plan(plan, folder, options, engine, progress)


def plan(experiment: Experiment, run: Run, options: RunOptions) -> Plan:
    """The reported simulation: every row, grids and all."""
    return prepare(
        run.recipes(),
        run.environment,
        rounds=options.rounds or run.rounds,
        trials=options.trials or run.trials,
        seed=options.seed,
        metrics=run.metrics,
        record=run.record,
        experiment=experiment.id,
    )


def tuning_plan(experiment: Experiment, run: Run, options: RunOptions) -> Plan:
    """The simulation that constants are chosen on."""
    metrics = {one.metric_name: one.metric for one in run.tuned().values()}
    return prepare(
        {
            name: recipe
            for row, one in run.tuned().items()
            for name, recipe in spread(row, one).items()
        },
        run.environment,
        rounds=options.rounds or run.rounds,
        trials=min(options.trials or run.tuning_trials, run.tuning_trials),
        seed=options.seed + TUNING,
        metrics=list(metrics.values()),
        record=1,
        experiment=f"{experiment.id}, tuning",
    )


def best_of(table: pl.DataFrame, row: str, tuned: Any) -> str:
    """The row of the grid that is best on average, the first of several.

    At the last round, or, where the metric holds means since the round recorded before, over all rounds.
    """
    own = table.filter(pl.col("metric") == tuned.metric_name)
    if tuned.component is not None:
        own = own.filter(pl.col("component") == tuned.component)
    if tuned.cumulative():
        own = own.filter(pl.col("round") == pl.col("round").max())
    points = own["round"].unique().sort()
    windows = dict(zip(points, points.diff().fill_null(points[0]), strict=True))
    weight = pl.col("round").replace_strict(windows, return_dtype=pl.Float64)
    means = dict(own.group_by("policy").agg((pl.col("value") * weight).sum() / weight.sum()).rows())
    sign = -1.0 if tuned.highest else 1.0
    return min(spread(row, tuned), key=lambda name: sign * float(means[name]))


def _compute(
    experiment: Experiment, run: Computed, folder: Path, options: RunOptions, engine: SharedEngine
) -> RunResult:
    trials = run.trials if options.trials is None else min(run.trials, options.trials)
    said = {
        "experiment": experiment.id,
        "environment": run.name,
        "policies": {},
        "rounds": options.rounds or 0,
        "trials": trials,
        "seed": options.seed,
        **run.settings,
        "asked trials": options.trials or 0,
    }
    with engine.part(1), Folder(folder, said) as store:
        store.begin()
        for trial in range(trials):
            if trial not in store.finished:
                engine.check()
                frame = run.compute(trial, options).with_columns(
                    experiment=pl.lit(experiment.id),
                    environment=pl.lit(run.name),
                    trial=pl.lit(trial),
                )
                store.keep(
                    trial, frame.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())
                )
        table = store.finish()
    rows = table["policy"].unique(maintain_order=True)
    return table, [SelectedRow(run.name, row, row, "", row, "") for row in rows], [folder]


def _sizes(experiment: Experiment, options: RunOptions) -> Iterator[int]:
    for run in experiment.runs:
        if isinstance(run, Computed):
            yield 1
        elif isinstance(run, More):
            yield (options.rounds or run.run.rounds) * (options.trials or run.looks[-1])
        else:
            yield _size(run, options) + (_tuning(run, options) if run.tuned() else 0)


def _size(run: Run, options: RunOptions) -> int:
    return (options.rounds or run.rounds) * (options.trials or run.trials)


def _tuning(run: Run, options: RunOptions) -> int:
    return (options.rounds or run.rounds) * min(
        options.trials or run.tuning_trials, run.tuning_trials
    )


def slug(name: str) -> str:
    """A name as a folder.

    Example:
        >>> slug("d = 5"), slug("K = 50, d = 5, L = 4")
        ('d-5', 'K-50-d-5-L-4')
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")
