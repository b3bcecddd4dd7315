"""Two runs side by side: numbers against a slow twin, the page, and what is refused."""

import itertools
import math
import re
from html import unescape

import numpy as np
import pytest
from browser import CHROMIUM, browser
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from small_tables import make_table

from mobandits.comparison.runs import final_values, run_differences
from mobandits.errors import FolderError
from mobandits.report import compare
from mobandits.simulation import Results

NUMBER = st.integers(-40, 40).map(lambda quarters: quarters / 4.0)
VALUES = st.lists(NUMBER, min_size=2, max_size=7)


def rows_of(values, metric="pareto_regret"):
    """The rows of a run, from {policy: {round: values by trial}}."""
    return make_table(
        [
            ("x", "World()", policy, trial, at, metric, 0, float(value))
            for policy, by_round in values.items()
            for at, by_trial in by_round.items()
            for trial, value in enumerate(by_trial)
        ]
    )


def paired_twin(first, other):
    """The mean of the differences, Student's interval, and the signed-rank test by all signs."""
    differences = [y - x for x, y in zip(first, other, strict=False)]
    mean, size = np.mean(differences), len(differences)
    half_width = stats.t.ppf(0.975, size - 1) * stats.sem(differences)
    nonzero = [each for each in differences if each]
    if not nonzero:
        return mean, mean, mean, 1.0, 0
    ranks = stats.rankdata(np.abs(nonzero))
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((False, True), repeat=len(ranks))
    ]
    middle = sum(ranks) / 2.0
    seen = sum(rank for rank, each in zip(ranks, nonzero, strict=True) if each > 0.0)
    p_value = np.mean([abs(each - middle) >= abs(seen - middle) for each in sums])
    return mean, mean - half_width, mean + half_width, p_value, np.sign(seen - middle)


def unpaired_twin(first, other):
    """Welch's test by its formulas."""
    mean = np.mean(other) - np.mean(first)
    parts = [np.var(each, ddof=1) / len(each) for each in (first, other)]
    if sum(parts) == 0.0:
        return mean, math.nan, math.nan, 1.0, 0
    error = math.sqrt(sum(parts))
    sizes = (len(first), len(other))
    freedom = sum(parts) ** 2 / sum(v**2 / (n - 1) for v, n in zip(parts, sizes, strict=True))
    half_width = stats.t.ppf(0.975, freedom) * error
    p_value = 2.0 * stats.t.sf(abs(mean) / error, freedom)
    return mean, mean - half_width, mean + half_width, p_value, np.sign(mean)


def holm_twin(p_values):
    """The smallest level at which each is rejected, one after the other."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, largest = {}, 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * p_values[i]))
        corrected[i] = largest
    return [corrected[i] for i in range(len(p_values))]


@pytest.mark.long
@pytest.mark.parametrize("paired", [True, False])
@given(pairs=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=3))
@settings(max_examples=40)
def test_differences_are_their_definitions(paired, pairs):
    tables = [rows_of({f"p{i}": {9: pair[k]} for i, pair in enumerate(pairs)}) for k in (0, 1)]
    ends = final_values(*tables, "pareto_regret", paired=paired)
    found = run_differences(*ends, paired=paired)
    twin = [(paired_twin if paired else unpaired_twin)(*pair) for pair in pairs]
    corrected = holm_twin([each[3] for each in twin])
    for row, (mean, low, high, p_value, side), p_holm in zip(
        found.rows(named=True), twin, corrected, strict=True
    ):
        expected = [mean, low, high, p_value, p_holm]
        numbers = [row[name] for name in ("difference", "low", "high", "p_value", "p_holm")]
        assert numbers == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)
        is_clear = (low > 0.0 and side > 0) or (high < 0.0 and side < 0)
        # Where an end or a p-value is at its limit, rounding decides.
        if min(abs(p_holm - 0.05), abs(low), abs(high)) > 1e-6 or math.isnan(low):
            assert row["sure"] == (is_clear and p_holm <= 0.05)


def test_the_last_round_that_both_recorded_counts_and_trials_of_both_where_paired():
    short = rows_of({"a": {10: [1, 2, 3], 20: [5, 6, 7]}, "mine": {20: [1, 1, 1]}})
    long = rows_of({"a": {20: [6, 8], 30: [90, 91]}, "yours": {20: [0, 0]}})
    first, other = final_values(short, long, "pareto_regret", paired=True)
    assert (first["value"].to_list(), other["value"].to_list()) == ([5.0, 6.0], [6.0, 8.0])
    assert first["policy"].unique().to_list() == ["a"]
    first, other = final_values(short, long, "pareto_regret", paired=False)
    assert first["value"].to_list() == [5.0, 6.0, 7.0]
    found = run_differences(first, other, paired=False)
    assert found.select("policy", "round", "difference").rows() == [("a", 20, 1.0)]


def test_infinite_values_and_single_trials_have_no_interval():
    for values in ([1.0], [math.inf, 2.0]):
        first = rows_of({"a": {9: [0.0, 3.0][: len(values)]}})
        for paired in (True, False):
            ends = final_values(first, rows_of({"a": {9: values}}), "pareto_regret", paired=paired)
            (row,) = run_differences(*ends, paired=paired).rows(named=True)
            assert math.isnan(row["low"])
            assert (row["p_holm"], row["sure"]) == (1.0, False)


def write_run(folder, *, shift=0.0, seed=1, rounds=(10, 20), policies=("a", "b"), trials=8):
    """A finished run, whose first policy is worse by `shift`."""
    noise = np.random.default_rng(0).normal(size=trials)
    values = {
        name: {at: at * (5.0 + noise + i) + shift * (i == 0) for at in rounds}
        for i, name in enumerate(policies)
    }
    specification = {
        "experiment": "x",
        "environment": "World(arms=3)",
        "policies": {name: f"Policy({name!r}, shift={shift})" for name in policies},
        "rounds": rounds[-1],
        "trials": trials,
        "seed": seed,
        "metrics": {"pareto_regret": "ParetoRegret()"},
    }
    Results(rows_of(values), specification).write(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four runs: another recipe, another seed that is longer, and nothing in common."""
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "one")
    write_run(folder / "two", shift=3.0, policies=("a", "b", "<new>"), trials=9)
    write_run(folder / "three", seed=2, rounds=(20, 30))
    write_run(folder / "four", policies=("c",))
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return compare([folder / "one", folder / "two"], folder / "paired")


def text_of(page):
    plain = re.sub(r"<(script|style|svg).*?</\1>|<[^>]+>", " ", page.read_text(), flags=re.DOTALL)
    return " ".join(unescape(plain).split())


@pytest.mark.long
def test_a_page_says_what_is_better_and_what_differs(page):
    text = text_of(page)
    assert text.startswith("2 runs compared: Pareto regret of 2 policies on World, 3 arms")
    assert "same environment and seed: differences are paired" in text
    assert "Not in every run: policy <new> (B)." in text
    assert re.search(r"a \S+ \S+ 3[.]000 0\.016 worse b ", text)
    assert re.search(r" b (\S+) \1 0 1 – ", text)
    differing = text.partition("What differs between the runs")[2].partition("Provenance")[0]
    assert "trials 8 9 policy a Policy('a', shift=0.0) Policy('a', shift=3.0)" in differing
    assert "SHA-256" in differing
    assert "seed" not in differing


@pytest.mark.long
def test_other_seeds_are_unpaired_and_longer_runs_are_cut(folder):
    page = compare([folder / "one", folder / "three", folder / "two"], folder / "three runs")
    text = text_of(page)
    assert "A and B differ in environment or seed: differences are unpaired (Welch's" in text
    assert "A and C have the same environment and seed" in text
    assert "at round 20, the last that both runs recorded" in text


@pytest.mark.long
def test_a_run_beside_itself_differs_in_nothing(folder):
    page = compare([folder / "one"] * 2, folder / "same")
    assert "Nothing: the descriptions and the tables are the same." in text_of(page)
    assert compare([folder / "one"] * 2, folder / "same") == page


@pytest.mark.parametrize(
    ("names", "out", "message"),
    [
        (["one", "four"], "new", "runs must have a policy in common, got none of "),
        (["one", "five"], "new", "five has no manifest.json"),
        (["one", "two"], "four", "must be a new folder or that of an earlier comparison"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(folder, names, out, message):
    with pytest.raises(FolderError, match=message) as caught:
        compare([folder / name for name in names], folder / out)
    assert "\n" not in str(caught.value)
    assert not (folder / "new").exists()


@pytest.mark.browser
@pytest.mark.process
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_lines_of_a_policy_have_one_colour_and_a_dash_per_run(page, tmp_path):
    style = (
        "getComputedStyle(document.querySelector("
        '\'svg.{} [data-series="{}"] path[style*="stroke:"]\')).{}'
    )
    with browser(tmp_path) as opened:
        for width, shown, theme in ((1280, "wide", "light"), (390, "narrow", "dark")):
            opened.open(page, width=width, theme=theme)
            assert opened.value("document.documentElement.scrollWidth") == width
            colours = [
                opened.value(style.format(shown, name, "stroke"))
                for name in ("a, A", "a, B", "b, A", "b, B")
            ]
            assert colours[0] == colours[1] != colours[2] == colours[3]
            assert opened.value(style.format(shown, "a, A", "strokeDasharray")) == "none"
            assert opened.value(style.format(shown, "a, B", "strokeDasharray")) != "none"
