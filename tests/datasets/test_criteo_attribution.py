"""Criteo's attribution file: a file of the same form, whole, lazily and as decisions."""

import csv
import gzip
import math

import numpy as np
import polars as pl
import pytest
from described import as_described

from mobandits.datasets import criteo_attribution
from mobandits.datasets.criteo_attribution import hashed

NAMES = [
    *(
        "timestamp",
        "uid",
        "campaign",
        "conversion",
        "conversion_timestamp",
        "conversion_id",
        "attribution",
        "click",
    ),
    *(
        "click_pos",
        "click_nb",
        "cost",
        "cpo",
        "time_since_last_click",
        *(f"cat{i}" for i in range(1, 10)),
    ),
]
CATEGORIES = NAMES[-9:]


def lines(count=300):
    rng = np.random.default_rng(2017)
    yield "\t".join(NAMES)
    for second in range(count):
        click, sold = int(rng.random() < 0.3), int(rng.random() < 0.05)
        sale = [second + 100, int(rng.integers(10**7))] if sold else [-1, -1]
        clicks = [0, 1] if sold and click else [-1, -1]
        categories = rng.integers(3 * 10**7, size=9).tolist()
        row = [
            second,
            rng.integers(10**8),
            22589171 + 7 * rng.integers(4),
            sold,
            *sale,
            sold * click,
            click,
            *clicks,
        ]
        yield "\t".join(
            map(str, [*row, f"{rng.uniform(1e-5, 1e-3):.8f}", 0.390794, -1, *categories])
        )


@pytest.fixture
def file(tmp_path):
    (tmp_path / "criteo.tsv").write_text("\n".join(lines()) + "\n")
    return tmp_path / "criteo.tsv"


def slowly(file):
    with file.open() as text:
        return list(csv.DictReader(text, delimiter="\t"))


def slow_hash(values, buckets):
    """The same with Python's integers."""
    out = [0.0] * buckets + [1.0]
    for column, value in enumerate(values):
        mixed = ((value * 64 + column) % 2**64) * 0x9E3779B97F4A7C15 % 2**64
        out[(mixed >> 32) % buckets] += (-1.0 if mixed >> 63 else 1.0) / math.sqrt(len(values))
    return out


def test_the_table_is_the_file(file, tmp_path):
    table, expected = criteo_attribution(file), slowly(file)
    assert table.columns == NAMES
    as_described(criteo_attribution.about, table)
    for name in NAMES:
        assert table[name].to_list() == [float(row[name]) for row in expected]
    assert criteo_attribution.scan(file).collect().equals(table)
    clicks = criteo_attribution.scan(file).group_by("campaign").agg(pl.col("click").sum()).collect()
    assert dict(clicks.rows()) == {
        c: table.filter(campaign=c)["click"].sum() for c in table["campaign"].unique()
    }
    (tmp_path / "criteo.tsv.gz").write_bytes(gzip.compress(file.read_bytes()))
    assert criteo_attribution(tmp_path / "criteo.tsv.gz").equals(table)


@pytest.mark.parametrize(("rounds", "buckets"), [(None, 32), (40, 3), (1, 1)])
def test_feedback_equals_its_twin(file, rounds, buckets):
    expected = slowly(file)[:rounds]
    feedback = criteo_attribution.feedback(file, rounds=rounds, buckets=buckets)
    assert [feedback.arm_names[arm] for arm in feedback.arms] == [
        int(row["campaign"]) for row in expected
    ]
    assert list(feedback.arm_names) == sorted({int(row["campaign"]) for row in expected})
    rewards = [
        [float(row["click"]), float(row["attribution"]), -float(row["cost"])] for row in expected
    ]
    assert feedback.rewards.tolist() == rewards
    assert np.isnan(feedback.propensities).all()
    hashes = [slow_hash([int(row[name]) for name in CATEGORIES], buckets) for row in expected]
    np.testing.assert_allclose(feedback.contexts, hashes, atol=1e-15)


def test_hashes_spread_and_keep_the_norm():
    rng = np.random.default_rng(0)
    rows = hashed(rng.integers(3 * 10**7, size=(20_000, 9)), 32)[:, :-1]
    np.testing.assert_allclose((rows**2).mean(axis=0), 1 / 32, rtol=0.1)
    np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=0.006)
    np.testing.assert_allclose((rows**2).sum(axis=1).mean(), 1.0, atol=0.01)


def test_mistakes_are_named(file):
    text = file.read_text()
    file.write_text(text.replace("\t0.390794\t", "\tfree\t", 1))
    for read in (criteo_attribution, criteo_attribution.scan, criteo_attribution.feedback):
        with pytest.raises(
            ValueError, match=r"criteo.tsv: column cpo, row 1 must be a finite number, got 'free'$"
        ):
            read(file)
    file.write_text(text.replace("cat9", "category"))
    with pytest.raises(ValueError, match=r"criteo.tsv must have the column cat9"):
        criteo_attribution.scan(file)
    file.write_text(text)
    for options, message in (
        ({"rounds": 0}, "rounds must be .* at least 1, got 0"),
        ({"buckets": 0}, "buckets must"),
    ):
        with pytest.raises(ValueError, match=f"^criteo_attribution.{message}"):
            criteo_attribution.feedback(file, **options)
