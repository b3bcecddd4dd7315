"""Recipes as TOML tables, and back: the inverse of `build`."""

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.orders import Levels, Lexicographic, Pareto, Weighted
from mobandits.policies import (
    Falling,
    Forgetting,
    MolEpsGreedy,
    MolUcb,
    Paced,
    Rollout,
    WithFloor,
    Within,
)
from mobandits.spec import build, catalogue
from mobandits.spec.describing import part_table, toml_value

RECIPES = [
    MolUcb(),
    MolUcb(scale="data", order=Weighted({"quality": 1.0, "cost": 0.5})),
    MolUcb(scale=0.2, order=Levels([[0, 1], [2]])),
    WithFloor(MolEpsGreedy(epsilon=0.0, penalty=10.0, order=Weighted([1, 0])), 0.05),
    WithFloor(MolUcb, Falling(1, 0.2)),
    WithFloor(MolUcb(), shares={"a": 0.25, "b, c": 0.5}),
    Paced(MolUcb(order=Pareto(on=["quality"])), {"cost, USD": 2e-05}, horizon=9, start={"cost, USD": 3}),
    Within(MolUcb(), {"cost": 0.1}, keeps="certain"),
    Rollout(Paced(MolUcb, {"cost": 0.1}), mixture={"a": 0.25, "b\"c": 0.75}, share=0.0),
    Forgetting(MolUcb(order=Lexicographic()), discount=0.98),
]  # fmt: skip


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: type(recipe).__name__)
def test_a_recipe_comes_back_through_the_text_of_a_file(recipe):
    table = part_table("policies", recipe, "policy")
    read = tomllib.loads(f"policy = {toml_value(table)}")["policy"]
    assert read == table
    assert build("policies", read, "policy") == recipe
    assert part_table("policies", build("policies", read, "policy"), "policy") == table


def test_every_recipe_with_defaults_comes_back():
    written = 0
    for name, cls in catalogue("policies").items():
        try:
            recipe = cls()
        except TypeError:
            continue
        assert part_table("policies", recipe, "policy") == {"name": name}
        written += 1
    assert written > 10


def test_what_a_file_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="policy must be one of `mobandits list policies`"):
        part_table("policies", Weighted([1.0]), "policy")
    # Names that are numbers would come back as numbers of objectives.
    with pytest.raises(ValueError, match="policy must have parameters that TOML can hold"):
        part_table("policies", Paced(MolUcb(), {"1": 0.5}), "policy")
    with pytest.raises(
        ValueError, match="a TOML file must hold finite numbers, text, lists and tables"
    ):
        toml_value(float("inf"))
    with pytest.raises(ValueError, match="a TOML file must hold"):
        toml_value(None)


PLAIN = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(PLAIN)
def test_any_value_reads_back(value):
    assert tomllib.loads(f"value = {toml_value(value)}")["value"] == value
    if isinstance(value, float):
        assert np.signbit(tomllib.loads(f"value = {toml_value(value)}")["value"]) == np.signbit(
            value
        )
