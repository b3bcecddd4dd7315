"""Cases of the suite: how they report, what they refuse, and how they cross into another process."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from policy_mutants import Honest, HonestRecipe, Mutant, State

from mobandits.contracts.protocols import Recipe, Shape
from mobandits.orders import Pareto
from mobandits.testing import DEFAULT_SHAPE, POLICY_CHECKS, PolicyCase, check_order, check_policy
from mobandits.testing.arena import (
    ROUNDS,
    arena,
    copied,
    distance,
    in_parts,
    same,
    snapshot,
    state_from_snapshot,
)


def test_a_failure_says_check_recipe_seed_and_values():
    with pytest.raises(AssertionError) as failure:
        PolicyCase(Mutant("biased draw"), seed=3).check("draws-match-probabilities")
    text = str(failure.value)
    assert text.startswith(
        "draws-match-probabilities: Mutant(name='biased draw'), gaussian rewards, seed 3: "
    )
    assert (
        "1000 draws give [1000, 0, 0, 0, 0], `probabilities` are [0.2, 0.2, 0.2, 0.2, 0.2] after round 0"
        in text
    )


def test_check_policy_runs_every_check():
    with pytest.raises(AssertionError, match="relabelling-moves-the-probabilities"):
        check_policy(Mutant("ties to the first"))


def test_checks_can_be_left_out_by_name():
    check_policy(Mutant("ties to the first"), without=("relabelling-moves-the-probabilities",))
    assert PolicyCase(HonestRecipe(), without=["well-formed"]).checks == POLICY_CHECKS[1:]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: PolicyCase(HonestRecipe(), without=("wellformed",)),
            "PolicyCase.without.* must be one of .*well-formed",
        ),
        (
            lambda: PolicyCase(HonestRecipe(), rewards="coins"),
            "PolicyCase.rewards must be one of binary, gaussian, got",
        ),
        (lambda: PolicyCase(HonestRecipe()).check("draws"), "check.* must be one of"),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@dataclass(frozen=True)
class WholeRewards(Recipe):
    """A recipe that cannot learn parts, and is honest about it."""

    accepts_partial = False

    def bind(self, shape):
        return Mutant("missing is zero").bind(shape)


def test_a_recipe_may_refuse_partial_rewards():
    check_policy(WholeRewards())


class PlainPolicy(Honest):
    """The honest policy without `@compiled`: plain Python."""


@dataclass(frozen=True)
class PlainRecipe(Recipe):
    def bind(self, shape):
        return PlainPolicy(shape.arms, shape.objectives)


def test_a_plain_python_policy_joins_too():
    case = PolicyCase(PlainRecipe())
    assert not case.compiles
    for check in case.checks:
        case.check(check)


def test_a_recipe_of_a_function_joins_too():
    @dataclass(frozen=True)
    class Local(Recipe):
        def bind(self, shape):
            return HonestRecipe().bind(shape)

    PolicyCase(Local()).check("well-formed")


def test_an_order_is_checked_in_one_line():
    check_order(Pareto(), objectives=2)


class Pair(NamedTuple):
    one: Any
    two: Any


def test_a_snapshot_is_the_state():
    state = Pair(State(np.arange(6.0).reshape(2, 3), np.zeros((0, 2))), np.array([1], np.int64))
    loaded = state_from_snapshot(snapshot(state), state)
    assert type(loaded) is Pair
    assert type(loaded.one) is State
    assert same(loaded, state)
    assert loaded.two.dtype == np.int64


def test_states_are_copied_and_compared_leaf_by_leaf():
    state = State(np.zeros((2, 2)), np.array([[np.nan, np.inf]]))
    other = copied(state)
    assert same(state, other)
    assert distance(state, other) == 0.0
    other.seen[0, 0] = 1e-6
    assert not same(state, other)
    assert distance(state, other) == 1e-6
    assert distance(State(np.ones((2, 1)), 0), State(np.ones((2, 3)), 0)) == 0.0
    assert distance(np.array([1.0]), np.array([np.inf])) == np.inf


@pytest.mark.parametrize(
    "shape",
    [
        DEFAULT_SHAPE,
        DEFAULT_SHAPE._replace(shared=True),
        Shape(3, 0, 2),
        Shape(3, 2, 2, fixed_arms=np.eye(3, 2)),
    ],
)
@pytest.mark.parametrize("rewards", ["gaussian", "binary"])
def test_the_arena_fits_every_shape(shape, rewards):
    contexts, paid = arena(shape, rewards, seed=0)
    rows = 1 if shape.shared or not shape.features else shape.arms
    assert contexts.shape == (
        1 if shape.fixed_arms is not None or not shape.features else ROUNDS,
        rows,
        shape.features,
    )
    assert paid.shape == (ROUNDS, shape.arms, shape.objectives)
    assert set(np.unique(paid)) == {0.0, 1.0} or rewards == "gaussian"
    assert 0.3 < np.isnan(in_parts(paid, 0)).mean() < 0.37
