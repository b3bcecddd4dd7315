"""Trials in parallel: the same table for any number of workers, threads or processes."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import polars as pl

from mobandits.kernel.checks import choice, integer
from mobandits.kernel.protocols import Environment, Metric
from mobandits.kernel.surface import SurfaceEnvironment
from mobandits.metrics import DEFAULT
from mobandits.simulation.folder import Folder, Memory
from mobandits.simulation.plan import Plan, Policies, prepare
from mobandits.simulation.players import Compiled
from mobandits.simulation.ray_engine import check_ray, cluster, play_on_ray, processors
from mobandits.simulation.results import Results
from mobandits.simulation.trial import Setup, play_trial

ENGINES = ("threads", "ray")
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
    address: str | None = None,
    compiled: Compiled = "auto",
    experiment: str = "simulation",
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Results:
    """Play policies in an environment, several times, and measure.

    All policies of a trial play the same rounds. The environment's random numbers depend on the seed and the trial, a
    policy's also on its recipe's text: adding a policy, or more trials, changes no other row. The same arguments give
    the same table, bit for bit, for any number of workers and either engine, interrupted or not.

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
        workers: how many trials are played at the same time; None: one per processor, on a cluster of all its.
        engine: "threads" of this process; or "ray", processes on this machine or a cluster, where the trials of a
            process that is lost are played again. See docs/how-to/run-on-many-machines.md.
        address: of a Ray cluster, host:port or "auto" for the one that this machine belongs to; None: of our own, on
            this machine, for as long as the run takes.
        compiled: "auto" compiles the policies that can be; True refuses others; False runs plain Python.
        experiment: the table's first column.
        out: a folder for the table and all that is needed to resume: run again after a kill, and finished trials are
            not run twice.
        progress: called at the start, and now and then, with the rounds played in all trials and how many there will
            be; from any thread, one call at a time. With "ray", after every trial.

    Returns:
        The table, and what can be made of it.

    Raises:
        ValueError: before the first round, naming the parameter, policy or metric that does not fit.
        FolderError: where `out` holds something else.
        MissingExtraError: where Ray is asked for and the extra `ray` is not installed.
        EngineError: where the cluster cannot be reached, or lost a trial for good.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import MolUcb, RandomChoice
        >>> recipes = [MolUcb(scale=0.3), RandomChoice()]
        >>> results = simulate(recipes, Linear(arms=10), rounds=300, trials=2, metrics=["reward"], record=3)
        >>> results.table["round"].unique().sort().to_list()
        [100, 200, 300]
    """
    check_engine(engine, address)
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
    return run_plan(plan, out=out, workers=workers, engine=engine, address=address, progress=progress)


def run_plan(
    plan: Plan,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: str = "threads",
    address: str | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run a plan; see `simulate`."""
    check_engine(engine, address)
    if workers is not None:
        integer("workers", workers, at_least=1)
    with Memory() if out is None else Folder(out, plan.specification()) as store:
        todo = [trial for trial in range(plan.trials) if trial not in store.finished]
        tally = Tally(plan.setup.rounds, plan.trials, len(todo), progress)
        if todo and engine == "ray":
            play_on_ray(plan.setup, todo, store.keep, tally, workers=workers, address=address)
        elif todo:
            play_in_threads(plan.setup, todo, store.keep, tally, workers=workers or processors())
        return Results(store.finish(), plan.specification())


def check_engine(engine: str, address: str | None) -> None:
    """Refuse an engine that does not exist or cannot work here.

    Raises:
        ValueError: naming `engine` or `address`.
        MissingExtraError: where the engine is not installed.

    Example:
        >>> check_engine("threads", "auto")
        Traceback (most recent call last):
        ValueError: address must be None with engine='threads', got 'auto'; a cluster needs engine='ray'
    """
    choice("engine", engine, ENGINES)
    if engine == "ray":
        check_ray(address)
    elif address is not None:
        raise ValueError(f"address must be None with engine={engine!r}, got {address!r}; a cluster needs engine='ray'")


def opened(engine: str, address: str | None, workers: int | None) -> contextlib.AbstractContextManager[None]:
    """Several runs inside share what the engine starts."""
    return cluster(address, workers) if engine == "ray" else contextlib.nullcontext()


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


def play_in_threads(
    setup: Setup,
    todo: Sequence[int],
    keep: Callable[[int, pl.DataFrame], None],
    tally: Tally,
    *,
    workers: int,
) -> None:
    """Play trials, at most `workers` at the same time, and keep their tables."""

    def one(trial: int) -> None:
        # Kept by the thread that finished it: an interruption elsewhere loses nothing.
        keep(trial, play_trial(setup, trial, tally))

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
