"""Files of prompts with the answers of several models: a line of JSON per prompt, graded and paid."""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.naming import quoted, shortened, wrong_value

COST = "cost"
GRADE = "reward"  # the column of the published files


class RoutingTable(NamedTuple):
    """Prompts, and what every model's answer to each of them was worth and cost.

    Attributes:
        prompts: the texts.
        sources: where each prompt comes from; empty where the file does not say.
        models: the names of the models, in the order of the first line.
        judges: the columns that grade an answer.
        grades: (prompts, models, judges), more is better.
        dollars: (prompts, models) what the answer cost.
    """

    prompts: tuple[str, ...]
    sources: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    grades: Array
    dollars: Array

    def of_models(self, models: Sequence[str]) -> "RoutingTable":
        """The same prompts with the models in this order.

        Raises:
            ValueError: where one is not there, or others are.
        """
        if sorted(models) != sorted(self.models):
            wanted = ", ".join(map(quoted, sorted(models)))
            there = ", ".join(map(quoted, sorted(self.models)))
            raise ValueError(f"models must be {shortened(wanted)}, got {shortened(there)}")

        places = [self.models.index(model) for model in models]
        return self._replace(
            models=tuple(models), grades=self.grades[:, places], dollars=self.dollars[:, places]
        )


class _Line(NamedTuple):
    prompt: str
    source: str
    models: tuple[str, ...]
    grades: list[list[float]]
    dollars: list[float]


def read_routing_file(path: str | Path, judges: Sequence[str] = (GRADE,)) -> RoutingTable:
    """The table of a file in the form of `llm_routing`'s.

    Every line is an object with the text `prompt` and `arms`, {model: answer}. An answer has the
    number `cost`, at least 0, and a number per judge. Other fields mean nothing here.

    Args:
        path: of a text file in UTF-8.
        judges: the columns that grade an answer; "a.b" is the column "b" of an object in "a".

    Raises:
        ValueError: in one line that names file, line and field.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> line = '{"prompt": "2+2?", "arms": {"a": {"reward": 1, "cost": 0.1}}}'
        >>> path = Path(tempfile.mkdtemp()) / "prompts.jsonl"
        >>> _ = path.write_text(line)
        >>> table = read_routing_file(path)
        >>> table.models, table.grades.tolist(), table.dollars.tolist()
        (('a',), [[[1.0]]], [[0.1]])
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error

    return parsed_routing(content, str(path), judges)


def judges_of_file(path: str | Path) -> list[str]:
    """The columns that grade an answer: those of the first line that begin with "reward".

    Where there are none, "reward" alone, which `read_routing_file` then asks for.

    Args:
        path: as of `read_routing_file`.

    Example:
        >>> import tempfile
        >>> answers = {"a": {"reward_style": 1, "reward_facts": 0, "cost": 0.1}}
        >>> path = Path(tempfile.mkdtemp()) / "prompts.jsonl"
        >>> _ = path.write_text(json.dumps({"prompt": "Hello", "arms": answers}))
        >>> judges_of_file(path)
        ['reward_style', 'reward_facts']
    """
    try:
        with Path(path).open(encoding="utf-8-sig") as lines:
            arms = json.loads(next(line for line in lines if line.strip()))["arms"]
            answer = next(iter(arms.values()))
            judges = [name for name in answer if name.startswith(GRADE)]
    except (OSError, StopIteration, ValueError, LookupError, TypeError, AttributeError):
        # What is wrong with the file, its reader says.
        judges = []

    return judges or [GRADE]


def parsed_routing(content: bytes, name: str, judges: Sequence[str] = (GRADE,)) -> RoutingTable:
    """The table of a file's bytes; see `read_routing_file`.

    Args:
        content: of the file.
        name: what errors call it.
        judges: as of `read_routing_file`.
    """
    _check_judges(judges)
    read: list[_Line] = []
    for number, text in _lines(content, name):
        line = _line(text, f"{name}: line {number}", judges)
        if read and line.models != read[0].models:
            line = _in_order(line, read[0].models, f"{name}: line {number}")

        read.append(line)

    if not read:
        raise ValueError(f"{name} must have a line per prompt, got none")

    return RoutingTable(
        prompts=tuple(line.prompt for line in read),
        sources=tuple(line.source for line in read),
        models=read[0].models,
        judges=tuple(judges),
        grades=np.array([line.grades for line in read]),
        dollars=np.array([line.dollars for line in read]),
    )


def _check_judges(judges: Sequence[str]) -> None:
    are_texts = all(isinstance(each, str) for each in judges)
    is_list = are_texts and not isinstance(judges, str)
    if not is_list or not judges or len(set(judges)) < len(judges):
        raise wrong_value("judges must be different columns, at least one", judges)
    if COST in judges:
        raise ValueError(f"judges must not have the column {COST}, which is paid, got it")


def _lines(content: bytes, name: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        rule = f"{name} must be text in UTF-8"
        raise ValueError(f"{rule}, got other bytes at {error.start}") from error

    # By line feeds alone: texts in JSON may hold the other characters that end lines.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


def _line(text: str, where: str, judges: Sequence[str]) -> _Line:
    try:
        # Numbers that JSON does not have, such as NaN, are refused like text.
        given = json.loads(text, parse_constant=str, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ValueError(f"{where} must be an object of JSON: {shortened(reason)}") from error

    if not isinstance(given, dict):
        raise wrong_value(f"{where} must be an object of JSON", given)

    prompt = given.get("prompt")
    if not isinstance(prompt, str):
        raise wrong_value(f"{where}: prompt must be text", prompt)

    arms = given.get("arms")
    if not isinstance(arms, dict) or not arms:
        raise wrong_value(f"{where}: arms must be {{model: answer}}", arms)

    grades = []
    dollars = []
    for model, answer in arms.items():
        place = f"{where}: arms[{quoted(model)}]"
        dollars.append(_number(answer, COST, place, least=0.0))
        grades.append([_number(answer, judge, place) for judge in judges])

    source = given.get("source", "")
    if not isinstance(source, str):
        raise wrong_value(f"{where}: source must be text", source)

    return _Line(prompt, source, tuple(arms), grades, dollars)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that comes twice would hide an answer."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {quoted(twice)} comes twice")

    return found


def _number(answer: Any, column: str, place: str, least: float = -math.inf) -> float:
    """The number in a column of an answer; a dot leads into an object."""
    value = answer
    # A column may have a dot in its own name.
    parts = [column] if isinstance(answer, dict) and column in answer else column.split(".")
    for part in parts:
        if not isinstance(value, dict) or part not in value:
            there = quoted([*answer] if isinstance(answer, dict) else answer)
            raise ValueError(f"{place} must have the column {column}, got {shortened(there)}")

        value = value[part]

    rule = "a finite number" if least == -math.inf else f"a finite number of at least {least:g}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else math.nan
    except OverflowError:  # an integer of more than 308 digits
        number = math.inf

    if not math.isfinite(number) or number < least:
        raise wrong_value(f"{place}: {column} must be {rule}", value)

    return number


def _in_order(line: _Line, models: tuple[str, ...], where: str) -> _Line:
    """A line whose models come in another order."""
    if set(line.models) != set(models):
        wanted = shortened(", ".join(map(quoted, models)))
        got = shortened(", ".join(map(quoted, line.models)))
        raise ValueError(f"{where}: arms must be those of the first line, {wanted}, got {got}")

    places = [line.models.index(model) for model in models]
    grades = [line.grades[place] for place in places]
    dollars = [line.dollars[place] for place in places]

    return line._replace(models=models, grades=grades, dollars=dollars)
