"""How clients name decisions: by their numbers, or by keys of their own."""

from mobandits.support.naming import quoted
from mobandits_client.messages import RewardsOf
from mobandits_service.problems import Problem

MOST_DIGITS = 18  # every number of so many fits into the 64 bits of a store


def decision_number(text: str) -> int:
    """The number of a decision that a client names.

    Raises:
        Problem: where it is none.

    Example:
        >>> decision_number("17")
        17
    """
    is_number = text.isascii() and text.isdecimal()
    if not is_number or len(text) > MOST_DIGITS:
        raise Problem(404, f"there is no decision {quoted(text)}")

    return int(text)


def number_or_key(item: RewardsOf) -> int | str:
    """What an item of a list names its decision by: the number, or the client's key.

    Raises:
        Problem: where it has neither of them or both, or the number is none.
    """
    number = item.decision
    key = item.key
    if number is not None and key is None:
        return decision_number(number)
    if key is not None and number is None:
        return key

    raise Problem(422, "decision or key must be given, and not both")


def unknown_key(key: str) -> Problem:
    """The refusal of a client's key that no decision has."""
    return Problem(404, f"there is no decision with the key {quoted(key)}")
