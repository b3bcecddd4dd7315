"""The same bits before, across and after calls of an agent change over to compiled code."""

import changing_over
import pytest
from changing_over import CASES, differences, modes_of
from every_recipe import Case

from mobandits import orders
from mobandits.policies import MoglbUcb, MolEpsGreedy, MolTs, MolUcb, Within
from mobandits.precompile import example
from mobandits.spec import catalogue

FEW = [(Case(MolEpsGreedy(epsilon=0.3)), "exact"), (Case(MolUcb(scale=0.3), shared=True), "none")]


@pytest.mark.parametrize(("case", "propensity"), FEW, ids=str)
def test_a_change_at_any_call_alters_nothing(case, propensity):
    assert differences(case, propensity) == []


def test_a_history_asks_for_every_kind_of_call():
    asked = set()
    telling = [case for case in CASES if isinstance(case.recipe, MoglbUcb | MolTs | Within)]
    for case in telling:
        for propensity in modes_of(case):
            with changing_over.calls_made_in_python(lambda _: True) as called:
                changing_over.history(case, propensity)
            asked.update(called)
    assert asked == {
        "add_probabilities",
        "all_break_limits",
        "apply_links",
        "beliefs_in_state",
        "decide",
        "decide_many",
        "decide_with_probabilities",
        "update_many",
        "update_state",
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_recipe_in_every_mode(case):
    for propensity in modes_of(case):
        assert differences(case, propensity) == [], propensity


@pytest.mark.slow
@pytest.mark.parametrize("name", catalogue("orders"))
def test_every_order(name):
    order = example(catalogue("orders")[name])
    assert isinstance(order, getattr(orders, type(order).__name__))
    for recipe, propensity in ((MolUcb(scale=0.3), "exact"), (MolTs(scale=0.3), "sampled")):
        assert differences(Case(recipe), propensity, order) == []
