"""Text: hashed words, weighted by TF-IDF, projected onto the directions in which texts differ."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.column import SourceColumn, is_missing, refused
from mobandits.encoding.kind import KNOWN, MISSING, UNKNOWN, Kind
from mobandits.encoding.number import require_values
from mobandits.encoding.terms import TextTerms, terms_of
from mobandits.encoding.text_fit import fitted_directions, places_of_terms, weighted_rows
from mobandits.support.checks import integer
from mobandits.support.checks import number as check_number

MOST_DIMENSIONS = 512
MOST_BUCKETS = 2**16
FITTED = ("known", "weights", "components", "mean")


@dataclass(frozen=True, eq=False)
class Text(Kind):
    """A text as its projections onto the leading singular vectors of the texts of the fit.

    Words of two letters and more, in lower case, and pairs of neighbouring words are hashed into
    buckets. A row of 1 + ln(count), times idf = ln((1 + n) / (1 + df)) + 1, is divided by its norm,
    and multiplied by the vectors; the mean of the fit is taken out, and the rest is divided by one
    number, so that the mean square norm of the texts of the fit is 1.

    A missing text is all zeros, the mean. So is a text without a word that the fit has seen, which
    is counted as unknown. Where texts span fewer directions than `dimensions`, the last features
    are 0. A fit may differ in its last bits from one machine to another; what was fitted is kept.

    Args:
        dimensions: features, at most 512.
        buckets: for words and pairs, at most 65,536.
        pairs: whether pairs of words are counted.
        known: (words,) buckets that the fit has seen, like the others below fitted, not given.
        weights: (words,) idf.
        components: (words, dimensions) singular vectors; the largest entry of each is positive.
        mean: (dimensions,) of the projections of the fit.
        spread: what they are divided by.

    Reference:
        Deerwester et al., "Indexing by Latent Semantic Analysis", JASIS 1990; hashing as
        Weinberger et al., ICML 2009, without signs.

    Example:
        >>> texts = ["the cat sat", "a dog ran", "the dog sat", "two and two"]
        >>> kind = Text(dimensions=2).fitted(SourceColumn("prompt", texts))
        >>> kind.names("prompt")
        ['prompt~1', 'prompt~2']
    """

    NAME = "text"

    dimensions: int = 32
    buckets: int = 2**12
    pairs: bool = True
    known: Any = None
    weights: Any = None
    components: Any = None
    mean: Any = None
    spread: float | None = None
    places: Any = field(init=False, repr=False)  # of buckets among the known ones

    def __post_init__(self) -> None:
        integer("Text.dimensions", self.dimensions, at_least=1, at_most=MOST_DIMENSIONS)
        integer("Text.buckets", self.buckets, at_least=1, at_most=MOST_BUCKETS)
        given = [getattr(self, name) is not None for name in (*FITTED, "spread")]
        if any(given) and not all(given):
            raise ValueError("Text must have all that is fitted, or nothing of it")

        if all(given):
            self._take_arrays()
            object.__setattr__(self, "places", places_of_terms(self.known, self.buckets))

    def _take_arrays(self) -> None:
        """What was fitted, as arrays that fit together."""
        known = np.asarray(self.known)
        if not _are_buckets(known, self.buckets):
            raise ValueError("Text.known must be buckets, at least one, in ascending order")

        words = len(known)
        shapes = {
            "weights": (words,),
            "components": (words, self.dimensions),
            "mean": (self.dimensions,),
        }
        object.__setattr__(self, "known", known.astype(np.int64))
        for name, shape in shapes.items():
            value = getattr(self, name)
            array = np.array(value, np.float64)
            is_finite = np.isfinite(array).all()
            if array.shape != shape or not is_finite:
                raise ValueError(f"Text.{name} must be finite, of shape {shape}, got {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)

        check_number("Text.spread", self.spread, above=0.0)

    def __eq__(self, other: object) -> bool:
        """Of equal parameters, with the same fit."""
        if not isinstance(other, Text):
            return False

        mine = (self.dimensions, self.buckets, self.pairs, self.spread)
        theirs = (other.dimensions, other.buckets, other.pairs, other.spread)
        if mine != theirs:
            return False

        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in FITTED)

    def __hash__(self) -> int:
        return hash((self.dimensions, self.buckets, self.pairs, self.spread))

    def __repr__(self) -> str:
        """The parameters, and of the fit its size: arrays are long."""
        text = f"Text(dimensions={self.dimensions}, buckets={self.buckets}, pairs={self.pairs})"
        return f"{text}, fitted on {len(self.known):,} words" if self.is_fitted else text

    @property
    def is_fitted(self) -> bool:
        """Whether there are weights and vectors."""
        return self.known is not None

    def fitted(self, column: SourceColumn) -> "Text":
        """With weights and vectors of a column, where they are not given."""
        if self.is_fitted:
            return self

        terms = self._terms(column.mapped(checked_text))
        require_values(len(terms.rows), column)
        directions = fitted_directions(terms, self.buckets, self.dimensions)

        return dataclasses.replace(
            self,
            known=directions.known,
            weights=directions.weights,
            components=directions.components,
            mean=directions.mean,
            spread=directions.spread,
        )

    def names(self, column: str) -> list[str]:
        """A name per direction."""
        return [f"{column}~{number}" for number in range(1, self.dimensions + 1)]

    def write(self, value: Any, out: Array, first: int) -> int:
        """The projections."""
        row = out[None, first : first + self.dimensions]
        codes = self._project([checked_text(value)], row)
        return int(codes[0])

    def write_column(self, column: SourceColumn, out: Array) -> IntArray:
        """As `write`, whose arithmetic this is."""
        texts = column.mapped(checked_text)
        return self._project(texts, out)

    def _project(self, texts: Sequence[str | None], out: Array) -> IntArray:
        terms = self._terms(texts)
        rows = weighted_rows(terms, self.places, self.weights)
        projections = rows @ self.components
        centred = projections - self.mean
        sizes = np.diff(rows.indptr)
        has_words = sizes > 0
        # A text without a known word would be the mean's opposite, and not the mean.
        out[:] = np.where(has_words[:, None], centred / self.spread, 0.0)

        missing = np.array([text is None for text in texts], bool)
        codes = np.where(has_words, KNOWN, UNKNOWN)
        codes[missing] = MISSING

        return codes

    def _terms(self, texts: Sequence[str | None]) -> TextTerms:
        return terms_of(texts, self.buckets, pairs=self.pairs)

    @property
    def treatment(self) -> str:
        """Zeros."""
        return "no known word, or missing: zeros"


def _are_buckets(known: Any, buckets: int) -> bool:
    """Whether an array has positions of buckets in ascending order, at least one."""
    if known.ndim != 1 or known.dtype.kind != "i" or len(known) == 0:
        return False

    steps = np.diff(known)
    is_ascending = bool((steps > 0).all())

    return is_ascending and known[0] >= 0 and known[-1] < buckets


def checked_text(value: Any) -> str | None:
    """A value that is text; None where it is missing.

    Raises:
        ValueError: where it is something else.
    """
    if isinstance(value, str):
        return None if is_missing(value) else value
    if is_missing(value):
        return None

    raise refused("text", value)
