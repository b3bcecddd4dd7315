"""Names may hold anything: no page takes a name for markup, and every page shows names as they are."""

import html
from html.parser import HTMLParser

import polars as pl
import pytest
from test_evaluation_figures import content, front_table, outline_table, some_values
from test_paper_page import entry, made, plot

from mobandits.comparison.findings import findings_of
from mobandits.figures.evaluation_page import evaluation_page
from mobandits.figures.run_page import run_page
from mobandits_papers.demo.page import demo_page
from mobandits_papers.pages.index_page import index_page
from mobandits_papers.pages.paper_page import paper_page

MARK = "<blink onclick='alert(1)' class=\"x\">&amp;"
KEPT = {"role", "verdict", "kind", "name", "metric"}  # words that pages look up, and names of files


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.attributes = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def hostile(value, key=""):
    """The same with markup in every text."""
    if isinstance(value, dict):
        changed = {name: hostile(one, name) for name, one in value.items()}
        names = key in {"policies", "metrics", "estimators", "places", "machine"}
        return {name + MARK if names else name: one for name, one in changed.items()}
    if isinstance(value, list | tuple):
        return [hostile(one, key) for one in value]
    return value + MARK if isinstance(value, str) and key not in KEPT else value


def marked(table):
    """The table with markup in all names."""
    names = [name for name, kind in table.schema.items() if kind == pl.String and name != "metric"]
    filled = [
        pl.when(pl.col(name) != "").then(pl.col(name) + MARK).otherwise(pl.col(name))
        for name in names
    ]
    return table.with_columns(one.alias(name) for name, one in zip(names, filled, strict=True))


def check(page, *shown):
    reader = Reader()
    reader.feed(page)
    assert "blink" not in reader.tags
    assert "onclick" not in reader.attributes
    for name in shown:
        assert name + MARK in reader.text
    # In texts, and in the data of figures.
    escaped = page.count(html.escape("<blink")) + page.count(r"\u003cblink")
    assert page.count("blink") == escaped


def of_run(manifest, table):
    run = {
        "experiment": "x",
        "environment": "World()",
        "policies": {"a": "A()", "b": "B()"},
        "rounds": 20,
    }
    return run | {"trials": 3, "seed": 0, "metrics": {"pareto_regret": "ParetoRegret()"}}


@pytest.mark.long
def test_the_page_of_a_run(table, manifest, tmp_path):
    said = hostile(manifest(of_run(manifest, table)))
    named = marked(table)
    found = findings_of(named)._replace(sure=[f"the best{MARK}"], unsure=[f"the worst{MARK}"])
    page = run_page(tmp_path, named, said, found)
    check(page, "World()", "A()", "a", "x", "the best", "the worst")


@pytest.mark.long
def test_the_page_of_the_demonstration(make_demo, manifest, tmp_path):
    # Rows are looked up by their names; those of models are the only ones that are free.
    table, said = make_demo(models={f"cheap{MARK}": (0.001, 0.7), "dear": (0.1, 0.9)})
    page = demo_page(tmp_path, table, hostile(manifest(said)))
    check(page, "always cheap", "World()", "router.agent", "Paced()")


@pytest.fixture
def experiment():
    names = ("p/x, tuning", "p/x")
    table = pl.concat(
        made(policies=("a, c = 1", "a, c = 2"), components=1).select(
            pl.lit(name).alias("experiment"),
            pl.lit("World()").alias("environment"),
            pl.all().exclude("run"),
        )
        for name in names
    )
    tuned = {"policy": "a, c = 1", "tuned": "c = 1", "best": "a, c = 2", "best_tuned": "c = 2"}
    run = {"environment": "World()", "policies": {"b": "B()"}, "rounds": 20, "trials": 3, "seed": 0}
    said = {
        "experiment": "p/x",
        "title": "T",
        "source": "s",
        "about": ["One."],
        "seed": 0,
        "changed": {"rounds": 20},
        "scale": [],
    }
    said |= {"places": {"r": "World()"}, "rows": [{"run": "r", "row": "a", **tuned}], "runs": [run]}
    return table, said | {"plots": [plot(), plot("never")]}


@pytest.mark.long
def test_the_page_of_an_experiment(experiment, manifest, tmp_path):
    table, said = experiment
    again = {"measured": 3.0, "interval": None, "verdict": "reproduced", "of": "b"}
    again |= {"kind": "paper", "holds": True}
    page = paper_page(
        tmp_path, marked(table), hostile(manifest(said)), hostile([entry(papers_rule=again)])
    )
    check(page, "T", "s", "One.", "a < b.", "c = 1", "World()", "A <figure>.", "Why.")


def test_the_page_above_experiments(manifest):
    said = {
        "experiments": [
            {"experiment": n, "title": n, "seconds": 1.0, "changed": {}} for n in ("p/x", "p/y")
        ]
    }
    check(index_page(hostile(manifest(said)), hostile([entry()])), "p/x", "a < b.")


@pytest.mark.long
def test_the_page_of_an_evaluation(tmp_path):
    said = hostile(content(["few rounds"]))
    tables = [marked(one) for one in (some_values(), front_table(), outline_table())]
    check(
        evaluation_page(tmp_path, *tables, said), "a", "quality", "Uniform()", "few rounds", "<log>"
    )
