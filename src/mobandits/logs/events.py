"""The events of a log: what each kind must hold, in one canonical form.

    {"kind": "decide", "id": 7, "time": 1.5, "context": [[0.1, 0.2]], "eligible": [0, 2], "arm": 2,
     "propensity": 0.25}
    {"kind": "decide", "id": 8, "time": 1.5, "context": [[0.3, 0.0]], "arm": 0, "propensity": 0.5,
     "batch": true}
    {"kind": "learn", "id": 7, "time": 2.5, "rewards": {"quality": 0.93}}
    {"kind": "add", "arm": "huge", "like": "large"}
    {"kind": "remove", "arm": "small"}
    {"kind": "add", "arm": "largest", "was": "huge"}
    {"kind": "correct", "id": 7, "rewards": {"quality": 0.39}, "was": {"quality": 0.93}}
    {"kind": "reprice", "arm": "large", "objective": "cost", "factor": 0.1, "next": 9}

`arm` and `eligible` of a decision are positions in the list of all arms there ever were: those of
the description, then each new one as it is added. A removed arm keeps its position, and has it
again where it is added again; one that `was` another takes its place. Without `eligible`, all arms that are present
are meant. `context` has one row for all arms, or a row per arm that is present, in the order in
which they last came. `batch` is true of a decision that was made in one call with the one before
it: nothing was learned between them. `rank`, of a decision of such a batch, says that it is for the
same context as those before it, and among the arms that were left: how many arms had been chosen.
Other kinds, and further fields, are kept as they are.
"""

import math
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.logs.names import checked_name, encoded
from mobandits.support.naming import quoted

LARGEST = 2**63 - 1  # what a column of a table holds


def checked(event: Any) -> dict[str, Any]:
    """An event in its canonical form: fields in a fixed order, numbers of one type.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> checked({"kind": "decide", "arm": 1, "id": 7, "time": 3, "context": [[1, 2]]})
        {'kind': 'decide', 'id': 7, 'time': 3.0, 'context': [[1.0, 2.0]], 'arm': 1, \
'propensity': None}
    """
    if not isinstance(event, dict):
        raise LogError(f"event must be a dictionary, got {quoted(event)}")

    try:
        return _canonical(event)
    except RecursionError as error:
        raise LogError("event must not be nested as deeply as it is") from error


def _canonical(event: dict[Any, Any]) -> dict[str, Any]:
    kind = event.get("kind")
    if not isinstance(kind, str):
        raise LogError(f"event.kind must be text, got {quoted(kind)}")

    checked_fields = _FIELDS.get(kind, _kind_only)
    known = checked_fields(event)
    # Most events have nothing else, and every decision is checked before it is answered.
    if len(known) == len(event) and known.keys() == event.keys():
        return known

    further = _further_fields(event, known)

    return known | further if further else known


def _further_fields(event: dict[Any, Any], known: dict[str, Any]) -> dict[str, Any]:
    """The fields that mean nothing here, in a fixed order: `id` and `time` first."""
    further = {}
    for key in dict.fromkeys(("id", "time", *event)):
        if key not in event or key in known:
            continue
        # What is left of a decision's `eligible` is None, which means the same as nothing.
        if key == "eligible" and event["kind"] == "decide":
            continue

        further[key] = event[key]

    for key, value in further.items():
        if not isinstance(key, str):
            raise LogError(f"event must have text for keys, got {quoted(key)}")

        encoded(value, f"event.{key}")
        encoded(key, "event's key")

    return further


def _decide(event: dict[str, Any]) -> dict[str, Any]:
    known = {"kind": "decide", "id": _integer("id", event.get("id"))}
    if "time" in event:
        known["time"] = _number("time", event["time"])
    if "context" in event:
        known["context"] = context_table(event["context"]).tolist()
    if event.get("eligible") is not None:
        known["eligible"] = _positions(event["eligible"])

    known["arm"] = _integer("arm", event.get("arm"))
    known["propensity"] = _propensity(event.get("propensity"))
    # Nearly all decisions are alone: false is not written.
    if event.get("batch") is True:
        known["batch"] = True

    return known


def _learn(event: dict[str, Any]) -> dict[str, Any]:
    rewards = event.get("rewards")
    if not isinstance(rewards, dict):
        raise LogError(f"event.rewards must be {{objective: number}}, got {quoted(rewards)}")

    numbers = {}
    for objective, value in rewards.items():
        name = checked_name(objective, "event.rewards' objective")
        numbers[name] = _number("rewards", value)

    known = {"kind": "learn", "id": _integer("id", event.get("id"))}
    if "time" in event:
        known["time"] = _number("time", event["time"])

    known["rewards"] = numbers

    return known


def _change_of_arms(event: dict[str, Any]) -> dict[str, Any]:
    for key in ("arm", "like", "was"):
        checked_name(event.get(key), f"event.{key}")

    # None is a name: that there is none shows only in the missing field.
    if "arm" not in event:
        rule = f"event.arm must be the name of an arm in an event of kind {event['kind']}"
        raise LogError(f"{rule}, got nothing")

    return _kind_only(event)


def _kind_only(event: dict[str, Any]) -> dict[str, Any]:
    return {"kind": event["kind"]}


_FIELDS = {
    "decide": _decide,
    "learn": _learn,
    "add": _change_of_arms,
    "remove": _change_of_arms,
    "reprice": _change_of_arms,
}


def _integer(field: str, value: Any) -> int:
    # The type itself first: it is what nearly all values have, and True is no number.
    if type(value) is int and 0 <= value <= LARGEST:
        return value

    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_integer or not 0 <= value <= LARGEST:
        rule = f"event.{field} must be an integer from 0 to {LARGEST}"
        raise LogError(f"{rule}, got {quoted(value)}")

    return int(value)


def _number(field: str, value: Any) -> float:
    if type(value) is float and math.isfinite(value):
        return value

    is_number = isinstance(value, int | float | np.integer | np.floating)
    if not is_number or isinstance(value, bool):
        raise LogError(f"event.{field} must be a finite number, got {quoted(value)}")

    try:
        number = float(value)
    except OverflowError:  # an integer of more than 308 digits
        number = math.inf

    if not math.isfinite(number):
        raise LogError(f"event.{field} must be a finite number, got {quoted(value)}")

    return number


def _propensity(value: Any) -> float | None:
    if value is None:
        return None

    number = _number("propensity", value)
    if not 0.0 < number <= 1.0:
        rule = "event.propensity must be in (0, 1], or None where it is not known"
        raise LogError(f"{rule}, got {quoted(value)}")

    return number


def _positions(value: Any) -> list[int]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise LogError(f"event.eligible must be a list of positions of arms, got {quoted(value)}")

    return [_integer("eligible", position) for position in value]


def context_table(value: Any) -> Array:
    """The context of a decision, of shape (rows, features).

    Raises:
        LogError: where it is no table of finite numbers with at least one row.

    Example:
        >>> context_table([[1, 2]]).tolist()
        [[1.0, 2.0]]
    """
    try:
        array = np.asarray(value)
        # NumPy would turn text and booleans into numbers, too.
        if array.dtype.kind not in "fiu" or array.ndim != 2:
            raise TypeError(f"numbers of type {array.dtype}, shape {array.shape}")  # noqa: TRY301

        array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, RecursionError) as error:
        rule = "event.context must be a list of rows of as many numbers each"
        raise LogError(f"{rule}, got {quoted(value)}") from error

    if not len(array):
        raise LogError("event.context must have at least one row, got none")

    finite = np.isfinite(array)
    if not finite.all():
        raise LogError(f"event.context must be finite, got {array[~finite][0]}")

    return array
