"""Multi-label sets as bandits: a small file of our own, and yeast where there is any."""

import csv
import re
import runpy
from importlib import metadata
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from twins.real_files import real_file

import mobandits as mob
from mobandits.datasets import yeast
from mobandits.environments import Multilabel
from mobandits.policies import MocMab, MolTs, RandomChoice
from mobandits.spec import build
from mobandits.testing import check_environment

DATA = Path(__file__).parent.parent / "data"
FILE, LABELS = str(DATA / "multilabel.csv"), ("common", "usual", "rare")
YEAST = real_file("river-0.26.1*.whl", "river-0.26.1.tar.gz")
needs_yeast = pytest.mark.skipif(
    YEAST is None, reason="MOBANDITS_DATA names no folder with river's wheel"
)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def problem():
    return Multilabel(FILE, LABELS, components=2).problem(600, rng())


def recorded():
    with Path(FILE).open() as lines:
        return [[int(row[name]) for name in LABELS] for row in csv.DictReader(lines)]


def test_the_sample_is_what_its_script_writes():
    assert Path(FILE).read_text() == "".join(
        runpy.run_path(str(DATA / "make_multilabel.py"))["lines"]()
    )


def test_what_labels_are_paid(problem):
    labels, block = recorded(), problem.block(0, 600, rng(9))
    share = [sum(column) / 600 for column in zip(*labels, strict=True)]
    for shown, rewards in zip(problem.order, block.rewards, strict=True):
        expected = [[said, (1 - f) * said] for said, f in zip(labels[shown], share, strict=True)]
        assert rewards == pytest.approx(np.array(expected), abs=1e-15)
    np.testing.assert_array_equal(block.means, block.rewards)


def test_a_trial_is_a_random_order_of_all_examples(problem):
    assert sorted(problem.order) == list(range(600))
    again = Multilabel(FILE, LABELS, components=2).problem(10, rng())
    assert again.order.tolist() == problem.order.tolist()  # the horizon only cuts it short
    assert Multilabel(FILE, LABELS).problem(600, rng(1)).order.tolist() != problem.order.tolist()


def test_block_borders_do_not_matter(problem):
    whole, parts = (
        problem.block(5, 10, rng()),
        [problem.block(5, 4, rng()), problem.block(9, 6, rng())],
    )
    for i in range(3):
        np.testing.assert_array_equal(whole[i], np.concatenate([part[i] for part in parts]))


def test_contexts(problem):
    rows = problem.contexts[:, 0]
    assert rows.shape == (600, 3)
    assert (rows[:, -1] == 1).all()
    assert (rows.min(axis=0).tolist(), rows.max(axis=0).tolist()) == ([0, 0, 1], [1, 1, 1])
    plain = Multilabel(FILE, LABELS, components=None).problem(600, rng()).contexts[:, 0]
    features = pl.read_csv(FILE).drop(LABELS).to_numpy()
    np.testing.assert_allclose(
        plain * np.sqrt(2), np.column_stack([features, np.ones(600)]), rtol=1e-15
    )


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("x,a,b\n1,0,1\n2,1,1\n3,0,0\n")
    environment = Multilabel(path, ["a", "b"], components=1)
    assert environment.max_rounds == 3
    path.write_text("x,a,b\n1,0,1\n2,1,1\n")
    assert environment.max_rounds == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": 3}, "Multilabel.path must be a path or None, got 3"),
        (
            {"path": FILE, "labels": ["common"]},
            "Multilabel.labels must be at least two different columns of path",
        ),
        (
            {"path": FILE, "labels": ["a", "a"]},
            "Multilabel.labels must be at least two different columns of path",
        ),
        (
            {"labels": ["a", "b"]},
            "Multilabel.labels must be at least two different columns of path",
        ),
        (
            {"path": FILE, "labels": "common"},
            "Multilabel.labels must be names of columns, got 'common'",
        ),
        (
            {"path": FILE, "labels": [1, 2]},
            r"Multilabel.labels must be names of columns, got \[1, 2\]",
        ),
        ({"components": 0}, "Multilabel.components must be an integer of at least 1, got 0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        Multilabel(**options)


@pytest.mark.parametrize(
    ("text", "components", "message"),
    [
        ("x,a,b\n1,0,2\n", 1, "mine.csv: column b, row 1 must be one of 0, 1, got '2'"),
        ("x,a,b\ny,0,1\n", 1, "mine.csv: column x, row 1 must be a finite number, got 'y'"),
        ("x,a,c\n1,0,1\n", 1, "mine.csv must have the column b, got 'x', 'a', 'c'"),
        ("a,b\n1,0\n", 1, "mine.csv must have columns that are not labels, got none"),
        (
            "x,a,b\n1,0,1\n",
            2,
            "Multilabel.components must be at most the 1 features of the data, got 2",
        ),
        ("x,a,b\n1,0,1\n", 1, "rounds must be at most 1 in Multilabel(path="),
    ],
)
def test_broken_files(tmp_path, text, components, message):
    (tmp_path / "mine.csv").write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        Multilabel(tmp_path / "mine.csv", ("a", "b"), components).problem(5, rng())
    assert "\n" not in str(error.value)


def test_from_a_specification():
    entry = {"name": "multilabel", "path": FILE, "labels": list(LABELS), "components": 2}
    assert build("environments", entry, "environment") == Multilabel(FILE, LABELS, 2)


@pytest.fixture
def nothing_installed(monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", nothing)


def test_without_the_package_the_error_says_how(nothing_installed):
    with pytest.raises(
        ValueError, match="river is not installed, and no path was given; pip download"
    ):
        Multilabel().problem(10, rng())


def test_a_table_of_ones_own_without_labels_is_told_to_name_them(tmp_path):
    (tmp_path / "own.csv").write_text("a,b\n1,0\n")
    with pytest.raises(
        ValueError,
        match=r"must be the published file .*; a table of your own needs labels=\(...\)$",
    ):
        Multilabel(str(tmp_path / "own.csv")).problem(10, rng())


def per_round(environment, rounds):
    policies = {
        "MOC-MAB": MocMab(scale=1 / 30, per_side=2, lipschitz=0.2),
        "MOL-TS": MolTs(scale=0.1),
        "random": RandomChoice(),
    }
    table = mob.simulate(
        policies, environment, rounds=rounds, trials=4, seed=5, metrics=["reward"], record=1
    ).table
    last = (
        table.filter(round=rounds)
        .group_by("policy", "component")
        .agg(pl.col("value").mean() / rounds)
    )
    return {(policy, i): value for policy, i, value in last.rows()}


@pytest.mark.long
def test_labels_are_learnt():
    reward = per_round(Multilabel(FILE, LABELS, components=2), 600)
    for policy in ("MOC-MAB", "MOL-TS"):
        assert reward[policy, 0] > reward["random", 0] + 0.08
        assert reward[policy, 1] > reward["random", 1] + 0.02


@needs_yeast
def test_yeast_keeps_the_promises():
    check_environment(Multilabel(YEAST))
    check_environment(Multilabel(YEAST, components=None))


@needs_yeast
def test_yeast_is_the_data_set():
    environment, table = Multilabel(YEAST, components=None), yeast(YEAST)
    assert environment.max_rounds == 2417
    problem = environment.problem(2417, rng())
    labels = table.select("^Class.*$").to_numpy()
    rewards = problem.block(0, 2417, rng()).rewards
    np.testing.assert_array_equal(rewards[:, :, 0], labels[problem.order])
    rarity = labels[problem.order] * (1 - labels.sum(axis=0) / 2417)
    np.testing.assert_allclose(rewards[:, :, 1], rarity, rtol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(problem.contexts[:, 0], axis=1), 1.0, atol=2e-6)


@needs_yeast
def test_yeast_is_learnt():
    reward = per_round(Multilabel(YEAST, components=2), 2417)
    for policy in ("MOC-MAB", "MOL-TS"):
        assert reward[policy, 0] > reward["random", 0] + 0.15
        assert reward[policy, 1] > reward["random", 1] + 0.04
