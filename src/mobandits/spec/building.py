"""Objects of the names and tables that a TOML file or a command line has for them."""

import dataclasses
import inspect
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from mobandits.compiling.compiled import Floats, Ints
from mobandits.contracts.protocols import Order, Recipe
from mobandits.features.feature_map import FeatureMap
from mobandits.logs.objectives import Objective
from mobandits.spec.mistakes import Mistakes, Place
from mobandits.spec.registries import catalogue
from mobandits.support.checks import choice
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.nearest import did_you_mean
from mobandits.support.serialiser import alternatives

# {option: how its values are written}.
FORMS = {
    "--policy": (
        "NAME or NAME:key=value,key=value, and a value with parameters as in "
        'order={name="weighted",weights=[0.2,0.8]}'
    ),
    "--objective": "NAME or NAME:key=value,key=value",
    "--quality": "mean, an order's NAME or NAME:key=value,key=value",
}


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
    name, parameters = _name_and_parameters(text, "--policy")
    recipe: Recipe = build("policies", {"name": name, **parameters}, "--policy")

    return recipe


def order_named(text: str, option: str) -> Order:
    """An order as a command line describes it, such as weighted:weights=[2,1,0].

    Raises:
        ValueError: naming what is wrong.

    Example:
        >>> order_named("weighted:weights=[2,1]", "--quality")
        Weighted(weights=[2.0, 1.0])
    """
    name, parameters = _name_and_parameters(text, option)
    order: Order = build("orders", {"name": name, **parameters}, option)

    return order


def objective_named(text: str) -> Objective:
    """An objective as a command line describes it: its name, and after a colon what is known.

    Raises:
        ValueError: naming what is wrong.

    Example:
        >>> objective_named("cost:minimise=true,unit=USD,low=0,high=0.02").line
        (0.02, -50.0)
    """
    name, parameters = _name_and_parameters(text, "--objective")
    fields = [field.name for field in dataclasses.fields(Objective) if field.name != "name"]
    for key in parameters:
        choice("--objective: a key", key, fields)

    return Objective(name, **parameters)


def _name_and_parameters(text: str, option: str) -> tuple[str, dict[str, Any]]:
    name, _, given = text.partition(":")
    # Words that are no values of TOML, such as names of orders, get their quotes here.
    with_quotes = re.sub(
        r"=\s*((?!true\b|false\b|nan\b|inf\b)[A-Za-z][A-Za-z0-9-]*)", r'="\1"', given
    )
    try:
        parameters: dict[str, Any] = tomllib.loads(f"given = {{{with_quotes}}}")["given"]
    except tomllib.TOMLDecodeError as error:
        # Not the parser's own message: it counts columns of a text that nobody wrote.
        raise wrong_value(f"{option} must be {FORMS[option]}", text) from error

    return name, parameters


def build(kind: str, entry: Any, where: str) -> Any:
    """An object from its name, or from a table of its name and parameters.

    Args:
        kind: one of `KINDS` whose members are classes.
        entry: the name or the table.
        where: the key, for messages.

    Raises:
        ValueError: a line per mistake, with the key and the nearest valid name.

    Example:
        >>> build("orders", {"name": "levels", "levels": [[0, 1], [2]]}, "order")
        Levels(levels=[[0, 1], [2, -1]])
    """
    mistakes = Mistakes()
    made = built(kind, entry, Place((where,)), mistakes)
    _raise_all(mistakes)

    return made


def _raise_all(mistakes: Mistakes) -> None:
    if mistakes.found:
        raise ValueError("\n".join(mistake.message for mistake in mistakes.found))


def built(kind: str, entry: Any, place: Place, mistakes: Mistakes) -> Any:
    """The same as `build`, with mistakes collected; what is returned then means nothing.

    Args:
        kind: as in `build`.
        entry: as in `build`.
        place: of the entry.
        mistakes: where to add those that are found.
    """
    table = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict) or "name" not in table:
        mistakes.add(place, f"{place} must be a name or a table with a name, got {quoted(entry)}")
        return None

    classes = catalogue(kind)
    name = table["name"]
    before = len(mistakes.found)
    # Of an entry that is a name alone, the key is the place itself.
    with mistakes.at(place.key("name") if table is entry else place):
        choice(f"{place}.name", name, classes)

    if len(mistakes.found) > before:
        return None

    given = {key: value for key, value in table.items() if key != "name"}

    return _made(classes[name], name, given, place, mistakes)


def _made(cls: Any, name: str, given: Mapping[str, Any], place: Place, mistakes: Mistakes) -> Any:
    """An object of a class from its parameters; None where they are mistaken.

    Args:
        cls: the class.
        name: what errors call it.
        given: its parameters as in TOML.
        place: of the table.
        mistakes: where to add those that are found.
    """
    before = len(mistakes.found)
    _check_parameters(cls, name, given, place, mistakes)
    # Resolved, since modules may write annotations as text.
    annotations = get_type_hints(cls)
    values = {}
    known = inspect.signature(cls).parameters
    for key in [key for key in given if key in known]:
        annotation = annotations.get(key, Any)
        # A parameter that is no field, such as one that was withdrawn.
        if isinstance(annotation, dataclasses.InitVar):
            annotation = annotation.type
        with mistakes.at(place.key(key)):
            values[key] = _converted(annotation, given[key], place.key(key), mistakes)

    if len(mistakes.found) > before:
        return None

    # What the class itself refuses is told with the place in the file.
    try:
        return cls(**values)
    except (ValueError, TypeError) as error:
        mistakes.add(_place_of_refusal(str(error), place, given), f"{place}: {error}")
        return None


def _place_of_refusal(message: str, place: Place, given: Mapping[str, Any]) -> Place:
    """The place of the parameter that a class's own message begins with, or else of the entry."""
    match = re.match(r"\w+\.(\w+)", message)
    if match is not None and match[1] in given:
        return place.key(match[1])

    return place


def _check_parameters(
    cls: Any, name: str, given: Mapping[str, Any], place: Place, mistakes: Mistakes
) -> None:
    """Refuse parameters that a class does not have, and missing ones."""
    parameters = inspect.signature(cls).parameters
    unknown = [key for key in given if key not in parameters]
    for key in unknown:
        with mistakes.at(place.key(key)):
            if not parameters:
                raise wrong_value(f"{place}: {name} has no parameters", key)

            choice(f"{place}: a parameter of {name}", key, parameters)

    for key, parameter in parameters.items():
        is_missing = parameter.default is parameter.empty and key not in given
        # One that was misspelt is there: it needs one message, and not two.
        if is_missing and not did_you_mean(key, unknown):
            mistakes.add(place, f"{place}.{key} is required")


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
    place = Place((where,))
    mistakes = Mistakes()
    converted: Any = None
    with mistakes.at(place):
        converted = _converted(annotation, value, place, mistakes)

    _raise_all(mistakes)

    return converted


def _converted(annotation: Any, value: Any, place: Place, mistakes: Mistakes) -> Any:
    """The same as `convert`; mistakes inside of the value are collected.

    Raises:
        ValueError: where the value itself has no form that the annotation allows.
    """
    # TOML has no null: a parameter that may be None is left out.
    kinds = [kind for kind in alternatives(annotation) if kind is not type(None)]
    nouns = []
    for alternative in kinds:
        if get_origin(alternative) is Literal:
            names = get_args(alternative)
            if len(kinds) == 1:
                choice(str(place), value, names)
            if value in names:
                return value

            nouns += [f'"{name}"' for name in names]
            continue

        for form in _forms(alternative, place, mistakes):
            if form.fits(value):
                return form.make(value)

            nouns.append(form.noun)

    raise wrong_value(f"{place} must be {' or '.join(nouns)}", value)


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


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


SCALAR_FORMS: dict[Any, Form] = {
    bool: Form(lambda value: isinstance(value, bool), "true or false", bool),
    int: Form(lambda value: _is_number(value) and isinstance(value, int), "an integer", int),
    float: Form(_is_number, "a number", float),
    str: Form(_is_text, "a string", str),
    Path: Form(_is_text, "a path", Path),
}


def _forms(annotation: Any, place: Place, mistakes: Mistakes) -> list[Form]:
    """The forms of values of one annotation, in the order in which they are tried."""
    if annotation in SCALAR_FORMS:
        return [SCALAR_FORMS[annotation]]

    origin = get_origin(annotation) or annotation
    arguments = get_args(annotation)
    item_annotation = arguments[0] if arguments else Any

    def converted_items(items: list[Any]) -> tuple[Any, ...]:
        converted = []
        for i, item in enumerate(items):
            with mistakes.at(place.item(i)):
                converted.append(_converted(item_annotation, item, place.item(i), mistakes))

        return tuple(converted)

    a_list = Form(lambda value: isinstance(value, list), "a list", converted_items)
    if origin in (tuple, list, Sequence):
        return [a_list]
    if origin in (Floats, Ints):
        # Its class converts the items, and refuses a table where it knows no objectives.
        plain_list = Form(a_list.fits, a_list.noun, list)
        by_objective = Form(_is_table, "a table by objective", _with_numbers)
        return [plain_list, by_objective] if origin is Floats else [plain_list]
    if origin is Mapping:
        return [Form(_is_table, "a table", _with_numbers)]
    if annotation in PART_FORMS or dataclasses.is_dataclass(annotation):
        return [_part_form(annotation, place, mistakes)]

    # A field that holds a part may be annotated `Any`.
    anything = Form(lambda _: True, "anything", lambda value: value)

    return [_part_form(Order, place, mistakes), a_list, anything]


# What is built of other parts: their kind, and what it is called in messages.
PART_FORMS: dict[Any, tuple[str, str]] = {
    Recipe: ("policies", "a policy"),
    FeatureMap: ("features", "a feature map"),
    Order: ("orders", "an order"),
}


def _part_form(annotation: Any, place: Place, mistakes: Mistakes) -> Form:
    """The form of a part that an entry of its own describes, or of a value with parameters."""
    if annotation in PART_FORMS:
        kind, words = PART_FORMS[annotation]
        # A name, or a table of a name and parameters.
        return Form(
            lambda value: isinstance(value, str | dict),
            words,
            lambda value: built(kind, value, place, mistakes),
        )

    # Such as `Falling`: a table without a name.
    name = annotation.__name__
    keys = ", ".join(inspect.signature(annotation).parameters)

    return Form(
        _is_table,
        f"a table of {keys}",
        lambda value: _made(annotation, name, value, place, mistakes),
    )


def _with_numbers(table: dict[str, Any]) -> dict[Any, Any]:
    """A table by objective: keys of TOML are text, also those that are numbers."""
    return {int(key) if key.isdecimal() else key: value for key, value in table.items()}
