"""Tables of results, the sentences above them, and the words of pages."""

import polars as pl
import pytest

from mobandits.comparison.findings import findings_of
from mobandits.figures.formatting import folded
from mobandits.figures.metric_tables import (
    MOST_COLUMNS,
    best_sentence,
    ranking_table,
    results_table,
)
from mobandits.figures.run_page import final_tables, run_page
from mobandits.figures.words import SYMBOLS, WORDS, definitions, symbols_in
from mobandits.metrics import registry
from mobandits.metrics.traits import traits_of


def means_of(values, column="", **more):
    """Means of policies, in order, each with a half-width of 1."""
    rows = [
        {"policy": name, "column": column, "mean": mean, "low": mean - 1.0, "high": mean + 1.0}
        | {"trials": 9}
        | {key: found[name] for key, found in more.items()}
        for name, mean in values.items()
    ]
    return pl.DataFrame(rows)


def heads(table):
    return [row[0] for row in table.rows]


def test_the_best_stands_first_whichever_way_a_metric_counts():
    means = means_of({"a": 2.0, "b": 1.0, "c": 3.0})
    lowest = results_table(means, "pareto_regret", "Where.")
    assert heads(lowest) == ["b", "a", "c"]
    assert lowest.rows[0] == ["b", "1.0 ± 1.0"]
    assert lowest.header == ["policy", "Pareto regret"]
    assert lowest.caption == (
        "Where. Means over 9 trials; ± is half of a 95 % interval of the mean. "
        "Sorted by Pareto regret, lowest first."
    )
    assert heads(results_table(means, "reward")) == ["c", "a", "b"]
    unknown = results_table(means, "bananas")
    assert heads(unknown) == ["a", "b", "c"]
    assert "Sorted" not in unknown.caption


def test_what_ended_early_says_so_and_is_not_compared():
    early = {"a": True, "b": False, "c": False}
    rounds = {"a": 1000, "b": 2000, "c": 2000}
    means = means_of({"a": 0.0, "b": 5.0, "c": 4.0}, early=early, round=rounds)
    table = results_table(means, "pareto_regret")
    assert heads(table) == ["c", "b", "a (ended at round 1,000)"]
    said = best_sentence(means, "pareto_regret", " in World()")
    assert said == "Lowest Pareto regret in World(): c, 4.0 ± 1.0; then b, 5.0 ± 1.0."
    assert best_sentence(means, "plays") == ""


def test_objectives_are_columns_and_the_first_one_sorts():
    first = means_of({"a": 1.0, "b": 2.0}, "objective 0")
    second = means_of({"a": 9.0, "c": 3.0}, "objective 1")
    table = results_table(pl.concat([first, second]), "reward")
    assert table.header == ["policy", "objective 0", "objective 1"]
    assert table.rows == [
        ["b", "2.0 ± 1.0", "–"],
        ["a", "1.0 ± 1.0", "9.0 ± 1.0"],
        ["c", "–", "3.0 ± 1.0"],
    ]
    assert "Sorted by objective 0, highest first." in table.caption


def test_many_components_are_rows():
    many = [means_of({"a": float(i), "b": 0.0}, f"arm {i}") for i in range(MOST_COLUMNS + 1)]
    table = results_table(pl.concat(many), "plays")
    assert table.header == ["", "a", "b"]
    assert table.rows[-1] == [f"arm {MOST_COLUMNS}", "8.0 ± 1.0", "0.0 ± 1.0"]


def test_no_number_has_digits_that_its_interval_takes_away(table):
    for page_table in final_tables(table, "pareto_regret"):
        assert heads(page_table) == ["b", "a"]
        assert page_table.rows == [["b", "40 [0,\xa090]"], ["a", "80 [0,\xa0179]"]]
        assert page_table.caption.startswith("Pareto regret at round 20. Means over 3 trials")


def test_intervals_that_are_uneven_show_both_ends():
    means = pl.DataFrame(
        [{"policy": "a", "column": "", "mean": 1.0, "low": 0.0, "high": 4.0, "trials": 9}]
    )
    assert results_table(means, "pareto_regret").rows == [["a", "1.0 [0.0,\N{NO-BREAK SPACE}4.0]"]]


def test_environments_have_a_table_each(table):
    other = table.with_columns(environment=pl.lit("Other()"))
    both = pl.concat([table, other])
    captions = [one.caption for one in final_tables(both, "pareto_regret")]
    assert [caption.partition(".")[0] for caption in captions] == [
        "Pareto regret at round 20 in World()",
        "Pareto regret at round 20 in Other()",
    ]
    for one in final_tables(both, "pareto_regret", findings_of(both).ranking):
        assert [row[:2] for row in one.rows] == [["1", "b"], ["2", "a"]]


def test_a_ranking_says_ranks_and_whom_a_policy_beats():
    means = means_of({"a": 2.0, "b": 1.0, "c": 3.0, "d": 3.0})
    ranking = [
        {"policy": "b", "rank": 1, "mean_rank": 1.25, "better_than": ["a", "c", "d"]},
        {"policy": "a", "rank": 2, "mean_rank": 1.75, "better_than": ["c", "d"]},
        {"policy": "c", "rank": 3, "mean_rank": 3.5, "better_than": ["d"]},
        {"policy": "d", "rank": 4, "mean_rank": 3.5, "better_than": []},
    ]
    table = ranking_table(means, "pareto_regret", "Where.", ranking)
    assert table.header == ["rank", "policy", "Pareto regret", "mean rank", "better than ranks"]
    assert table.rows == [
        ["1", "b", "1.0 ± 1.0", "1.2", "2 to 4"],
        ["2", "a", "2.0 ± 1.0", "1.8", "3, 4"],
        ["3", "c", "3.0 ± 1.0", "3.5", "4"],
        ["4", "d", "3.0 ± 1.0", "3.5", "–"],
    ]
    assert table.caption == results_table(means, "pareto_regret", "Where.").caption
    ranking[0]["better_than"] = ["a", "d"]
    assert ranking_table(means, "pareto_regret", "", ranking).rows[0][4] == "2, 4"


@pytest.mark.long
def test_a_run_page_answers_first_and_defines_its_words(table, manifest, tmp_path):
    said = {"environment": "World()", "policies": {}, "rounds": 20, "trials": 3, "seed": 0}
    named = table.with_columns(policy=pl.lit("c = ") + pl.col("policy"))
    text = run_page(tmp_path, named, manifest(said), findings_of(named))
    places = [
        text.index("<h1>Pareto regret of 2 policies on World</h1>"),
        text.index("<caption>Pareto regret at round 20."),
        text.index('<th scope="row">c = b</th><td class="number">40 [0,\xa090]</td>'),
        text.index("3 trials of 20 rounds"),
        text.index("<dfn>interval</dfn>"),
        text.index("<dfn>c</dfn>"),
        text.index("<figure>"),
        text.index("the sum over rounds of the gap of the arm that was played"),
        text.index("<h2>Which policy is best"),
        text.index("What 3 trials cannot tell"),
        text.index("<h2>Provenance"),
    ]
    assert places == sorted(places)
    assert text.count("<caption>") == 1


@pytest.mark.long
def test_a_run_of_one_policy_has_its_values_first_and_nothing_to_compare(table, manifest, tmp_path):
    said = {"environment": "World()", "policies": {}, "rounds": 20, "trials": 3, "seed": 0}
    alone = table.filter(policy="a")
    text = run_page(tmp_path, alone, manifest(said), findings_of(alone))
    assert "<h1>Pareto regret of a on World</h1>" in text
    assert text.index("<caption>") < text.index("<figure>")
    assert "mean rank" not in text.partition("</style>")[2]
    assert "Which policy is best" not in text


@pytest.mark.parametrize("name", registry())
def test_every_metric_is_defined(name):
    assert traits_of(name).meaning


def test_definitions_are_short_and_end_without_a_point():
    meanings = [
        *WORDS.values(),
        *SYMBOLS.values(),
        *(traits_of(name).meaning for name in registry()),
    ]
    for meaning in meanings:
        assert len(meaning) <= 200
        assert not meaning.endswith(".")
    assert symbols_in(["MOL-TS, M = 10, c = 0.1", "m = 2, d_c = 3"]) == ["M", "c"]
    with pytest.raises(KeyError):
        definitions("nonsense")


@pytest.mark.parametrize("most", [1, 10, 40, 80, 1000])
def test_nested_recipes_are_shortened_in_text(most):
    nested = "Paced(recipe=Within(recipe=Features(map=Layers(units=32, digest='0f3a'), "
    nested += "recipe=MolUcb(scale='data')), limits={'cost': 0.5}), budgets={'cost': 0.001})"
    short = folded(nested, most)
    assert len(short) <= max(most, 1)
    assert short.startswith(nested[: most // 10])
    assert folded(nested, len(nested)) == nested
    assert folded("((((", 3) == "((…"
