"""Decisions as dsjson, the log of Vowpal Wabbit's decision service: a strict superset, and back.

    vw --dsjson -d log.dsjson --cb_explore_adf -q CA

A line is a decision. Vowpal Wabbit learns from a scalar cost, so `write` takes an objective or the
weights of a sum. It passes over the key "mobandits", where the line has the vector and all else
that dsjson has no place for. A context that arms share is the namespace "Context", an arm's own row
its "Features", and its name a feature of its namespace "Arm". Only eligible arms are in "_multi".
Where the cost or the propensity is not known, the line has no label, and Vowpal Wabbit learns
nothing from it.

    {"_label_cost": -0.93, "_label_probability": 0.25, "_label_Action": 2, "_labelIndex": 1,
     "o": [{"EventId": "7", "v": 0.93}], "Timestamp": "2026-01-31T12:00:00.500000Z",
     "Version": "1", "EventId": "7", "a": [2], "p": [0.25],
     "c": {"Context": [0.5, 0.1],
           "_multi": [{"Arm": {"name": "small"}}, {"Arm": {"name": "large"}}]},
     "VWState": {"m": "N/A"},
     "mobandits": {"version": 1, "index": 1, "propensity": 0.25,
                   "rewards": {"quality": 0.93, "saving": null}}}

The first line's "mobandits" also holds the description of the log (objectives with their
directions, units and ranges; encoder, preference, how propensities were found): what `read` gives
back is what was written. It may stand in any line; where files are put together, all must agree.

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
from mobandits.errors import LogError
from mobandits.logs.decision_lines import KEY, VERSION, Line, read_rows
from mobandits.logs.feedback import Feedback, whole
from mobandits.logs.log_description import LogDescription
from mobandits.logs.names import compact, encoded, name_text
from mobandits.logs.objectives import Objective
from mobandits.logs.schema_scan import SchemaScan
from mobandits.support.checks import integer, number
from mobandits.support.files import replacing
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.nearest import refusal

TIMESTAMP = "%Y-%m-%dT%H:%M:%S.%fZ"


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
        weights: {objective: weight}: the cost is the negated weighted sum, known where all these
            rewards are.

    Raises:
        ValueError: where neither or both of `objective` and `weights` are given, or name other
            objectives; where several arms were chosen for one context.

    Example:
        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/log.dsjson"
        >>> rewards = [[0.5, 1.0], [0.25, np.nan]]
        >>> log = Feedback([[1.0], [2.0]], [0, 1], rewards, [0.5, 0.5], ["a", "b"], ["q", "c"])
        >>> write(log, path, weights={"q": 0.5, "c": 0.5})
        >>> read(path).rewards.tolist()
        [[0.5, 1.0], [0.25, nan]]
    """
    chunks = [log] if isinstance(log, Feedback) else log
    done = 0
    is_described = False
    with replacing(Path(path)) as file:
        for chunk in chunks:
            _refuse_dependent(chunk, path)
            scalar = _scalar_rewards(chunk, objective, weights)
            for line in _lines(chunk, scalar, done):
                if not is_described:
                    description = LogDescription(
                        tuple(chunk.objectives),
                        chunk.encoder,
                        chunk.preference,
                        chunk.propensity_mode,
                    )
                    line[KEY]["description"] = encoded(description.data)
                    is_described = True

                file.write(compact(line).encode() + b"\n")

            done += len(chunk)


def _refuse_dependent(log: Feedback, path: str | Path) -> None:
    # A line is a decision of its own there: others would come back as independent rounds.
    if log.ranks is not None and log.ranks.any():
        raise LogError(
            f"{path}: dsjson cannot say that arms were chosen together: export as parquet, or "
            "write log.first_ranks()"
        )
    if log.sessions is not None:
        raise LogError(
            f"{path}: dsjson cannot say that sessions kept arms: export as parquet, or write "
            "log.per_session()"
        )


def read(path: str | Path, *, features: Sequence[str] | None = None) -> Feedback:
    """The whole of a dsjson file; see `scan`.

    Raises:
        LogError: as `scan`; also where there is no decision in it.
    """
    return whole(scan(path, features=features), path)


def scan(
    path: str | Path,
    *,
    chunk: int = 10_000,
    features: Sequence[str] | None = None,
    objectives: Sequence[Objective] = (),
) -> Iterator[Feedback]:
    """A dsjson file of any size, in chunks. What `write` wrote comes back as it was.

    Lines that others wrote have one objective, "reward", which is -_label_cost; their arms are the
    places in "_multi", 0 and up. Their features become columns, in order of appearance: a number
    "Namespace.feature", text "Namespace.feature=text" with the value 1. Shared features come first;
    where arms have features, every arm's row has both. Lines without a decision (dangling
    observations) or with "_skipLearn" are passed over, with one warning.

    Args:
        path: of the file. It is read twice.
        chunk: decisions at a time, at most.
        features: of others' lines: which to take; all of them, where it is None.
        objectives: of others' lines: what "reward" means; more of it is better.

    Raises:
        LogError: naming file, line and rule, on the way.
    """
    integer("chunk", chunk, at_least=1)
    # A function of its own, so that a wrong argument is refused before the first chunk is wanted.
    return _scanned(Path(path), chunk, features, objectives)


def _scanned(
    path: Path, chunk: int, features: Sequence[str] | None, objectives: Sequence[Objective]
) -> Iterator[Feedback]:
    schema = SchemaScan(path, features, objectives)
    for line_number, row in read_rows(path):
        schema.add(line_number, row)

    schema.warn()
    # Read again, line by line: the decisions of a large file do not fit into the memory.
    decisions = ((line_number, row) for line_number, row in read_rows(path) if row is not None)
    for start in range(0, schema.decisions, chunk):
        left = schema.decisions - start
        yield schema.feedback(decisions, min(chunk, left))


def _scalar_rewards(
    log: Feedback, objective: Hashable | None, weights: Mapping[Any, float] | None
) -> Array:
    """The reward that becomes the cost, (rounds,); NaN where it is not known."""
    columns = {name: i for i, name in enumerate(log.objective_names)}
    chosen = _chosen_weights(list(columns), objective, weights)
    total = np.zeros(len(log))
    for name, weight in chosen.items():
        if name not in columns:
            known = shortened(", ".join(map(str, columns)))
            raise ValueError(refusal("objective", f"be one of {known}", name, columns))

        number(f"weights[{quoted(name)}]", weight)
        total += weight * log.rewards[:, columns[name]]

    if np.isinf(total).any():
        raise wrong_value("weights must give finite costs", weights)

    return total


def _chosen_weights(
    objectives: list[Hashable], objective: Hashable | None, weights: Mapping[Any, float] | None
) -> dict[Any, float]:
    """The weight of each objective that counts, from either of two arguments."""
    if objective is None and weights is None and len(objectives) == 1:
        (objective,) = objectives
    if (objective is None) == (weights is None):
        known = shortened(", ".join(map(str, objectives)))
        rule = "objective or weights must be given, and not both"
        raise ValueError(f"{rule}, where objectives are {known}")
    if weights is None:
        return {objective: 1.0}
    if not isinstance(weights, Mapping):
        got = quoted(weights)
        raise ValueError(f"weights must be a dictionary {{objective: weight}}, got {got}")

    # A weight of 0 must not make a cost unknown where that reward was not observed.
    return {name: weight for name, weight in weights.items() if weight != 0.0}


def _lines(log: Feedback, scalar: Array, done: int) -> Iterator[Line]:
    """The lines of a log, below `done` others."""
    names = [name_text(name) for name in log.arm_names]
    objectives = [name_text(name) for name in log.objective_names]
    all_arms = list(range(len(names)))
    for t in range(len(log)):
        context = log.contexts[t]
        allowed = all_arms
        if log.eligible is not None:
            allowed = np.flatnonzero(log.eligible[t]).tolist()

        own = _own_fields(log, t, allowed, objectives)
        if len(allowed) < len(names):
            own["arms"] = names
            # Rows of other arms are in no example, and mostly 0.
            if context.ndim == 2 and np.delete(context, allowed, axis=0).any():
                own["contexts"] = context.tolist()

        reward = _known(float(scalar[t]))
        # Decisions without numbers are counted, as every line must have an id.
        event = own.get("id", done + t)
        line = _vowpal_wabbit_fields(own, reward, event)
        line["c"] = _examples(names, allowed, context)
        line["VWState"] = {"m": "N/A"}
        line[KEY] = own
        yield line


def _own_fields(log: Feedback, t: int, allowed: list[int], objectives: list[str]) -> Line:
    """Fields that Vowpal Wabbit passes over: the vector reward, and what dsjson cannot say."""
    rewards = map(_known, log.rewards[t].tolist())
    arm = int(log.arms[t])
    own = {
        "version": VERSION,
        "index": allowed.index(arm),
        "propensity": _known(float(log.propensities[t])),
        "rewards": dict(zip(objectives, rewards, strict=True)),
    }
    if log.ids is not None:
        own["id"] = int(log.ids[t])
    if log.times is not None:
        own["time"] = _known(float(log.times[t]))

    return own


def _vowpal_wabbit_fields(own: Line, reward: float | None, event: int) -> Line:
    """The fields of dsjson besides the features: label, id, time and action."""
    index = own["index"]
    action = index + 1  # counted from 1 there
    probability = own["propensity"]
    line: Line = {}
    if reward is not None and probability is not None:
        line["_label_cost"] = 0.0 - reward  # and not -reward, which would write -0.0
        line["_label_probability"] = probability
        line["_label_Action"] = action
        line["_labelIndex"] = index
        line["o"] = [{"EventId": str(event), "v": reward}]

    if own.get("time") is not None:
        # A time that is in no calendar has no timestamp.
        with contextlib.suppress(ValueError, OverflowError, OSError):
            moment = datetime.fromtimestamp(own["time"], UTC)
            line["Timestamp"] = moment.strftime(TIMESTAMP)

    line["Version"] = "1"
    line["EventId"] = str(event)
    line["a"] = [action]
    line["p"] = [] if probability is None else [probability]

    return line


def _examples(names: list[str], allowed: list[int], context: Array) -> Line:
    """The features: one shared example, and one of each eligible arm."""
    examples: Line = {}
    actions: list[Line] = [{"Arm": {"name": names[arm]}} for arm in allowed]
    if context.ndim == 1:
        if len(context):
            examples["Context"] = context.tolist()
    else:
        rows = context[allowed].tolist()
        for action, row in zip(actions, rows, strict=True):
            action["Features"] = row

    examples["_multi"] = actions

    return examples


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
