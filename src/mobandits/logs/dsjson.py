"""Decisions as dsjson, the log of Vowpal Wabbit's decision service: written as a strict superset, and read.

    vw --dsjson -d log.dsjson --cb_explore_adf -q CA

A line is a decision. Vowpal Wabbit learns from a scalar cost, so `write` is told which objective or which weighted sum
that is; it passes over the key "mobandits", where the line has the vector and whatever else dsjson has no place for. A
context that arms share is the namespace "Context", an arm's own row its "Features", and its name a feature of its
namespace "Arm". Only eligible arms are in "_multi". Where the cost or the propensity is not known, the line has no
label, and Vowpal Wabbit learns nothing from it.

    {"_label_cost": -0.93, "_label_probability": 0.25, "_label_Action": 2, "_labelIndex": 1,
     "o": [{"EventId": "7", "v": 0.93}], "Timestamp": "2026-01-31T12:00:00.500000Z", "Version": "1", "EventId": "7",
     "a": [2], "p": [0.25],
     "c": {"Context": [0.5, 0.1], "_multi": [{"Arm": {"name": "small"}}, {"Arm": {"name": "large"}}]},
     "VWState": {"m": "N/A"},
     "mobandits": {"version": 1, "index": 1, "propensity": 0.25, "rewards": {"quality": 0.93, "saving": null}}}

"a" and "p" name only the arm that was played: the probabilities of the others were not logged.
"""

import contextlib
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.logs.decision_lines import KEY, VERSION, rows
from mobandits.logs.decision_survey import Survey
from mobandits.logs.errors import LogError
from mobandits.logs.feedback import Feedback, together
from mobandits.logs.names import compact, name_text
from mobandits.support.checks import integer, number
from mobandits.support.files import replacing
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean


def write(
    log: Feedback | Iterable[Feedback],
    path: str | Path,
    *,
    objective: Hashable | None = None,
    weights: Mapping[Any, float] | None = None,
) -> None:
    """Write decisions as dsjson; the file appears whole or not at all.

    Args:
        log: decisions, or chunks of them, as `mobandits.logs.scan` gives them.
        path: the file to write, or to replace.
        objective: whose negated reward is the cost; needed where there are several.
        weights: {objective: weight}: the cost is the negated weighted sum, known where all these rewards are.

    Raises:
        ValueError: where neither or both of `objective` and `weights` are given, or name other objectives.

    Example:
        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/log.dsjson"
        >>> log = Feedback([[1.0], [2.0]], [0, 1], [[0.5, 1.0], [0.25, np.nan]], [0.5, 0.5], ["a", "b"], ["q", "c"])
        >>> write(log, path, weights={"q": 0.5, "c": 0.5})
        >>> read(path).rewards.tolist()
        [[0.5, 1.0], [0.25, nan]]
    """
    done = 0
    with replacing(Path(path)) as file:
        for chunk in [log] if isinstance(log, Feedback) else log:
            for line in _lines(chunk, _scalar(chunk, objective, weights), done):
                file.write(compact(line).encode() + b"\n")
            done += len(chunk)


def read(path: str | Path, *, features: Sequence[str] | None = None) -> Feedback:
    """The whole of a dsjson file; see `scan`.

    Raises:
        LogError: as `scan`; also where there is no decision in it.
    """
    chunks = list(scan(path, features=features))
    if not chunks:
        raise LogError(f"{path} must have at least one decision, got none")
    return together(chunks)


def scan(
    path: str | Path, *, chunk: int = 10_000, features: Sequence[str] | None = None
) -> Iterator[Feedback]:
    """A dsjson file of any size, in chunks. What `write` wrote comes back as it was.

    Lines that others wrote have one objective, "reward", which is -_label_cost; their arms are the places in "_multi",
    0 and up. Their features become columns, in order of appearance: a number "Namespace.feature", text
    "Namespace.feature=text" with the value 1. Shared features come first; where arms have features, every arm's row
    has both. Lines without a decision (dangling observations) or with "_skipLearn" are passed over, with one warning.

    Args:
        path: of the file. It is read twice.
        chunk: decisions at a time, at most.
        features: of others' lines: which to take; all of them, where it is None.

    Raises:
        LogError: naming file, line and rule, on the way.
    """
    integer("chunk", chunk, at_least=1)
    return _scanned(Path(path), chunk, features)


def _scanned(path: Path, chunk: int, features: Sequence[str] | None) -> Iterator[Feedback]:
    survey = Survey(path, features)
    for place, row in rows(path):
        survey.add(place, row)
    survey.warn()
    given = ((place, row) for place, row in rows(path) if row is not None)
    for start in range(0, survey.decisions, chunk):
        yield survey.feedback(given, min(chunk, survey.decisions - start))


def _scalar(
    log: Feedback, objective: Hashable | None, weights: Mapping[Any, float] | None
) -> Array:
    """(rounds,) the reward that becomes the cost, NaN where it is not known."""
    names = {name: i for i, name in enumerate(log.objective_names)}
    if objective is None and weights is None and len(names) == 1:
        (objective,) = names
    if (objective is None) == (weights is None):
        known = shortened(", ".join(map(str, names)))
        raise ValueError(
            f"objective or weights must be given, and not both, where objectives are {known}"
        )
    if weights is not None and not isinstance(weights, Mapping):
        raise ValueError(
            f"weights must be a dictionary {{objective: weight}}, got {quoted(weights)}"
        )
    chosen = (
        {objective: 1.0}
        if weights is None
        else {name: w for name, w in weights.items() if w != 0.0}
    )
    total = np.zeros(len(log))
    for name, weight in chosen.items():
        if name not in names:
            known = shortened(", ".join(map(str, names)))
            raise ValueError(
                f"objective must be one of {known}, got {quoted(name)}{did_you_mean(name, names)}"
            )
        number(f"weights[{quoted(name)}]", weight)
        total += weight * log.rewards[:, names[name]]
    if np.isinf(total).any():
        raise ValueError(f"weights must give finite costs, got {quoted(weights)}")
    return total


def _lines(log: Feedback, scalar: Array, done: int) -> Iterator[dict[str, Any]]:
    names, objectives = (
        [name_text(name) for name in given] for given in (log.arm_names, log.objective_names)
    )
    everyone = list(range(len(names)))
    for t in range(len(log)):
        arm = int(log.arms[t])
        context = log.contexts[t]
        allowed = everyone if log.eligible is None else np.flatnonzero(log.eligible[t]).tolist()
        told = {
            name: _known(value)
            for name, value in zip(objectives, log.rewards[t].tolist(), strict=True)
        }
        own: dict[str, Any] = {"version": VERSION, "index": allowed.index(arm)}
        own |= {"propensity": _known(float(log.propensities[t])), "rewards": told}
        if log.ids is not None:
            own["id"] = int(log.ids[t])
        if log.times is not None:
            own["time"] = _known(float(log.times[t]))
        if len(allowed) < len(names):
            own["arms"] = names
            if context.ndim == 2 and np.delete(context, allowed, axis=0).any():
                own["contexts"] = context.tolist()
        yield {
            **_public(own, _known(float(scalar[t])), own.get("id", done + t)),
            "c": _examples(names, allowed, context),
            "VWState": {"m": "N/A"},
            KEY: own,
        }


def _public(own: dict[str, Any], reward: float | None, event: int) -> dict[str, Any]:
    """What dsjson says of a decision outside its features."""
    action = own["index"] + 1
    probability = own["propensity"]
    line = dict[str, Any]()
    if reward is not None and probability is not None:
        line |= {"_label_cost": 0.0 - reward, "_label_probability": probability}
        line |= {
            "_label_Action": action,
            "_labelIndex": action - 1,
            "o": [{"EventId": str(event), "v": reward}],
        }
    if own.get("time") is not None:
        with contextlib.suppress(
            ValueError, OverflowError, OSError
        ):  # a time that is in no calendar
            line["Timestamp"] = datetime.fromtimestamp(own["time"], UTC).strftime(
                "%Y-%m-%dT%H:%M:%S.%fZ"
            )
    line |= {
        "Version": "1",
        "EventId": str(event),
        "a": [action],
        "p": [] if probability is None else [probability],
    }
    return line


def _examples(names: list[str], allowed: list[int], context: Array) -> dict[str, Any]:
    """The features: one shared example, and one of each eligible arm."""
    if context.ndim == 1:
        shared = {"Context": context.tolist()} if len(context) else {}
        return {**shared, "_multi": [{"Arm": {"name": names[k]}} for k in allowed]}
    rows = context[allowed].tolist()
    return {
        "_multi": [
            {"Arm": {"name": names[k]}, "Features": row}
            for k, row in zip(allowed, rows, strict=True)
        ]
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
