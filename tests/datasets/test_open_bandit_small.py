"""The six logs of Open Bandit small: on tiny files of the same form, and on the real ones where there are any."""

import csv
import hashlib
import io
import sys
import zipfile
from datetime import UTC, datetime
from importlib import metadata

import numpy as np
import pytest
from described import as_described
from twins.real_files import real_file

from mobandits.datasets import open_bandit_small

MODULE = sys.modules[type(open_bandit_small).__module__]
REAL = real_file("obp-0.4.1*.whl", "obp-0.5.7.tar.gz")
ITEMS = {"all": 4, "men": 2, "women": 3}
NUMBERS = {  # clicks, smallest and largest propensity, as counted from the files with another reader
    ("random", "all"): (38, 1 / 80, 1 / 80),
    ("random", "men"): (46, 1 / 34, 1 / 34),
    ("random", "women"): (46, 1 / 46, 1 / 46),
    ("bts", "all"): (42, 0.000045, 0.95424),
    ("bts", "men"): (69, 0.000165, 0.72529),
    ("bts", "women"): (46, 0.000001, 0.9628),
}


def invented(policy, campaign, rounds=30):
    """A log in the form of the real ones."""
    rng = np.random.default_rng([len(policy), ITEMS[campaign]])
    user = [f"user_feature_{i}" for i in range(4)]
    affinity = [f"user-item_affinity_{i}" for i in range(ITEMS[campaign])]
    yield ["", "timestamp", "item_id", "position", "click", "propensity_score", *user, *affinity]
    for row in range(rounds):
        kinds = [
            f"{i}{'abcde'[rng.integers(2 + i - (policy == 'bts' and i == 3))]}" for i in range(4)
        ]
        propensity = 1 / ITEMS[campaign] if policy == "random" else rng.uniform(0.01, 1.0)
        item, position, click = (
            rng.integers(ITEMS[campaign]),
            rng.integers(1, 4),
            int(rng.random() < 0.1),
        )
        moment = f"2019-11-24 00:{row:02}:34.76283{row % 10}+00:00"
        past = rng.integers(3, size=ITEMS[campaign]).astype(float)
        yield [row, moment, item, position, click, propensity, *kinds, *past.tolist()]


@pytest.fixture
def logs(monkeypatch, tmp_path):
    """{(policy, campaign): rows as dicts}, and a wheel that holds them."""
    rows, digests = {}, {}
    with zipfile.ZipFile(tmp_path / "obp.whl", "w") as wheel:
        for policy, campaign in MODULE.DIGESTS:
            text = "\n".join(",".join(map(str, row)) for row in invented(policy, campaign)) + "\n"
            wheel.writestr(f"obp/dataset/obd/{policy}/{campaign}/{campaign}.csv", text)
            digests[policy, campaign] = hashlib.sha256(text.encode()).hexdigest()
            rows[policy, campaign] = list(csv.DictReader(io.StringIO(text)))
    monkeypatch.setattr(MODULE, "DIGESTS", digests)
    monkeypatch.setattr(MODULE, "ITEMS", ITEMS)
    return rows, tmp_path / "obp.whl"


def test_the_table_is_all_logs_as_recorded(logs):
    rows, path = logs
    table = open_bandit_small(path)
    assert table.height == 6 * 30
    assert [
        (p, c) for p, c in table.select("policy", "campaign").unique(maintain_order=True).rows()
    ] == list(rows)
    for (policy, campaign), expected in rows.items():
        for said, row in zip(
            table.filter(policy=policy, campaign=campaign).iter_rows(named=True),
            expected,
            strict=True,
        ):
            assert said["timestamp"] == datetime.fromisoformat(row["timestamp"]).astimezone(UTC)
            assert [said["item"], said["position"], said["click"]] == [
                int(row[n]) for n in ("item_id", "position", "click")
            ]
            assert said["propensity"] == float(row["propensity_score"])
            assert [said[f"user_{i}"] for i in range(4)] == [
                row[f"user_feature_{i}"] for i in range(4)
            ]
            assert said["affinity"] == [
                float(row[f"user-item_affinity_{i}"]) for i in range(ITEMS[campaign])
            ]


def slow_features(rows, row, *, places):
    """Indicators of all but the first category in all logs, of positions 2 and 3, and 1."""
    out = []
    for i in range(4):
        name = f"user_feature_{i}"
        out += [
            float(row[name] == kind)
            for kind in sorted({r[name] for log in rows.values() for r in log})[1:]
        ]
    return [*out, *([float(row["position"] == place) for place in "23"] if places else []), 1.0]


@pytest.mark.parametrize("position", [None, 2])
def test_feedback_equals_its_twin(logs, position):
    rows, path = logs
    for (policy, campaign), log in rows.items():
        expected = [row for row in log if position in (None, int(row["position"]))]
        feedback = open_bandit_small.feedback(
            path, policy=policy, campaign=campaign, position=position
        )
        features = [slow_features(rows, row, places=position is None) for row in expected]
        assert feedback.contexts.tolist() == features
        assert feedback.arms.tolist() == [int(row["item_id"]) for row in expected]
        assert feedback.rewards[:, 0].tolist() == [float(row["click"]) for row in expected]
        assert feedback.propensities.tolist() == [
            float(row["propensity_score"]) for row in expected
        ]
        assert feedback.arm_names == tuple(range(ITEMS[campaign]))
        assert feedback.objective_names == ("click",)
        assert feedback.eligible is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"policy": "uniform"},
            r"open_bandit_small.policy must be one of bts, random, got 'uniform'",
        ),
        (
            {"campaign": "kids"},
            r"open_bandit_small.campaign must be one of all, men, women, got 'kids'",
        ),
        ({"position": 0}, r"open_bandit_small.position must be 1, 2, 3 or None, got 0"),
    ],
)
def test_refusals(logs, options, message):
    with pytest.raises(ValueError, match=message):
        open_bandit_small.feedback(logs[1], **options)


@pytest.fixture
def nothing_installed(monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", nothing)


def test_the_package_is_not_imported_and_its_absence_told(nothing_installed):
    with pytest.raises(
        ValueError, match=r"pip download --no-deps obp==0.4.1, then path=<that file>$"
    ):
        open_bandit_small()
    assert "obp" not in sys.modules


@pytest.mark.skipif(
    REAL is None, reason="MOBANDITS_DATA names no folder with obp's wheel or source"
)
def test_the_real_files():
    table = open_bandit_small(REAL)
    as_described(open_bandit_small.about, table)
    for (policy, campaign), (clicks, least, most) in NUMBERS.items():
        log = table.filter(policy=policy, campaign=campaign)
        count = {"all": 80, "men": 34, "women": 46}[campaign]
        assert (log.height, log["click"].sum(), log["item"].n_unique()) == (10_000, clicks, count)
        assert (log["propensity"].min(), log["propensity"].max()) == (least, most)
        assert set(log["affinity"].list.len()) == {count}
        feedback = open_bandit_small.feedback(REAL, policy=policy, campaign=campaign)
        assert feedback.contexts.shape == (10_000, 26)
        if (
            policy == "random"
        ):  # inverse propensities average to the number of arms where they are right
            assert np.mean(1 / feedback.propensities) == pytest.approx(count)
    chosen = table.filter(policy="bts", campaign="men")
    assert (1 / chosen["propensity"]).mean() == pytest.approx(34, rel=0.1)
