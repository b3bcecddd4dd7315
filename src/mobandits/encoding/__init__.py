"""Named columns of any table as numbers: `Encoder`, and the kinds of columns that it knows."""

from mobandits.encoding.boolean import Boolean
from mobandits.encoding.category import Category
from mobandits.encoding.date import Date
from mobandits.encoding.encoder import Encoded, Encoder
from mobandits.encoding.hashed import Hashed
from mobandits.encoding.kind import Kind
from mobandits.encoding.number import Number
from mobandits.encoding.text import Text

__all__ = [
    "Boolean",
    "Category",
    "Date",
    "Encoded",
    "Encoder",
    "Hashed",
    "Kind",
    "Number",
    "Text",
]
