"""The kind of a column, from its values."""

from collections.abc import Callable
from typing import Any

from mobandits.encoding.boolean import Boolean, truth_value_of
from mobandits.encoding.category import Category, text_of
from mobandits.encoding.column import SourceColumn, is_missing
from mobandits.encoding.date import Date, time_of
from mobandits.encoding.hashed import Hashed
from mobandits.encoding.kind import Kind
from mobandits.encoding.number import Number, number_of, require_values
from mobandits.encoding.text import Text

MOST_CATEGORIES = 64
WORDS_OF_TEXT = 4.0  # on average, of a text; names of things have fewer


def inferred(column: SourceColumn) -> Kind:
    """The kind of a column: the first of these that all of its values are, if they are not missing.

    Numbers, also as text; booleans; dates, also as text; at most 64 categories, each twice on
    average; texts of at least four words on average; else identifiers, which are hashed.

    Raises:
        ValueError: where everything is missing, or a value is of none of these kinds.

    Example:
        >>> inferred(SourceColumn("city", ["Rome", "Paris", "Rome", None]))
        Category(values=None, most=64)
    """
    if column.numbers() is not None:
        return Number()

    present = [value for value in column.items() if not is_missing(value)]
    require_values(len(present), column)
    if _all_are(number_of, present):
        return Number()
    if _all_are(truth_value_of, present):
        return Boolean()
    if _all_are(time_of, present):
        return Date()

    return _of_texts([text for text in column.mapped(text_of) if text is not None])


def _of_texts(texts: list[str]) -> Kind:
    different = len(set(texts))
    words = sum(len(text.split()) for text in texts) / len(texts)
    if different <= MOST_CATEGORIES and 2 * different <= len(texts):
        return Category()
    if words >= WORDS_OF_TEXT:
        return Text()
    # In a small table even categories are hardly repeated.
    if different <= MOST_CATEGORIES and len(texts) < MOST_CATEGORIES:
        return Category()

    return Hashed()


def _all_are(function: Callable[[Any], Any], values: list[Any]) -> bool:
    try:
        for value in values:
            function(value)
    except ValueError:
        return False

    return True
