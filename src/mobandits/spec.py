"""From names and TOML files to recipes, environments, orders, metrics, and a checked simulation."""

import importlib
import inspect
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from mobandits.compiling.compiled import Floats, Ints
from mobandits.contracts.protocols import Environment, Metric, Order, Recipe
from mobandits.errors import SpecError
from mobandits.features.feature_map import FeatureMap
from mobandits.support.checks import choice
from mobandits.support.found import found_at
from mobandits.support.naming import kebab, quoted, short_repr, shortened
from mobandits.support.serialiser import alternatives

KINDS = (
    "policies",
    "environments",
    "metrics",
    "orders",
    "features",
    "experiments",
    "datasets",
)
KEYS = ("name", "rounds", "trials", "seed", "record", "metrics", "environment", "policies")
NEEDED = ("rounds", "environment", "policies")


@dataclass(frozen=True)
class Specification:
    """The simulation of a TOML file; `load` reads one.

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
        from mobandits.simulation import prepare  # noqa: PLC0415 - loads tables

        given = {key: value for key, value in overrides.items() if value is not None}
        try:
            return prepare(dict(self.policies), self.environment, **{**self.options, **given})
        except ValueError as error:
            raise SpecError(f"{self.file}: {error}") from error


def load(file: str | Path) -> Specification:
    """Read and check a TOML file.

    The keys of the file are `rounds`, `trials`, `seed`, `record`, `metrics`, as in `simulate`, and
    `name` (the table's column `experiment`, by default the file's name); a table `[environment]`;
    and a list `[[policies]]`. Both hold a `name` and parameters, or are a name alone. A policy may
    have a `label`, the name of its row, and a `grid`, lists of values of parameters, which stand
    for one policy per combination. Orders are names, or tables of a name and parameters, and so are
    metrics. examples/linear.toml shows all of it.

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
    if not (path / "manifest.json").exists():
        return ""
    return f"; `mobandits report {path}` draws a finished run again"


def _specification(path: Path, content: dict[str, Any]) -> Specification:
    for key in content:
        choice("key", key, KEYS)

    for key in NEEDED:
        if key not in content:
            raise ValueError(f"{key} is required")

    entries = content["policies"]
    if not isinstance(entries, list):
        raise ValueError("policies must be a list of names, or of tables, [[policies]]")

    options: dict[str, Any] = {"experiment": convert(str, content.get("name", path.stem), "name")}
    for key in ("rounds", "trials", "seed", "record"):
        if key in content:
            options[key] = content[key]

    if "metrics" in content:
        options["metrics"] = _metrics(content["metrics"])

    rows: list[tuple[str, Recipe]] = []
    for i, entry in enumerate(entries):
        rows += _rows(entry, f"policies[{i}]")

    # A dictionary would keep the last of equal names in silence.
    names = [name for name, _ in rows]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"policies must have distinct rows, got {quoted(repeated[0])} twice: give one a label"
        )

    environment = build("environments", content["environment"], "environment")

    return Specification(path, environment, dict(rows), options)


def _metrics(entries: Any) -> list[str | Metric]:
    if not isinstance(entries, list):
        advice = f"; write [{quoted(entries)}]" if isinstance(entries, str) else ""
        raise ValueError(f"metrics must be a list, got {quoted(entries)}{advice}")

    metrics: list[str | Metric] = []
    for i, entry in enumerate(entries):
        # A name may also be that of a quantity of the problem, which is not known yet.
        is_name = isinstance(entry, str)
        metrics.append(entry if is_name else build("metrics", entry, f"metrics[{i}]"))

    return metrics


def _rows(entry: Any, where: str) -> Iterator[tuple[str, Recipe]]:
    """The rows that an entry of `policies` stands for: one per combination of its grid."""
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be a name or a table, got {quoted(entry)}")

    parameters = {key: value for key, value in entry.items() if key not in ("label", "grid")}
    label = entry.get("label")
    if label is not None:
        convert(str, label, f"{where}.label")

    grid = entry.get("grid", {})
    lists = grid.values() if isinstance(grid, dict) else [None]
    if not all(isinstance(values, list) and values for values in lists):
        raise ValueError(f"{where}.grid must be a table of lists, got {quoted(grid)}")

    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        recipe = build("policies", {**parameters, **point}, where)
        if label is None:
            yield short_repr(recipe), recipe
        else:
            point_text = ", ".join(f"{key}={value}" for key, value in point.items())
            yield f"{label} {point_text}".strip(), recipe


def recipe_named(text: str) -> Recipe:
    """A recipe as a command line names it: its name, and after a colon parameters as in TOML.

    Words need no quotes.

    Raises:
        ValueError: naming what is wrong.

    Example:
        >>> recipe = recipe_named("mol-ucb:scale=0.3,order=lexicographic")
        >>> recipe.scale, recipe.order
        (0.3, Lexicographic(tolerance=0.0))
    """
    name, _, given = text.partition(":")
    # Words that are no values of TOML, such as names of orders, get their quotes here.
    with_quotes = re.sub(r"=\s*((?!true\b|false\b|nan\b|inf\b)[a-z][a-z0-9-]*)", r'="\1"', given)
    try:
        parameters = tomllib.loads(f"given = {{{with_quotes}}}")["given"]
    except tomllib.TOMLDecodeError as error:
        rule = "--policy must be NAME or NAME:key=value,key=value"
        raise ValueError(f"{rule}, got {quoted(text)}: {error}") from error

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

    classes = catalogue(kind)
    name = table["name"]
    choice(f"{where}.name", name, classes)
    cls = classes[name]
    given = {key: value for key, value in table.items() if key != "name"}
    _check_parameters(cls, name, given, where)
    # Resolved, since modules may write annotations as text.
    annotations = get_type_hints(cls)
    values = {}
    for key, value in given.items():
        values[key] = convert(annotations.get(key, Any), value, f"{where}.{key}")

    # What the class itself refuses is told with the place in the file.
    try:
        return cls(**values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error


def _check_parameters(cls: Any, name: str, given: Mapping[str, Any], where: str) -> None:
    """Refuse parameters that a class does not have, and missing ones."""
    parameters = inspect.signature(cls).parameters
    for key in given:
        if not parameters:
            raise ValueError(f"{where}: {name} has no parameters, got {shortened(key)}")

        choice(f"{where}: a parameter of {name}", key, parameters)

    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in given:
            raise ValueError(f"{where}.{key} is required")


def convert(annotation: Any, value: Any, where: str) -> Any:
    """A value of a TOML file as a parameter's annotation asks.

    Whole numbers become floats, lists become tuples, names and tables become objects.

    Raises:
        ValueError: naming the key and what it must be.

    Example:
        >>> convert(float | None, 1, "scale"), convert(tuple[float, ...], [1, 2], "weights")
        (1.0, (1.0, 2.0))
        >>> convert(int, "many", "draws")
        Traceback (most recent call last):
        ValueError: draws must be an integer, got 'many'
    """
    # TOML has no null: a parameter that may be None is left out.
    kinds = [kind for kind in alternatives(annotation) if kind is not type(None)]
    nouns = []
    for alternative in kinds:
        if get_origin(alternative) is Literal:
            names = get_args(alternative)
            if len(kinds) == 1:
                choice(where, value, names)
            if value in names:
                return value

            nouns += [f'"{name}"' for name in names]
            continue

        for form in _forms(alternative, where):
            if form.fits(value):
                return form.make(value)

            nouns.append(form.noun)

    raise ValueError(f"{where} must be {' or '.join(nouns)}, got {quoted(value)}")


class Form(NamedTuple):
    """A form that the value of a parameter may have in a TOML file.

    Attributes:
        fits: whether a value has it.
        noun: what errors call it.
        make: the parameter, from such a value.
    """

    fits: Callable[[Any], bool]
    noun: str
    make: Callable[[Any], Any]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_entry(value: Any) -> bool:
    """Whether it is a name, or a table of a name and parameters."""
    return isinstance(value, str | dict)


SCALAR_FORMS: dict[Any, Form] = {
    bool: Form(lambda value: isinstance(value, bool), "true or false", bool),
    int: Form(_is_integer, "an integer", int),
    float: Form(_is_number, "a number", float),
    str: Form(_is_text, "a string", str),
    Path: Form(_is_text, "a path", Path),
}


def _forms(annotation: Any, where: str) -> list[Form]:
    """The forms of values of one annotation, in the order in which they are tried."""
    if annotation in SCALAR_FORMS:
        return [SCALAR_FORMS[annotation]]

    origin = get_origin(annotation) or annotation
    arguments = get_args(annotation)
    item_annotation = arguments[0] if arguments else Any

    def converted_items(items: list[Any]) -> tuple[Any, ...]:
        return tuple(
            convert(item_annotation, item, f"{where}[{i}]") for i, item in enumerate(items)
        )

    a_list = Form(lambda value: isinstance(value, list), "a list", converted_items)
    if origin in (tuple, list, Sequence, Floats, Ints):
        return [a_list]
    if origin is Mapping:
        return [Form(lambda value: isinstance(value, dict), "a table", _with_numbers)]
    if annotation in PART_FORMS:
        return [_part_form(annotation, where)]

    # A field that holds a part may be annotated `Any`.
    anything = Form(lambda _: True, "anything", lambda value: value)

    return [_part_form(Order, where), a_list, anything]


# What is built of other parts: their kind, and what it is called in messages.
PART_FORMS: dict[Any, tuple[str, str]] = {
    Recipe: ("policies", "a policy"),
    FeatureMap: ("features", "a feature map"),
    Order: ("orders", "an order"),
}


def _part_form(annotation: Any, where: str) -> Form:
    """The form of a part that an entry of its own describes."""
    kind, words = PART_FORMS[annotation]
    return Form(_is_entry, words, lambda value: build(kind, value, where))


def _with_numbers(table: dict[str, Any]) -> dict[Any, Any]:
    """A table by objective: keys of TOML are text, also those that are numbers."""
    return {int(key) if key.isdecimal() else key: value for key, value in table.items()}


def catalogue(kind: str) -> dict[str, Any]:
    """{name on the command line: member} of one of `KINDS`.

    Members are classes, functions, modules or experiments.

    Example:
        >>> catalogue("policies")["mol-ts"].__name__
        'MolTs'
    """
    choice("kind", kind, KINDS)
    if kind == "experiments":
        papers = importlib.import_module("mobandits.papers.catalogue")
        return {"demo": importlib.import_module("mobandits.demo.demo"), **papers.EXPERIMENTS}

    module = importlib.import_module(f"mobandits.{kind}")
    # Metrics have names of their own, which columns of tables have too.
    if kind == "metrics":
        return dict(module.registry())

    belongs = _BELONGS[kind]
    public = {kebab(name): getattr(module, name) for name in module.__all__}

    return {name: member for name, member in public.items() if belongs(member)}


_BELONGS: dict[str, Callable[[Any], bool]] = {
    "policies": lambda member: inspect.isclass(member) and issubclass(member, Recipe),
    "environments": lambda member: inspect.isclass(member) and hasattr(member, "problem"),
    "orders": lambda member: inspect.isclass(member) and hasattr(member, "front"),
    "features": lambda member: _is_map(member) and member is not FeatureMap,
    "datasets": lambda member: not inspect.isclass(member) and hasattr(member, "about"),
}


def _is_map(member: Any) -> bool:
    return inspect.isclass(member) and issubclass(member, FeatureMap)
