"""Hillstrom's e-mail experiment: a file of the same form, read like a slow twin."""

import csv
import math

import numpy as np
import pytest
from described import as_described

from mobandits.datasets import hillstrom

HEADER = "recency,history_segment,history,mens,womens,zip_code,newbie,channel,segment,visit,conversion,spend"
SEGMENTS = ("No E-Mail", "Mens E-Mail", "Womens E-Mail")
BOUNDS = {100: "1) $0 - $100", 200: "2) $100 - $200", 350: "3) $200 - $350", 500: "4) $350 - $500"}


def rows(count=200):
    rng = np.random.default_rng(2008)
    for _ in range(count):
        history, visit = round(float(rng.gamma(1.0, 240.0)) + 29.99, 2), int(rng.random() < 0.15)
        segment = next(
            (name for bound, name in BOUNDS.items() if history < bound), '"6) $750 - $1,000"'
        )
        bought = int(visit and rng.random() < 0.3)
        area, channel = (
            rng.choice(["Surburban", "Rural", "Urban"]),
            rng.choice(["Phone", "Web", "Multichannel"]),
        )
        mens, womens, newbie, which = (
            rng.integers(2),
            rng.integers(2),
            rng.integers(2),
            rng.integers(3),
        )
        first = [
            rng.integers(1, 13),
            segment,
            history,
            mens,
            womens,
            area,
            newbie,
            channel,
            SEGMENTS[which],
        ]
        yield ",".join(map(str, [*first, visit, bought, 29.99 * bought]))


@pytest.fixture
def file(tmp_path):
    (tmp_path / "emails.csv").write_text("\n".join([HEADER, *rows()]) + "\n")
    return tmp_path / "emails.csv"


def twin(row):
    """The features of a row of text."""
    out = [int(row["recency"]) / 12, math.log1p(float(row["history"])) / 9]
    out += [float(row[name]) for name in ("mens", "womens", "newbie")]
    out += [float(row["zip_code"] == area) for area in ("Surburban", "Urban")]
    return [*out, *[float(row["channel"] == channel) for channel in ("Phone", "Web")], 1.0]


def test_the_table_is_the_file(file):
    table = hillstrom(file)
    as_described_but_for_its_size(table)
    with file.open() as lines:
        for said, row in zip(table.iter_rows(named=True), csv.DictReader(lines), strict=True):
            assert {name: str(value) for name, value in said.items() if name != "spend"} == {
                name: value for name, value in row.items() if name != "spend"
            }
            assert said["spend"] == float(row["spend"])
    assert table["history_segment"].str.contains("1,000").any()


def as_described_but_for_its_size(table):
    about = hillstrom.about
    as_described(type(about)(**{**about.__dict__, "rows": table.height}), table)


def test_feedback_equals_its_twin(file):
    feedback = hillstrom.feedback(file)
    with file.open() as lines:
        expected = list(csv.DictReader(lines))
    np.testing.assert_allclose(feedback.contexts, [twin(row) for row in expected], rtol=1e-14)
    assert len(hillstrom.features) == feedback.contexts.shape[1]
    assert [feedback.arm_names[arm] for arm in feedback.arms] == [
        row["segment"] for row in expected
    ]
    outcomes = [[float(row[name]) for name in ("visit", "conversion", "spend")] for row in expected]
    assert feedback.rewards.tolist() == outcomes
    assert feedback.objective_names == ("visit", "conversion", "spend")
    assert set(feedback.propensities) == {1 / 3}
    assert np.abs(feedback.contexts).max() <= 1.0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "Mens E-Mail",
            "Mens Email",
            r"column segment, row \d+ must be one of No E-Mail, Mens E-Mail, Womens E-Mail",
        ),
        ("spend", "revenue", "must have the column spend"),
        (
            '"6) $750 - $1,000"',
            "6) $750 - $1,000",
            r"must have 12 fields in every row, got 13 in row \d+",
        ),
        (",Rural,", ",Suburban,", "column zip_code, row .* got 'Suburban'"),
    ],
)
def test_mistakes_are_named(file, old, new, message):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"emails.csv:? {message}"):
        hillstrom.feedback(file)
