import polars as pl
import pytest

from mobandits.demo.findings import (
    about_coins,
    about_context,
    about_models,
    about_preferences,
    sort_weights,
)
from mobandits.demo.numbers import findings_of, numbers


def weights(*means, half=0.001):
    rows = [
        (0.5 + 0.1 * i, 1.0, 0.8, mean, mean - half, mean + half) for i, mean in enumerate(means)
    ]
    return pl.DataFrame(rows, ["weight", "dollars", "quality", "mean", "low", "high"], orient="row")


@pytest.mark.parametrize(
    ("difference", "headline"),
    [
        ((-2.0, -3.0, -1.0), "Context helped MOL-TS."),
        ((-2.0, -5.0, 1.0), "Context did not measurably help MOL-TS."),
        ((0.0, 0.0, 0.0), "Context did not measurably help MOL-TS."),
        ((2.0, 1.0, 3.0), "Context did not help MOL-TS: it hurt."),
    ],
)
def test_context_is_judged_by_its_interval(difference, headline):
    assert about_context("MOL-TS", (10.0, 12.0), difference).headline == headline


@pytest.mark.parametrize(
    ("means", "headline"),
    [
        ((0.01, 0.02), "Choosing by prompt paid."),
        ((0.01, -0.02), "Choosing by prompt paid for some preferences, and not for others."),
        ((-0.01, 0.0), "Choosing by prompt did not pay."),
        ((0.0, 0.0005), "Choosing by prompt made no clear difference."),
    ],
)
def test_coins_are_judged_by_their_intervals(means, headline):
    assert about_coins(weights(*means), weights(*means)).headline == headline


@pytest.mark.parametrize(
    ("means", "headline"),
    [
        ((0.01, 0.0), "For a stated preference, context helped."),
        (
            (0.01, -0.02),
            "For a stated preference, context helped at some weights and hurt at others.",
        ),
        ((-0.01, 0.0), "For a stated preference, context did not help."),
        ((0.0, 0.0), "For a stated preference, context did not help."),
    ],
)
def test_preferences_are_judged_by_their_intervals(means, headline):
    assert about_preferences(weights(*means), weights(*means)).headline == headline


def test_sorting_leaves_out_what_touches_zero():
    assert sort_weights(weights(0.001, -0.001, 0.002)).better == [pytest.approx(0.7)]


def test_models_name_the_cheap_rival_or_say_that_there_is_none():
    frame = pl.DataFrame(
        {"policy": ["always a", "always <b>"], "dollars": [1.0, 10.0], "quality": [0.89, 0.9]}
    )
    assert "a gives 99 % of the quality of <b> for 10 % of its price" in about_models(frame).text
    poor = frame.with_columns(quality=pl.Series([0.5, 0.9]))
    assert about_models(poor).headline == "The best model has no cheap rival."


@pytest.mark.parametrize(
    ("gain", "said"), [(0.02, "Context helped L."), (0.0, "Context did not"), (-0.02, "it hurt")]
)
def test_the_same_words_follow_from_a_table(make_demo, gain, said):
    assert any(said in finding.headline for finding in findings_of(numbers(*make_demo(gain))))
