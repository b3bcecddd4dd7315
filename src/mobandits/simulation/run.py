"""Trials in parallel: the same table for any number of workers, threads or processes."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.compiling.at_hand import Played
from mobandits.compiling.compiled import Compiled
from mobandits.compiling.tracebacks import shorten
from mobandits.contracts.continuum import SurfaceEnvironment
from mobandits.contracts.protocols import Environment, Metric
from mobandits.figures.contents import RUNS
from mobandits.metrics.traits import DESCRIPTIONS
from mobandits.simulation.folder import Folder, Memory, concatenated
from mobandits.simulation.plan import Plan, Policies, prepare
from mobandits.simulation.ray_engine import check_ray, cluster, play_on_ray
from mobandits.simulation.results import Results
from mobandits.simulation.threads import Threads
from mobandits.support.checks import choice, integer
from mobandits.support.forks import processors
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.progress import Progress, ProgressCallback, check_progress, shown_progress

ENGINES = ("threads", "ray")
Environments = Mapping[str, Environment | SurfaceEnvironment]


def simulate(
    policies: Policies,
    environment: Environment | SurfaceEnvironment | Environments,
    *,
    rounds: int,
    trials: int = 10,
    seed: int = 0,
    metrics: Sequence[str | Metric] | None = None,
    record: int | Sequence[int] = 200,
    workers: int | None = None,
    engine: str = "threads",
    address: str | None = None,
    compiled: Compiled = "auto",
    experiment: str = "simulation",
    out: str | Path | None = None,
    progress: Progress = "auto",
) -> Results:
    """Play policies in an environment, several times, and measure.

    All policies of a trial play the same rounds. The environment's random numbers depend on the
    seed and the trial, a policy's also on its recipe's text: adding a policy, or more trials,
    changes no other row. The same arguments give the same table, bit for bit, for any number of
    workers and either engine, interrupted or not.

    Args:
        policies: a recipe, a list of them, or {row name: recipe}; without a name, the recipe's text
            is the name. `PreferenceSweep` may stand in the place of a recipe.
        environment: what they play in; or {name: environment}, which are played one after another
            and are told apart by these names. Comparisons then rank over all of them.
        rounds: the horizon T.
        trials: independent repetitions, each with a problem of its own.
        seed: at least 0.
        metrics: names, or metrics from `mobandits.metrics`; also the names of the problem's
            quantities, such as "dollars". None: those of `mobandits.metrics.DEFAULT_METRICS` that
            the problem can be measured by. These are never the Pareto regret alone, which is no
            harder than the regret of a single objective: one arm of the front suffices.
        record: how many rounds to record, evenly spaced, or which ones; the last is always
            recorded.
        workers: how many trials are played at the same time; None: one per processor, on a cluster
            of all its.
        engine: "threads" of this process; or "ray", processes on this machine or a cluster, where
            the trials of a process that is lost are played again. See
            docs/how-to/run-on-many-machines.md.
        address: of a Ray cluster, host:port or "auto" for the one that this machine belongs to;
            None: of our own, on this machine, for as long as the run takes.
        compiled: "auto" compiles the policies that can be; True refuses others; False runs plain
            Python.
        experiment: the table's first column.
        out: a folder for the table and all that is needed to resume: run again after a kill, and
            finished trials are not run twice. Of several environments each has a folder in it, and
            `Results.write` keeps the common table.
        progress: "auto" shows a bar on stderr, where that is a terminal, or below a notebook's
            cell, once the run has taken a second; False shows none. A function is called at the
            start, and now and then, with the rounds played in all trials and how many there will
            be; from any thread, one call at a time. With "ray", after every trial.

    Returns:
        The table, and what can be made of it.

    Raises:
        ValueError: before the first round, naming the parameter, policy or metric that does not
            fit.
        FolderError: where `out` holds something else.
        MissingExtraError: where Ray is asked for and the extra `ray` is not installed.
        EngineError: where the cluster cannot be reached, or lost a trial for good.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import MolUcb, RandomChoice
        >>> recipes = [MolUcb(scale=0.3), RandomChoice()]
        >>> asked = {"rounds": 300, "trials": 2, "metrics": ["reward"], "record": 3}
        >>> results = simulate(recipes, Linear(arms=10), **asked)
        >>> results.table["round"].unique().sort().to_list()
        [100, 200, 300]
        >>> environments = {"few": Linear(arms=5), "many": Linear(arms=20)}
        >>> simulate(recipes, environments, **asked).compare().ranks["problems"].max()
        2
    """
    check_engine(engine, address)
    check_progress(progress)
    try:
        environments = environments_by_name(environment, out)
        plans = {}
        for name, place in environments.items():
            plans[name] = prepare(
                policies,
                place,
                rounds=rounds,
                trials=trials,
                seed=seed,
                metrics=metrics,
                record=record,
                compiled=compiled,
                experiment=experiment,
            )

        parts = {}
        with shown_progress(progress, Played("simulate"), "rounds") as report:
            for number, (name, plan) in enumerate(plans.items()):
                parts[name] = run_plan(
                    plan,
                    out=None if out is None else Path(out) / name,
                    workers=workers,
                    engine=engine,
                    address=address,
                    progress=part_of(report, number, len(plans)),
                )

        return together(parts) if isinstance(environment, Mapping) else parts[""]
    except Exception as error:
        shorten(error)
        raise


def environments_by_name(given: Any, out: str | Path | None) -> dict[str, Any]:
    """{name: environment}; a single one has no name. Names are folders where `out` is given.

    Raises:
        ValueError: where there is none, or a name does not fit.

    Example:
        >>> environments_by_name({}, None)
        Traceback (most recent call last):
        ValueError: environment must name at least one environment, got none
    """
    if not isinstance(given, Mapping):
        return {"": given}

    if not given:
        raise ValueError("environment must name at least one environment, got none")

    for name in given:
        is_text = isinstance(name, str) and bool(name.strip())
        is_folder = is_text and Path(name).name == name
        if not is_text or (out is not None and not is_folder):
            raise wrong_value(
                "environment must have texts as names, which are folders where out is given", name
            )

    return dict(given)


def part_of(report: ProgressCallback | None, number: int, parts: int) -> ProgressCallback | None:
    """A function to report the steps of one of several parts to, which are equally long."""
    if report is None:
        return None

    whole = report

    def report_part(done: int, steps: int) -> None:
        whole(number * steps + done, parts * steps)

    return report_part


def together(parts: Mapping[str, Results]) -> Results:
    """The results of several environments as one table, in which their names tell them apart."""
    tables = []
    specifications = []
    metrics: dict[str, str] = {}
    described: dict[str, Any] = {}
    for name, results in parts.items():
        tables.append(results.table.with_columns(environment=pl.lit(name)))
        specifications.append(results.specification)
        metrics |= results.specification["metrics"]
        described |= results.specification.get(DESCRIPTIONS, {})

    specification = {
        **specifications[0],
        "environment": ", ".join(parts),
        "metrics": metrics,
        RUNS: specifications,
    }
    if described:
        specification[DESCRIPTIONS] = described

    return Results(concatenated(tables), specification)


def run_plan(
    plan: Plan,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: str = "threads",
    address: str | None = None,
    progress: ProgressCallback | None = None,
    threads: Threads | None = None,
) -> Results:
    """The results of a plan; see `simulate`.

    It may share `threads`, from `shared_engine`, with others that run at the same time.
    """
    check_engine(engine, address)
    if workers is not None:
        integer("workers", workers, at_least=1)

    store: Memory | Folder = Memory() if out is None else Folder(out, plan.specification())
    with store:
        table = play_into(
            store,
            plan,
            workers=workers,
            engine=engine,
            address=address,
            progress=progress,
            threads=threads,
        )

    return Results(table, plan.specification())


def play_into(
    store: Memory | Folder,
    plan: Plan,
    *,
    workers: int | None,
    engine: str,
    address: str | None,
    progress: ProgressCallback | None,
    threads: Threads | None,
) -> pl.DataFrame:
    """The table of a plan, of which an open store keeps finished trials and those of earlier calls."""
    todo = [trial for trial in range(plan.trials) if trial not in store.finished]
    # What was finished before counts as done from the start.
    after_rounds = RoundCounter(plan.setup.rounds, plan.trials, len(todo), progress)
    if todo and engine == "ray":
        store.begin()
        play_on_ray(plan.setup, todo, store.keep, after_rounds, workers=workers, address=address)
    elif todo:
        own_or_shared = threads_for(workers) if threads is None else nullcontext(threads)
        with own_or_shared as pool:
            pool.play(plan.setup, todo, store.keep, store.begin, after_rounds)

    return store.finish()


def check_engine(engine: str, address: str | None) -> None:
    """Refuse an engine that does not exist or cannot work here.

    Raises:
        ValueError: naming `engine` or `address`.
        MissingExtraError: where the engine is not installed.

    Example:
        >>> check_engine("threads", "auto")
        Traceback (most recent call last):
        ValueError: address must be None with engine='threads', got 'auto'; a cluster needs \
engine='ray'
    """
    choice("engine", engine, ENGINES)
    if engine == "ray":
        check_ray(address)
    elif address is not None:
        raise ValueError(
            f"address must be None with engine={quoted(engine)}, got {quoted(address)}; "
            "a cluster needs engine='ray'"
        )


@contextmanager
def shared_engine(
    engine: str, address: str | None, workers: int | None
) -> Iterator[Threads | None]:
    """The engine that several runs share which go on at the same time.

    Threads, which `run_plan` is given, or else a connection to Ray, which it finds by itself.
    """
    if engine == "ray":
        with cluster(address, workers):
            yield None
    else:
        with threads_for(workers) as threads:
            yield threads


def threads_for(workers: int | None) -> Threads:
    """So many threads, or one per processor."""
    return Threads(workers or processors())


class RoundCounter:
    """A count of rounds over all threads, which is passed on.

    Args:
        rounds: of a trial.
        trials: how many there are in all.
        todo: how many of them are not finished.
        callback: called with the rounds played and those of all trials, one call at a time.
    """

    def __init__(
        self, rounds: int, trials: int, todo: int, callback: ProgressCallback | None
    ) -> None:
        self._lock = threading.Lock()
        self._callback = callback
        self._done = rounds * (trials - todo)
        self._all = rounds * trials
        if todo and callback is not None:
            callback(self._done, self._all)

    def __call__(self, rounds: int) -> None:
        """`rounds` more have been played."""
        with self._lock:
            self._done += rounds
            if self._callback is not None:
                self._callback(self._done, self._all)
