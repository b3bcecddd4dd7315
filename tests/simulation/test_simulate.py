"""The runner: streams, workers, prefixes, refusals."""

import threading
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from twins.tiny import Plain, PlainPolicy, Tiny, TinyData

from mobandits.contracts.protocols import Recipe
from mobandits.metrics import Jaccard, LevelRegret, Reward
from mobandits.policies import MolUcb, RandomChoice
from mobandits.simulation import PreferenceSweep, simulate
from mobandits.support.naming import short_repr

SMALL = {"rounds": 300, "trials": 3, "seed": 5, "record": 7}
ALL = [
    "pareto_regret",
    "reward",
    "jaccard",
    "plays",
    "dollars",
    "objective_regret",
    LevelRegret([[0], [1]]),
]


def rows(table, *policies):
    return table.filter(pl.col("policy").is_in(policies))


def test_the_table_has_the_fixed_schema():
    table = simulate(Plain(), Tiny(), **SMALL, metrics=["reward"], experiment="e").table
    assert table.schema == {
        "experiment": pl.String,
        "environment": pl.String,
        "policy": pl.String,
        "trial": pl.Int64,
        "round": pl.Int64,
        "metric": pl.String,
        "component": pl.Int64,
        "value": pl.Float64,
    }
    assert table.row(0)[:7] == ("e", short_repr(Tiny()), "Plain()", 0, 43, "reward", 0)
    assert len(table) == 3 * 7 * 2
    assert table["round"].max() == 300


@pytest.mark.long
@pytest.mark.parametrize(
    "environment", [Tiny(), Tiny(shared=True), Tiny(fixed=True, decimals=1)], ids=str
)
def test_any_number_of_workers_gives_the_same_table(environment):
    policies = [MolUcb(scale=0.3), RandomChoice(), Plain()]
    one = simulate(policies, environment, **SMALL, metrics=ALL, workers=1).table
    three = simulate(policies, environment, **SMALL, metrics=ALL, workers=3).table
    assert one.equals(three)


@pytest.mark.long
def test_adding_a_policy_changes_no_other_row():
    few = simulate({"a": RandomChoice(), "b": Plain()}, Tiny(), **SMALL, metrics=ALL).table
    many = simulate(
        {"new": MolUcb(scale=0.3), "b": Plain(), "a": RandomChoice()}, Tiny(), **SMALL, metrics=ALL
    ).table
    assert rows(many, "a").equals(rows(few, "a"))
    assert rows(many, "b").equals(rows(few, "b"))


def test_more_trials_and_another_seed():
    three, five = (
        simulate(Plain(), Tiny(), **SMALL | {"trials": n}, metrics=["reward"]).table for n in (3, 5)
    )
    assert five.filter(pl.col("trial") < 3).equals(three)
    other = simulate(Plain(), Tiny(), **SMALL | {"seed": 6}, metrics=["reward"]).table
    assert not other.equals(three)
    assert three.filter(pl.col("round") == 300)["value"].n_unique() == 6  # trials differ


@pytest.mark.long
@pytest.mark.parametrize("environment", [Tiny(), TinyData(), Tiny(fixed=True)], ids=str)
def test_a_run_is_a_prefix_of_a_longer_one(environment):
    points = [1, 17, 256, 257, 300]
    policies = [MolUcb(scale=0.3), Plain()]
    short = simulate(policies, environment, rounds=300, trials=2, record=points, metrics=ALL).table
    long = simulate(policies, environment, rounds=500, trials=2, record=points, metrics=ALL).table
    assert long.filter(pl.col("round") <= 300).equals(short)


@pytest.mark.long
def test_plain_python_plays_the_same_arms():
    policies = [MolUcb(scale=0.3), RandomChoice()]
    compiled = simulate(policies, Tiny(), **SMALL, metrics=["plays"], compiled=True).table
    plain = simulate(policies, Tiny(), **SMALL, metrics=["plays"], compiled=False).table
    assert compiled.equals(plain)


def test_what_is_recorded_adds_up():
    table = simulate(
        RandomChoice(), Tiny(), rounds=300, trials=1, record=300, metrics=["plays", "reward"]
    ).table
    plays = table.filter(pl.col("metric") == "plays")
    assert (
        plays.group_by("round")
        .agg(pl.col("value").sum())
        .filter(pl.col("value") != pl.col("round"))
        .is_empty()
    )
    last = simulate(
        RandomChoice(), Tiny(), rounds=300, trials=1, record=1, metrics=["plays", "reward"]
    ).table
    assert table.filter(pl.col("round") == 300).equals(last)


def test_progress_is_told_at_the_start_and_once_per_block():
    said = []
    simulate(
        Plain(),
        Tiny(),
        rounds=300,
        trials=3,
        metrics=["reward"],
        progress=lambda *told: said.append(told),
    )
    assert sorted(said) == said
    assert said[-1] == (900, 900)
    assert said[0] == (0, 900)
    assert len(said) == 7


class FailingPolicy(PlainPolicy):
    def update(self, state, x, arm, note, reward, rng):
        if state.count.sum() > 280:
            raise ZeroDivisionError("on purpose")
        return super().update(state, x, arm, note, reward, rng)


@dataclass(frozen=True)
class Failing(Recipe):
    def bind(self, shape):
        return FailingPolicy(shape, 0.1)


def test_a_failure_stops_the_other_trials():
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        simulate(Failing(), Tiny(), rounds=100_000, trials=4, metrics=["reward"], workers=2)
    assert threading.active_count() == before


def test_readings_and_metrics_of_a_users_own():
    class Own:
        name, cumulative, needs_fronts = "own", False, False

        def components(self, shape):
            return 1

        def per_round(self, truth, chosen, fronts):
            return chosen[:, None] * 1.0

    table = simulate(Plain(), Tiny(), rounds=10, trials=1, record=10, metrics=[Own()]).table
    assert set(table["value"]) <= {0.0, 1.0, 2.0, 3.0}


class Opaque(Recipe):
    __repr__ = object.__repr__

    def bind(self, shape):
        return PlainPolicy(shape, 0.1)


class Wrong(Reward):
    def components(self, shape):
        return 7


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounds": -5}, "rounds must be an integer of at least 1, got -5"),
        ({"rounds": 501}, "rounds must be at most 500 in TinyData"),
        ({"trials": 0}, "trials must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"workers": 0}, "workers must be an integer of at least 1, got 0"),
        (
            {"engine": "rays"},
            "engine: 'rays' is unknown; did you mean ray. It must be one of ray, threads",
        ),
        ({"address": "auto"}, "address must be None with engine='threads', got 'auto'"),
        ({"compiled": "yes"}, "compiled must be True, False or 'auto', got 'yes'"),
        ({"compiled": True}, "policy 'Plain..': PlainPolicy is not a @compiled class"),
        ({"record": 0}, "record must be an integer of at least 1, got 0"),
        ({"record": [5, 400]}, "record must name rounds from 1 to 300, got 400"),
        ({"record": "all"}, "record must be a number of rounds or a list of rounds, got 'all'"),
        ({"metrics": ["pareto_regrett"]}, "did you mean pareto_regret?"),
        ({"metrics": "reward"}, r"metrics must be a list, got 'reward'; write \['reward'\]"),
        ({"metrics": []}, "metrics must name at least one metric"),
        (
            {"metrics": ["reward", Reward()]},
            "metrics must have distinct names, got 'reward' 2 times",
        ),
        (
            {"metrics": ["chain_regret"]},
            r"metric chain_regret needs its chains: ChainRegret\(chains=...\)",
        ),
        ({"metrics": [LevelRegret([[0], [1], [2]])]}, "metric level_regret: Levels.levels"),
        (
            {"metrics": ["front_plays"]},
            "metric front_plays: FrontPlays needs arms whose means never change",
        ),
        (
            {"metrics": [Wrong()]},
            r"metric reward: per_round must return shape \(rounds, components\) = \(2, 7\)",
        ),
        ({"policies": []}, "policies must name at least one recipe"),
        (
            {"policies": Plain},
            r"policies must be recipes .*, got <class .*>; write Plain\(...\), an object of that class",
        ),
        (
            {"policies": "mol-ucb"},
            "policies must be recipes .*, got 'mol-ucb'; names are for files and the command line",
        ),
        (
            {"policies": {"a": "mol-ucb"}},
            "policies must be recipes .*, got 'mol-ucb' for 'a'; names are for files",
        ),
        (
            {"environment": Tiny},
            r"environment must be .*, got <class .*>; write Tiny\(...\), an object of that class",
        ),
        (
            {"environment": "linear"},
            "environment must be .*, got 'linear'; names are for files and the command line",
        ),
        (
            {"policies": [Plain(), Plain()]},
            "policies must have distinct names, got 'Plain..' 2 times",
        ),
        (
            {"policies": {"a": Plain(), "b": PreferenceSweep(Plain(), {"a": None})}},
            "policies must have distinct names",
        ),
        ({"policies": Opaque()}, "recipes must print as what they are"),
        (
            {"policies": {"r": MolUcb(order=LevelRegret([[0], [3]]).order)}},
            "policy 'r': Levels.levels",
        ),
    ],
)
def test_mistakes_are_refused_by_name(change, message):
    good = {
        "policies": Plain(),
        "environment": TinyData(),
        "rounds": 300,
        "trials": 2,
        "metrics": ["reward"],
    }
    with pytest.raises(ValueError, match=message):
        simulate(**good | change)


def test_jaccard_on_a_full_grid_is_exactly_per_round():
    table = simulate(
        Plain(0.0), Tiny(fixed=True), rounds=300, trials=1, record=300, metrics=[Jaccard()]
    ).table
    sizes = {1 / n for n in range(1, 5)} | {0.0}
    assert set(table["value"]) <= sizes
    assert np.isin(table["value"].to_numpy(), list(sizes)).all()
