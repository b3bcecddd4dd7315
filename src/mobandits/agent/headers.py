"""Checks of the header of an agent's file: types, ranges, and what fits what.

A checksum proves that a file is whole, and not that an agent wrote it.
"""

from typing import Any

from mobandits.contracts.terms import MOST_FACTOR
from mobandits.logs.names import checked_name, decoded
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted, shortened

LARGEST = 2**63 - 1
MOST_COUNTED = 2**62  # of what is counted, which goes on being counted: it never comes to `LARGEST`
MOST_FEATURES = 100_000  # a Gram matrix of so many has 80 GB
MOST_STAGES = 10_000  # each is bound on the way to the last one

FIELDS = ("minimise", "unit", "low", "high", "default", "after", "outside")  # of an objective
OPTIONS = ("features", "rounds", "seed", "propensity", "samples")
KEYS = {
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
    "preference",
    "streams",
    "waiting",
    "dropped",
    "next_id",
    "now",
    "lessons",
    "logged",
    "encoder",  # None: contexts are numbers
    "ledger",
    "of_workers",
    "adopted",
    "former",  # decisions that wait for a bill from before prices changed
    "arrays",
}
ENCODER_FIELDS = ("intercept", "columns", "unseen")


def whole_number(name: str, value: Any, at_least: int = 0, at_most: int = LARGEST) -> int:
    """An integer of a range.

    Example:
        >>> whole_number("stage", 2.0)
        Traceback (most recent call last):
        ValueError: stage must be an integer of at least 0, got 2.0
    """
    integer(name, value, at_least=at_least)
    if value > at_most:
        rule = f"{name} must be at most {at_most}"
        raise ValueError(f"{rule}, got {quoted(value)}")

    return int(value)


def decoded_names(given: Any, where: str) -> list[Any]:
    """Names as they were encoded."""
    names = []
    encoded_names = _checked_list(given, where)
    for encoded_name in encoded_names:
        name = decoded(encoded_name)
        names.append(checked_name(name, where))

    return names


def check_header(header: dict[str, Any]) -> None:
    """Refuse a header with something in it that no agent writes.

    Raises:
        ValueError: naming key, rule and value.
    """
    if set(header) != KEYS:
        wanted = ", ".join(sorted(KEYS))
        there = ", ".join(sorted(header))
        raise ValueError(f"header must have {wanted}, got {shortened(there)}")

    if header["encoder"] is not None:
        _check_encoder(header["encoder"])

    _check_options(header["options"])
    for objective in _checked_list(header["objectives"], "objectives"):
        _check_keys("objectives", objective, ("name", *FIELDS))

    _check_arms(header)
    _check_stage(header)
    _check_keys("waiting", header["waiting"], ("limit", "max_age", "remembered"))
    _check_keys("dropped", header["dropped"], ("limit", "age"))
    counts = dict(header["dropped"])
    for name in ("next_id", "lessons", "logged", "of_workers"):
        counts[name] = header[name]

    for name, value in counts.items():
        whole_number(name, value, at_most=MOST_COUNTED)

    for adopted in _checked_list(header["adopted"], "adopted"):
        whole_number("adopted", adopted)

    _check_former(header["former"], len(header["objectives"]))

    now = header["now"]
    if type(now) is not float:
        raise ValueError(f"now must be seconds, a float, got {quoted(now)}")

    number("now", now, at_least=0.0)


def _check_former(given: Any, objectives: int) -> None:
    """Refuse what is no list of decisions with pairs of an objective and a factor."""
    for entry in _checked_list(given, "former"):
        is_pair = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)
        if not is_pair:
            raise ValueError(f"former must be decisions with factors, got {quoted(entry)}")

        whole_number("former", entry[0])
        for pair in entry[1]:
            if not isinstance(pair, list) or len(pair) != 2:
                raise ValueError(f"former must have pairs of numbers, got {quoted(pair)}")

            whole_number("former", pair[0], at_most=objectives - 1)
            number("former", pair[1], at_least=1.0 / MOST_FACTOR, at_most=MOST_FACTOR)


def _check_encoder(encoder: Any) -> None:
    """Its columns are checked where they are made."""
    _check_keys("encoder", encoder, ENCODER_FIELDS)
    rows = _checked_list(encoder["unseen"], "unseen")
    for row in rows:
        if not _is_unseen(row):
            raise ValueError(f"unseen must be columns, words and counts, got {quoted(row)}")

        count = row[2]
        whole_number("unseen", count, at_most=MOST_COUNTED)


def _is_unseen(row: Any) -> bool:
    """Whether a row has the name of a column, the word for what it lacked, and something more."""
    if not isinstance(row, list) or len(row) != 3:
        return False

    column = row[0]
    word = row[1]

    return isinstance(column, str) and word in ("unknown", "missing")


def _check_options(options: Any) -> None:
    _check_keys("options", options, OPTIONS)
    features = options["features"]
    samples = options["samples"]
    rounds = options["rounds"]
    whole_number("features", features, at_most=MOST_FEATURES)
    whole_number("samples", samples, 1)
    if rounds is not None:
        whole_number("rounds", rounds, 1)


def _check_arms(header: dict[str, Any]) -> None:
    arms = _checked_list(header["arms"], "arms")
    slots = _checked_list(header["slots"], "slots")
    ever = whole_number(
        "arms_ever",
        header["arms_ever"],
        at_least=len(arms),
        at_most=MOST_COUNTED,
    )
    last = ever - 1
    for slot in slots:
        whole_number("slots", slot, -1, last)


def _check_stage(header: dict[str, Any]) -> None:
    stage = whole_number("stage", header["stage"], at_most=MOST_STAGES)
    shared = header["shared"]
    # Only the first context tells whether arms share it.
    fits = shared is None if stage == 0 else isinstance(shared, bool)
    if not fits:
        rule = "shared must be true or false from the first stage on"
        raise ValueError(f"{rule}, got {quoted(shared)}")
    if header["left"] is not None:
        whole_number("left", header["left"])


def _check_keys(name: str, given: Any, keys: tuple[str, ...]) -> None:
    has_keys = isinstance(given, dict) and set(given) == set(keys)
    if not has_keys:
        wanted = ", ".join(keys)
        raise ValueError(f"{name} must have {wanted}, got {quoted(given)}")


def _checked_list(given: Any, where: str) -> list[Any]:
    if not isinstance(given, list):
        raise ValueError(f"{where} must be a list, got {quoted(given)}")
    return given
