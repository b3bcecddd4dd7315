"""The biopsies: read like scikit-learn reads them, without importing it."""

import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest

from mobandits.datasets import breast_cancer
from mobandits.errors import MissingExtraError


def test_the_table_is_scikit_learns():
    loaded = pytest.importorskip("sklearn.datasets").load_breast_cancer()
    table = breast_cancer()
    np.testing.assert_array_equal(table.drop("malignant").to_numpy(), loaded.data)
    np.testing.assert_array_equal(
        loaded.target_names[1 - table["malignant"].to_numpy()], loaded.target_names[loaded.target]
    )
    theirs = [
        name.replace(" error", "").replace("mean ", "").replace("worst ", "")
        for name in loaded.feature_names
    ]
    assert [name.partition("_")[2].replace("_", " ") for name in table.columns[:-1]] == theirs
    assert table.columns[10] == "error_radius"
    assert loaded.feature_names[10] == "radius error"


@pytest.mark.long
def test_scikit_learn_is_not_imported():
    code = "import sys; from mobandits.datasets import breast_cancer; breast_cancer(); print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_missing_extra(monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", nothing)
    with pytest.raises(
        MissingExtraError, match=r"^datasets.breast_cancer needs the extra `data`: pip install"
    ):
        breast_cancer()
