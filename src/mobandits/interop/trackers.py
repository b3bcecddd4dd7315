"""Results of simulations and histories of agents in MLflow, Weights & Biases and TensorBoard.

`track` calls methods of an object of theirs, so that none of them is imported here.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mobandits.metrics.traits import describing, traits_of
from mobandits.monitoring import MonitorSummary
from mobandits.simulation import Results
from mobandits.statistics.bands import bands
from mobandits.support.naming import wrong_value

__all__ = ["numbers", "track"]

# Of a window: its place in the history, which is the step and no measurement.
PLACE = {"number", "first", "last", "start", "end"}
Rows = Sequence[tuple[int, dict[str, float]]]  # (step, {name: value})
ABOUT_AGENT = ("agent", "recipe", "source", "window")


def track(tracker: Any, source: Results | MonitorSummary) -> None:
    """Hand the numbers of a simulation or of an agent's history to an experiment tracker.

    The `numbers` become metrics with steps, and the description of the run, or of the agent,
    becomes parameters (in TensorBoard, a text). Steps of Weights & Biases are a metric of their
    own, `round` or `decision`, so that a run may hold both sources and other metrics.

    Args:
        tracker: the module `mlflow` with an active run, a `wandb.Run`, or a `SummaryWriter` of
            PyTorch or tensorboardX.
        source: results of `simulate`, or the `summary` of a monitor.

    Raises:
        ValueError: where the tracker is none of these.

    Example:
        >>> class Writer:
        ...     def add_text(self, tag, text): ...
        ...     def add_scalar(self, tag, value, step): print(tag, step)
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import RandomChoice
        >>> from mobandits.simulation import simulate
        >>> asked = {"rounds": 1, "trials": 1, "metrics": ["pareto_regret"]}
        >>> track(Writer(), simulate({"random": RandomChoice()}, Linear(arms=3), **asked))
        pareto_regret/random/mean 1
    """
    steps: dict[int, dict[str, float]] = {}
    for name, value, step in numbers(source):
        steps.setdefault(step, {})[name] = value

    rows = sorted(steps.items())
    parameters = _parameters(source)
    if hasattr(tracker, "log_metrics"):
        _to_mlflow(tracker, parameters, rows)
    elif hasattr(tracker, "define_metric"):
        step_name = "round" if isinstance(source, Results) else "decision"
        _to_wandb(tracker, parameters, rows, step_name)
    elif hasattr(tracker, "add_scalar"):
        _to_tensorboard(tracker, parameters, rows)
    else:
        raise wrong_value(
            "tracker must be the module mlflow, a run of wandb or a SummaryWriter", tracker
        )


def _to_mlflow(mlflow: Any, parameters: Mapping[str, str], rows: Rows) -> None:
    mlflow.log_params(parameters)
    for step, values in rows:
        mlflow.log_metrics(values, step=step)


def _to_wandb(run: Any, parameters: Mapping[str, str], rows: Rows, step_name: str) -> None:
    run.config.update(parameters)
    # The steps of a run may never go back, as those of a second source would.
    for name in sorted({name for _, values in rows for name in values}):
        run.define_metric(name, step_metric=step_name)
    for step, values in rows:
        run.log({step_name: step, **values})


def _to_tensorboard(writer: Any, parameters: Mapping[str, str], rows: Rows) -> None:
    writer.add_text("parameters", json.dumps(parameters, indent=1))
    for step, values in rows:
        for name, value in values.items():
            writer.add_scalar(name, value, step)


def numbers(source: Results | MonitorSummary) -> Iterator[tuple[str, float, int]]:
    """(name, value, step) of every number of a simulation or of an agent's history.

    Results give METRIC/POLICY/mean at every recorded round, and with several trials the ends of
    its 95 % interval, METRIC/POLICY/low and /high. Experiments, environments and components stand
    in between where there are several. A summary gives every number of every window, such as
    rewards/quality/mean, plays/large, propensities/smallest and status/waiting.

    MLflow allows letters, digits, spaces and ``_.-`` in names; other characters become ``_``.

    Args:
        source: as in `track`.

    Returns:
        The step of a mean is its round, that of a window the number of its last decision, from 1.
    """
    if isinstance(source, Results):
        yield from _numbers_of_results(source)
        return

    objectives = [objective["name"] for objective in source["objectives"]]
    arms = [arm["name"] for arm in source["arms"]]
    for window in source["windows"]:
        for part, entry in window.items():
            if part not in PLACE:
                names = arms if part == "plays" else objectives
                for path, value in _leaves(entry, names, (part,)):
                    yield _name(path), float(value), window["last"]


def _numbers_of_results(results: Results) -> Iterator[tuple[str, float, int]]:
    table = results.table
    keys = [key for key in ("experiment", "environment") if table[key].n_unique() > 1]
    keys.append("policy")
    with describing(results.specification):
        for of_metric in table.partition_by("metric", maintain_order=True):
            metric = of_metric["metric"][0]
            has_components = of_metric["component"].n_unique() > 1
            names = [*keys, "component"] if has_components else keys
            traits = traits_of(metric)
            curves = bands(of_metric, [*names, "round"], traits.least, traits.most)
            for row in curves.iter_rows(named=True):
                path = [metric, *(row[name] for name in names)]
                # One trial has no interval.
                shown = ("mean", "low", "high") if row["trials"] > 1 else ("mean",)
                for end in shown:
                    yield _name([*path, end]), row[end], row["round"]


def _leaves(
    entry: Any, names: Sequence[str], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """The numbers of nested dictionaries and lists; `names` has those of a list's items."""
    if isinstance(entry, list):
        entry = dict(zip(names, entry, strict=True))
    if isinstance(entry, Mapping):
        for name, part in entry.items():
            yield from _leaves(part, names, (*path, name))
    elif entry is not None:
        yield path, entry


def _parameters(source: Results | MonitorSummary) -> dict[str, str]:
    if not isinstance(source, Results):
        return {name: str(value) for name, value in source.items() if name in ABOUT_AGENT}

    parameters = {}
    for name, value in source.specification.items():
        if isinstance(value, Mapping):
            for inner, entry in value.items():
                parameters[_name([name, inner])] = str(entry)
        elif name == "runs":
            # They share all the rest, which would be too long for a parameter.
            for number, run in enumerate(value):
                parameters[_name([name, number])] = run["environment"]
        else:
            parameters[_name([name])] = str(value)

    return parameters


def _name(path: Sequence[Any]) -> str:
    return "/".join(re.sub(r"[^\w. -]", "_", str(part)) for part in path)
