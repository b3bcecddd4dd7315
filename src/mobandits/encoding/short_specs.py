"""Kinds of columns as short texts: ``age,city:category,prompt:text:32``."""

from collections.abc import Callable
from typing import Any

from mobandits.encoding.boolean import Boolean
from mobandits.encoding.category import Category
from mobandits.encoding.date import Date
from mobandits.encoding.hashed import Hashed
from mobandits.encoding.kind import Kind
from mobandits.encoding.number import Number
from mobandits.encoding.text import Text
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.nearest import refusal

# What files may name: nothing else is made of them.
COLUMN_KINDS: dict[str, type[Any]] = {
    kind.NAME: kind for kind in (Number, Category, Hashed, Text, Date, Boolean)
}
# Kinds whose first size can be given after another colon.
SIZED: dict[str, Callable[[int], Kind]] = {
    "category": lambda size: Category(most=size),
    "hashed": lambda size: Hashed(buckets=size),
    "text": lambda size: Text(dimensions=size),
}
RAW = "raw"
KIND_WORDS = (*COLUMN_KINDS, RAW)


def has_kinds(names: str) -> bool:
    """Whether a list of columns says of one what kind it is.

    Example:
        >>> has_kinds("age,visits"), has_kinds("age,city:category")
        (False, True)
    """
    return ":" in names


def kinds_of_text(text: str) -> dict[str, Kind]:
    """{column: kind} of a text, column by column, between commas.

    After a colon comes the kind: number (standardised), raw (a number as it is), category, hashed,
    text, date or boolean; after another one its size. A column without a kind is a number.

    Raises:
        ValueError: where a kind is not known, or a column comes twice.

    Example:
        >>> kinds = kinds_of_text("age,user:hashed:8,visits:raw")
        >>> kinds["user"], kinds["visits"].standardise
        (Hashed(buckets=8), False)
    """
    kinds: dict[str, Kind] = {}
    for part in text.split(","):
        column, _, kind = part.strip().partition(":")
        if not column or column in kinds:
            raise wrong_value("columns must be different names", text)

        kinds[column] = kind_of_text(kind, column) if kind else Number()

    return kinds


def kind_of_text(text: str, column: str) -> Kind:
    """The kind of a word, such as "category" or "text:32".

    Raises:
        ValueError: where there is none.
    """
    word, _, size = text.partition(":")
    if word not in KIND_WORDS:
        rule = f"be one of {', '.join(KIND_WORDS)}"
        raise ValueError(refusal(f"column {quoted(column)}: its kind", rule, word, KIND_WORDS))
    if not size:
        return Number(standardise=False) if word == RAW else COLUMN_KINDS[word]()
    if word not in SIZED or not size.isdecimal():
        sized = ", ".join(SIZED)
        rule = f"expected a whole number after a colon, of {sized} only"
        raise wrong_value(f"column {quoted(column)}: {rule}", text)

    return SIZED[word](int(size))
