"""Trials in parallel: the same table for any number of workers."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from mobandits.kernel.checks import choice, integer
from mobandits.kernel.protocols import Environment, Metric
from mobandits.kernel.surface import SurfaceEnvironment
from mobandits.metrics import DEFAULT
from mobandits.simulation.folder import Folder, Memory
from mobandits.simulation.plan import Plan, Policies, prepare
from mobandits.simulation.players import Compiled
from mobandits.simulation.results import Results
from mobandits.simulation.trial import play_trial

ENGINES = ("threads",)
Progress = Callable[[int, int], None]


def simulate(
    policies: Policies,
    environment: Environment | SurfaceEnvironment,
    *,
    rounds: int,
    trials: int = 10,
    seed: int = 0,
    metrics: Sequence[str | Metric] = DEFAULT,
    record: int | Sequence[int] = 200,
    workers: int | None = None,
    engine: str = "threads",
    compiled: Compiled = "auto",
    experiment: str = "simulation",
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Results:
    """Play policies in an environment, several times, and measure.

    All policies of a trial play the same rounds. The environment's random numbers depend on the seed and the trial, a
    policy's also on its recipe's text: adding a policy, or more trials, changes no other row. The same arguments give
    the same table, bit for bit, for any number of workers, interrupted or not.

    Args:
        policies: a recipe, a list of them, or {row name: recipe}; without a name, the recipe's text is the name.
            `Readings` may stand in the place of a recipe.
        environment: what they play in.
        rounds: the horizon T.
        trials: independent repetitions, each with a problem of its own.
        seed: at least 0.
        metrics: names, or metrics from `mobandits.metrics`; also the names of the problem's quantities, such as
            "dollars".
        record: how many rounds to record, evenly spaced, or which ones; the last is always recorded.
        workers: threads; None: one per processor.
        engine: "threads".
        compiled: "auto" compiles the policies that can be; True refuses others; False runs plain Python.
        experiment: the table's first column.
        out: a folder for the table and all that is needed to resume: run again after a kill, and finished trials are
            not run twice.
        progress: called at the start, and now and then, with the rounds played in all trials and how many there will
            be; from any thread, one call at a time.

    Returns:
        The table, and what can be made of it.

    Raises:
        ValueError: before the first round, naming the parameter, policy or metric that does not fit.
        FolderError: where `out` holds something else.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import MolUcb, RandomChoice
        >>> recipes = [MolUcb(scale=0.3), RandomChoice()]
        >>> results = simulate(recipes, Linear(arms=10), rounds=300, trials=2, metrics=["reward"], record=3)
        >>> results.table["round"].unique().sort().to_list()
        [100, 200, 300]
    """
    choice("engine", engine, ENGINES)
    plan = prepare(
        policies,
        environment,
        rounds=rounds,
        trials=trials,
        seed=seed,
        metrics=metrics,
        record=record,
        compiled=compiled,
        experiment=experiment,
    )
    return run_plan(plan, out=out, workers=workers, progress=progress)


def run_plan(
    plan: Plan, *, out: str | Path | None = None, workers: int | None = None, progress: Progress | None = None
) -> Results:
    """Run a plan; see `simulate`."""
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    integer("workers", workers, at_least=1)
    with Memory() if out is None else Folder(out, plan.specification()) as store:
        todo = [trial for trial in range(plan.trials) if trial not in store.finished]
        _play(plan, todo, store, workers, Tally(plan.setup.rounds, plan.trials, len(todo), progress))
        return Results(store.finish(), plan.specification())


class Tally:
    """Counts rounds over all threads, and stops them."""

    def __init__(self, rounds: int, trials: int, todo: int, progress: Progress | None) -> None:
        self._lock, self._stopped = threading.Lock(), False
        self._done, self._all, self._progress = rounds * (trials - todo), rounds * trials, progress
        if todo and progress is not None:
            progress(self._done, self._all)

    def __call__(self, rounds: int) -> None:
        """`rounds` more have been played."""
        with self._lock:
            if self._stopped:
                raise StoppedError
            self._done += rounds
            if self._progress is not None:
                self._progress(self._done, self._all)

    def stop(self) -> None:
        """Let every thread end at its next block."""
        self._stopped = True


class StoppedError(Exception):
    """Another trial failed, or the user interrupted."""


def _play(plan: Plan, todo: Sequence[int], store: Memory | Folder, workers: int, tally: Tally) -> None:
    def one(trial: int) -> None:
        # Kept by the thread that finished it: an interruption elsewhere loses nothing.
        store.keep(trial, play_trial(plan.setup, trial, tally))

    with ThreadPoolExecutor(workers) as pool:
        try:
            pending = {pool.submit(one, trial) for trial in todo}
            while pending:  # waking up now and then: an interruption may have been told to another thread
                done, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        except BaseException:
            tally.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
