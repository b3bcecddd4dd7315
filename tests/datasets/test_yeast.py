"""The yeast genes: on a tiny file of the same form, and on the real one where there is any."""

import gzip
import hashlib
import sys
from importlib import metadata

import numpy as np
import pytest
from described import as_described
from twins.real_files import real_file

from mobandits.datasets import yeast

MODULE = sys.modules[type(yeast).__module__]
REAL = real_file("river-0.26.1*.whl", "river-0.26.1.tar.gz")


def invented(rows=20):
    rng = np.random.default_rng(3)
    yield ",".join([*(f"Att{i}" for i in range(1, 104)), *(f"Class{i}" for i in range(1, 15))])
    for _ in range(rows):
        yield ",".join(
            map(
                str,
                [*rng.standard_normal(103).round(6).tolist(), *rng.integers(2, size=14).tolist()],
            )
        )


@pytest.fixture
def file(monkeypatch, tmp_path):
    content = gzip.compress("\n".join(invented()).encode() + b"\n")
    monkeypatch.setattr(
        MODULE, "FILE", MODULE.FILE._replace(rows=20, digest=hashlib.sha256(content).hexdigest())
    )
    (tmp_path / "river" / "datasets").mkdir(parents=True)
    (tmp_path / "river" / "datasets" / "yeast.csv.gz").write_bytes(content)
    return tmp_path


def test_every_value_is_as_recorded(file):
    table = yeast(file)
    header, *rows = [line.split(",") for line in invented()]
    assert table.columns == header == [column.name for column in yeast.about.columns]
    assert [list(map(float, row)) for row in rows] == [
        list(map(float, row)) for row in table.iter_rows()
    ]
    assert yeast(file / "river" / "datasets" / "yeast.csv.gz").equals(table)


@pytest.fixture
def nothing_installed(monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", nothing)


def test_absence_is_told(nothing_installed):
    with pytest.raises(
        ValueError,
        match=r"^datasets.yeast: river is not installed, .*; pip download --no-deps river==",
    ):
        yeast()
    assert "river" not in sys.modules


@pytest.mark.skipif(REAL is None, reason="MOBANDITS_DATA names no folder with river's wheel")
def test_the_real_file():
    table = yeast(REAL)
    as_described(yeast.about, table)
    features, labels = table.select("^Att.*$").to_numpy(), table.select("^Class.*$").to_numpy()
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1.0, atol=2e-6)
    assert (labels.sum(axis=1).min(), labels.sum(axis=1).max()) == (1, 11)
    assert labels.sum(axis=1).mean() == pytest.approx(
        4.237, abs=0.0005
    )  # the cardinality that MULAN states
    assert table.is_duplicated().sum() == 0
