"""Tables of Polars and pandas as Feedback, by a mapping of their columns."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.encoding.encoder import Encoder
from mobandits.logs.feedback import Feedback
from mobandits.logs.objectives import Objective, objectives_of_columns, signs_of
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean


def is_frame(table: Any) -> bool:
    """Whether something is a table of Polars or pandas, which need not be installed."""
    module = type(table).__module__.partition(".")[0]
    return module in {"polars", "pandas"} and hasattr(table, "columns")


def feedback_of_frame(
    frame: Any,
    *,
    arm: str,
    rewards: Sequence[Any] | Mapping[Any, str],
    context: Sequence[str] | Mapping[Any, Sequence[str]] | Encoder = (),
    propensity: str | None = None,
    time: str | None = None,
    arms: Sequence[Hashable] | None = None,
    minimise: Sequence[Hashable] = (),
    objectives: Sequence[Objective] = (),
) -> Feedback:
    """A table in memory, a row per decision, as Feedback.

    Args:
        frame: of Polars or pandas.
        arm: the column with the arm that was played.
        rewards: {objective: column}, or objectives whose columns have their names, or one of them;
            an objective is a name or an `Objective`. An empty cell is a reward that was not
            observed.
        context: columns of features, or one of them, which the arms share; or {arm: columns}; or an
            encoder, of whose columns the arms share the features.
        propensity: the column with the logging policy's probability of that arm.
        time: the column with the time in seconds.
        arms: all arms; None takes what is there, in order of appearance.
        minimise: names of objectives of which less is better; an `Objective` says so itself.
        objectives: what is known of objectives that `rewards` only names.

    Raises:
        ValueError: naming what is missing or wrong.

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"item": ["red", "blue"], "age": [31, 42], "click": [1, None]})
        >>> log = feedback_of_frame(frame, arm="item", context="age", rewards="click")
        >>> log.arm_names, log.rewards.tolist()
        (('red', 'blue'), [[1.0], [nan]])
    """
    columns = objectives_of_columns(rewards, minimise, objectives)
    played = _listed(_column(frame, arm))
    names = tuple(dict.fromkeys(played)) if arms is None else tuple(arms)
    own = np.column_stack([_numbers(frame, column) for column in columns.values()])
    encoder = None
    if isinstance(context, Encoder):
        encoder = context
        contexts = context.encoded_table(frame).numbers
    elif isinstance(context, Mapping):
        contexts = np.stack([_features(frame, context[name]) for name in names], axis=1)
    else:
        contexts = _features(frame, context)

    positions = {name: position for position, name in enumerate(names)}
    unknown = [name for name in played if name not in positions]
    if unknown:
        rule = f"arms must have every arm of column {quoted(arm)}"
        raise ValueError(f"{rule}, got none for {quoted(unknown[0])}")

    return Feedback(
        contexts=contexts,
        arms=np.array([positions[name] for name in played], np.int64),
        rewards=own * signs_of(tuple(columns)),
        propensities=_numbers(frame, propensity) if propensity else np.full(len(played), np.nan),
        arm_names=names,
        objectives=tuple(columns),
        times=_numbers(frame, time) if time else None,
        encoder=encoder,
    )


def _named(names: Any) -> dict[Any, Any]:
    """Names of columns, also where only one is given, by themselves."""
    several = [names] if isinstance(names, str) else names
    return {name: name for name in several}


def _column(frame: Any, name: Any) -> Any:
    known = list(frame.columns)
    if name not in known:
        rule = f"log must have a column {quoted(name)}"
        there = shortened(", ".join(map(str, known)))
        question = did_you_mean(name, known)
        raise ValueError(f"{rule}{question} It has {there}" if question else f"{rule}, got {there}")
    return frame[name]


def _listed(series: Any) -> list[Any]:
    """The values of a column as Python's."""
    convert = getattr(series, "to_list", None) or series.tolist
    values: list[Any] = convert()
    return values


def _numbers(frame: Any, name: Any) -> Array:
    series = _column(frame, name)
    try:
        return as_float_array(name, np.asarray(series, np.float64))
    except (TypeError, ValueError):
        # Columns of other types, such as pandas' with NA, by their values.
        return as_float_array(name, [np.nan if v is None else v for v in _listed(series)])


def _features(frame: Any, names: Any) -> Array:
    columns = [_numbers(frame, name) for name in _named(names)]
    if not columns:
        return np.empty((len(frame), 0))
    return np.column_stack(columns)
