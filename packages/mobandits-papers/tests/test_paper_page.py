"""The pages of reproduced experiments: tables of claims, numbers, and one figure of every kind."""

import math

import polars as pl
import pytest

from mobandits.figures.metric_tables import results_table
from mobandits.figures.run_page import means_by_environment
from mobandits.figures.style import NARROW
from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.claims import HOLDS
from mobandits_papers.pages.claim_counts import by_paper, counted, judgement
from mobandits_papers.pages.claim_texts import measured, otherwise, remarks, shown_numbers
from mobandits_papers.pages.claims_markdown import anchor_of, claims_markdown, paper_markdown
from mobandits_papers.pages.index_page import index_page
from mobandits_papers.pages.paper_figures import (
    bounds_data,
    draw_plot,
    is_drawable,
    plot_data,
    shown_rows,
)
from mobandits_papers.pages.paper_page import (
    constants_table,
    grid_tables,
    paper_page,
    value_tables,
)
from mobandits_papers.pages.regret_bounds import NAMES
from mobandits_papers.pages.rendering import paper_templates
from mobandits_papers.publications import PAPERS

COLUMNS = ["run", "policy", "trial", "round", "metric", "component", "value"]


def claims_table(claims, *, linked=False):
    """The table of claims in HTML."""
    macros = paper_templates().get_template("claims.html").module
    return str(macros.claims_table(claims, linked))


def details(claim):
    """All numbers of a claim in HTML."""
    macros = paper_templates().get_template("claims.html").module
    return str(macros.claim_details(claim))


def entry(**changed):
    """A claim's entry with two parts."""
    parts = [
        {"said": "b less <a>", "measured": 1.5, "interval": [1.0, 2.0], "holds": True, "trials": 4},
        {
            "said": "c less <a>",
            "measured": -1.0,
            "interval": [-2.0, 0.5],
            "holds": False,
            "trials": 4,
        },
    ]
    said = {
        "id": "p/x/low",
        "claim": "a < b.",
        "target": "a & b",
        "measured": -1.0,
        "interval": [-2.0, 0.5],
    }
    rest = {
        "verdict": "not reproduced",
        "kind": "paper",
        "of": "c less <a>",
        "rule": "r",
        "trials": 4,
        "differs": "Why.",
        "note": "",
        "parts": parts,
    }
    made = said | rest | changed
    return {"holds": HOLDS.get(made["verdict"]), **made}


def plot(metric="m", **changed):
    said = {
        "name": "n",
        "metric": metric,
        "caption": "A <figure>.",
        "kind": "curves",
        "rows": [],
        "runs": [],
    }
    return said | {"parts": [], "vertical": "", "logarithmic": False} | changed


def made(metric="m", runs=("r",), policies=("a", "b"), components=2, last=20):
    rows = [
        (run, policy, trial, at * (2 if run == "late" else 1), metric, i, float(at + trial + 5 * i))
        for run in runs
        for policy in policies
        for trial in range(3)
        for at in (last // 2, last)
        for i in range(components)
    ]
    return pl.DataFrame(rows, COLUMNS, orient="row")


def test_a_table_of_claims_is_escaped_and_says_why():
    text = claims_table([entry()])
    assert "<td>a &lt; b.<br><small>Not shown for c less &lt;a&gt;. Why.</small></td>" in text
    assert "<td>a &amp; b</td>" in text
    assert "−1.00 [−2.00, 0.50]<br><small>c less &lt;a&gt;</small>" in text
    assert '<span class="no">not reproduced</span>' in text
    assert "href" not in text
    linked = claims_table([entry()], linked=True)
    assert '<a href="runs/p/x/report.html">p/x/low</a>' in linked


@pytest.mark.parametrize(
    ("value", "interval", "expected"),
    [
        (0.0, None, "0.00"),
        (0.0, [0.0, 0.0], "0.00 [0.00, 0.00]"),
        (0.0, [0.0, 0.0188], "0.0000 [0.0000, 0.0188]"),
        (12345.6, [12000.0, 13000.0], "12346 [12000, 13000]"),
        (-0.004, [-0.01, 0.002], "−0.0040 [−0.0100, 0.0020]"),
        (1e-9, None, "0.00000"),
        (None, None, "–"),
    ],
)
def test_numbers_have_three_digits(value, interval, expected):
    assert measured({"measured": value, "interval": interval}) == expected


def test_why_ours_differs():
    assert remarks(entry(verdict="reproduced")) == ""
    assert remarks(entry(verdict="reproduced", note="Seen before.")) == "Seen before."
    assert remarks(entry(verdict="reported", parts=[])) == "Why."
    many = [entry()["parts"][1] | {"said": f"part {i}"} for i in range(5)]
    assert remarks(entry(parts=many)) == "Not shown for part 0, part 1, part 2 and 2 more. Why."
    many[0]["interval"] = [-2.0, -0.5]
    said = "Not shown for part 1, part 2, part 3 and 1 more. The opposite is clear for part 0. Why."
    assert remarks(entry(parts=many)) == said


def test_reported_claims_tell_all_their_numbers_or_the_range():
    part = {"interval": None, "holds": None, "trials": 2}
    few = [{"said": f"s{i}", "measured": float(i)} | part for i in range(3)]
    assert shown_numbers(entry(verdict="reported", parts=few)) == [
        ("s0", "0.00"),
        ("s1", "1.00"),
        ("s2", "2.00"),
    ]
    many = [{"said": f"s{i}", "measured": None if i == 2 else float(i)} | part for i in range(6)]
    (only,) = shown_numbers(entry(verdict="reported", parts=many))
    assert only[1] == "0.00 to 5.00"
    none = [one | {"measured": None} for one in many]
    assert shown_numbers(entry(verdict="reported", parts=none))[0][1] == "–"


def test_details_list_every_part_and_the_papers_rule():
    again = {"measured": 3.0, "interval": None, "verdict": "reproduced", "of": "b less a"}
    again |= {"kind": "paper", "holds": True}
    text = details(entry(papers_rule=again))
    assert text.count("<tr>") == 3
    assert "which is the paper's own rule: reproduced, 3.00 (b less a)" in text
    assert "own rule" not in details(entry())


OTHERS = [
    entry(id="p/x/e", verdict="reported", kind="extension", holds=True),
    entry(id="p/x/f", verdict="reported", kind="extension", holds=False),
    entry(id="p/y/o", verdict="reported", kind="ours", holds=None),
    entry(id="q/z/c", verdict="reported", kind="check", holds=False),
    entry(id="q/z/s", verdict="reported", kind="stand-in", holds=True),
]
PLACES = [{"experiment": name, "seconds": 30.0, "changed": {}} for name in ("p/x", "p/y", "q/z")]


def test_counts():
    assert counted([entry(), entry(verdict="reported"), entry()]) == "2 not reproduced, 1 reported."
    assert counted([]) == "none."
    said = "Extensions: 1 holds, 1 does not. Ours: 1 without a rule. Stand-ins: 1 holds. Checks: 1 does not."
    assert counted(OTHERS) == said


def test_verdicts_are_counted_for_the_papers_own_claims_only():
    rows = by_paper([entry(), *OTHERS], PLACES)
    assert rows == [
        ["p", "2", "0", "1", "0", "1 / 1 / 0", "0 / 0 / 1", "–", "–", "1.0 min"],
        ["q", "1", "0", "0", "0", "–", "–", "1 / 0 / 0", "0 / 1 / 0", "0.5 min"],
        ["all", "3", "0", "1", "0", "1 / 1 / 0", "0 / 0 / 1", "1 / 0 / 0", "0 / 1 / 0", "1.5 min"],
    ]


def test_what_is_shown_of_each_kind():
    expected = [
        "extension: holds",
        "extension: does not hold",
        "ours: no rule decides",
        "check: violated",
        "stand-in: holds",
    ]
    assert [judgement(claim) for claim in OTHERS] == expected
    text = claims_table(OTHERS)
    for words in expected:
        assert f">{words}</span>" in text
    assert text.count('<span class="no">') == 1
    assert "check: violated</summary>" in details(OTHERS[3])


def test_the_papers_rule_is_shown_where_it_gives_something_else():
    again = {"measured": 3.0, "interval": None, "verdict": "reported", "of": "b less a"}
    claim = entry(verdict="reported", kind="extension", holds=False)
    claim["papers_rule"] = again | {"kind": "extension", "holds": False}
    assert otherwise(claim) == ""
    claim["papers_rule"] = again | {"kind": "extension", "holds": True}
    assert otherwise(claim) == "with the best constants of the reported trials: extension: holds"


def test_the_papers_trials_stand_beside_a_verdict_on_more():
    few = {
        "measured": 0.5,
        "interval": [-1.0, 2.0],
        "verdict": "reproduced",
        "kind": "paper",
        "holds": True,
    }
    few |= {"of": "b less a, d = 5", "trials": 10, "parts": [entry()["parts"][0] | {"trials": 10}]}
    claim = entry(papers_trials=few)
    assert shown_numbers(claim)[1] == ("b less a, d = 5, on 10 trials", "0.50 [−1.00, 2.00]")
    assert otherwise(claim) == "on 10 trials: reproduced"
    text = details(claim)
    assert "The same on 10 trials: reproduced." in text
    assert text.count("<tr>") == 3 + 2
    assert otherwise(entry(papers_trials=few | {"verdict": "not reproduced"})) == ""
    both = claims_markdown([claim], PLACES[:1])
    assert "0.50 [−1.00, 2.00] (b less a, d = 5, on 10 trials)" in both
    assert "not reproduced (on 10 trials: reproduced)" in both


def test_the_index_names_every_experiment(manifest):
    said = {
        "experiments": [
            {"experiment": n, "title": f"<{n}>", "seconds": 1.0, "changed": {}}
            for n in ("p/x", "p/y")
        ]
    }
    text = index_page(manifest(said), [entry()])
    assert "2 experiments, 1 claim: 1 not reproduced." in text
    assert text.count('<a href="runs/p/x/report.html">') == 2
    assert "&lt;p/y&gt;" in text


def test_claims_as_markdown_survive_bars():
    text = claims_markdown([entry(claim="||x|| is small.")], PLACES[:1])
    assert "&#124;&#124;x&#124;&#124; is small." in text
    _, _, claims = text.partition("### p/x")
    assert [line.count("|") for line in claims.splitlines() if line.startswith("|")] == [5, 5, 5]


def test_markdown_counts_by_kind_first():
    text = claims_markdown([entry(), *OTHERS], PLACES)
    assert text.startswith("6 claims: 1 not reproduced. Extensions: 1 holds, 1 does not.")
    assert (
        "| all | 3 | 0 | 1 | 0 | 1 / 1 / 0 | 0 / 0 / 1 | 1 / 0 / 0 | 0 / 1 / 0 | 1.5 min |" in text
    )
    assert text.count("### ") == 3
    small = claims_markdown([entry()], [PLACES[0] | {"changed": {"trials": 2}}])
    assert "**Not at the paper's scale: 2 trials.**" in small


def test_curves_have_a_panel_per_run_and_component():
    rows = made(runs=("one", "two"))
    data = plot_data(rows, plot(parts=["dominant", "other"]))
    assert data["panel"].unique(maintain_order=True).to_list() == [
        "one, dominant", "one, other", "two, dominant", "two, other",
    ]  # fmt: skip
    figure = draw_plot(rows, plot(parts=["dominant", "other"]))
    assert [axes.get_title(loc="left") for axes in figure.axes] == data["panel"].unique(
        maintain_order=True
    ).to_list()
    assert [line.get_label() for line in figure.axes[0].get_lines()] == ["a", "b"]
    assert figure.axes[0].get_lines()[0].get_ydata().tolist() == [11.0, 21.0]
    narrow = draw_plot(rows, plot(), NARROW)
    assert narrow.get_figwidth() == NARROW


def test_a_plot_may_choose_rows_and_runs():
    rows = made(runs=("one", "two"), components=1)
    data = plot_data(rows, plot(rows=["b", "a"], runs=["two"]))
    assert data["policy"].unique(maintain_order=True).to_list() == ["b", "a"]
    assert data["panel"].unique().to_list() == [""]


def test_bars_show_the_end_of_every_run():
    rows = pl.concat([made(runs=("early",)), made(runs=("late",))])  # ends at rounds 20 and 40
    figure = draw_plot(rows, plot(kind="bars", parts=["x", "y"]))
    assert len(figure.axes) == 2
    for axes in figure.axes:
        assert [bar.get_height() for bar in axes.patches] == [21.0, 26.0, 21.0, 26.0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["x", "y"]


def test_heat_is_a_map_of_columns_and_rounds():
    rows = [
        ("r", f"{x:.1f}", 0, y, "m", i, 0.1 * x + 0.01 * y + i)
        for x in (0, 1, 2)
        for y in (1, 2)
        for i in (0, 1)
    ]
    table = pl.DataFrame(rows, COLUMNS, orient="row")
    figure = draw_plot(
        table, plot(kind="heat", vertical="context / arm", parts=["first", "second"])
    )
    maps = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title(loc="left") for axes in maps] == ["first", "second"]
    assert (maps[0].get_xlabel(), maps[0].get_ylabel()) == ("context", "arm")
    assert maps[0].images[0].get_array().round(2).tolist() == [
        [0.01, 0.11, 0.21],
        [0.02, 0.12, 0.22],
    ]


def test_bounds_are_drawn_and_nothing_else():
    values_of = dict(zip(NAMES.values(), (1.0, 2.0, 9.0), strict=True))
    rows = [("r", name, 0, at, metric, 0, at * value) for metric in ("first", "second")
            for name, value in values_of.items() for at in (1, 10)]  # fmt: skip
    rows += [("r", "an event", 0, 10, "event: broken", 0, 3.0)]
    table = pl.DataFrame(rows, COLUMNS, orient="row")
    data = bounds_data(table)
    first = data.filter(panel="first", round=1)
    assert dict(first.select("policy", "mean").rows()) == values_of
    assert data["panel"].unique(maintain_order=True).to_list() == ["first", "second"]
    figure = draw_plot(table, plot("regret", kind="bounds"))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["first", "second"]
    assert not is_drawable(
        table.filter(pl.col("policy") == "an event"), plot("regret", kind="bounds")
    )


def test_grids_show_the_end_of_every_environment_and_numbers_without_end():
    rows = pl.concat([made(runs=("early",), components=1), made(runs=("late",), components=1)])
    endless = rows.head(1).with_columns(
        policy=pl.lit("never"), value=pl.lit(math.inf), round=pl.lit(20, pl.Int64)
    )
    table = pl.concat([rows, endless]).rename({"run": "environment"})
    tables = {
        name: results_table(means, "m").rows
        for name, means in means_by_environment(table, "m").items()
    }
    # Three trials, whose values differ by one: Student's half-width is 4.303 / sqrt(3).
    assert tables == {
        "early": [["a", "21.0 ± 2.5", "3"], ["b", "21.0 ± 2.5", "3"], ["never", "∞", "1"]],
        "late": [["a", "21.0 ± 2.5"], ["b", "21.0 ± 2.5"]],
    }


def test_runs_of_other_lengths_in_one_environment_keep_their_rows():
    early = made(policies=("early",), components=1, last=20)
    late = made(policies=("late",), components=1, last=40)
    table = pl.concat([early, late]).rename({"run": "environment"})
    (means,) = means_by_environment(table, "m").values()
    assert results_table(means, "m").rows == [
        ["early (ended at round 20)", "21.0 ± 2.5"],
        ["late", "41.0 ± 2.5"],
    ]


@pytest.fixture
def experiment(manifest):
    """The files of an experiment with a chosen constant: the choice is not the best of the reported trials."""
    names = ("p/x, tuning", "p/x")
    table = pl.concat(
        made(policies=("a, c = 1", "a, c = 2", "b"), components=1).select(
            pl.lit(name).alias("experiment"),
            pl.lit("World()").alias("environment"),
            pl.all().exclude("run"),
        )
        for name in names
    )
    rows = [
        {
            "run": "r",
            "row": "a",
            "policy": "a, c = 1",
            "tuned": "c = 1",
            "best": "a, c = 2",
            "best_tuned": "c = 2",
        },
        {"run": "r", "row": "b", "policy": "b", "tuned": "", "best": "b", "best_tuned": ""},
    ]
    run = {"environment": "World()", "policies": {"b": "B()"}, "rounds": 20, "trials": 3, "seed": 0}
    said = {
        "experiment": "p/x",
        "title": "T <1>",
        "source": "s",
        "about": ["One.", "Two."],
        "seed": 0,
        "changed": {},
        "scale": [],
    }
    said |= {
        "places": {"r": "World()"},
        "rows": rows,
        "plots": [plot(), plot("never")],
        "runs": [run],
    }
    return table, said, manifest(said)


@pytest.mark.long
def test_a_page_is_whole(experiment, tmp_path):
    table, said, whole = experiment
    text = paper_page(tmp_path, table, whole, [entry()])
    for part in (
        "<h1>T &lt;1&gt;</h1>",
        "<p>Two.</p>",
        "1 not reproduced.",
        "All constants",
        "a, best of the reported",
    ):
        assert part in text
    assert text.count("<figure>") == 1
    assert "Nothing was measured at this scale for the figure: A &lt;figure&gt;." in text
    assert "Not at the paper's scale" not in text
    said["changed"] = {"rounds": 20, "trials": 3}
    said["scale"] = [
        {"run": name, "rounds": 20 * trials, "trials": trials}
        for name, trials in (("r", 7), ("s", 1))
    ]
    text = paper_page(tmp_path, table, whole, [])
    assert "20 rounds and 3 trials were asked for" in text
    scales = "of the full scale, which is 140 rounds and 7 trials in r; 20 rounds and 1 trial in s."
    assert text.index(scales) < text.index("<p>One.</p>")
    assert (tmp_path / "figures" / "n.png").is_file()


def test_the_choice_and_the_best_stand_side_by_side(experiment):
    table, said, _ = experiment
    chosen, best = shown_rows(table, said), shown_rows(table, said, "best")
    assert chosen["policy"].unique(maintain_order=True).to_list() == ["a", "b"]
    assert chosen.height == best.height == 12
    assert constants_table(said).rows == [["a, r", "c = 1", "c = 2"]]
    (values,) = value_tables(chosen, best, said)
    assert [row[0] for row in values.table.rows] == ["a", "b", "a, best of the reported"]
    cells = [cell for grid in grid_tables(table, said) for row in grid.table.rows for cell in row]
    assert cells.count("a, c = 2") == 2
    said["rows"] = said["rows"][1:]
    assert constants_table(said) is None
    assert grid_tables(table, said) == []


def test_runs_are_columns_where_all_have_the_same_rows():
    rows = made(runs=("one", "two"), components=1)
    said = {"rows": [], "plots": []}
    (table,) = value_tables(rows, rows.clear(), said)
    assert table.table.header == ["policy", "one", "two"]
    several = made(runs=("one", "two"), components=2)
    titles = [one.title for one in value_tables(several, several.clear(), said)]
    assert titles == ["M, one", "M, two"]
    other = pl.concat(
        [made(runs=("one",), components=1), made(runs=("two",), policies=("c",), components=1)]
    )
    assert len(value_tables(other, other.clear(), said)) == 2


@pytest.mark.long
def test_the_best_policy_of_the_first_figure_is_named_first(experiment, tmp_path):
    table, said, whole = experiment
    regret = table.with_columns(metric=pl.lit("pareto_regret"))
    said["plots"] = [plot("pareto_regret")]
    text = paper_page(tmp_path, regret, whole, [entry()])
    best = "Lowest Pareto regret: a, 21.0 ± 2.5; then b, 21.0 ± 2.5."
    assert "Not reproduced: a &lt; b." in text
    assert text.index(best) < text.index("<figure>") < text.index('<h2 id="claims">')
    assert "<dfn>c</dfn>: the scale of a policy" in text
    assert "<dfn>not reproduced</dfn>" in text


@pytest.mark.long
def test_papers_stand_first_on_their_pages(experiment, manifest, tmp_path):
    table, said, whole = experiment
    said["experiment"] = "moglb2019/fig1"
    named = table.with_columns(pl.col("experiment").str.replace("p/x", "moglb2019/fig1"))
    text = paper_page(tmp_path, named, whole, [])
    authors = text.index("Shiyin Lu, Guanghui Wang, Yao Hu and Lijun Zhang")
    assert text.index("<h1>") < authors < text.index("<figure>")
    assert '<a href="https://doi.org/10.24963/ijcai.2019/427">' in text
    places = [{"experiment": "moglb2019/fig1", "title": "t", "seconds": 1.0, "changed": {}}]
    index = index_page(manifest({"experiments": places}), [entry(id="moglb2019/fig1/low")])
    assert '<a href="https://doi.org/10.24963/ijcai.2019/427">' in index
    assert '<h2 id="moglb2019">' in index


def test_every_paper_of_the_catalogue_is_a_publication():
    papers = {name.partition("/")[0] for name in EXPERIMENTS}
    assert papers - set(PAPERS) == {"cross"}


def test_claims_can_be_chosen_by_what_they_came_to(manifest):
    said = {"experiments": [one | {"title": "t"} for one in PLACES]}
    text = index_page(manifest(said), [entry(), *OTHERS])
    for group, count in {"not reproduced": 1, "holds": 2, "no rule decides": 1}.items():
        assert f'value="{group}"> {group} ({count})' in text
        assert text.count(f'<tr data-group="{group}">') == count
    # Without a script the choice stays hidden, and every claim is shown.
    assert '<form class="filter" hidden>' in text
    assert "<tr hidden" not in text
    assert "Not reproduced: p/x/low." in text


def test_a_page_of_results_links_verdicts_to_headings():
    text = paper_markdown("p", [entry(), *OTHERS], PLACES)
    assert "| not reproduced | 1 | [x](#px) |" in text
    assert "| holds | 1 | [x](#px) |" in text
    assert "### p/x" in text
    assert "q/z" not in text
    assert anchor_of("p/a b-c_d.e") == "pab-c_de"
