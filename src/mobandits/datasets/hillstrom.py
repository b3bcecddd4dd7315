"""A reader of Hillstrom's e-mail data: a randomised experiment on 64,000 customers."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.datasets.tables import indicators, scan_table
from mobandits.logs import Feedback

if TYPE_CHECKING:
    import polars as pl

# log(1 + 8102) is 9: histories of up to 8102 dollars lie in [0, 1].
HISTORY_SCALE = 9.0

SEGMENTS = ("No E-Mail", "Mens E-Mail", "Womens E-Mail")
AREAS = ("Rural", "Surburban", "Urban")  # spelt as in the file
CHANNELS = ("Multichannel", "Phone", "Web")
OUTCOMES = ("visit", "conversion", "spend")


class HillstromData(DataSet):
    """Three randomised e-mail campaigns to 64,000 customers: visits, conversions and dollars.

    Customers who had bought within a year were sent an e-mail on men's merchandise, one on women's,
    or none, each with probability one third, and were watched for two weeks.

    Attributes:
        features: names of the features of `feedback`.

    Reference:
        K. Hillstrom, The MineThatData E-Mail Analytics And Data Mining Challenge, 2008.

    Example:
        >>> from mobandits.datasets import hillstrom
        >>> hillstrom.load("no-such-file.csv")
        Traceback (most recent call last):
        ValueError: no-such-file.csv cannot be read: No such file or directory
    """

    references = ("hillstrom2008",)
    about = About(
        name="hillstrom",
        title="Three randomised e-mail campaigns to 64,000 customers: visits, conversions and"
        " dollars.",
        rows=64_000,
        columns=(
            Column("recency", "integer", "since the last purchase", "months", least=0),
            Column("history_segment", "text", "the range that `history` lies in"),
            Column("history", "number", "spent in the past year", "US dollars", least=0),
            Column("mens", "integer", "1 where men's merchandise was bought", values=(0, 1)),
            Column("womens", "integer", "1 where women's merchandise was bought", values=(0, 1)),
            Column("zip_code", "text", "where the customer lives", values=AREAS),
            Column("newbie", "integer", "1 for a customer of less than a year", values=(0, 1)),
            Column("channel", "text", "where was bought", values=CHANNELS),
            Column("segment", "text", "the e-mail that was sent", values=SEGMENTS),
            Column(
                "visit", "integer", "1 where the shop was visited within two weeks", values=(0, 1)
            ),
            Column(
                "conversion",
                "integer",
                "1 where something was bought within two weeks",
                values=(0, 1),
            ),
            Column("spend", "number", "bought within two weeks", "US dollars", least=0),
        ),
        arms=f"the e-mails {', '.join(SEGMENTS)}",
        objectives=(
            RecordedObjective("visit", "1 where the shop was visited within two weeks"),
            RecordedObjective("conversion", "1 where something was bought within two weeks"),
            RecordedObjective("spend", "bought within two weeks", "US dollars"),
        ),
        propensities="1/3 for every arm, by the experiment's design",
        licence="none is stated: the file is public, but is not ours to ship",
        source="the challenge's file"
        " Kevin_Hillstrom_MineThatData_E-MailAnalytics_DataMiningChallenge_2008.03.20.csv",
        obtain="download the challenge's CSV from the MineThatData blog (March 2008), then"
        " path=<that file>",
        derived="nothing in the table; `feedback` scales recency and history and turns categories"
        " into indicators",
    )
    features: ClassVar[tuple[str, ...]] = (
        *("recency / 12", "log(1 + history) / 9", "mens", "womens", "newbie"),
        *(f"zip_code {area}" for area in AREAS[1:]),
        *(f"channel {channel}" for channel in CHANNELS[1:]),
        "1",
    )

    def load(self, path: str | Path) -> "pl.DataFrame":
        """The table, checked.

        Args:
            path: the CSV file, gzipped or not. Columns may come in any order; others are left out.

        Returns:
            As many rows as the file has, with the columns of `about`.

        Raises:
            ValueError: in one line that names file, column and row; rows count from 1 below the
                header.
        """
        table = scan_table(path, self.about.columns)
        return table.collect()

    __call__ = load

    def feedback(self, path: str | Path) -> Feedback:
        """The experiment as decisions to evaluate policies on.

        The arms are no e-mail, the men's and the women's; the objectives visit, conversion and
        spend, in dollars; every propensity is 1/3. The features are `features`: the first area and
        the first channel have no indicator, and 12 months and log(8103 dollars) are 1.

        Args:
            path: as in `load`.

        Raises:
            ValueError: as in `load`.
        """
        table = self.load(path)
        recency = table["recency"].to_numpy() / 12.0
        history = np.log1p(table["history"].to_numpy()) / HISTORY_SCALE
        scaled = np.stack([recency, history], axis=1)
        flags = table.select("mens", "womens", "newbie").to_numpy()
        areas = indicators(table, "zip_code", AREAS)
        channels = indicators(table, "channel", CHANNELS)
        constant = np.ones((table.height, 1))
        arms = [SEGMENTS.index(name) for name in table["segment"]]
        outcomes = table.select(OUTCOMES).to_numpy()

        return Feedback(
            contexts=np.hstack([scaled, flags, areas, channels, constant]),
            arms=np.array(arms),
            rewards=outcomes.astype(np.float64),
            # By design, not estimated: a customer received each e-mail with the same chance.
            propensities=np.full(table.height, 1.0 / 3.0),
            arm_names=SEGMENTS,
            objectives=OUTCOMES,
        )


hillstrom = HillstromData()
