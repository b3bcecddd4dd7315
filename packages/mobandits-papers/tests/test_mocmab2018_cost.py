"""The cost of MOC-MAB: claims on made-up times, and the numbers that its state really holds."""

import numpy as np
import polars as pl
import pytest

from mobandits.contracts.protocols import Shape
from mobandits.policies import MocMab
from mobandits_papers.claims import verdict
from mobandits_papers.experiment import RunOptions
from mobandits_papers.mocmab2018 import cost, theory
from mobandits_papers.moglb2019 import cost as timing
from mobandits_papers.outcome import Outcome

TRIALS = 6
CLAIMS = {claim.id.rpartition("/")[2]: claim for claim in cost.REMARK_2.claims}


def outcome(time_of, ratio=4 / 3):
    """An outcome in which a round of a size costs what `time_of(size, window)` says, up to 1 %."""
    rows = []
    for row, size in cost.SIZES.items():
        for trial in range(TRIALS):
            noise = 1 + 0.01 * np.sin(7 * trial + size.arms)
            rows += [
                (row, trial, 1000 * window, cost.COST, noise * time_of(size, window))
                for window in range(1, 11)
            ]
            rows.append((row, trial, 10_000, cost.NUMBERS, ratio))
    table = pl.DataFrame(rows, ["policy", "trial", "round", "metric", "value"], orient="row")
    table = table.with_columns(environment=pl.lit("w"), component=pl.lit(0))
    return Outcome(table, {"w": "w"}, {("w", row): row for row in cost.SIZES})


def linear(size, window):
    """A cost of the remark's order."""
    return 0.2 + 0.02 * size.arms + 0.001 * size.features + 0.0 * window


def test_costs_of_the_remarks_order_are_as_claimed():
    found = outcome(linear)
    for name in ("steps", "cells", "rounds", "memory"):
        entry = CLAIMS[name].judge(found)
        assert (entry["kind"], entry["verdict"], entry["holds"]) == ("check", "reported", True), (
            name
        )


@pytest.mark.parametrize(
    ("name", "time_of"),
    [
        ("steps", lambda size, window: 0.2 + 0.02 * size.arms**1.5),
        ("steps", lambda size, window: 0.2 + 1e-5 * size.features**2),
        ("cells", lambda size, window: 0.1 * size.parts**2),
        ("rounds", lambda size, window: 0.1 * window),
    ],
)
def test_costs_of_another_order_are_not(name, time_of):
    assert CLAIMS[name].judge(outcome(time_of))["holds"] is False


def test_the_cost_is_held_against_the_formula():
    """By hand: the constants of the smallest sizes, and the formula with them."""
    parts = {part.said: part.measured for part in cost.within_order(outcome(linear))}
    assert len(parts) == 6
    sizes = cost.SIZES
    per_arm = linear(sizes["K = 16"], 0) / 16
    per_coordinate = linear(sizes["d = 64"], 0) / 64
    expected = linear(sizes["K = 64"], 0) / (per_coordinate * 2 + per_arm * 64)
    assert parts["K = 64, cost over c d + k K"] == pytest.approx(expected, rel=0.02)


def test_memory_that_depends_on_the_size_is_seen():
    table = outcome(linear)
    assert verdict(cost.memory_parts(table)) == "reproduced"
    more = outcome(linear)
    measured = more._parts["w", "K = 64"]
    measured[cost.NUMBERS] = measured[cost.NUMBERS].with_columns(value=2.0)
    assert verdict(cost.memory_parts(more)) == "not reproduced"


@pytest.mark.parametrize("rounds", [100, 10**6])
def test_the_numbers_of_a_state_are_counted(rounds):
    """One by one, and whatever the horizon: m^d K slots with two counters and two means."""
    shape = Shape(arms=3, features=2, objectives=2, rounds=rounds, shared=True)
    policy = MocMab(per_side=5).bind(shape)
    state = policy.init()
    count = sum(1 for array in state for _ in array.ravel())
    assert cost.count_numbers(state) == count == 25 * 3 * 4
    setting = theory.Setting(rounds, arms=3, features=2, parts=5)
    assert 3 * count == 4 * theory.memory(setting)


def test_times_are_taken_for_every_size(monkeypatch):
    monkeypatch.setattr(timing, "compile_loop", lambda loop, policy: loop)
    few = {row: cost.SIZES[row] for row in ("K = 16", "d = 64", "m = 4")}
    monkeypatch.setattr(cost, "SIZES", few)
    table = cost.costs(0, RunOptions(rounds=100))
    taken = table.filter(pl.col("metric") == cost.COST)
    assert taken.group_by("policy", maintain_order=True).len().rows() == [(row, 10) for row in few]
    assert taken["round"].unique().sort().to_list() == list(range(10, 101, 10))
    assert (taken["value"] > 0.0).all()
    ratios = table.filter(pl.col("metric") == cost.NUMBERS)
    assert ratios["value"].to_list() == pytest.approx([4 / 3] * 3)
    assert ratios["round"].to_list() == [100] * 3
