"""The exponent of a regret against NumPy's fit, and the experiments on the rates of moglb2019 and moslb2024."""

import functools
import json

import numpy as np
import pytest
from toys import without_pages

from mobandits.simulation import prepare
from mobandits_papers import reproduce
from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.growth_of_regret import exponent, growing, over_runs, within_run

BOUNDS = {"moglb2019/rate": [0.5] * 3, "moslb2024/rate": [2 / 3] * 2}


class Curves:
    """Runs {name: (points, values)}; every row has its run's curves, times the component plus 1."""

    def __init__(self, **runs):
        self._runs = {name.replace("_", " "): one for name, one in runs.items()}

    def curves(self, run, row, metric, component=0):
        points, values = self._runs[run]
        return np.asarray(points), (component + 1) * np.asarray(values, float)


def test_the_exponent_is_the_slope_of_a_fit():
    rng = np.random.default_rng(2)
    rounds, means = np.array([10.0, 30.0, 100.0, 500.0]), rng.random((4, 6)) + 0.5
    expected = np.polyfit(np.log(rounds), np.log(means), 1)[0]
    np.testing.assert_allclose(exponent(rounds, means), expected, rtol=1e-10)


@pytest.mark.parametrize(("rounds", "means"), [([5.0, 5.0], [1.0, 2.0]), ([5.0, 10.0], [0.0, 2.0])])
def test_without_a_slope_it_is_not_read(rounds, means):
    assert not np.isfinite(exponent(np.array(rounds), np.array(means)[:, None])).any()


def judged(outcome, curves, power, metric="m"):
    texts = {"id": "p/x/y", "claim": "c", "target": "t", "rule": "r"}
    claim = growing(metric, power, "number", curves, **texts)
    (part,) = claim.parts(outcome)
    return part


def test_a_run_is_read_in_its_last_nine_tenths():
    points = np.array([1, 100, 300, 1000])
    outcome = Curves(r=(points, np.tile([9.0, 1.0, 3.0, 10.0], (6, 1))))
    rounds, regrets = within_run(outcome, "r", "row", "m")
    assert rounds.tolist() == [100.0, 300.0, 1000.0]
    assert regrets[0].tolist() == [1.0, 3.0, 10.0]
    part = judged(outcome, {"r": "row"}, 1.0)
    assert (part.said, part.measured) == ("number", pytest.approx(1.0))
    assert part.holds is True  # a tenth more than the power is allowed
    assert judged(outcome, {"r": "row"}, 0.8).holds is False


def test_horizons_are_read_at_their_ends():
    runs = {f"T_{T}": ([T // 2, T], np.tile([0.1, T**0.5], (5, 1))) for T in (100, 400, 900)}
    outcome, rows = Curves(**runs), {f"T {T}": "row" for T in (100, 400, 900)}
    rounds, regrets = over_runs(outcome, rows, "m")
    assert rounds.tolist() == [100.0, 400.0, 900.0]
    assert regrets[0].tolist() == [10.0, 20.0, 30.0]
    part = judged(outcome, rows, 0.5)
    assert (part.measured, part.holds) == (pytest.approx(0.5), True)


@pytest.mark.long
@pytest.mark.parametrize("name", list(BOUNDS))
def test_bounds_grow_with_the_power_of_the_theorem(name, tmp_path, monkeypatch):
    """The runs are short, and of the same length: they decide nothing; the bounds are those of the theorem."""
    without_pages(monkeypatch)
    monkeypatch.setattr(
        "mobandits_papers.playing.prepare", functools.partial(prepare, compiled=False)
    )
    reproduce.reproduce([name], tmp_path, rounds=20, trials=2, workers=1)
    bound, *others = json.loads((tmp_path / "claims.json").read_text())
    assert (bound["kind"], bound["holds"]) == ("check", True)
    assert [part["measured"] for part in bound["parts"]] == pytest.approx(BOUNDS[name], abs=0.02)
    assert {(one["kind"], one["holds"]) for one in others} == {("ours", None)}
    assert all("pilot" in one["note"] for one in others)
    assert [one["id"] for one in (bound, *others)] == [
        claim.id for claim in EXPERIMENTS[name].claims
    ]
