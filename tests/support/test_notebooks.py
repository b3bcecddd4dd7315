"""What notebooks show: escaped, bounded, without colours, and never an error."""

from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import mobandits as mob
from mobandits.evaluation import ConstantTarget, LoggingPolicy, Uniform, compare
from mobandits.logs import Feedback
from mobandits.policies import MolUcb, RandomChoice
from mobandits.simulation import Results
from mobandits.simulation import results as results_module
from mobandits.simulation.trial import SCHEMA
from mobandits.support.notebooks import MOST_CHARACTERS, block, cell_text, facts, html_table

MARK = "<blink onclick='alert(1)'>&amp;\ud800"
SHOWN_MARK = MARK.replace("\ud800", "?")
NAME = MARK.removesuffix("\ud800")  # tables hold whole characters only


class Reader(HTMLParser):
    """The tags, attributes, cells and texts of a piece of HTML, which must be well formed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.styles, self.rows, self.text = [], set(), set(), [], ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style", "scope"}
        self.styles |= {value for name, value in attrs if name == "style"}
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def read(shown):
    """The HTML of an object, once it is checked."""
    text = shown._repr_html_()
    text.encode()
    reader = Reader(text)
    assert reader.tags <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert reader.styles <= {"text-align: left", "text-align: right"}  # no colours
    assert len(reader.rows) <= 2 * (1 + 20)
    assert all(len(row) <= 10 for row in reader.rows)
    assert len(text) < 100_000
    return reader


def an_agent(arms=("small", "large"), objectives=("quality", "saving"), **options):
    return mob.Agent(MolUcb(scale=0.3), arms=arms, features=2, objectives=objectives, **options)


def test_an_agent_shows_what_it_is_before_and_after_it_learned():
    agent = an_agent([MARK, "large"], [mob.Objective(MARK, minimise=True, unit=MARK), "saving"])
    before = "Agent(MolUcb(scale=0.3), 2 arms, 2 features, 2 objectives, 0 learned, 0 waiting)"
    assert repr(agent) == before
    reader = read(agent)
    assert reader.text.startswith(before)
    assert SHOWN_MARK in reader.text
    assert [SHOWN_MARK, "less", SHOWN_MARK, "–", "–", "–", "–"] in reader.rows
    assert ["preference", "the recipe's"] in reader.rows
    decision = agent.decide([1.0, 0.5])
    agent.learn(decision.id, [0.5, 0.5])
    agent.decide([1.0, 0.5])
    assert repr(agent).endswith("1 learned, 1 waiting)")
    rows = read(agent).rows
    assert ["decisions", "2"] in rows
    assert ["context", "2 features, one row for all arms"] in rows
    agent.preference = mob.orders.Weighted([0.7, 0.3])
    assert ["preference", "weights"] != read(agent).rows[1] != ["preference", "the recipe's"]


def test_to_show_an_agent_changes_nothing_and_waits_for_nobody():
    agents = [an_agent(), an_agent()]
    arms = [[], []]
    for agent, played in zip(agents, arms, strict=True):
        for _ in range(20):
            played.append(agent.decide([1.0, 0.5]).arm)
            if agent is agents[0]:
                agent._repr_html_()
                repr(agent)
    assert arms[0] == arms[1]
    agents[0].core.leave_to_parent()  # as in the child of a fork, where calls are refused
    assert "20 waiting" in repr(agents[0])
    read(agents[0])


def test_an_agent_with_a_log_and_one_of_many_objectives(tmp_path):
    with_log = an_agent(log=tmp_path / "log")
    assert ["log", "yes"] in read(with_log).rows
    with_log.close()
    assert ["log", "yes"] in read(with_log).rows
    many = mob.Agent(RandomChoice(), arms=10_000, features=0, objectives=50)
    reader = read(many)
    assert "20 of 50 objectives are shown" in reader.text
    assert ["arms", "0, 1, 2, 3, 4, 5 and 9,994 more"] in reader.rows
    assert ["context", "none"] in reader.rows


def test_a_decision_shows_what_was_asked_for():
    plain = an_agent().decide([1.0, 0.5])
    assert repr(plain) == f"Decision(id=0, arm={plain.arm!r}, 2 eligible)"
    assert read(plain).rows[0] == ["arm", "played"]
    exact = an_agent([MARK, "large"], propensity="exact").decide([1.0, 0.5])
    assert ", propensity=0.5, 2 on the front, 2 eligible)" in repr(exact)
    reader = read(exact)
    assert reader.rows[0] == ["arm", "played", "on the front", "score 1", "score 2"]
    assert {row[0] for row in reader.rows[1:]} == {SHOWN_MARK, "large"}
    assert sorted(row[1] for row in reader.rows[1:]) == ["no", "yes"]
    assert "±" in repr(exact._replace(error=0.01))


@pytest.mark.parametrize("arm", [0, 500, 999])
def test_of_many_arms_the_one_that_was_played_is_shown(arm):
    scores = np.arange(12_000.0).reshape(1000, 12)
    names = tuple(range(1000))
    decision = mob.Decision(0, arm, 0.5, names, scores, eligible=names)
    reader = read(decision)
    played = [row for row in reader.rows if row[1] == "yes"]
    assert [row[0] for row in played] == [str(arm)]
    assert played[0][3] == f"{12.0 * arm:.4g}"
    assert "20 of 1,000 eligible arms are shown; 5 columns are left out." in reader.text


def test_a_decision_made_by_hand_is_shown():
    assert repr(mob.Decision(0, "a")) == "Decision(id=0, arm='a', 0 eligible)"
    assert read(mob.Decision(0, "a")).rows == [["arm", "played"]]


def a_log(rounds, arms=("a", MARK), objectives=("q", MARK), features=3):
    rng = np.random.default_rng(0)
    played = rng.integers(0, len(arms), rounds)
    rewards = rng.random((rounds, len(objectives)))
    propensities = np.full(rounds, 1.0 / len(arms))
    return Feedback(np.ones((rounds, features)), played, rewards, propensities, arms, objectives)


def test_a_log_shows_its_first_and_last_rounds():
    log = a_log(1_000_000)
    assert repr(log) == "Feedback(1,000,000 rounds, 2 arms, 3 features, 2 objectives)"
    reader = read(log)
    assert reader.rows[0] == ["round", "arm", "propensity", "q", SHOWN_MARK]
    assert [row[0] for row in reader.rows[10:12]] == ["9", "999,990"]
    assert {row[1] for row in reader.rows[1:]} == {"a", SHOWN_MARK}
    assert "20 of 1,000,000 rounds are shown" in reader.text


def test_logs_with_gaps_and_without_rounds():
    log = Feedback(np.ones((1, 2, 4)), [0], [[np.nan]], [np.nan], "ab", "q")
    assert repr(log) == "Feedback(1 round, 2 arms, 4 features per arm, 1 objective)"
    assert read(log).rows[1] == ["0", "a", "–", "–"]
    assert read(log[:0]).rows == [["round", "arm", "propensity", "q"]]


def test_a_comparison_shows_values_with_their_box_and_warnings():
    log = a_log(500)
    found = compare(log, {"now": LoggingPolicy(), MARK: Uniform()}, ["ips", "snips"])
    assert repr(found) == "Comparison(2 targets, 2 estimators, 2 objectives, 500 rounds)"
    reader = read(found)
    assert reader.rows[0] == ["target", "estimator", "warnings", "q", SHOWN_MARK]
    estimate = found[MARK, "snips"]
    box = estimate.box()
    shown = f"{estimate.value[0]:.4g} ({box.low[0]:.4g} to {box.high[0]:.4g})"
    assert reader.rows[4][:2] + reader.rows[4][3:4] == [SHOWN_MARK, "snips", shown]


@pytest.mark.long
def test_a_large_comparison_is_cut():
    log = a_log(200, objectives=[f"q{i}" for i in range(12)])
    found = compare(log, {f"t{i}": ConstantTarget("a") for i in range(30)}, "ips")
    reader = read(found)
    assert "20 of 30 estimates are shown; 5 columns are left out." in reader.text


def results_of(policies, rounds=10):
    rows = [
        ("x", "World()", f"{NAME}{i}", trial, rounds, "regret", 0, float(i + trial))
        for i in range(policies)
        for trial in range(2)
    ]
    return Results(pl.DataFrame(rows, SCHEMA, orient="row"), {})


def test_results_show_their_summary():
    reader = read(results_of(2))
    assert reader.text.startswith("Results(2 policies, 2 trials, 10 rounds, 1 metric)")
    assert reader.rows[0] == results_of(2).summary().columns
    assert reader.rows[1][:4] == [f"{NAME}0", "regret", "0", "0.5"]
    assert "20 of 30 rows are shown." in read(results_of(30)).text
    assert read(Results(results_of(1).table.clear(), {})).text


def test_results_too_large_to_summarise_unasked(monkeypatch):
    monkeypatch.setattr(results_module, "SHOWN_AT_MOST", 3)
    assert "4 rows: summary() takes a moment." in read(results_of(2)).text
    assert str(results_of(2)) == repr(results_of(2))


def test_results_are_printed_as_a_ranking(monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    table = results_of(2).table.with_columns(metric=pl.lit("pareto_regret"))
    caption, header, first, second, sentence = str(Results(table, {})).splitlines()
    assert caption.startswith("Pareto regret at round 10. Means over 2 trials")
    assert header.split() == [
        "rank",
        "policy",
        "Pareto",
        "regret",
        "mean",
        "rank",
        "better",
        "than",
        "ranks",
    ]
    for row, rank in ((first, "1"), (second, "2")):
        assert row.split()[0] == rank
        assert NAME in row
    assert "but the signed-rank test of 2 trials cannot give less" in sentence
    other = table.with_columns(experiment=pl.lit("y"))
    for unranked in (table.clear(), pl.concat([table, other])):
        assert str(Results(unranked, {})) == repr(Results(unranked, {}))


class Silent:
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (np.float64("nan"), "–"),
        (float("inf"), "inf"),
        (np.int64(1000), "1,000"),
        (np.True_, "yes"),
        (False, "no"),
        ("a\nb", "a b"),
        (Silent(), "a Silent that cannot be printed"),
    ],
)
def test_cells(value, shown):
    assert cell_text(value) == shown


def test_long_cells_and_titles_are_cut():
    assert len(cell_text("x" * 10**6)) == MOST_CHARACTERS
    text = block(
        "title", facts([("a", "x" * 10**6)]), html_table(["x" * 10**6], [["x" * 10**6]], total=1)
    )
    assert len(text) < 1000


def test_no_more_rows_are_read_than_are_shown():
    def rows():
        for i in range(21):
            assert i < 21
            yield [i]
        raise AssertionError("read on")

    assert "20 of 1,000,000 rows are shown" in html_table(["i"], rows(), total=10**6)
