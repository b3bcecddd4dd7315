"""From the runs of an experiment to one table."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from mobandits.contracts.protocols import Metric, Recipe
from mobandits.simulation import Plan, prepare
from mobandits.simulation.folder import Folder
from mobandits.simulation.manifest import read_manifest
from mobandits.simulation.run import play_into
from mobandits.simulation.threads import Threads
from mobandits.support.progress import ProgressCallback
from mobandits_papers.experiment import Computed, Experiment, More, Run, RunOptions, Tuned, spread
from mobandits_papers.outcome import Outcome
from mobandits_papers.rows import labelled

TUNING = 1_000_003  # added to the seed: no reported trial has been seen when constants are chosen


class SharedEngine:
    """The threads and the progress of all experiments of a call.

    Args:
        threads: that play; None where Ray does.
        total: the rounds of all simulations.
        progress: called with the rounds that are done and how many there will be.
    """

    def __init__(
        self, threads: Threads | None, total: int, progress: ProgressCallback | None
    ) -> None:
        self.threads = threads
        self._total = total
        self._progress = progress
        self._lock = threading.Lock()
        self._done = 0

    @contextmanager
    def progress_of(self, rounds: int) -> Iterator[ProgressCallback | None]:
        """The progress of one simulation; when it ends, all of its rounds count as done.

        Args:
            rounds: of all trials of the simulation.
        """
        reported = 0

        def report(done: int, total: int) -> None:  # noqa: ARG001 - the form of progress
            nonlocal reported
            # Several simulations report from several threads.
            with self._lock:
                self._done += done - reported
                reported = done
                if self._progress is not None:
                    self._progress(self._done, self._total)

        yield None if self._progress is None else report
        # Trials of an earlier call report nothing, and a simulation may end before its last look.
        report(rounds, rounds)

    def check(self) -> None:
        """Between two steps.

        Raises:
            StoppedError: where another experiment has failed, or the user has interrupted.
        """
        if self.threads is not None:
            self.threads.check()


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


class RunResult(NamedTuple):
    """The table of an experiment, with the constants that were chosen.

    Attributes:
        table: all rows, those of tuning trials included.
        rows: in the experiment's order.
        manifests: of the runs that the table is made of.
    """

    table: pl.DataFrame
    rows: list[SelectedRow]
    manifests: list[dict[str, Any]]


def play_experiment(
    experiment: Experiment, folder: Path, options: RunOptions, engine: SharedEngine
) -> RunResult:
    """Play all runs of an experiment, one after the other; what is finished is not run again.

    Args:
        experiment: to play.
        folder: that has a folder for each run.
        options: of the user.
        engine: that is shared with other experiments.
    """
    tables = []
    rows: list[SelectedRow] = []
    manifests = []
    for run in experiment.runs:
        if isinstance(run, Computed):
            result = compute_part(experiment, run, folder, options, engine)
        elif isinstance(run, More):
            # The constants were chosen for the run that this one repeats.
            chosen = [row for row in rows if row.run == run.run.name]
            result = extend_run(experiment, run, chosen, folder, options, engine)
        else:
            result = play_run(experiment, run, folder, options, engine)

        tables.append(result.table)
        rows += result.rows
        manifests += result.manifests

    return RunResult(pl.concat(tables, rechunk=True), rows, manifests)


def play_run(
    experiment: Experiment, run: Run, folder: Path, options: RunOptions, engine: SharedEngine
) -> RunResult:
    """A simulation, after the one that its constants are chosen on.

    Args:
        experiment: that it belongs to.
        run: to play.
        folder: that has a folder for each run.
        options: of the user.
        engine: that is shared with other experiments.
    """
    place = folder / slug(run.name)
    tuned = run.tuned()
    played = []
    # Chosen before the reported trials are played, on problems of which none is reported.
    chosen = {}
    if tuned:
        tuning_place = place.with_name(f"{place.name}-tuning")
        tuning = play_plan(tuning_plan(experiment, run, options), tuning_place, options, engine)
        played.append(tuning)
        for row, constants in tuned.items():
            chosen[row] = best_constant(tuning.table, row, constants)

    reported = play_plan(plan(experiment, run, options), place, options, engine)
    played.append(reported)
    rows = []
    for row in run.rows:
        if row in tuned:
            best = best_constant(reported.table, row, tuned[row])
            rows.append(_tuned_row(run.name, row, chosen[row], best))
        else:
            rows.append(plain_row(run.name, row))

    tables = [one.table for one in played]
    return RunResult(pl.concat(tables), rows, [one.manifest for one in played])


def _tuned_row(run: str, row: str, policy: str, best: str) -> SelectedRow:
    prefix = f"{row}, "  # see `spread`
    constant = policy.removeprefix(prefix)
    best_constant_name = best.removeprefix(prefix)
    return SelectedRow(run, row, policy, constant, best, best_constant_name)


def plain_row(run: str, row: str) -> SelectedRow:
    """A row without a constant to choose: the table has it under its own name."""
    return SelectedRow(run, row, policy=row, tuned="", best=row, best_tuned="")


def extend_run(
    experiment: Experiment,
    more: More,
    chosen: Sequence[SelectedRow],
    folder: Path,
    options: RunOptions,
    engine: SharedEngine,
) -> RunResult:
    """The chosen rows of a run on more problems, until they are enough.

    Whether they are is asked of the first trials only, as many as the look has, so that a folder
    with more trials, as an earlier call may leave it, gives the same table.

    Args:
        experiment: that it belongs to.
        more: to play.
        chosen: the rows of the run that is repeated.
        folder: that has a folder for each run.
        options: of the user.
        engine: that is shared with other experiments.
    """
    place = folder / slug(more.name)
    grid = more.run.recipes()
    recipes = {row.row: grid[row.policy] for row in chosen}
    names = {(more.name, row): row for row in recipes}
    rounds = options.rounds_or(more.run.rounds)
    looks = more.looks if options.trials is None else (options.trials,)
    begun = _trials_of_earlier_call(place)
    with engine.progress_of(rounds * looks[-1]) as progress:
        for look in looks:
            plan_of_look = prepare(
                recipes,
                more.run.environment,
                rounds=rounds,
                trials=max(look, begun),  # a folder may not lose trials
                seed=options.seed,
                metrics=more.metrics,
                record=more.record,
                experiment=experiment.id,
            )
            whole, manifest = run_in_folder(plan_of_look, place, options, engine, progress)
            first_trials = whole.filter(pl.col("trial") < look)
            # Under a name of its own, because the run that is repeated has the same environment.
            table = first_trials.with_columns(environment=pl.lit(more.name))
            outcome = Outcome(table, {more.name: more.name}, names)
            if look == looks[-1] or more.enough(outcome, more.name):
                break

    rows = [plain_row(more.name, row) for row in recipes]

    return RunResult(table, rows, [manifest])


def _trials_of_earlier_call(folder: Path) -> int:
    manifest = read_manifest(folder)
    return 0 if manifest is None else int(manifest["specification"]["trials"])


def compute_part(
    experiment: Experiment,
    part: Computed,
    folder: Path,
    options: RunOptions,
    engine: SharedEngine,
) -> RunResult:
    """A part that is no simulation.

    Args:
        experiment: that it belongs to.
        part: to compute.
        folder: that has a folder for each run.
        options: of the user.
        engine: that is shared with other experiments.
    """
    trials = part.trials
    name = part.name
    if options.trials is not None:
        trials = min(trials, options.trials)
        # A place of its own for each number of trials: such a part need not be able to add more to
        # a table.
        name = f"{part.name}, {options.trials} trials"

    place = folder / slug(name)
    specification: dict[str, Any] = {
        "experiment": experiment.id,
        "environment": part.name,
        "policies": {},
        "rounds": options.rounds or 0,
        "trials": trials,
        "seed": options.seed,
        **part.settings,
        # A part that repeats something inside has other rows for another number of trials.
        "asked trials": options.trials or 0,
    }
    with engine.progress_of(1), Folder(place, specification) as store:
        store.begin()
        for trial in range(trials):
            if trial not in store.finished:
                engine.check()
                computed = part.compute(trial, options)
                # The trial is added here, so that no part can forget or mistake it.
                store.keep(trial, labelled(computed, experiment.id, part.name, trial))

        table = store.finish()

    names = table["policy"].unique(maintain_order=True)
    rows = [plain_row(part.name, row) for row in names]

    return RunResult(table, rows, [store.manifest])


class Played(NamedTuple):
    """The table of a simulation, and the manifest of its folder."""

    table: pl.DataFrame
    manifest: dict[str, Any]


def play_plan(plan: Plan, folder: Path, options: RunOptions, engine: SharedEngine) -> Played:
    """A simulation, with its progress."""
    rounds = plan.setup.rounds * plan.trials
    with engine.progress_of(rounds) as progress:
        return run_in_folder(plan, folder, options, engine, progress)


def run_in_folder(
    plan: Plan,
    folder: Path,
    options: RunOptions,
    engine: SharedEngine,
    progress: ProgressCallback | None,
) -> Played:
    """A simulation, run as the user asked."""
    with Folder(folder, plan.specification()) as store:
        table = play_into(
            store,
            plan,
            workers=options.workers,
            engine=options.engine,
            address=options.address,
            progress=progress,
            threads=engine.threads,
        )

    return Played(table, store.manifest)


def plan(experiment: Experiment, run: Run, options: RunOptions) -> Plan:
    """The reported simulation: every row, grids and all."""
    return prepare(
        run.recipes(),
        run.environment,
        rounds=options.rounds_or(run.rounds),
        trials=options.trials_or(run.trials),
        seed=options.seed,
        metrics=run.metrics,
        record=run.record,
        experiment=experiment.id,
    )


def tuning_plan(experiment: Experiment, run: Run, options: RunOptions) -> Plan:
    """The simulation that constants are chosen on."""
    recipes: dict[str, Recipe] = {}
    metrics: dict[str, str | Metric] = {}
    for row, constants in run.tuned().items():
        recipes |= spread(row, constants)
        metrics[constants.metric_name] = constants.metric

    return prepare(
        recipes,
        run.environment,
        rounds=options.rounds_or(run.rounds),
        trials=tuning_trials(run, options),
        seed=options.seed + TUNING,
        metrics=list(metrics.values()),
        record=1,  # a choice needs the end only
        experiment=f"{experiment.id}, tuning",
    )


def tuning_trials(run: Run, options: RunOptions) -> int:
    """How many trials constants are chosen on."""
    # Never more than the experiment has: a user who adds trials must not change the choice.
    own = run.tuning_trials
    return min(options.trials_or(own), own)


def best_constant(table: pl.DataFrame, row: str, tuned: Tuned) -> str:
    """The row of the grid that is best on average, the first of several.

    At the last round, or, where the metric holds means since the round recorded before, over all
    rounds.

    Args:
        table: rows of a simulation.
        row: whose constant is chosen.
        tuned: its grid.
    """
    rounds = pl.col("round")
    own = table.filter(pl.col("metric") == tuned.metric_name)
    if tuned.component is not None:
        own = own.filter(pl.col("component") == tuned.component)
    if tuned.cumulative():
        own = own.filter(rounds == rounds.max())

    # A mean since the round recorded before counts as often as it has rounds.
    points = own["round"].unique().sort()
    lengths = points.diff().fill_null(points[0])
    windows = dict(zip(points, lengths, strict=True))
    weight = rounds.replace_strict(windows, return_dtype=pl.Float64)
    weighted_sum = (pl.col("value") * weight).sum()
    weighted_mean = weighted_sum / weight.sum()
    means = dict(own.group_by("policy").agg(weighted_mean).rows())

    # The first of several that are equal, in the order of the grid.
    sign = -1.0 if tuned.highest else 1.0

    return min(spread(row, tuned), key=lambda name: sign * float(means[name]))


def rounds_of(experiment: Experiment, options: RunOptions) -> int:
    """The rounds of an experiment, for its progress; a computed part counts as one."""
    total = 0
    for run in experiment.runs:
        if isinstance(run, Computed):
            total += 1
        elif isinstance(run, More):
            # At most; if fewer are enough, the rest counts as done at once.
            trials = options.trials_or(run.looks[-1])
            total += options.rounds_or(run.run.rounds) * trials
        else:
            trials = options.trials_or(run.trials)
            if run.tuned():
                trials += tuning_trials(run, options)

            total += options.rounds_or(run.rounds) * trials

    return total


def slug(name: str) -> str:
    """A name as a folder.

    Example:
        >>> slug("d = 5"), slug("K = 50, d = 5, L = 4")
        ('d-5', 'K-50-d-5-L-4')
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")
