"""A line of dsjson as a decision: one that `dsjson.write` wrote, or one of others."""

import json
import math
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mobandits.errors import LogError
from mobandits.logs.events import Description
from mobandits.logs.names import decoded, name_of
from mobandits.support.describe_path import PROBE, file_kind
from mobandits.support.naming import quoted, shortened, wrong_value

KEY = "mobandits"
VERSION = 1
LONGEST_LINE = 2**28  # bytes
LOGS = (
    "a log is a store, a .parquet file of `mobandits export`, a .csv file, or dsjson, which has a "
    "JSON object in every line"
)


Line = dict[str, Any]  # a JSON object


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
        actions: a row of features for each of `arms`; of our lines, for each of `everyone` where
            the line says so; or None.
        more: "id" and "time", where they are known.
        description: of the log, as plain data, in one of its lines; None in the others.
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
    description: Description | None = None


def read_rows(path: Path) -> Iterator[tuple[int, Row | None]]:
    """The numbers of the lines of a file that are not blank, and their decisions, None without.

    Raises:
        LogError: naming file, line and rule.
    """
    try:
        with path.open("rb") as file:
            number = 0
            is_first = True
            # Not a loop over the file: a file that is no log may be one line of any length.
            while line := file.readline(LONGEST_LINE):
                number += 1
                if line.strip():
                    yield number, _row(line, f"{path}, line {number}", is_first=is_first)
                    is_first = False
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error


def _row(line: bytes, where: str, *, is_first: bool) -> Row | None:
    try:
        content = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        advice = ""
        if is_first:
            # Probably another kind of file altogether.
            advice = f"; found {file_kind(line[:PROBE])}, and {LOGS}"

        raise LogError(f"{where} is not dsjson: {shortened(str(error))}{advice}") from error

    if not isinstance(content, dict):
        raise wrong_value(f"{where} is not dsjson: it must be a JSON object", content, LogError)

    try:
        if KEY in content:
            return _own_row(content, content[KEY])

        return _foreign_row(content)
    except LogError as error:
        raise LogError(f"{where}: {error}") from error
    except KeyError as error:
        raise LogError(f"{where}: {error} is missing") from error
    # A field of another type than it should have: the line is of another program, or damaged.
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise LogError(f"{where} is not dsjson: {shortened(str(error))}") from error


def _own_row(content: Line, own: Any) -> Row:
    """The decision of a line that `dsjson.write` wrote."""
    if own["version"] != VERSION:
        raise wrong_value(f"{KEY}.version must be {VERSION}", own["version"], LogError)

    multi = content["c"]["_multi"]
    arms = [name_of(_text("Arm.name", example["Arm"]["name"])) for example in multi]
    everyone = arms
    if "arms" in own:
        everyone = [name_of(_text("arms", name)) for name in own["arms"]]

    _check_arms(arms, everyone)
    actions = _own_actions(multi, own, len(everyone))
    rewards = {
        name_of(name): _double("rewards", value, may_lack=True)
        for name, value in own["rewards"].items()
    }

    more: dict[str, Any] = {}
    if "id" in own:
        more["id"] = _integer("id", own["id"], -(2**63), 2**63)
    if "time" in own:
        more["time"] = _double("time", own["time"], may_lack=True)

    played = _integer("index", own["index"], 0, len(arms))
    # The label is what Vowpal Wabbit learns from: it must be about the same arm.
    if content.get("_labelIndex", played) != played:
        got = quoted(content["_labelIndex"])
        raise LogError(f"_labelIndex must be {KEY}.index = {played}, got {got}")

    return Row(
        ours=True,
        arms=arms,
        everyone=everyone,
        played=played,
        propensity=_double("propensity", own["propensity"], may_lack=True),
        rewards=rewards,
        shared=_numbers("Context", content["c"].get("Context", [])),
        actions=actions,
        more=more,
        description=decoded(own["description"]) if "description" in own else None,
    )


def _check_arms(arms: list[Hashable], everyone: list[Hashable]) -> None:
    eligible = set(arms)
    known = set(everyone)
    all_different = len(eligible) == len(arms) and len(known) == len(everyone)
    if not all_different or not eligible <= known:
        raise wrong_value(
            "arms must be different, and eligible ones among all of them", arms, LogError
        )


def _own_actions(multi: list[Any], own: Any, arms: int) -> list[Any] | None:
    """The features of each eligible arm, or of all arms where the line has them."""
    if not multi or "Features" not in multi[0]:
        return None

    rows = [_numbers("Features", example["Features"]) for example in multi]
    if "contexts" in own:
        # With those of arms that could not be played, which are in no example.
        rows = [_numbers("contexts", row) for row in own["contexts"]]
        if len(rows) != arms:
            raise LogError(f"contexts must have a row for each of {arms} arms, got {len(rows)}")

    return rows


def _foreign_row(content: Line) -> Row | None:
    """The decision of a line that Vowpal Wabbit or a service wrote; None where it has none."""
    if "c" not in content or content.get("_skipLearn") is True:
        return None

    examples = content["c"]
    for key in ("_slots", "_outcomes"):
        if key in examples or key in content:
            raise LogError(
                f"{key} must not be there: decisions with several slots are not supported"
            )

    multi = examples["_multi"]
    arms: list[Hashable] = list(range(len(multi)))
    played = _foreign_index(content, len(arms))
    # Lines without a label have the probabilities of the ranking, with the played arm first.
    probabilities = content.get("p") or [None]
    label = content.get("_label_probability", probabilities[0])
    propensity = _double("_label_probability", label, may_lack=True)
    cost = _double("_label_cost", content.get("_label_cost"), may_lack=True)
    actions = [features(example) for example in multi]
    more = {}
    if "pdrop" in content:
        more["dropped"] = _double("pdrop", content["pdrop"])

    shared = {key: value for key, value in examples.items() if key != "_multi"}

    return Row(
        ours=False,
        arms=arms,
        everyone=arms,
        played=_integer("_labelIndex", played, 0, len(arms)),
        propensity=propensity,
        rewards={"reward": 0.0 - cost},  # and not -cost, which would make -0.0 of 0
        shared=features(shared),
        actions=actions,
        more=more,
    )


def _foreign_index(content: Line, arms: int) -> Any:
    """The position of the arm that was played: of the label, or of the ranking without one."""
    if "_label_Action" in content:
        action = content["_label_Action"]
    else:
        action = content["a"][0]

    if "_labelIndex" in content:
        return content["_labelIndex"]

    return _integer("_label_Action", action, 1, arms + 1) - 1  # actions count from 1


def features(example: Any) -> dict[str, float]:
    """The features of an example, by name; what begins with an underscore is none.

    Raises:
        LogError: where a number is not finite.

    Example:
        >>> example = {"User": {"age": 31, "city": "Rome"}, "new": True, "x": [0.5, 2], "_tag": "t"}
        >>> features(example)
        {'User.age': 31.0, 'User.city=Rome': 1.0, 'new': 1.0, 'x[0]': 0.5, 'x[1]': 2.0}
    """
    values: dict[str, float] = {}
    if not isinstance(example, dict):
        raise wrong_value("an example must be a JSON object", example, LogError)

    _collect(example, "", values)

    return values


def _collect(value: Any, name: str, values: dict[str, float]) -> None:
    """Add the features of a part of an example, which has this name."""
    if isinstance(value, dict):
        for key, member in value.items():
            if not key.startswith("_"):
                member_name = f"{name}.{key}" if name else key
                _collect(member, member_name, values)
    elif isinstance(value, list):
        for i, member in enumerate(value):
            _collect(member, f"{name}[{i}]", values)
    elif isinstance(value, str):
        values[f"{name}={value}"] = 1.0
    elif value is True:
        values[name] = 1.0
    elif value is not None and value is not False:
        values[name] = _double(name, value)


def _double(name: str, value: Any, *, may_lack: bool = False) -> float:
    """A finite number; NaN for None, where it may be lacking."""
    if value is None and may_lack:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_value(f"{name} must be a number", value, LogError)

    try:
        number = float(value)
    except OverflowError:  # an integer of more than 308 digits
        number = math.inf

    if not math.isfinite(number):
        raise LogError(f"{name} must be finite, got {number}")

    return number


def _numbers(name: str, value: Any) -> list[float]:
    if not isinstance(value, list):
        raise wrong_value(f"{name} must be a list of numbers", value, LogError)
    return [_double(name, member) for member in value]


def _integer(name: str, value: Any, low: int, high: int) -> int:
    # JSON's true is an int to Python.
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if not is_integer or not low <= value < high:
        raise wrong_value(f"{name} must be an integer from {low} to {high - 1}", value, LogError)

    return int(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise wrong_value(f"{name} must be text", value, LogError)
    return value
