"""The readings of guan2026's set-ups against the slow obvious gaps, and what its claims read."""

import numpy as np
import polars as pl
import pytest
from toys import without_pages

from mobandits_papers.guan2026 import experiments as guan2026
from mobandits_papers.publications import publication_of
from mobandits_papers.reproduce import reproduce


def pareto_gaps(means):
    """How much each arm lacks in all objectives at once, by loops; it lacks nothing beside itself."""
    return [max(min(np.subtract(other, arm)) for other in means) for arm in means]


def largest_gap(means):
    """The largest gap of an objective between its two best arms."""
    ordered = np.sort(means, axis=0)
    return max(ordered[-1] - ordered[-2])


SETTINGS = guan2026.EXPERIMENTS[0].runs
MORE = guan2026.EXPERIMENTS[2].runs


@pytest.mark.parametrize("run", SETTINGS, ids=lambda run: run.name)
def test_every_reading_has_the_gap_that_it_names(run):
    reading, named_gap, named_count = run.name.split(", ")
    gap = float(named_gap.removeprefix("delta = "))
    m = int(named_count.removeprefix("m = "))
    means = run.environment.means
    behind = [each for each in pareto_gaps(means) if each > 0.0]
    assert behind == pytest.approx([gap] * len(behind))
    arms = {"m arms below one": m, "m arms below each": 2 * m, "m objectives": 9}
    assert len(behind) == arms[reading]
    assert np.shape(means)[1] == (m if reading == "m objectives" else 2)
    easiest = 0.4 if reading == "m arms below one" else gap
    assert largest_gap(means) == pytest.approx(easiest)


def test_both_horizons_have_the_same_settings():
    longer = guan2026.EXPERIMENTS[1].runs
    assert [(run.name, run.environment) for run in SETTINGS] == [
        (run.name, run.environment) for run in longer
    ]
    assert {run.rounds for run in SETTINGS} == {10_000}
    assert {run.rounds for run in longer} == {100_000}


@pytest.mark.parametrize("run", MORE, ids=lambda run: run.name)
def test_further_objectives_change_neither_gap(run):
    means = run.environment.means
    assert np.shape(means) == (10, int(run.name.removesuffix(" objectives")))
    assert pareto_gaps(means) == pytest.approx([0.0] + [0.1] * 9)
    assert largest_gap(means) == pytest.approx(0.3)


def test_published_numbers_are_reported_and_never_judged():
    for experiment in guan2026.EXPERIMENTS:
        for claim in experiment.claims:
            assert (claim.kind == "paper") == claim.rule.startswith("none"), claim.id


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One small run of the last experiment, without pages."""
    out = tmp_path_factory.mktemp("guan2026")
    with pytest.MonkeyPatch.context() as monkeypatch:
        without_pages(monkeypatch)
        reproduce(["guan2026/one-arm"], out, rounds=30, trials=5, workers=1)

    return out


def test_one_arm_has_no_regret_and_sees_one_arm(folder):
    table = pl.read_parquet(folder / "results.parquet").filter(pl.col("round") == 30)
    last = dict(
        table.filter(pl.col("policy") == "one arm for ever")
        .group_by("metric")
        .agg(pl.col("value").mean())
        .iter_rows()
    )
    expected = {
        "pareto_regret": 0.0,
        "effective_pareto_regret": 0.0,
        "max_min_regret": 30 * 0.4,
        "front_recall": 1 / 3,
        "play_entropy": 0.0,
    }
    assert last == pytest.approx(expected)


def test_the_paper_is_a_publication():
    assert publication_of("guan2026/one-arm").link == "https://arxiv.org/abs/2604.07096"
