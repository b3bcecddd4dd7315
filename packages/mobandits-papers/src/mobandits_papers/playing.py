"""From the runs of an experiment to one table."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from mobandits.simulation import Plan, prepare
from mobandits.simulation.folder import Folder
from mobandits.simulation.manifest import read_manifest
from mobandits.simulation.run import play_into
from mobandits.simulation.threads import Threads
from mobandits.support.progress import ProgressCallback
from mobandits_papers.contents import RowEntry
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


class RunResult(NamedTuple):
    """The table of an experiment, with the constants that were chosen.

    Attributes:
        table: all rows, those of tuning trials included.
        rows: in the experiment's order.
        manifests: of the runs that the table is made of.
    """

    table: pl.DataFrame
    rows: list[RowEntry]
    manifests: list[dict[str, Any]]


class Played(NamedTuple):
    """The table of a simulation, and the manifest of its folder."""

    table: pl.DataFrame
    manifest: dict[str, Any]


class Player:
    """The runs of an experiment, each played in a folder of its own; what is finished is kept.

    Args:
        experiment: to play.
        folder: that has a folder for each run.
        options: of the user.
        engine: that is shared with other experiments.
    """

    def __init__(
        self, experiment: Experiment, folder: Path, options: RunOptions, engine: SharedEngine
    ) -> None:
        self._id = experiment.id
        self._runs = experiment.runs
        self._folder = folder
        self._options = options
        self._engine = engine

    def play(self) -> RunResult:
        """Play all runs, one after the other."""
        tables = []
        rows: list[RowEntry] = []
        manifests = []
        for run in self._runs:
            if isinstance(run, Computed):
                result = self._compute(run)
            elif isinstance(run, More):
                # The constants were chosen for the run that this one repeats.
                chosen = [row for row in rows if row["run"] == run.run.name]
                result = self._extend(run, chosen)
            else:
                result = self._simulate(run)

            tables.append(result.table)
            rows += result.rows
            manifests += result.manifests

        return RunResult(pl.concat(tables, rechunk=True), rows, manifests)

    def _simulate(self, run: Run) -> RunResult:
        """A simulation, after the one that its constants are chosen on."""
        place = self._folder / slug(run.name)
        tuned = run.tuned()
        played = []
        # Chosen before the reported trials are played, on problems of which none is reported.
        chosen = {}
        if tuned:
            tuning_place = place.with_name(f"{place.name}-tuning")
            tuning = self._in_folder(tuning_plan(self._id, run, self._options), tuning_place)
            played.append(tuning)
            for row, constants in tuned.items():
                chosen[row] = best_constant(tuning.table, row, constants)

        reported = self._in_folder(plan(self._id, run, self._options), place)
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

    def _extend(self, more: More, chosen: Sequence[RowEntry]) -> RunResult:
        """The chosen rows of a run on more problems, until they are enough.

        Whether they are is asked of the first trials only, as many as the look has, so that a
        folder with more trials, as an earlier call may leave it, gives the same table.
        """
        place = self._folder / slug(more.name)
        options = self._options
        grid = more.run.recipes()
        recipes = {row["row"]: grid[row["policy"]] for row in chosen}
        names = {(more.name, row): row for row in recipes}
        run = replace(more.run, rows=recipes, metrics=more.metrics, record=more.record)
        looks = more.looks if options.trials is None else (options.trials,)
        begun = _trials_of_earlier_call(place)
        with self._engine.progress_of(more.work(options)) as progress:
            for look in looks:
                trials = max(look, begun)  # a folder may not lose trials
                plan_of_look = plan(self._id, run, options._replace(trials=trials))
                whole, manifest = self._play_into(place, plan_of_look, progress)
                first_trials = whole.filter(pl.col("trial") < look)
                # Under a name of its own: the run that is repeated has the same environment.
                table = first_trials.with_columns(environment=pl.lit(more.name))
                outcome = Outcome(table, {more.name: more.name}, names)
                if look == looks[-1] or more.enough(outcome, more.name):
                    break

        rows = [plain_row(more.name, row) for row in recipes]

        return RunResult(table, rows, [manifest])

    def _compute(self, part: Computed) -> RunResult:
        """A part that is no simulation."""
        options = self._options
        trials = part.trials
        name = part.name
        if options.trials is not None:
            trials = min(trials, options.trials)
            # A place of its own for each number of trials: such a part need not be able to add
            # more to a table.
            name = f"{part.name}, {options.trials} trials"

        place = self._folder / slug(name)
        specification: dict[str, Any] = {
            "experiment": self._id,
            "environment": part.name,
            "policies": {},
            "rounds": options.rounds or 0,
            "trials": trials,
            "seed": options.seed,
            **part.settings,
            # A part that repeats something inside has other rows for another number of trials.
            "asked trials": options.trials or 0,
        }
        with self._engine.progress_of(part.work(options)), Folder(place, specification) as store:
            store.begin()
            for trial in range(trials):
                if trial not in store.finished:
                    self._engine.check()
                    computed = part.compute(trial, options)
                    # The trial is added here, so that no part can forget or mistake it.
                    store.keep(trial, labelled(computed, self._id, part.name, trial))

            table = store.finish()

        names = table["policy"].unique(maintain_order=True)
        rows = [plain_row(part.name, row) for row in names]

        return RunResult(table, rows, [store.manifest])

    def _in_folder(self, plan: Plan, folder: Path) -> Played:
        """A simulation, with its progress."""
        rounds = plan.setup.rounds * plan.trials
        with self._engine.progress_of(rounds) as progress:
            return self._play_into(folder, plan, progress)

    def _play_into(self, folder: Path, plan: Plan, progress: ProgressCallback | None) -> Played:
        """A simulation, run as the user asked."""
        options = self._options
        with Folder(folder, plan.specification()) as store:
            table = play_into(
                store,
                plan,
                workers=options.workers,
                engine=options.engine,
                address=options.address,
                progress=progress,
                threads=self._engine.threads,
            )

        return Played(table, store.manifest)


def _tuned_row(run: str, row: str, policy: str, best: str) -> RowEntry:
    prefix = f"{row}, "  # see `spread`
    constant = policy.removeprefix(prefix)
    best_constant_name = best.removeprefix(prefix)
    return {
        "run": run,
        "row": row,
        "policy": policy,
        "tuned": constant,
        "best": best,
        "best_tuned": best_constant_name,
    }


def plain_row(run: str, row: str) -> RowEntry:
    """A row without a constant to choose: the table has it under its own name."""
    return {"run": run, "row": row, "policy": row, "tuned": "", "best": row, "best_tuned": ""}


def _trials_of_earlier_call(folder: Path) -> int:
    manifest = read_manifest(folder)
    return 0 if manifest is None else int(manifest["specification"]["trials"])


def plan(experiment: str, run: Run, options: RunOptions) -> Plan:
    """The simulation of a run: every row, grids and all.

    Args:
        experiment: its ID.
        run: to play.
        options: of the user.
    """
    return prepare(
        run.recipes(),
        run.environment,
        rounds=options.rounds_or(run.rounds),
        trials=options.trials_or(run.trials),
        seed=options.seed,
        metrics=run.metrics,
        record=run.record,
        experiment=experiment,
    )


def tuning_plan(experiment: str, run: Run, options: RunOptions) -> Plan:
    """The simulation that constants are chosen on; the arguments of `plan`."""
    tuned = run.tuned()
    metrics = {constants.metric_name: constants.metric for constants in tuned.values()}
    # A choice needs the end only.
    tuning = replace(run, rows=tuned, metrics=list(metrics.values()), record=1)
    trials = run.trials_to_tune(options)
    seed = options.seed + TUNING
    return plan(f"{experiment}, tuning", tuning, options._replace(seed=seed, trials=trials))


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


def slug(name: str) -> str:
    """A name as a folder.

    Example:
        >>> slug("d = 5"), slug("K = 50, d = 5, L = 4")
        ('d-5', 'K-50-d-5-L-4')
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")
