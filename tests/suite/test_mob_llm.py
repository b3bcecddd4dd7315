"""The suite MOB-LLM on small tables: readers, budgets, scores against slow twins, and the command."""

import json

import numpy as np
import pytest

from mobandits.cli import program
from mobandits.metrics import best_within_budgets
from mobandits.policies import DriftAlarm, MolUcb, Paced, PrimalDual, SingleArm
from mobandits.simulation.threads import Threads
from mobandits.suite.entries import Entrant, Entry, differences, play_entry, recipe_of
from mobandits.suite.page import board_table, entry_table
from mobandits.suite.prompts import prompts_of_file
from mobandits.suite.references import IN_HINDSIGHT, ONE_PRICE, Reference
from mobandits.suite.routing import load_routing_suite, play_budget, with_budgets

COUNT = 90
PACED = Entrant("greedy", {"name": "mol-eps-greedy", "epsilon": 0.0, "intercept": 30.0})


def answers():
    """(prompts, 2) qualities and costs, and (prompts,) what decides which model is better."""
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=COUNT)
    quality = np.column_stack([0.9 - 0.6 * kind, np.full(COUNT, 0.9)])
    quality += 0.05 * rng.standard_normal(quality.shape)
    cost = np.column_stack([np.full(COUNT, 0.1), 1.0 + 0.1 * rng.random(COUNT)])
    return quality, cost, kind


def csv_of(path, count=COUNT):
    quality, cost, kind = answers()
    lines = ["prompt_id,model,quality,cost,kind"]
    for i in range(count):
        for arm, model in enumerate(("small", "large")):
            lines.append(f"{i},{model},{quality[i, arm]},{cost[i, arm]},{kind[i]}")
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return csv_of(tmp_path_factory.mktemp("table") / "prompts.csv")


@pytest.fixture(scope="module")
def suite(table):
    return load_routing_suite("development", table=table, quick=True)


def play(suite, entrant, workers=1):
    with Threads(workers) as threads:
        return play_entry(suite, entrant, threads)


@pytest.fixture(scope="module")
def entry(suite):
    return play(suite, PACED)


def test_a_table_of_numbers_is_read(table):
    quality, cost, kind = answers()
    prompts = prompts_of_file(table)
    assert (prompts.models, prompts.logged, prompts.played) == (("small", "large"), 45, 45)
    assert np.allclose(prompts.quality, quality)
    assert np.allclose(prompts.cost, cost)
    assert prompts.features == "the columns kind and a constant"
    constant, number = prompts.contexts.T
    assert np.ptp(constant) == 0.0
    assert number[:45] == pytest.approx((kind[:45] - kind[:45].mean()) / kind[:45].std())
    low, high = prompts.objectives[0].low, prompts.objectives[0].high
    assert low <= quality.min() <= quality.max() <= high


def test_lines_of_texts_with_several_judges_are_read(tmp_path):
    pytest.importorskip("sklearn")
    words = ["sum", "list", "proof", "poem", "sort", "prime", "verse", "graph", "tale", "tree"]
    rng = np.random.default_rng(0)
    lines = []
    for i in range(80):
        arms = {m: {"reward_x": i / 80, "reward_y": 1, "cost": k + 1} for k, m in enumerate("ab")}
        lines.append(json.dumps({"prompt": " ".join(rng.choice(words, 6)), "arms": arms}))
    path = tmp_path / "prompts.jsonl"
    path.write_text("\n".join(lines))
    prompts = prompts_of_file(path)
    assert prompts.contexts.shape == (80, 33)
    assert prompts.quality[40].tolist() == [0.75, 0.75]


def test_small_and_flat_tables_are_refused(tmp_path, table):
    path = csv_of(tmp_path / "few.csv", count=79)
    with pytest.raises(ValueError, match="must have at least 80 prompts, 40 per model, got 79"):
        prompts_of_file(path)
    text = table.read_text()
    path.write_text("\n".join(line for line in text.split("\n") if "large" not in line))
    with pytest.raises(ValueError, match="answers of two models, got small alone"):
        prompts_of_file(path)
    rows = [f"{i},{model},0.5,{cost}" for i in range(90) for model, cost in (("a", 1), ("b", 1))]
    path.write_text("\n".join(["prompt_id,model,quality,cost", *rows]))
    with pytest.raises(ValueError, match="models of different cost"):
        prompts_of_file(path)
    rows = [f"{i},{model},0.5,{cost}" for i in range(90) for model, cost in (("a", 1), ("b", 2))]
    path.write_text("\n".join(["prompt_id,model,quality,cost", *rows]))
    with pytest.raises(ValueError, match="must leave something to gain"):
        load_routing_suite("a", table=path)
    for suffix, message in (("csv", "got none|cannot be read|empty"), ("jsonl", "got none")):
        empty = tmp_path / f"empty.{suffix}"
        empty.write_text("")
        with pytest.raises(ValueError, match=message):
            prompts_of_file(empty)


def test_budgets_are_geometric_between_the_means(suite):
    _, cost, _ = answers()
    means = cost[45:].mean(axis=0)
    allowed = [each.allowed for each in suite.settings]
    assert allowed == pytest.approx(np.geomspace(*means, 7))
    # The small model is always the cheapest: its money leaves no choice.
    assert [bool(each.unscored) for each in suite.settings] == [True] + [False] * 6


@pytest.mark.long
def test_scores_are_shares_of_the_way_to_hindsight(suite, entry):
    quality, cost, _ = (each[45:] for each in answers())
    for budget in suite.settings[1:]:
        for trial in entry.environments[budget.name]["trials"]:
            paid = [trial["spent"] * budget.allowed]
            mixture = best_within_budgets(quality.mean(axis=0), cost.mean(axis=0)[:, None], paid)
            assert trial["mixture"] == pytest.approx(mixture.value, abs=1e-6)
            gain = (trial["quality"] - trial["mixture"]) / budget.gap
            assert 1.0 - trial["regret"] / trial["uniform"] == pytest.approx(gain)
        mean = np.mean(
            [
                each["quality"] - each["mixture"]
                for each in entry.environments[budget.name]["trials"]
            ]
        )
        assert entry.score([budget.name])[0] == pytest.approx(mean / budget.gap)


@pytest.mark.long
def test_what_decides_is_learned_and_mixtures_gain_nothing(suite, entry):
    names = [each.name for each in suite.settings[2:6]]
    assert entry.score(names)[0] > 0.5
    nothing = play(suite, Entrant("hindsight", {"reference": IN_HINDSIGHT}))
    assert nothing.scores(suite.settings[3].name) == pytest.approx(0.0)
    assert nothing.means(suite.settings[3].name)["spent"] == pytest.approx(1.0)
    # A policy that buys nothing gains nothing, whatever hindsight gains for no money.
    cheap = play(suite, Entrant("cheap", {"name": "single-arm"}))
    assert all(cheap.score([name])[0] == 0.0 for name in cheap.scored)
    assert entry.scored == [each.name for each in suite.settings[1:]]


@pytest.mark.long
def test_bits_do_not_depend_on_threads(suite, entry):
    again = play(suite, PACED._replace(name="other"), workers=2)
    assert again.environments == entry.environments


@pytest.mark.long
def test_entries_verify_and_belong_to_their_table(suite, entry, tmp_path):
    path = entry.write(tmp_path)
    assert Entry.read(path) == entry
    other = load_routing_suite("development", table=csv_of(tmp_path / "a.csv", 88), quick=True)
    with Threads(1) as threads:
        assert differences(suite, entry, threads) == []
        assert "its token must be" in differences(other, entry, threads)[0]


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [
        ({"name": "single-arm", "arm": 2}, "must be below the number of models, 2"),
        ({"name": "random-choice"}, "Paced.recipe"),
    ],
)
def test_what_cannot_be_played_scores_zero(suite, recipe, reason):
    refused = play(suite, Entrant("refused", recipe))
    name = suite.settings[3].name
    assert reason in refused.environments[name]["reason"]
    assert refused.scores(name).tolist() == [0.0] * 3


def test_references_are_for_this_suite_alone():
    with pytest.raises(ValueError, match="must be played in MOB-LLM"):
        Reference(ONE_PRICE).bind(None)
    with pytest.raises(ValueError, match="reference must be"):
        recipe_of({"reference": "other"})


def test_budgets_reach_the_recipe_that_has_some():
    given = {"budgets": {"cost": 0.2}, "largest": {"cost": 3.0}, "horizon": 50}
    inside = with_budgets(DriftAlarm(Paced(MolUcb(), {"cost": 1.0})), given)
    assert (inside.recipe.budgets, inside.recipe.horizon) == ((("cost", 0.2),), 50)
    dual = with_budgets(PrimalDual(MolUcb(), {"cost": 1.0}, largest={"cost": 1.0}), given)
    assert (dual.budgets, dual.largest) == ((("cost", 0.2),), (("cost", 3.0),))
    assert dual.recipe.order.weights.tolist() == [1.0, 0.0]
    assert isinstance(with_budgets(MolUcb(), given), Paced)


@pytest.mark.long
def test_every_reference_plays(suite):
    budget = suite.settings[3]
    for entrant in suite.references():
        trial = play_budget(suite.prompts, budget, recipe_of(entrant.table), 7)
        assert np.isfinite(trial["regret"])
        if isinstance(recipe_of(entrant.table), SingleArm):
            assert trial["regret"] == trial["uniform"]


@pytest.mark.long
def test_the_board_has_spending_and_logs_below(suite, entry):
    dear = play(suite, Entrant("dear", {"name": "single-arm", "arm": 1}))
    board = board_table(suite, [dear, entry])
    assert board.header[-3:] == [
        "spent / budget, most",
        "share of logs below the mixture, most",
        "can play",
    ]
    assert [row[0] for row in board.rows] == ["greedy", "dear"]
    small, large = answers()[1][45:].mean(axis=0)
    assert board.rows[1][1:4] == ["0.000", f"{large / small:.3f}", "0.00"]
    rows = entry_table(suite, entry).rows
    assert len(rows) == 7
    assert rows[0][1] == "–"


@pytest.mark.long
def test_the_command_plays_a_table(monkeypatch, suite, entry, table, tmp_path, capsys):
    references = [Entrant("always small", {"name": "single-arm"})]
    monkeypatch.setattr(type(suite), "references", lambda _: references)
    mine = tmp_path / "mine.toml"
    mine.write_text(
        '[[policies]]\nlabel = "greedy"\nname = "mol-eps-greedy"\nepsilon = 0.0\nintercept = 30.0\n'
    )
    given = ["bench", "MOB-LLM", "--table", str(table), "--quick"]
    out = tmp_path / "out"
    assert program.call([*given, "--policy", str(mine), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    # The header is folded where a terminal is narrow.
    assert "mixture" in said
    assert "always small" in said
    assert Entry.read(out / "greedy.json").environments == entry.environments
    page = (out / "report.html").read_text()
    assert "Scores by budget" in page
    assert "the columns kind and a constant" in page
    assert program.call([*given, "--verify", str(out / "greedy.json")]) == 0
    capsys.readouterr()

    mine.write_text('[[policies]]\nlabel = "always small"\nname = "mol-ucb"\n')
    assert program.call([*given, "--policy", str(mine), "--out", str(out)]) == 2
    assert "another name than 'always small'" in capsys.readouterr().err
    assert program.call(["bench", "MOB-1", "--table", str(table), "--built-in"]) == 2
    assert "--table is for MOB-LLM alone" in capsys.readouterr().err
