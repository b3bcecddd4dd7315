"""The suite MOB-1, its entries and its leaderboard, shrunk to two environments of 20 rounds."""

import dataclasses
import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.cli import program
from mobandits.contracts.protocols import Block, Shape
from mobandits.environments import MultiArmed
from mobandits.errors import FolderError
from mobandits.metrics.traits import registry
from mobandits.policies import MoglbUcb, MolEpsGreedy, MolUcb, RandomChoice, ScalarizedUcb1
from mobandits.simulation import simulate
from mobandits.simulation.threads import Threads
from mobandits.suite import definition
from mobandits.suite.conditions import Late, LatePolicy, Shuffled
from mobandits.suite.definition import load_suite, with_preference
from mobandits.suite.entries import (
    BUILT_IN,
    Entrant,
    Entry,
    agree,
    differences,
    entrants_of,
    interval,
    play_entry,
    recipe_of,
)
from mobandits.suite.page import board_table

SUITE = load_suite("MOB-1", "development")
CHOSEN = ("linear-fixed", "late-partial")
UCB = Entrant("ucb", {"name": "mol-ucb", "scale": 0.3})
UNIFORM = Entrant("uniform", {"name": "random-choice"})
SETTINGS = [dataclasses.replace(each, rounds=20) for each in SUITE.settings if each.name in CHOSEN]
SMALL = dataclasses.replace(SUITE, settings=SETTINGS, trials=4)


def play(entrant, workers=1):
    with Threads(workers) as threads:
        return play_entry(SMALL, entrant, threads)


@pytest.fixture(scope="module")
def entry():
    return play(UCB)


@pytest.fixture
def bench(monkeypatch, capsys):
    """The command on the small suite: its exit status and its outputs."""
    monkeypatch.setattr(definition, "load_suite", lambda *_, **__: SMALL)

    def call(*arguments):
        status = program.call(["bench", "MOB-1", *map(str, arguments)])
        return status, *capsys.readouterr()

    return call


def changed(entry, **trial):
    """The entry, with another value in every trial of the first environment."""
    copy = json.loads(json.dumps(dataclasses.asdict(entry)))
    for each in copy["environments"][CHOSEN[0]]["trials"]:
        each.update(trial)
    return Entry(**copy)


def test_the_suite_is_what_its_specification_says():
    assert (SUITE.name, SUITE.version, SUITE.trials) == ("MOB-1", 1, 100)
    assert load_suite("MOB-1", "development", quick=True).trials == 10
    names = [each.name for each in SUITE.settings]
    assert len(names) == len(set(names)) == 15
    for each in SUITE.settings:
        regret, *others = (metric.name for metric in each.metrics)
        assert regret in ("effective_pareto_regret", "chain_regret", "level_regret")
        assert "pareto_regret" not in others
        assert all(registry()[metric] for metric in others)


def test_seeds_are_words_of_a_hash():
    words = hashlib.shake_256(b"MOB-1 a token").digest(24)
    slow = [int.from_bytes(words[i : i + 8], "little") for i in (0, 8, 16)]
    assert load_suite("MOB-1", "a token").seeds[:3] == slow
    assert not set(slow) & set(SUITE.seeds)


def test_built_in_entries_are_distinct_recipes():
    entrants = entrants_of(str(BUILT_IN))
    assert len({each.name for each in entrants}) == len(entrants) >= 25
    assert len({repr(recipe_of(each.table)) for each in entrants}) == len(entrants)


def test_scores_are_shares_of_the_regret_of_uniform_play(entry):
    setting = SETTINGS[0]
    policies = {"ucb": MolUcb(scale=0.3), "uniform": RandomChoice()}
    sums = {"ucb": 0.0, "uniform": 0.0}
    for seed in SMALL.seeds:
        asked = {"rounds": 20, "trials": 1, "seed": seed, "metrics": ["effective_pareto_regret"]}
        table = simulate(policies, setting.environment, **asked, record=1).table
        for row in table.rows(named=True):
            sums[row["policy"]] += row["value"]

    score = entry.score([setting.name])[0]
    assert score == pytest.approx(1.0 - sums["ucb"] / sums["uniform"])


def test_uniform_play_scores_zero():
    # The same arms as those of the uniform play beside it; with late rewards its stream is another.
    assert play(UNIFORM).scores("linear-fixed") == pytest.approx(0.0)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=20), st.floats(0.1, 10))
def test_intervals_hold_their_mean_and_scale(values, factor):
    mean, low, high = interval(np.array(values))
    assert low <= mean <= high
    scaled = interval(factor * np.array(values))
    assert np.allclose(scaled, factor * np.array([mean, low, high]), atol=1e-9)


def test_bits_do_not_depend_on_threads_and_names(entry):
    again = play(UCB._replace(name="other"), workers=2)
    assert again.environments == entry.environments
    assert entry.environments != play(UNIFORM).environments


def test_entries_are_files(entry, tmp_path):
    path = entry.write(tmp_path)
    assert Entry.read(path) == entry
    text = [changed(entry, **{key: "none"}) for key in ("regret", "max_min_regret")]
    for content in ({"suite": "MOB-1"}, *map(dataclasses.asdict, text)):
        path.write_text(json.dumps(content))
        with pytest.raises(FolderError, match="is no entry of a suite"):
            Entry.read(path)


@pytest.mark.long
@pytest.mark.parametrize("value", [{"regret": 0.0}, {"uniform": 1e9}, {"digest": "0" * 64}])
def test_what_was_changed_does_not_verify(entry, value):
    with Threads(1) as threads:
        assert differences(SMALL, entry, threads) == []
        assert differences(SMALL, changed(entry, **value), threads) == [CHOSEN[0]]
        other = dataclasses.replace(SMALL, token="another token")
        assert "its token must be 'another token'" in differences(other, entry, threads)[0]


def test_refusals_and_gaps_are_verified_too():
    assert agree({"reason": "an old text"}, {"reason": "a new text"}, [0])
    # An environment with a bad result may be neither refused nor left out.
    played = {"trials": [{"regret": 1.0}]}
    assert not any(agree(claim, played, [0]) for claim in ({"reason": "no"}, {"absent": "no"}, {}))


def test_what_cannot_be_played_scores_zero(entry):
    late = Late(ScalarizedUcb1(), 50)
    with pytest.raises(ValueError, match="only where a decision's note is a number"):
        late.bind(Shape(arms=3, features=0, objectives=2))
    with pytest.raises(ValueError, match="MoglbUcb must observe all objectives"):
        Late(MoglbUcb(), 50, 0.3).bind(Shape(arms=3, features=2, objectives=2))

    refused = play(Entrant("scalarized", {"name": "scalarized-ucb1", "check": False}))
    assert "note is a number" in refused.environments["late-partial"]["reason"]
    assert refused.scores("late-partial").tolist() == [0.0] * 4
    rows = {row[0]: row for row in board_table(SMALL, [entry, refused]).rows}
    assert rows["scalarized"][3] == "1 of 2"


def test_preferences_reach_recipes_that_leave_them_out():
    chains = next(each for each in SUITE.settings if each.name == "chains").preference
    assert with_preference(MolUcb(), chains).order == chains["order"]
    stated = MolEpsGreedy(order=chains["order"])
    assert with_preference(stated, {"order": None}) == stated


def test_arms_are_numbered_anew_in_every_trial():
    environment = MultiArmed([[0.1, 0.9], [0.5, 0.5], [0.9, 0.1]])
    firsts = set()
    for seed in range(20):
        problem = Shuffled(environment).problem(10, np.random.default_rng(seed))
        block = problem.block(0, 10, np.random.default_rng(1))
        plain = environment.problem(10, np.random.default_rng(seed)).block(
            0, 10, np.random.default_rng(1)
        )
        assert np.array_equal(block.rewards, plain.rewards[:, problem.order])
        firsts.add(block.means[0, 0, 0])
        assert isinstance(block, Block)

    assert firsts == {0.1, 0.5, 0.9}


class Diary:
    """A policy that writes down what it is told."""

    def init(self):
        return []

    def update(self, state, x, arm, note, reward, rng):
        return [*state, (float(x[0]), int(arm), float(note), float(reward[0]))]


def test_late_rewards_all_come_once_and_are_late_as_promised():
    diary = LatePolicy(Diary(), 3.0, 0.3, 1, 1)
    rng = np.random.default_rng(0)
    state = diary.init()
    delays = []
    for t in range(3000):
        before = len(state.inner)
        state = diary.update(state, np.array([t]), t % 2, t / 2, np.array([-t]), rng)
        come = state.inner[before:]
        assert [number for number, *_ in come] == sorted(number for number, *_ in come)
        for number, arm, note, reward in come:
            assert (arm, note) == (number % 2, number / 2)
            assert reward == -number or np.isnan(reward)
            delays.append(t - number)

    assert len({number for number, *_ in state.inner}) == len(state.inner) >= 2900
    missing = np.isnan([reward for *_, reward in state.inner]).mean()
    assert missing == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / len(delays)))
    # The standard deviation of a delay is sqrt(12): four standard errors.
    assert abs(np.mean(delays) - 3.0) < 4 * np.sqrt(12 / len(delays))


@pytest.mark.long
def test_the_command_plays_verifies_and_ranks(bench, entry, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('[[policies]]\nlabel = "ucb"\nname = "mol-ucb"\nscale = 0.3\n')
    out = tmp_path / "out"
    status, text, _ = bench("--policy", file, "--out", out)
    assert status == 0
    assert "ucb: " in text
    assert "over 2 of 2 environments" in text
    played = out / "ucb.json"
    assert Entry.read(played).environments == entry.environments

    status, text, _ = bench("--verify", played)
    assert (status, text) == (0, f"{played} verifies\n")
    beside = tmp_path / "beside"
    status, text, _ = bench("--policy", "random-choice", "--compare", played, "--out", beside)
    assert status == 0
    assert "mean rank" in text

    status, _, errors = bench("--policy", file, "--compare", played, "--out", beside)
    assert status == 2
    assert "another one than 'ucb'" in errors

    forged = changed(dataclasses.replace(entry, entry="forged"), regret=0.0).write(out)
    status, _, errors = bench("--verify", forged)
    assert (status, errors) == (1, f"error: {forged} does not verify: linear-fixed\n")
    status, _, errors = bench("--entries", out, "--out", tmp_path / "board")
    assert status == 0
    sentence = "Refused: forged (forged.json): linear-fixed"
    assert sentence in errors
    assert sentence in (tmp_path / "board" / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of --policy, --built-in, --entries, --verify must be given"),
        (["--policy", "mol-ucb"], "--out must be given"),
        (["--policy", "mol-ucbb", "--out", "out"], "did you mean mol-ucb?"),
        (["--policy", "mobandits.policies:MolUcb", "--out", "out"], "must name a recipe"),
        (["--policy", "no.such:RECIPE", "--out", "out"], "No module named 'no'"),
        (["--verify", "no-such.json"], "no-such.json cannot be read"),
    ],
)
def test_mistakes_are_one_line(bench, arguments, message):
    status, _, errors = bench(*arguments)
    assert status == 2
    assert message in errors
    assert errors.count("\n") == 1
