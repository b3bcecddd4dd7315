"""A reader of Criteo's attribution file: banners of campaigns, with clicks, sales and costs."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.datasets.tables import scan_table
from mobandits.logs import Feedback
from mobandits.support.checks import integer

if TYPE_CHECKING:
    import polars as pl

OUTCOMES = ("click", "attribution", "cost")
SIGNS = (1.0, 1.0, -1.0)  # rewards are maximised, a cost is not
CATEGORIES = tuple(f"cat{i}" for i in range(1, 10))
MULTIPLIER = 0x9E3779B97F4A7C15  # odd, 2^64 / golden ratio: multiplicative hashing, on 64 bits


class CriteoAttribution(DataSet):
    """Banners of about 700 campaigns: clicks, attributed sales and costs of 16.5 million.

    Each row is an impression, in the order of time, over 30 days. Which campaigns stood to choose
    and how likely each was is not recorded. Costs are transformed by the publisher, not real
    prices.

    Reference:
        E. Diemert, J. Meynet, P. Galland, D. Lefortier, Attribution Modeling Increases Efficiency
        of Bidding in Display Advertising, AdKDD 2017.

    Example:
        >>> from mobandits.datasets import criteo_attribution
        >>> criteo_attribution.load("no-such-file.tsv")
        Traceback (most recent call last):
        ValueError: no-such-file.tsv cannot be read: No such file or directory
    """

    references = ("diemert2017",)
    about = About(
        name="criteo_attribution",
        title="Banners of about 700 campaigns: clicks, attributed sales and costs of 16.5 million.",
        rows="about 16.5 million",
        columns=(
            Column("timestamp", "integer", "since the first impression", "seconds"),
            Column("uid", "integer", "the user"),
            Column("campaign", "integer", "the campaign whose banner was shown"),
            Column(
                "conversion", "integer", "1 where a sale followed within 30 days", values=(0, 1)
            ),
            Column(
                "conversion_timestamp", "integer", "of the sale, -1 where there is none", "seconds"
            ),
            Column("conversion_id", "integer", "the sale, -1 where there is none"),
            Column(
                "attribution", "integer", "1 where the sale was attributed to Criteo", values=(0, 1)
            ),
            Column("click", "integer", "1 where the banner was clicked on", values=(0, 1)),
            Column("click_pos", "integer", "the click's position before a sale, from 0; -1: none"),
            Column("click_nb", "integer", "number of clicks before a sale; -1: none"),
            Column("cost", "number", "of the impression, transformed", "unknown"),
            Column("cpo", "number", "cost per order of an attributed sale, transformed", "unknown"),
            Column("time_since_last_click", "integer", "-1 where there is none", "seconds"),
            *(
                Column(name, "integer", "a hashed category of the impression")
                for name in CATEGORIES
            ),
        ),
        arms="the campaigns",
        objectives=(
            RecordedObjective("click", "1 where the banner was clicked on"),
            RecordedObjective(
                "attribution", "1 where a sale followed and was attributed to Criteo"
            ),
            RecordedObjective("cost", "of the impression, transformed", "unknown", minimise=True),
        ),
        propensities="unknown: neither they nor the campaigns that competed are recorded",
        licence="CC BY-NC-SA 4.0",
        source="criteo_attribution_dataset.tsv.gz, Criteo AI Lab; E. Diemert et al., AdKDD 2017",
        obtain="download it from Criteo AI Lab after accepting its terms, then path=<the .tsv or"
        " .tsv.gz>",
        derived="nothing in the table; `feedback` negates the cost and hashes cat1 to cat9 into"
        " buckets",
    )

    def scan(self, path: str | Path) -> "pl.LazyFrame":
        """The table, lazily, after one pass that has checked it and kept nothing.

        Args:
            path: the tab separated file, gzipped or not; it is read in pieces, in half a gigabyte
                of memory. Columns may come in any order; others are left out.

        Raises:
            ValueError: in one line that names file, column and row; rows count from 1 below the
                header.
        """
        return scan_table(path, self.about.columns, separator="\t")

    def load(self, path: str | Path) -> "pl.DataFrame":
        """The table, checked; all of it takes about 3 GB of memory, `scan` does not.

        Args:
            path: as in `scan`.

        Raises:
            ValueError: as in `scan`.
        """
        return self.scan(path).collect()

    __call__ = load

    def feedback(
        self, path: str | Path, *, rounds: int | None = None, buckets: int = 32
    ) -> Feedback:
        """Impressions as decisions; propensities are NaN: only methods without them apply.

        The arms are the campaigns that occur, in the order of their numbers, the objectives click,
        attribution and minus the cost. The features are a hashed form of cat1 to cat9 and a
        constant 1: each of the nine values adds +1/3 or -1/3 to one of the buckets. That a campaign
        was shown means that it won an auction: what a model learns from this is no experiment's
        result.

        Args:
            path: as in `scan`.
            rounds: only the first impressions of the file; None: all, which takes 8 (buckets + 5)
                bytes each.
            buckets: the number of hashed features.

        Raises:
            ValueError: naming parameter, rule and value; and as in `scan`.
        """
        integer("criteo_attribution.buckets", buckets, at_least=1)
        if rounds is not None:
            integer("criteo_attribution.rounds", rounds, at_least=1)

        lazy = self.scan(path).select("campaign", *OUTCOMES, *CATEGORIES)
        if rounds is not None:
            lazy = lazy.head(rounds)

        table = lazy.collect()
        campaigns, arms = np.unique(table["campaign"].to_numpy(), return_inverse=True)
        categories = table.select(CATEGORIES).to_numpy()
        outcomes = table.select(OUTCOMES).to_numpy().astype(np.float64)

        return Feedback(
            contexts=hashed(categories, buckets),
            arms=arms,
            rewards=outcomes * SIGNS,
            propensities=np.full(table.height, np.nan),
            arm_names=tuple(campaigns.tolist()),
            objectives=OUTCOMES,
        )


def hashed(categories: IntArray, buckets: int) -> Array:
    """Features of categories: each value adds a sign to a bucket; a constant 1 comes last.

    The signs are divided by the square root of the number of columns, so that a row has norm 1
    where no two values share a bucket.

    Sign and bucket are the top bit and the upper half of (64 value + column) times a fixed odd
    number, on 64 bits.

    Args:
        categories: (rows, columns) integers.
        buckets: their number.

    Returns:
        (rows, buckets + 1).

    Example:
        >>> rows = hashed(np.array([[3, 4, 5], [3, 4, 7]]), 4)
        >>> rows.shape, rows[:, -1].tolist()
        ((2, 5), [1.0, 1.0])
    """
    rows, columns = categories.shape
    every_row = np.arange(rows)
    out = np.zeros((rows, buckets + 1))
    out[:, -1] = 1.0
    for column in range(columns):
        values = categories[:, column].astype(np.uint64)
        # The column belongs to the key: the same number means another category in another column.
        keys = values * np.uint64(64) + np.uint64(column)
        # Unsigned integers wrap around; the product's upper bits depend on all bits of the key.
        mixed = keys * np.uint64(MULTIPLIER)
        top_bit = mixed >> np.uint64(63)
        upper_half = mixed >> np.uint64(32)
        bucket = (upper_half % np.uint64(buckets)).astype(np.int64)
        sign = np.where(top_bit, -1.0, 1.0)
        out[every_row, bucket] += sign / np.sqrt(columns)

    return out


criteo_attribution = CriteoAttribution()
