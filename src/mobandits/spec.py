"""From names and TOML files to recipes, environments, orders, metrics, and a checked simulation."""

import importlib
import inspect
import itertools
import re
import tomllib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mobandits.compiling.compiled import Floats, Ints
from mobandits.contracts.protocols import Environment, Metric, Order, Recipe
from mobandits.errors import SpecError
from mobandits.support.checks import choice
from mobandits.support.found import found_at
from mobandits.support.naming import kebab, quoted, short_repr, shortened

KINDS = ("policies", "environments", "metrics", "orders", "experiments", "datasets")
KEYS = ("name", "rounds", "trials", "seed", "record", "metrics", "environment", "policies")
NEEDED = ("rounds", "environment", "policies")


@dataclass(frozen=True)
class Specification:
    """A simulation as a TOML file says it; `load` reads one.

    Attributes:
        file: where it was read.
        environment: what is played in.
        policies: {row name: recipe}.
        options: the other arguments of `simulate` that the file gives.
    """

    file: Path
    environment: Environment
    policies: Mapping[str, Recipe]
    options: Mapping[str, Any]

    def plan(self, **overrides: int | None) -> Any:
        """The plan of the simulation, ready to run.

        Args:
            overrides: options that replace the file's, where they are not None.

        Raises:
            SpecError: where something does not fit.
        """
        from mobandits.simulation import prepare  # noqa: PLC0415 - tables are not needed to read a specification

        given = {key: value for key, value in overrides.items() if value is not None}
        try:
            return prepare(dict(self.policies), self.environment, **{**self.options, **given})
        except ValueError as error:
            raise SpecError(f"{self.file}: {error}") from error


def load(file: str | Path) -> Specification:
    """Read and check a TOML file.

    The keys of the file are `rounds`, `trials`, `seed`, `record`, `metrics`, as in `simulate`, and `name` (the table's
    column `experiment`, by default the file's name); a table `[environment]`; and a list `[[policies]]`. Both hold a
    `name` and parameters, or are a name alone. A policy may have a `label`, the name of its row, and a `grid`, lists of
    values of parameters, which stand for one policy per combination. Orders are names, or tables of a name and
    parameters, and so are metrics. examples/linear.toml shows all of it.

    Raises:
        SpecError: one line that names the file, the key and the nearest valid name.
    """
    path = Path(file)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (IsADirectoryError, UnicodeDecodeError) as error:
        wanted = "a TOML file such as examples/linear.toml"
        raise SpecError(
            f"{path} must be {wanted}, found {found_at(path)}{_advice(path)}"
        ) from error
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SpecError(
            f"{path} is not TOML: {error}; examples/linear.toml shows what is"
        ) from error
    try:
        return _specification(path, content)
    except (ValueError, TypeError) as error:
        raise SpecError(f"{path}: {error}") from error


def _advice(path: Path) -> str:
    """What to do with the folder of a run."""
    return (
        f"; `mobandits report {path}` draws a finished run again"
        if (path / "manifest.json").exists()
        else ""
    )


def _specification(path: Path, content: dict[str, Any]) -> Specification:
    for key in content:
        choice("key", key, KEYS)
    for key in NEEDED:
        if key not in content:
            raise ValueError(f"{key} is required")
    if not isinstance(content["policies"], list):
        raise ValueError("policies must be a list of names, or of tables, [[policies]]")
    options: dict[str, Any] = {"experiment": convert(str, content.get("name", path.stem), "name")}
    options |= {
        key: content[key] for key in ("rounds", "trials", "seed", "record") if key in content
    }
    if "metrics" in content:
        options["metrics"] = _metrics(content["metrics"])
    rows = [
        row for i, entry in enumerate(content["policies"]) for row in _rows(entry, f"policies[{i}]")
    ]
    names = [name for name, _ in rows]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(
            f"policies must have distinct rows, got {quoted(repeated[0])} twice: give one a label"
        )
    return Specification(
        path, build("environments", content["environment"], "environment"), dict(rows), options
    )


def _metrics(entries: Any) -> list[str | Metric]:
    if not isinstance(entries, list):
        advice = f"; write [{quoted(entries)}]" if isinstance(entries, str) else ""
        raise ValueError(f"metrics must be a list, got {quoted(entries)}{advice}")
    tables = [(i, entry) for i, entry in enumerate(entries) if not isinstance(entry, str)]
    built = {i: build("metrics", entry, f"metrics[{i}]") for i, entry in tables}
    return [built.get(i, entry) for i, entry in enumerate(entries)]


def _rows(entry: Any, where: str) -> Iterator[tuple[str, Recipe]]:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be a name or a table, got {quoted(entry)}")
    own = {key: value for key, value in entry.items() if key not in ("label", "grid")}
    label = entry.get("label")
    grid = entry.get("grid", {})
    if label is not None:
        convert(str, label, f"{where}.label")
    if not isinstance(grid, dict) or not all(
        isinstance(values, list) and values for values in grid.values()
    ):
        raise ValueError(f"{where}.grid must be a table of lists, got {quoted(grid)}")
    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        recipe = build("policies", {**own, **point}, where)
        said = ", ".join(f"{key}={value}" for key, value in point.items())
        yield (short_repr(recipe) if label is None else f"{label} {said}".strip()), recipe


def recipe_named(text: str) -> Recipe:
    """A recipe as a command line names it: its name, and after a colon parameters as in TOML; words need no quotes.

    Raises:
        ValueError: naming what is wrong.

    Example:
        >>> recipe_named("mol-ucb:scale=0.3,order=lexicographic")
        MolUcb(scale=0.3, order=Lexicographic(tolerance=0.0), penalty=1.0, delta=0.01, noise=1.0, check=True)
    """
    name, _, given = text.partition(":")
    parameters_as_toml = re.sub(
        r"=\s*((?!true\b|false\b|nan\b|inf\b)[a-z][a-z0-9-]*)", r'="\1"', given
    )
    try:
        parameters = tomllib.loads(f"given = {{{parameters_as_toml}}}")["given"]
    except tomllib.TOMLDecodeError as error:
        raise ValueError(
            f"--policy must be NAME or NAME:key=value,key=value, got {quoted(text)}: {error}"
        ) from error
    recipe: Recipe = build("policies", {"name": name, **parameters}, "--policy")
    return recipe


def build(kind: str, entry: Any, where: str) -> Any:
    """An object from its name, or from a table of its name and parameters.

    Args:
        kind: one of `KINDS` whose members are classes.
        entry: the name or the table.
        where: the key, for messages.

    Raises:
        ValueError: naming the key and the nearest valid name.

    Example:
        >>> build("orders", {"name": "levels", "levels": [[0, 1], [2]]}, "order")
        Levels(levels=[[0, 1], [2, -1]])
    """
    table = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict) or "name" not in table:
        raise ValueError(f"{where} must be a name or a table with a name, got {quoted(entry)}")
    known = catalogue(kind)
    choice(f"{where}.name", table["name"], known)
    cls = known[table["name"]]
    parameters = inspect.signature(cls).parameters
    hints = get_type_hints(cls)
    given = {key: value for key, value in table.items() if key != "name"}
    for key in given:
        if not parameters:
            raise ValueError(f"{where}: {table['name']} has no parameters, got {shortened(key)}")
        choice(f"{where}: a parameter of {table['name']}", key, parameters)
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in given:
            raise ValueError(f"{where}.{key} is required")
    values = {
        key: convert(hints.get(key, Any), value, f"{where}.{key}") for key, value in given.items()
    }
    try:
        return cls(**values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error


def convert(hint: Any, value: Any, where: str) -> Any:
    """A value of a TOML file as a parameter's annotation asks: whole numbers become floats, lists become tuples.

    Raises:
        ValueError: naming the key and what it must be.

    Example:
        >>> convert(float | None, 1, "scale"), convert(tuple[float, ...], [1, 2], "weights")
        (1.0, (1.0, 2.0))
        >>> convert(int, "many", "draws")
        Traceback (most recent call last):
        ValueError: draws must be an integer, got 'many'
    """
    union = get_origin(hint) in (Union, types.UnionType)
    options = [
        option for option in (get_args(hint) if union else (hint,)) if option is not type(None)
    ]
    for option in options:
        if get_origin(option) is Literal:
            choice(where, value, get_args(option))
            return value
        for holds, _, to in _fits(option, where):
            if holds(value):
                return to(value)
    said = " or ".join(text for option in options for _, text, _ in _fits(option, where))
    raise ValueError(f"{where} must be {said}, got {quoted(value)}")


def _fits(option: Any, where: str) -> list[tuple[Callable[[Any], bool], str, Callable[[Any], Any]]]:
    """For one annotation: what a value must be, how that is called, what becomes of it."""
    plain = {
        bool: (lambda v: isinstance(v, bool), "true or false", bool),
        int: (lambda v: isinstance(v, int) and not isinstance(v, bool), "an integer", int),
        float: (
            lambda v: isinstance(v, int | float) and not isinstance(v, bool),
            "a number",
            float,
        ),
        str: (lambda v: isinstance(v, str), "a string", str),
        Path: (lambda v: isinstance(v, str), "a path", Path),
    }
    if option in plain:
        return [plain[option]]
    origin = get_origin(option) or option
    inner = get_args(option)
    element = inner[0] if inner else Any
    listed = (
        lambda v: isinstance(v, list),
        "a list",
        lambda v: tuple(convert(element, each, f"{where}[{i}]") for i, each in enumerate(v)),
    )
    if origin in (tuple, list, Sequence, Floats, Ints):
        return [listed]
    if option is Recipe:
        return [
            (lambda v: isinstance(v, str | dict), "a policy", lambda v: build("policies", v, where))
        ]
    order = (lambda v: isinstance(v, str | dict), "an order", lambda v: build("orders", v, where))
    if option is Order:
        return [order]
    return [order, listed, (lambda v: isinstance(v, object), "anything", lambda v: v)]


def catalogue(kind: str) -> dict[str, Any]:
    """{name on the command line: class, function, module or experiment} of one of `KINDS`.

    Example:
        >>> catalogue("policies")["mol-ts"].__name__
        'MolTs'
    """
    choice("kind", kind, KINDS)
    if kind == "experiments":
        papers = importlib.import_module("mobandits.papers.catalogue")
        return {"demo": importlib.import_module("mobandits.demo.demo"), **papers.EXPERIMENTS}
    module = importlib.import_module(f"mobandits.{kind}")
    if kind == "metrics":
        return dict(module.named())
    public = {kebab(name): getattr(module, name) for name in module.__all__}
    return {name: member for name, member in public.items() if _BELONGS[kind](member)}


_BELONGS: dict[str, Callable[[Any], bool]] = {
    "policies": lambda member: inspect.isclass(member) and issubclass(member, Recipe),
    "environments": lambda member: inspect.isclass(member) and hasattr(member, "problem"),
    "orders": lambda member: inspect.isclass(member) and hasattr(member, "front"),
    "datasets": lambda member: not inspect.isclass(member) and hasattr(member, "about"),
}
