"""The rules that verdicts are computed by, against slow and obvious twins."""

import html
import json
import math

import numpy as np
import pytest

from mobandits.statistics.bootstrap import RESAMPLES
from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.claims import (
    NOTHING,
    Claim,
    level,
    listed,
    ordering,
    percentage,
    verdict,
    weakest,
)
from mobandits_papers.experiment import Run, RunOptions
from mobandits_papers.numbers import LEAST, Part, final, growth, late_mean, resample
from mobandits_papers.reproduce import is_shorter, reproduce, specification

POINTS = np.array([100, 200, 300])


class Made:
    """An outcome from {(run, row, metric): (components, trials, points)}."""

    def __init__(self, curves):
        self._curves = {key: np.asarray(values, float) for key, values in curves.items()}

    def runs(self):
        return list(dict.fromkeys(run for run, _, _ in self._curves))

    def rows(self, run):
        return list(dict.fromkeys(row for place, row, _ in self._curves if place == run))

    def metrics(self, run, row):
        return [metric for place, name, metric in self._curves if (place, name) == (run, row)]

    def components(self, run, row, metric):
        return list(range(len(self._curves[run, row, metric])))

    def curves(self, run, row, metric, component=0):
        return POINTS, self._curves[run, row, metric][component]


def flat(*values):
    """One component whose trials end with these values."""
    return [[[0.0, value / 2, value] for value in values]]


def made(**rows):
    return Made({("run", row, "m"): flat(*values) for row, values in rows.items()})


def interval_by_hand(samples, statistic):
    """The same trials drawn again one by one, and the statistic of each drawing."""
    trials = len(samples)
    counts = np.random.default_rng(0).multinomial(trials, [1 / trials] * trials, RESAMPLES)
    drawn = []
    for count in counts:
        again = [sample for sample, often in zip(samples, count, strict=True) for _ in range(often)]
        drawn.append(statistic([math.fsum(column) / trials for column in zip(*again, strict=True)]))
    drawn.sort()
    ends = []
    for share in (0.025, 0.975):
        place = share * (len(drawn) - 1)
        below = math.floor(place)
        ends.append(drawn[below] + (place - below) * (drawn[below + 1] - drawn[below]))
    return ends


def test_the_interval_is_the_bootstraps():
    samples = np.random.default_rng(3).gamma(2.0, size=(7, 2))
    value, interval = resample(samples, lambda means: means[0] / means[1])
    assert value == pytest.approx(samples[:, 0].mean() / samples[:, 1].mean())
    np.testing.assert_allclose(
        interval, interval_by_hand(samples.tolist(), lambda m: m[0] / m[1]), rtol=1e-12
    )


def test_the_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(200):
        _, (low, high) = resample(rng.standard_normal((40, 1)), lambda means: means[0])
        inside += low <= 0.0 <= high
    assert 180 <= inside <= 198  # 0.95 of 200 is 190, with a standard deviation of 3.1


def test_the_same_interval_again():
    samples = np.random.default_rng(0).random((5, 1))
    assert resample(samples, lambda means: means[0]) == resample(samples, lambda means: means[0])


def test_an_ordering_is_paired_by_trial():
    """The trials differ by much more than the rows: only differences within trials show the order."""
    outcome = made(a=(10.0, 500.0, 90.0, 1000.0, 70.0), b=(11.0, 501.5, 91.0, 1002.0, 71.0))
    entry = ordering("p/x/low", "a is below b.", "m", ("a",), ("b",)).judge(outcome)
    assert entry["verdict"] == "reproduced"
    assert entry["measured"] == pytest.approx((1.0 + 1.5 + 1.0 + 2.0 + 1.0) / 5)
    assert 1.0 <= entry["interval"][0] <= entry["measured"] <= entry["interval"][1] <= 2.0
    assert (entry["of"], entry["trials"]) == ("b less a", 5)


def test_an_ordering_whose_interval_holds_0_is_not_shown():
    outcome = made(a=(1.0, 5.0, 3.0, 4.0, 2.0), b=(2.0, 4.0, 4.0, 3.5, 2.5))
    assert (
        ordering("p/x/low", "c", "m", ("a",), ("b",)).judge(outcome)["verdict"] == "not reproduced"
    )
    assert (
        ordering("p/x/equal", "c", "m", ("a",), ("a",)).judge(outcome)["verdict"]
        == "not reproduced"
    )


def test_an_ordering_of_groups_needs_every_pair_and_shows_the_weakest():
    outcome = made(
        **{
            row: [end + 0.1 * i for i in range(-2, 3)]
            for row, end in zip("abcd", (1.0, 5.0, 0.5, 9.0), strict=True)
        }
    )
    both = ordering("p/x/both", "c", "m", ("a", "c"), ("b", "d")).judge(outcome)
    assert both["verdict"] == "reproduced"
    assert [one["said"] for one in both["parts"]] == [
        "b less a",
        "d less a",
        "b less c",
        "d less c",
    ]
    wrong = ordering("p/x/wrong", "c", "m", ("a",), ("b", "c", "d")).judge(outcome)
    assert wrong["verdict"] == "not reproduced"
    assert wrong["of"] == "c less a"
    assert [one["holds"] for one in wrong["parts"]] == [True, False, True]


def test_components_and_runs_are_parts():
    curves = {(run, row, "m"): [flat(*v)[0], flat(*w)[0]] for run in ("r", "s") for row, v, w in
              (("a", (1.0, 1.2), (1.0, 1.1)), ("b", (3.0, 3.1), (2.0, 2.2)))}  # fmt: skip
    entry = ordering("p/x/all", "c", "m", ("a",), ("b",), components=None).judge(Made(curves))
    assert [one["said"] for one in entry["parts"]] == [
        f"b less a, component {i}, {run}" for run in ("r", "s") for i in (1, 2)
    ]
    only = ordering("p/x/one", "c", "m", ("a",), ("b",), runs=("s",), components=(1,)).judge(
        Made(curves)
    )
    assert [one["said"] for one in only["parts"]] == ["b less a, component 2"]


TEXTS = {"id": "p/x/listed", "claim": "c", "target": "t", "rule": "r"}


def test_numbers_are_read_where_a_list_says():
    curves = {(run, row, "m"): flat(*[i] * 5) + flat(*[10 * i] * 5)
              for i, (run, row) in enumerate((("r", "a"), ("r", "b"), ("s", "a")), 1)}  # fmt: skip
    numbers = [
        {"said": "b over a", "of": [{"row": "b"}, {"row": "a"}]},
        {"said": "later over first", "of": [{"row": "a", "run": "s"}, {"row": "a"}]},
        {"said": "components", "of": [{"row": "a", "component": 1}, {"row": "a"}]},
    ]
    claim = listed(numbers, "m", "ratio", keeps={"above": 2.0}, **TEXTS)
    parts = claim.parts(Made(curves))
    assert [part.said for part in parts] == ["b over a", "later over first", "components"]
    assert [part.measured for part in parts] == [2.0, 3.0, 10.0]
    assert [part.holds for part in parts] == [False, True, True]


@pytest.mark.parametrize(("papers", "holds"), [(None, None), (9.0, True), (8.0, False)])
def test_a_number_may_be_held_against_the_papers(papers, holds):
    number = {"said": "a", "of": [{"row": "a"}], "papers": papers}
    claim = listed([number], "m", "mean", tolerance=1.5, **TEXTS)
    (part,) = claim.parts(made(a=[10.0] * 5))
    assert (part.measured, part.holds) == (10.0, holds)
    (few,) = claim.parts(made(a=[10.0] * 2))
    assert few.holds is None


@pytest.mark.parametrize("trials", range(1, LEAST))
def test_few_trials_decide_nothing(trials):
    outcome = made(a=(1.0,) * trials, b=(5.0,) * trials)
    claims = [
        ordering("p/x/o", "c", "m", ("a",), ("b",)),
        percentage("p/x/p", "c", "m", "b", "a", 400.0, tolerance=3.0),
        level("p/x/l", "c", "m", ("a",), target="1", within=(0.0, 2.0)),
    ]
    entries = [claim.judge(outcome) for claim in claims]
    assert [entry["verdict"] for entry in entries] == ["reported"] * 3
    assert [entry["interval"] for entry in entries] == [None] * 3
    assert [entry["measured"] for entry in entries] == [4.0, 400.0, 1.0]


@pytest.mark.parametrize(
    ("target", "tolerance", "expected"),
    [
        (12.0, 3.0, "reproduced"),
        (6.9, 3.0, "not reproduced"),
        (13.1, 3.0, "not reproduced"),
        (10.0, None, "reported"),
    ],
)
def test_percentages_have_a_tolerance_or_none(target, tolerance, expected):
    outcome = made(a=(110.0, 112.0, 108.0, 111.0, 109.0), b=(100.0, 101.0, 99.0, 100.5, 99.5))
    entry = percentage("p/x/p", "c", "m", "a", "b", target, tolerance=tolerance).judge(outcome)
    assert entry["measured"] == pytest.approx(10.0)
    assert entry["verdict"] == expected
    assert entry["target"] == f"{target:+g} %"


def test_a_level_is_reported_or_within_bounds():
    outcome = made(a=(1.0, 1.2, 0.8, 1.1, 0.9), b=(1.0, 3.0, 2.0, 2.5, 1.5))
    assert level("p/x/l", "c", "m", ("a", "b"), target="t").judge(outcome)["verdict"] == "reported"
    assert (
        level("p/x/l", "c", "m", ("a",), target="t", within=(0.5, 1.5)).judge(outcome)["verdict"]
        == "reproduced"
    )
    both = level("p/x/l", "c", "m", ("a", "b"), target="t", within=(0.5, 1.5)).judge(outcome)
    assert (both["verdict"], both["of"]) == ("not reproduced", "b")


def test_readings():
    points, values = np.array([1000, 2000, 3000]), np.array([[1.0, 4.0, 10.0], [0.0, 0.0, 0.5]])
    assert final(points, values).tolist() == [10.0, 0.5]
    assert growth(points, values).tolist() == [6.0, 0.5]
    assert late_mean(points, values).tolist() == [7.0, 0.25]
    assert growth(np.array([30, 60, 90]), values)[0] == pytest.approx(200.0)


def test_growth_needs_two_points():
    assert np.isnan(growth(np.array([2]), np.array([[1.0]]))).all()
    assert np.isnan(growth(np.array([1, 2]), np.array([[0.0, 1.0]]))).all()


def test_what_cannot_be_read_is_reported_as_such():
    outcome = Made(
        {
            ("run", row, "m"): [[[0.0, 1.0, np.nan], [0.0, 1.0, 2.0 + i]]]
            for i, row in enumerate("ab")
        }
    )
    for claim in (
        ordering("p/x/o", "c", "m", ("a",), ("b",)),
        percentage("p/x/p", "c", "m", "a", "b", 1.0, tolerance=3.0),
        level("p/x/l", "c", "m", ("a",), target="t", within=(0.0, 9.0)),
    ):
        entry = claim.judge(outcome)
        assert (entry["verdict"], entry["measured"], entry["interval"]) == ("reported", None, None)
        assert entry["of"].endswith("cannot be read at this scale")
        assert "NaN" not in json.dumps(entry, allow_nan=False)


def test_a_ratio_to_nothing_is_not_read():
    entry = percentage("p/x/p", "c", "m", "a", "b", 1.0, tolerance=3.0).judge(
        made(a=(1.0, 2.0), b=(0.0, 0.0))
    )
    assert (entry["verdict"], entry["measured"]) == ("reported", None)


def test_a_claim_without_parts_is_reported():
    entry = Claim("p/x/none", "c", "t", "r", lambda outcome: []).judge(made(a=(1.0,)))
    assert (entry["verdict"], entry["of"], entry["measured"], entry["trials"]) == (
        "reported",
        NOTHING.said,
        None,
        0,
    )


def test_an_entry_has_what_readers_need():
    entry = ordering("p/x/low", "a is below b.", "m", ("a",), ("b",), differs="why").judge(
        made(a=(1, 2), b=(3, 5))
    )
    first = ["id", "claim", "target", "measured", "interval", "verdict"]
    assert list(entry) == [
        *first,
        "kind",
        "holds",
        "of",
        "rule",
        "trials",
        "differs",
        "note",
        "parts",
    ]
    assert (entry["id"], entry["claim"], entry["differs"]) == ("p/x/low", "a is below b.", "why")
    assert set(entry["parts"][0]) == {"said", "measured", "interval", "holds", "trials"}


def test_numbers_of_numpy_are_pythons():
    def parts(outcome):
        ends = np.array([-1.0, 2.0])
        return [
            Part("a", np.float64(3.0), (np.float64(2.0), np.float64(4.0)), np.True_, np.int64(5)),
            Part("b", ends.mean(), tuple(ends), ends[0] > 0.0, 5),
        ]

    entry = Claim("p/x/numpy", "c", "t", "r", parts).judge(made(a=(1.0,)))
    assert (entry["verdict"], entry["of"]) == ("not reproduced", "b")
    assert json.loads(json.dumps(entry)) == entry


ROWS = {
    True: made(a=(1.0,) * 5, b=(2.0,) * 5),
    False: made(a=(2.0,) * 5, b=(1.0,) * 5),
    None: made(a=(1.0,) * 2, b=(2.0,) * 2),
}


@pytest.mark.parametrize("holds", ROWS)
@pytest.mark.parametrize("kind", ["extension", "ours", "stand-in", "check"])
def test_only_the_papers_own_claims_have_verdicts(kind, holds):
    claim = ordering("p/x/low", "a is below b.", "m", ("a",), ("b",), kind=kind)
    entry = claim.judge(ROWS[holds])
    assert (entry["kind"], entry["verdict"], entry["holds"]) == (kind, "reported", holds)
    assert entry["parts"][0]["holds"] == holds


@pytest.mark.parametrize(
    ("holds", "expected"), [(True, "reproduced"), (False, "not reproduced"), (None, "reported")]
)
def test_the_papers_own_claims_have_verdicts(holds, expected):
    claim = ordering("p/x/low", "a is below b.", "m", ("a",), ("b",))
    entry = claim.judge(ROWS[holds])
    assert (entry["kind"], entry["verdict"], entry["holds"]) == ("paper", expected, holds)


@pytest.mark.parametrize("kind", ["extension", "ours", "stand-in", "check"])
def test_no_words_are_put_into_the_papers_mouth(kind):
    """An ordering without a target shows the paper's claim only where the paper makes it."""
    rows = ("m", ("a",), ("b",))
    assert ordering("p/x/low", "a is below b.", *rows).target == "as claimed"
    assert "as claimed" not in ordering("p/x/low", "a is below b.", *rows, kind=kind).target
    said = ordering("p/x/low", "a is below b.", *rows, target="below", kind=kind)
    assert said.target == "below"


def test_every_constructor_takes_a_kind():
    claims = [
        ordering("p/x/o", "c", "m", ("a",), ("b",), kind="ours"),
        percentage("p/x/p", "c", "m", "b", "a", 100.0, tolerance=3.0, kind="ours"),
        level("p/x/l", "c", "m", ("a",), target="1", within=(0.0, 2.0), kind="ours"),
    ]
    entries = [claim.judge(ROWS[True]) for claim in claims]
    assert [(entry["verdict"], entry["holds"]) for entry in entries] == [("reported", True)] * 3


def test_kinds_are_looked_at():
    with pytest.raises(ValueError, match=r"kind.* must be one of"):
        ordering("p/x/low", "c", "m", ("a",), ("b",), kind="papers")


def test_a_lower_confidence_is_a_narrower_interval():
    samples = np.random.default_rng(0).random((9, 1))
    wide, narrow = (resample(samples, lambda means: means[0], level)[1] for level in (0.975, 0.5))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_verdicts():
    yes, no, unknown = (Part("a", 1.0, (0.5, 2.0), holds, 3) for holds in (True, False, None))
    assert verdict([yes, yes]) == "reproduced"
    assert verdict([yes, no]) == "not reproduced"
    assert verdict([yes, no, unknown]) == "reported"


def test_the_headline():
    near, far = Part("near", 1.0, (0.1, 2.0), True, 3), Part("far", 10.0, (9.0, 11.0), True, 3)
    failed, worse = (
        Part("failed", 1.0, (-0.1, 2.0), False, 3),
        Part("worse", -1.0, (-2.0, 0.5), False, 3),
    )
    unknown = Part("unknown", 5.0, None, None, 3)
    assert weakest([far, near]).said == "near"
    assert weakest([near, failed, far, worse]).said == "worse"
    assert weakest([failed, unknown]).said == "unknown"


@pytest.mark.long
def test_what_fails_below_the_papers_horizon_is_not_at_its_scale(tmp_path):
    """Twenty thousand rounds contradict no claim about the end of a hundred thousand."""
    experiment = EXPERIMENTS["pcz2018/fig2"]
    horizon = max(run.rounds for run in experiment.runs if isinstance(run, Run))
    assert is_shorter(experiment, RunOptions(rounds=horizon - 1))
    assert not is_shorter(experiment, RunOptions(rounds=horizon))
    assert not is_shorter(experiment, RunOptions())
    # Its size is fixed, whatever is asked for.
    assert not is_shorter(EXPERIMENTS["molts2025/fig1"], RunOptions(rounds=3))
    asked = specification(EXPERIMENTS["molts2025/fig1"], RunOptions(rounds=300, trials=3), [])
    assert asked["changed"] == {}

    reproduce(["pcz2018/fig2"], tmp_path, rounds=200, trials=5)
    claims = json.loads((tmp_path / "claims.json").read_text())
    verdicts = {claim["verdict"] for claim in claims}
    assert "not at the paper's scale" in verdicts
    assert "not reproduced" not in verdicts
    page = html.unescape((tmp_path / "report.html").read_text())
    assert "not at the paper's scale" in page
