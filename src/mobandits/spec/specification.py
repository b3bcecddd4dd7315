"""A simulation as a TOML file has it."""

import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mobandits.contracts.protocols import Environment, Metric, Recipe
from mobandits.errors import SpecError
from mobandits.spec.building import built, convert
from mobandits.spec.mistakes import Mistake, Mistakes, Place
from mobandits.spec.registries import catalogue
from mobandits.support import toml_lines
from mobandits.support.checks import choice, integer
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import quoted, short_repr
from mobandits.support.nearest import did_you_mean

KEYS = ("name", "rounds", "trials", "seed", "record", "metrics", "environment", "policies")
NEEDED = ("rounds", "environment", "policies")
LEAST = {"rounds": 1, "trials": 1, "seed": 0}


@dataclass(frozen=True)
class Specification:
    """The simulation of a TOML file; `load` reads one.

    Attributes:
        file: where it was read.
        environment: what is played in.
        policies: {row name: recipe}.
        options: the other arguments of `simulate` that the file gives.
        source: the text of the file, for the lines of mistakes.
        places: {row name: where the file has its policy}.
    """

    file: Path
    environment: Environment
    policies: Mapping[str, Recipe]
    options: Mapping[str, Any]
    source: str = field(default="", repr=False, compare=False)
    places: Mapping[str, Place] = field(default_factory=dict, repr=False, compare=False)

    def plan(self, **overrides: int | None) -> Any:
        """The plan of the simulation, ready to run.

        Args:
            overrides: options that replace the file's, where they are not None.

        Raises:
            SpecError: where something does not fit, a line per mistake.
        """
        from mobandits.simulation import prepare  # noqa: PLC0415 - loads tables

        given = {key: value for key, value in overrides.items() if value is not None}
        try:
            return prepare(dict(self.policies), self.environment, **{**self.options, **given})
        except ValueError as error:
            mistakes = self._refused(given)
            if not mistakes.found:
                mistakes.add(self._place_of(str(error), "", given), str(error))

            raise SpecError(told(self.file, self.source, mistakes)) from error

    def _refused(self, given: Mapping[str, Any]) -> Mistakes:
        """What a plan refuses, of each policy and of each metric by itself."""
        from mobandits.simulation import prepare  # noqa: PLC0415 - loads tables

        # A plan ends at its first mistake, and one of a metric would hide those of policies.
        options = {**self.options, **given}
        metrics = options.pop("metrics", ())
        mistakes = Mistakes()
        for row, recipe in self.policies.items():
            try:
                prepare({row: recipe}, self.environment, **options)
            except ValueError as error:
                mistakes.add(self._place_of(str(error), row, given), str(error))

        first = dict(itertools.islice(self.policies.items(), 1))
        for position, metric in enumerate(metrics):
            try:
                prepare(first, self.environment, **options, metrics=[metric])
            except ValueError as error:
                if str(error).startswith("metric"):
                    mistakes.add(Place(("metrics", position)), str(error))

        return mistakes

    def _place_of(self, message: str, row: str, given: Mapping[str, Any]) -> Place:
        """The place of the parameter that a message of `prepare` begins with."""
        parameter = message.partition(" ")[0].rstrip(":")
        if parameter == "policy" and row in self.places:
            return self.places[row]
        # What was given in place of the file's is on no line of it.
        is_of_file = parameter in KEYS and parameter not in given

        return Place((parameter,)) if is_of_file else Place(())


def told(file: Path, source: str, mistakes: Mistakes) -> str:
    r"""The message about some mistakes: a line for each, in the order of the lines of the file.

    Args:
        file: that they are in.
        source: its text.
        mistakes: at least one.

    Example:
        >>> mistakes = Mistakes()
        >>> mistakes.add(Place(("seed",)), "seed must be at least 0, got -1")
        >>> told(Path("s.toml"), "rounds = 3\nseed = -1", mistakes)
        's.toml:2: seed must be at least 0, got -1'
    """
    lines = toml_lines.key_lines(source)
    numbered = []
    # Rows of a grid repeat what is wrong with all of them.
    for message in dict.fromkeys(mistake.message for mistake in mistakes.found):
        place = next(mistake.place for mistake in mistakes.found if mistake.message == message)
        line = toml_lines.nearest_line(lines, place.path)
        numbered.append((line or 0, message))

    numbered.sort(key=lambda row: row[0])
    texts = []
    for line, message in numbered:
        where = f"{file}:{line}" if line else f"{file}"
        texts.append(f"{where}: {message}")

    return "\n".join(texts)


def load(file: str | Path) -> Specification:
    """Read and check a TOML file.

    The keys of the file are `rounds`, `trials`, `seed`, `record`, `metrics`, as in `simulate`, and
    `name` (the table's column `experiment`, by default the file's name); a table `[environment]`;
    and a list `[[policies]]`. Both hold a `name` and parameters, or are a name alone. A policy may
    have a `label`, the name of its row, and a `grid`, lists of values of parameters, which stand
    for one policy per combination. Orders are names, or tables of a name and parameters, and so are
    metrics. examples/linear.toml shows all of it.

    Raises:
        SpecError: a line per mistake, with the file, the line in it, the key and the nearest valid
            name.
    """
    path = Path(file)
    source, content = read_toml(path)
    mistakes = Mistakes()
    specification = _specification(path, source, content, mistakes)
    if mistakes.found:
        raise SpecError(told(path, source, mistakes))

    return specification


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and what it holds.

    Raises:
        SpecError: where it cannot be read, or is not TOML.
    """
    source = _text_of(path)
    try:
        return source, tomllib.loads(source)
    except ValueError as error:
        line = _line_of_syntax(str(error), source)
        raise SpecError(
            f"{path}:{line}: this is not TOML: {error}; examples/linear.toml shows what is"
        ) from error


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (IsADirectoryError, UnicodeDecodeError) as error:
        wanted = "a TOML file such as examples/linear.toml"
        raise SpecError(
            f"{path} must be {wanted}, found {describe_path(path)}{_advice(path)}"
        ) from error
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error


def _advice(path: Path) -> str:
    """What to do with the folder of a run."""
    if not (path / "manifest.json").exists():
        return ""
    return f"; `mobandits report {path}` draws a finished run again"


def _line_of_syntax(message: str, source: str) -> int:
    """The line that a message of `tomllib` names; it names the end of a file in words."""
    match = re.search(r"at line (\d+)", message)
    return int(match[1]) if match else source.count("\n") + 1


def _specification(
    path: Path, source: str, content: dict[str, Any], mistakes: Mistakes
) -> Specification:
    """What a file holds; where there are mistakes, what is returned means nothing."""
    _check_keys(content, mistakes)
    options: dict[str, Any] = {"experiment": path.stem}
    if "name" in content:
        with mistakes.at(Place(("name",))):
            options["experiment"] = convert(str, content["name"], "name")

    for key, least in LEAST.items():
        if key in content:
            options[key] = content[key]
            with mistakes.at(Place((key,))):
                integer(key, content[key], at_least=least)

    if "record" in content:
        options["record"] = content["record"]
    if "metrics" in content:
        options["metrics"] = _metrics(content["metrics"], mistakes)

    places: dict[str, Place] = {}
    policies = _policies(content.get("policies", []), places, mistakes)
    environment: Any = None
    if "environment" in content:
        place = Place(("environment",))
        environment = built("environments", content["environment"], place, mistakes)

    return Specification(path, environment, policies, options, source, places)


def _check_keys(content: Mapping[str, Any], mistakes: Mistakes) -> None:
    unknown = [key for key in content if key not in KEYS]
    for key in unknown:
        with mistakes.at(Place((key,))):
            choice("key", key, KEYS)

    for key in NEEDED:
        # One that was misspelt is there: it needs one message, and not two.
        if key not in content and not did_you_mean(key, unknown):
            mistakes.add(Place(()), f"{key} is required")


def _metrics(entries: Any, mistakes: Mistakes) -> list[str | Metric]:
    whole = Place(("metrics",))
    if not isinstance(entries, list):
        advice = f"; write [{quoted(entries)}]" if isinstance(entries, str) else ""
        mistakes.add(whole, f"metrics must be a list, got {quoted(entries)}{advice}")
        return []

    metrics: list[str | Metric] = []
    for i, entry in enumerate(entries):
        place = whole.item(i)
        if isinstance(entry, str):
            _check_metric_name(entry, place, mistakes)
            metrics.append(entry)
        else:
            metrics.append(built("metrics", entry, place, mistakes))

    return metrics


def _check_metric_name(name: str, place: Place, mistakes: Mistakes) -> None:
    """Refuse a name that is near to that of a metric."""
    # Others may be names of quantities of the problem, which is not known before the plan is made.
    known = catalogue("metrics")
    if name not in known and did_you_mean(name, known):
        with mistakes.at(place):
            choice("metric", name, known)


def load_recipes(file: Path) -> dict[str, Recipe]:
    """{row name: recipe} of the policies of a TOML file, whatever else it holds.

    Raises:
        SpecError: a line per mistake, as of `load`.
    """
    source, content = read_toml(file)
    mistakes = Mistakes()
    recipes = _policies(content.get("policies", []), {}, mistakes)
    if not recipes:
        mistakes.add(Place(()), "policies is required: a list of names, or of tables, [[policies]]")
    if mistakes.found:
        raise SpecError(told(file, source, mistakes))

    return recipes


def _policies(entries: Any, places: dict[str, Place], mistakes: Mistakes) -> dict[str, Recipe]:
    """{row name: recipe}, and the places of the rows."""
    whole = Place(("policies",))
    if not isinstance(entries, list):
        mistakes.add(whole, "policies must be a list of names, or of tables, [[policies]]")
        return {}

    policies: dict[str, Recipe] = {}
    for i, entry in enumerate(entries):
        place = whole.item(i)
        for row, recipe in _rows(entry, place, mistakes):
            # A dictionary would keep the last of equal names in silence.
            if row in policies:
                rule = "policies must have distinct rows"
                mistakes.add(place, f"{rule}, got {quoted(row)} twice: give one a label")

            policies[row] = recipe
            places[row] = place

    return policies


def _rows(entry: Any, place: Place, mistakes: Mistakes) -> Iterator[tuple[str, Recipe]]:
    """The rows that an entry of `policies` stands for: one per combination of its grid."""
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict):
        mistakes.add(place, f"{place} must be a name or a table, got {quoted(entry)}")
        return

    parameters = {key: value for key, value in entry.items() if key not in ("label", "grid")}
    label = entry.get("label")
    if label is not None:
        with mistakes.at(place.key("label")):
            convert(str, label, str(place.key("label")))

    grid = entry.get("grid", {})
    lists = grid.values() if isinstance(grid, dict) else [None]
    if not all(isinstance(values, list) and values for values in lists):
        grid_place = place.key("grid")
        mistakes.add(grid_place, f"{grid_place} must be a table of lists, got {quoted(grid)}")
        grid = {}

    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        of_point = Mistakes()
        recipe = built("policies", {**parameters, **point}, place, of_point)
        for mistake in of_point.found:
            mistakes.add(_in_grid(mistake, place, grid), mistake.message)

        if of_point.found:
            continue
        if label is None:
            yield short_repr(recipe), recipe
        else:
            point_text = ", ".join(f"{key}={value}" for key, value in point.items())
            yield f"{label} {point_text}".strip(), recipe


def _in_grid(mistake: Mistake, entry: Place, grid: Mapping[str, Any]) -> Place:
    """The place of a mistake about a policy's parameter, which its grid may hold."""
    inner = mistake.place.path[len(entry.path) :]
    if inner and inner[0] in grid:
        return Place((*entry.path, "grid", inner[0]))

    return mistake.place
