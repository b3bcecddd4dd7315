"""The same table, wherever a simulation changes over from Python to compiled code."""

import itertools

import pytest

import mobandits as mob
from mobandits.compiling import at_once
from mobandits.environments import Linear
from mobandits.orders import Lexicographic
from mobandits.policies import Doubling, MolEpsGreedy, MolUcb
from mobandits.simulation import PreferenceSweep

pytestmark = pytest.mark.process
POLICIES = {
    "stages": Doubling(MolEpsGreedy(), first=16),
    "sweep": PreferenceSweep(MolUcb(scale=0.3), {"lexicographic": Lexicographic()}),
}


def table():
    metrics = ["effective_pareto_regret", "pareto_regret", "jaccard"]
    simulated = mob.simulate(
        POLICIES, Linear(arms=4, features=3, objectives=2), metrics=metrics, rounds=150, trials=2
    )
    return simulated.table


@pytest.fixture(scope="module")
def expected():
    return table()


@pytest.mark.parametrize("change", [1, 5, 12, 25, 40, 100, 10**9])
def test_it_does_not_matter_when_code_is_at_hand(monkeypatch, expected, change):
    numbers = itertools.count()
    loops = []

    def is_at_hand(loop, kinds, *, compiles):
        loops.append(loop)
        return next(numbers) >= change

    monkeypatch.setattr(at_once, "is_at_hand", is_at_hand)
    monkeypatch.setattr(at_once, "_at_once", at_once._AtOnce)
    assert table().equals(expected)
    # Blocks are played in small pieces until then.
    assert len(loops) > change or change > 100
    names = {loop.origin.function.__name__ for loop in loops}
    assert {"play"} <= names
