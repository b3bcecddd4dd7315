"""Trials on Ray: the processes of this machine, or of a cluster, each playing one trial at a time.

The trial's arguments and its table travel as Ray sends everything, pickled by value with
cloudpickle, so recipes and environments may also come from a script. Nothing is kept in that form:
tables are written here, by the process that called `simulate`, as they come back.
"""

import contextlib
import importlib.util
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import polars as pl

from mobandits.errors import EngineError
from mobandits.simulation.manifest import DECISIVE, versions
from mobandits.simulation.trial import Setup, play_trial
from mobandits.support.forks import processors
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.optional import missing_extra

# Of a trial whose process was lost; one that takes its process down every time must end somewhere.
RETRIES = 3


class RelayedWarning(NamedTuple):
    """A warning, on its way from the process that played."""

    message: Warning | str
    category: type[Warning]
    filename: str
    line: int


def check_ray(address: str | None) -> None:
    """Refuse what cannot be an address, and a machine without Ray.

    Raises:
        ValueError: naming `address`.
        MissingExtraError: where the extra `ray` is not installed.

    Example:
        >>> check_ray("somewhere")
        Traceback (most recent call last):
        ValueError: address must be 'auto' or host:port, got 'somewhere'
    """
    if address is not None:
        is_address = isinstance(address, str) and re.fullmatch(r"auto|\S+:\d+", address)
        if not is_address:
            raise wrong_value("address must be 'auto' or host:port", address)

    _load()


@contextlib.contextmanager
def cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """A connection to Ray: the one of this process, to that address, or to a Ray of our own.

    Only the connection that was made here is closed again. A Ray of our own has as many processes
    as `workers`, needs no network, and sends no statistics.

    Raises:
        EngineError: where the cluster does not answer.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # The first failure is raised; without this the others are printed.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    ray = _load()
    # Where the caller has connected this process, that is the cluster that is meant.
    if ray.is_initialized():
        yield
        return

    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is None:
            # "local", or Ray would look for a cluster by itself.
            ray.init("local", num_cpus=workers or processors(), include_dashboard=False, **quiet)
        else:
            ray.init(address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = "on this machine" if address is None else f"at address {quoted(address)}"
        raise EngineError(f"Ray cannot be reached {where}: {_first_line(error)}") from error

    try:
        yield
    finally:
        ray.shutdown()


def play_on_ray(
    setup: Setup,
    todo: Sequence[int],
    keep: Callable[[int, pl.DataFrame], None],
    after_rounds: Callable[[int], None],
    *,
    workers: int | None,
    address: str | None,
) -> None:
    """Play trials, and keep their tables.

    Ray itself plays the trials of a lost process again, `RETRIES` times.

    Args:
        setup: the simulation.
        todo: the numbers of its trials.
        keep: called with every trial's number and table.
        after_rounds: called with the rounds of every finished trial.
        workers: at most so many trials at the same time; None: as many as Ray has processors.
        address: as in `simulate`.

    Raises:
        EngineError: as `cluster`; where a trial is lost for good; where a machine has other
            versions.
        Exception: what a trial raised.
    """
    with cluster(address, workers):
        ray = _load()
        play = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)
        # Once for all trials: environments may hold large data.
        shared_setup = ray.put(setup)
        waiting = iter(todo)
        pending = dict[Any, int]()
        while True:
            # Twice what runs, so that no processor waits for us and a cluster that can grow sees a
            # reason. Not all: where something fails the rest is left alone, as cancelling may abort
            # this process (a race in Ray 2.60).
            room = workers or 2 * int(ray.cluster_resources().get("CPU", 1))
            for trial in islice(waiting, max(0, room - len(pending))):
                pending[play.remote(shared_setup, trial, versions())] = trial

            if not pending:
                return

            finished, _ = ray.wait(list(pending))
            for future in finished:
                trial = pending.pop(future)
                frame, relayed = _result(ray, future, trial)
                keep(trial, frame)
                for warning in relayed:
                    warnings.warn_explicit(
                        warning.message, warning.category, warning.filename, warning.line
                    )

                after_rounds(setup.rounds)


def _play(
    setup: Setup, trial: int, expected: dict[str, str]
) -> tuple[pl.DataFrame, list[RelayedWarning]]:
    """A trial, in a process of Ray's."""
    here = versions()
    for name in DECISIVE:
        if here[name] != expected[name]:
            raise EngineError(
                f"a machine of the cluster has {name} {here[name]}, and the run was begun with "
                f"{expected[name]}: install the same versions everywhere (one table, one version)"
            )

    with warnings.catch_warnings(record=True) as caught:
        # What becomes of them is decided where the run was begun.
        warnings.simplefilter("default")
        frame = play_trial(setup, trial, lambda _: None)

    relayed = [
        RelayedWarning(warning.message, warning.category, warning.filename, warning.lineno)
        for warning in caught
    ]

    return frame, relayed


def _result(ray: Any, future: Any, trial: int) -> tuple[pl.DataFrame, list[RelayedWarning]]:
    try:
        frame, relayed = ray.get(future)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, ray.exceptions.RayError):
            # What the trial raised could not be sent, and Ray says so in its place.
            raise EngineError(f"trial {trial} failed: {_first_line(cause)}") from error

        raise cause from None
    except ray.exceptions.RayError as error:
        raise EngineError(
            f"trial {trial} was lost, after {RETRIES} more attempts: {_first_line(error)}"
        ) from error

    return frame, relayed


def _first_line(error: BaseException) -> str:
    """The first line of an error's message that is not empty, or else its class."""
    lines = [line.strip() for line in str(error).splitlines()]
    for line in lines:
        if line:
            return line

    return type(error).__name__


def _load() -> Any:
    if importlib.util.find_spec("ray") is None:
        raise missing_extra("engine='ray'", "ray")

    import ray  # noqa: PLC0415 - seconds, and an extra

    return ray
