"""What the header of an agent's file must say: types, ranges, and what fits what; a checksum proves no good will."""

from typing import Any

from mobandits.logs.names import checked_name, decoded
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted, shortened

LARGEST = 2**63 - 1
MOST_COUNTED = 2**62  # of what is counted, which goes on being counted: it never comes to `LARGEST`
MOST_FEATURES = 100_000  # a Gram matrix of so many has 80 GB
MOST_STAGES = 10_000  # each is bound on the way to the last one
KEYS = {
    *(
        "version",
        "by",
        "recipe",
        "options",
        "objectives",
        "arms",
        "slots",
        "arms_ever",
        "shared",
        "stage",
        "left",
    ),
    *(
        "preference",
        "streams",
        "waiting",
        "dropped",
        "next_id",
        "now",
        "lessons",
        "logged",
        "arrays",
    ),
}
FIELDS = ("minimise", "unit", "low", "high", "default", "after")  # of an objective
OPTIONS = ("features", "rounds", "seed", "propensity", "samples")


def whole(name: str, value: Any, at_least: int = 0, at_most: int = LARGEST) -> int:
    """An integer of a range.

    Example:
        >>> whole("stage", 2.0)
        Traceback (most recent call last):
        ValueError: stage must be an integer of at least 0, got 2.0
    """
    integer(name, value, at_least=at_least)
    if value > at_most:
        raise ValueError(f"{name} must be at most {at_most}, got {quoted(value)}")
    return int(value)


def decoded_names(given: Any, where: str) -> list[Any]:
    """Names as they were encoded."""
    return [checked_name(decoded(one), where) for one in _list(given, where)]


def check_header(header: dict[str, Any]) -> None:
    """Refuse a header with something in it that no agent writes.

    Raises:
        ValueError: naming key, rule and value.
    """
    if set(header) != KEYS:
        raise ValueError(
            f"header must have {', '.join(sorted(KEYS))}, got {shortened(', '.join(sorted(header)))}"
        )
    options = header["options"]
    if not isinstance(options, dict) or set(options) != set(OPTIONS):
        raise ValueError(f"options must be {', '.join(OPTIONS)}, got {quoted(options)}")
    whole("features", options["features"], at_most=MOST_FEATURES)
    whole("samples", options["samples"], 1)
    if options["rounds"] is not None:
        whole("rounds", options["rounds"], 1)
    for one in _list(header["objectives"], "objectives"):
        if not isinstance(one, dict) or set(one) != {"name", *FIELDS}:
            raise ValueError(f"objectives must have name, {', '.join(FIELDS)}, got {quoted(one)}")
    _check_arms(header)
    _check_stage(header)
    waits = header["waiting"]
    dropped = header["dropped"]
    if not isinstance(waits, dict) or set(waits) != {"limit", "max_age", "remembered"}:
        raise ValueError(f"waiting must be limit, max_age and remembered, got {quoted(waits)}")
    if not isinstance(dropped, dict) or set(dropped) != {"limit", "age"}:
        raise ValueError(f"dropped must be limit and age, got {quoted(dropped)}")
    for name, value in {
        **dropped,
        **{name: header[name] for name in ("next_id", "lessons", "logged")},
    }.items():
        whole(name, value, at_most=MOST_COUNTED)
    if type(header["now"]) is not float:
        raise ValueError(f"now must be seconds, a float, got {quoted(header['now'])}")
    number("now", header["now"], at_least=0.0)


def _check_arms(header: dict[str, Any]) -> None:
    ever = whole("arms_ever", header["arms_ever"], len(_list(header["arms"], "arms")), MOST_COUNTED)
    for slot in _list(header["slots"], "slots"):
        whole("slots", slot, -1, ever - 1)


def _check_stage(header: dict[str, Any]) -> None:
    stage = whole("stage", header["stage"], at_most=MOST_STAGES)
    shared = header["shared"]
    if not (shared is None if stage == 0 else isinstance(shared, bool)):
        raise ValueError(
            f"shared must be true or false from the first stage on, got {quoted(shared)}"
        )
    if header["left"] is not None:
        whole("left", header["left"])


def _list(given: Any, where: str) -> list[Any]:
    if not isinstance(given, list):
        raise ValueError(f"{where} must be a list, got {quoted(given)}")
    return given
