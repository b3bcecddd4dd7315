"""A line of dsjson as a decision: one that `dsjson.write` wrote, or one of others."""

import json
import math
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mobandits.logs.errors import LogError
from mobandits.logs.lines import MAX_LINE
from mobandits.logs.names import name_of
from mobandits.logs.segments import FORMAT
from mobandits.support.found import PROBE, file_kind
from mobandits.support.naming import quoted, shortened

KEY = "mobandits"
VERSION = 1
LOGS = (
    "a log is the folder of a journal, one of its .parquet files, a .csv file, or dsjson, which has a JSON object in "
    "every line"
)


class Row(NamedTuple):
    """A decision, as its line has it.

    Attributes:
        ours: whether `dsjson.write` wrote it.
        arms: those that were eligible.
        everyone: all arms, as far as the line knows.
        played: of the arm that was played, in `arms`.
        propensity: NaN where it was not logged.
        rewards: {objective: reward}, NaN where not observed.
        shared: the shared features: numbers, or {feature: number} of others' lines.
        actions: a row of features for each of `arms`; of our lines, for each of `everyone` where the line says so; or
            None.
        more: "id" and "time", where they are known.
    """

    ours: bool
    arms: list[Hashable]
    everyone: list[Hashable]
    played: int
    propensity: float
    rewards: dict[Hashable, float]
    shared: Any
    actions: list[Any] | None
    more: dict[str, Any]


def rows(path: Path) -> Iterator[tuple[int, Row | None]]:
    """The numbers of the lines of a file that are not blank, and their decisions; None for a line without one.

    Raises:
        LogError: naming file, line and rule.
    """
    try:
        with path.open("rb") as file:
            number = 0
            first = True
            while line := file.readline(MAX_LINE):
                number += 1
                if line.strip():
                    yield number, _row(line, f"{path}, line {number}", first=first)
                    first = False
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error


def _row(line: bytes, where: str, *, first: bool) -> Row | None:
    try:
        given = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        instead = f"; found {file_kind(line[:PROBE])}, and {LOGS}" if first else ""
        raise LogError(f"{where} is not dsjson: {shortened(str(error))}{instead}") from error
    if not isinstance(given, dict):
        raise LogError(f"{where} is not dsjson: it must be a JSON object, got {quoted(given)}")
    try:
        if KEY in given:
            return _ours(given, given[KEY])
        return _theirs(given)
    except LogError as error:
        raise LogError(f"{where}: {error}") from error
    except KeyError as error:
        raise LogError(f"{where}: {error} is missing") from error
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise LogError(f"{where} is not dsjson: {shortened(str(error))}") from error


def _ours(given: dict[str, Any], own: Any) -> Row:
    if own["version"] != VERSION:
        raise LogError(f"{KEY}.version must be {VERSION}, got {quoted(own['version'])}")
    multi = given["c"]["_multi"]
    arms = [name_of(_text("Arm.name", one["Arm"]["name"])) for one in multi]
    everyone = [name_of(_text("arms", name)) for name in own["arms"]] if "arms" in own else arms
    if (
        len(set(arms)) < len(arms)
        or len(set(everyone)) < len(everyone)
        or not set(arms) <= set(everyone)
    ):
        raise LogError(
            f"arms must be different, and eligible ones among all of them, got {quoted(arms)}"
        )
    actions = (
        [_numbers("Features", one["Features"]) for one in multi]
        if multi and "Features" in multi[0]
        else None
    )
    if actions is not None and "contexts" in own:
        actions = [_numbers("contexts", row) for row in own["contexts"]]
        if len(actions) != len(everyone):
            raise LogError(
                f"contexts must have a row for each of {len(everyone)} arms, got {len(actions)}"
            )
    rewards = {
        name_of(name): _double("rewards", value, lacking=True)
        for name, value in own["rewards"].items()
    }
    more: dict[str, Any] = {}
    if "id" in own:
        more["id"] = _whole("id", own["id"], -(2**63), 2**63)
    if "time" in own:
        more["time"] = _double("time", own["time"], lacking=True)
    index = _whole("index", own["index"], 0, len(arms))
    if given.get("_labelIndex", index) != index:
        raise LogError(
            f"_labelIndex must be {KEY}.index = {index}, got {quoted(given['_labelIndex'])}"
        )
    propensity = _double("propensity", own["propensity"], lacking=True)
    shared = _numbers("Context", given["c"].get("Context", []))
    return Row(True, arms, everyone, index, propensity, rewards, shared, actions, more)


def _theirs(given: dict[str, Any]) -> Row | None:
    if given.get("format") == FORMAT:
        raise LogError("must be a decision, got the header of a segment: read the journal's folder")
    if "c" not in given or given.get("_skipLearn") is True:
        return None
    examples = given["c"]
    for key in ("_slots", "_outcomes"):
        if key in examples or key in given:
            raise LogError(
                f"{key} must not be there: decisions with several slots are not supported"
            )
    multi = examples["_multi"]
    probabilities = given.get("p") or [None]
    arms: list[Hashable] = list(range(len(multi)))
    action = given["_label_Action"] if "_label_Action" in given else given["a"][0]
    index = (
        given["_labelIndex"]
        if "_labelIndex" in given
        else _whole("_label_Action", action, 1, len(arms) + 1) - 1
    )
    propensity = _double(
        "_label_probability", given.get("_label_probability", probabilities[0]), lacking=True
    )
    cost = _double("_label_cost", given.get("_label_cost"), lacking=True)
    actions = [features(one) for one in multi]
    more = {"dropped": _double("pdrop", given["pdrop"])} if "pdrop" in given else {}
    index = _whole("_labelIndex", index, 0, len(arms))
    shared = features({key: value for key, value in examples.items() if key != "_multi"})
    return Row(False, arms, arms, index, propensity, {"reward": 0.0 - cost}, shared, actions, more)


def features(example: Any) -> dict[str, float]:
    """The features of an example, by name; what begins with an underscore is none.

    Raises:
        LogError: where a number is not finite.

    Example:
        >>> features({"User": {"age": 31, "city": "Rome", "new": True}, "x": [0.5, 2], "_tag": "t"})
        {'User.age': 31.0, 'User.city=Rome': 1.0, 'User.new': 1.0, 'x[0]': 0.5, 'x[1]': 2.0}
    """
    found: dict[str, float] = {}
    if not isinstance(example, dict):
        raise LogError(f"an example must be a JSON object, got {quoted(example)}")
    _collect(example, "", found)
    return found


def _collect(value: Any, name: str, found: dict[str, float]) -> None:
    if isinstance(value, dict):
        for key, one in value.items():
            if not key.startswith("_"):
                _collect(one, f"{name}.{key}" if name else key, found)
    elif isinstance(value, list):
        for i, one in enumerate(value):
            _collect(one, f"{name}[{i}]", found)
    elif isinstance(value, str):
        found[f"{name}={value}"] = 1.0
    elif value is not None and value is not False:
        found[name] = 1.0 if value is True else _double(name, value)


def _double(name: str, value: Any, *, lacking: bool = False) -> float:
    """A finite number; NaN for None, where it may be lacking."""
    if value is None and lacking:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LogError(f"{name} must be a number, got {quoted(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise LogError(f"{name} must be finite, got {number}")
    return number


def _numbers(name: str, value: Any) -> list[float]:
    if not isinstance(value, list):
        raise LogError(f"{name} must be a list of numbers, got {quoted(value)}")
    return [_double(name, one) for one in value]


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value < high:
        raise LogError(f"{name} must be an integer from {low} to {high - 1}, got {quoted(value)}")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise LogError(f"{name} must be text, got {quoted(value)}")
    return value
