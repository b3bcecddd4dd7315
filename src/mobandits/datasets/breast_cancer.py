"""The Breast Cancer Wisconsin data: measurements of 569 biopsies, with the diagnosis."""

import io
from typing import TYPE_CHECKING

from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.datasets.published import Published, from_extra
from mobandits.support.optional import how_to_install

if TYPE_CHECKING:
    import polars as pl

FILE = Published(
    "scikit-learn",
    "1.9.1",
    "sklearn/datasets/data/breast_cancer.csv",
    569,
    "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed",
)
# The file has no names: these are ours, after the authors' description.
PROPERTIES = {
    "radius": "mean distance from the centre to the border",
    "texture": "standard deviation of grey values",
    "perimeter": "length of the border",
    "area": "of the nucleus",
    "smoothness": "local variation of radius lengths",
    "compactness": "perimeter^2 / area - 1",
    "concavity": "severity of the border's concave portions",
    "concave_points": "share of concave portions of the border",
    "symmetry": "of the nucleus",
    "fractal_dimension": "coastline approximation - 1",
}
STATISTICS = {
    "mean": "mean over the nuclei",
    "error": "standard error",
    "worst": "mean of the three largest nuclei",
}
# In the file's order: all means, then all errors, then all worst ones.
FEATURES = {
    f"{statistic}_{name}": f"{meaning}: {how}"
    for statistic, how in STATISTICS.items()
    for name, meaning in PROPERTIES.items()
}


class BreastCancerData(DataSet):
    """Is this tumour malignant? Measurements of 569 biopsies, with the diagnosis.

    Ten properties of the cell nuclei in an image of a fine needle aspirate, each as mean, standard
    error and mean of the three largest; 212 tumours are malignant, 357 benign. Lengths are in the
    image's units. Nothing is missing.

    Reference:
        W. N. Street, W. H. Wolberg, O. L. Mangasarian, Nuclear feature extraction for breast tumor
        diagnosis, 1993: Breast Cancer Wisconsin (Diagnostic), as scikit-learn carries it. The
        installed file is read, not imported.

    Example:
        >>> from mobandits.datasets import breast_cancer
        >>> table = breast_cancer()
        >>> table.shape, table["malignant"].sum()
        ((569, 31), 212)
    """

    references = ("street1993",)
    about = About(
        name="breast_cancer",
        title="Is this tumour malignant? Measurements of 569 biopsies, with the diagnosis.",
        rows=FILE.rows,
        columns=(
            *(Column(name, "number", meaning) for name, meaning in FEATURES.items()),
            Column("malignant", "integer", "1 where the tumour is malignant", values=(0, 1)),
        ),
        arms="classifiers, which environments.MedicalDiagnosis trains",
        objectives=(
            RecordedObjective("accuracy", "1 where the diagnosis is right"),
            RecordedObjective("sensitivity", "1 where the tumour is malignant and was found to be"),
        ),
        propensities="none needed: every choice's outcome is known",
        licence="CC BY 4.0 (UCI Machine Learning Repository); the copy is in a BSD-3-Clause"
        " distribution",
        source=f"{FILE.package} {FILE.version}, {FILE.member}; W. N. Street et al., 1993",
        obtain=how_to_install("data"),
        derived="`malignant` is 1 - the file's target; names are ours; the order of rows is the"
        " file's",
    )

    def load(self) -> "pl.DataFrame":
        """The table.

        Returns:
            569 rows: 30 measurements, `mean_<property>`, `error_<property>` and `worst_<property>`,
            and `malignant`.

        Raises:
            MissingExtraError: where scikit-learn, of the extra `data`, is not installed.
            ValueError: where its file is not the published one, byte for byte.
        """
        import polars as pl  # noqa: PLC0415 - importing the package stays light

        content = from_extra(FILE, "datasets.breast_cancer")
        schema: dict[str, pl.DataType] = dict.fromkeys(FEATURES, pl.Float64())
        schema["malignant"] = pl.Int64()
        # The first row holds counts and class names, no columns' names.
        table = pl.read_csv(io.BytesIO(content), has_header=False, skip_rows=1, schema=schema)

        # The file's target is 1 for benign.
        return table.with_columns(malignant=1 - pl.col("malignant"))

    __call__ = load


breast_cancer = BreastCancerData()
