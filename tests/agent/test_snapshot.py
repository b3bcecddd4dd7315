"""Files of agents: what was saved goes on as before, other versions are refused, a write is all or nothing."""

import json
import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from every_recipe import ORDERS
from make_golden import AGENTS, DATA, lived
from slow_twin import Clock, Program, SlowTwin, agent_of, differences
from state_files import D, forged, parts, rich_agent

import mobandits as mob
from mobandits import orders
from mobandits.agent import Objective
from mobandits.agent.file_layout import PACKAGE, VERSION, decision_rows
from mobandits.agent.pending import Pending
from mobandits.contracts.protocols import Recipe, Shape
from mobandits.errors import StateError
from mobandits.logs.parts_as_data import described, made
from mobandits.orders import (
    Levels,
    Lexicographic,
    Pareto,
)
from mobandits.policies import MolUcb, RandomChoice

EVERY_ORDER = [
    *ORDERS,
    Pareto(),
    orders.Cone([[1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]),
    orders.Gini([1.0, 0.5, 0.5]),
    orders.Ratio(0, 2, 0.5),
    orders.GrossScalar(),
]


def saved_and_loaded(agent, path, **other):
    agent.save(path)
    return mob.Agent.load(path, **other)


def test_what_was_saved_goes_on(tmp_path):
    clock = Clock()
    agent = rich_agent(clock)
    later = Clock()
    again = saved_and_loaded(agent, tmp_path / "agent", clock=later)
    for name in (
        "arms",
        "objectives",
        "recipe",
        "seed",
        "features",
        "rounds",
        "propensity",
        "waiting",
        "dropped",
        "lessons",
    ):
        assert getattr(again, name) == getattr(agent, name)
    assert again.preference == agent.preference == Levels([[0, 1], [2]])
    assert lived(agent, clock) == lived(again, later)
    again.preference = None
    assert again.preference == Pareto()
    assert [each.dropped for each in (agent, again)] == [agent.dropped] * 2


@pytest.mark.long
def test_a_life_goes_on_where_it_was_saved(tmp_path):
    """The program of the slow twin, with an agent that is replaced by what its file holds every now and then."""
    clock = Clock()
    agent, twin = agent_of(clock), SlowTwin(own=True)
    program = Program(agent, clock, own=False, twin=twin, seed=3)
    for _ in range(40):
        program.run(50)
        program.agent = saved_and_loaded(program.agent, tmp_path / "agent", clock=clock)
    assert differences(program.agent, twin) < 1e-9


@pytest.mark.parametrize("name", AGENTS)
def test_the_golden_file_goes_on(name, interpreted):
    clock = Clock()
    path = DATA / f"{name}_v{VERSION}.mobandits"
    said = json.loads(path.with_suffix(".json").read_text())
    agent = mob.Agent.load(path, clock=clock)
    now = lived(agent, clock)
    assert [arm for arm, _ in now["said"]] == [arm for arm, _ in said["said"]]
    for (_, mine), (_, theirs) in zip(now["said"], said["said"], strict=True):
        assert mine == theirs if theirs is None else abs(mine - theirs) < 1e-12
    np.testing.assert_allclose(now["estimates"], said["estimates"], rtol=0, atol=1e-12)
    assert [now[key] for key in ("lessons", "waiting")] == [
        said[key] for key in ("lessons", "waiting")
    ]


@pytest.mark.parametrize("version", [1, VERSION - 1, VERSION + 1])
def test_another_version_is_refused_in_one_line(tmp_path, version):
    header, arrays = parts((DATA / f"rich_v{VERSION}.mobandits").read_bytes())
    path = tmp_path / "agent"
    path.write_bytes(forged(header | {"version": version, "by": "mobandits 9.9"}, arrays))
    before = path.read_bytes()
    with pytest.raises(StateError) as caught:
        mob.Agent.load(path)
    said = f"{path} is an agent of version {version} (mobandits 9.9): {PACKAGE} understands version"
    assert str(caught.value) == f"{said} {VERSION} only"
    assert path.read_bytes() == before


def test_this_version_has_a_file(tmp_path, interpreted):
    for name, make in AGENTS.items():
        agent, _ = make()
        agent.save(tmp_path / "agent")
        mine, _ = parts((tmp_path / "agent").read_bytes())
        theirs, _ = parts((DATA / f"{name}_v{mine['version']}.mobandits").read_bytes())
        # A parameter of a recipe that came later has its default in the older file.
        recipes = [made(header.pop("recipe"), "recipe") for header in (mine, theirs)]
        assert recipes[0] == recipes[1]
        assert mine | {"by": 0} == theirs | {"by": 0}


def test_before_the_first_decision(tmp_path):
    agent = mob.Agent(MolUcb(scale=0.3), arms=["a", "b"], features=2, objectives=2, seed=4)
    agent.add_arm("c")
    agent.preference = Lexicographic()
    again = saved_and_loaded(agent, tmp_path / "agent")
    assert (again.arms, again.preference, again.waiting) == (("a", "b", "c"), Lexicographic(), 0)
    assert again.decide([0.5, 1.0]) == agent.decide([0.5, 1.0])


def test_names_and_numbers_of_any_kind(tmp_path):
    arms = ["a", "1", 1, -2.5, None, ("a", (1, None)), np.int64(7), np.float32(0.5), "ä€"]
    objectives = [
        Objective(("x", 1), low=np.float32(0.5), after=np.int64(3), default=np.float64(1.0)),
        np.int32(2),
    ]
    options = {
        "rounds": np.int64(50),
        "max_age": np.float32(9.0),
        "pending": np.int64(10),
        "seed": np.int64(3),
    }
    agent = mob.Agent(RandomChoice(), arms=arms, features=0, objectives=objectives, **options)
    agent.decide()
    again = saved_and_loaded(agent, tmp_path / "agent")
    assert again.arms == agent.arms
    assert [type(name) for name in again.arms[:6]] == [type(name) for name in arms[:6]]
    assert again.objectives == agent.objectives
    assert [again.decide() for _ in range(20)] == [agent.decide() for _ in range(20)]


def test_budgets_with_arms_of_any_name(tmp_path):
    cost = Objective("cost", minimise=True)
    most = {"a": np.float32(0.5), 1: 2, ("b", None): 0.25}
    budgets = [mob.Budget("cost", np.int64(5), per="day", most=most)]
    options = {"arms": list(most), "features": 0, "objectives": [cost], "clock": Clock()}
    agent = mob.Agent(RandomChoice(), **options, budgets=budgets)
    agent.learn(agent.decide().id, [0.125])
    again = saved_and_loaded(agent, tmp_path / "agent", clock=Clock())
    assert again.balances == agent.balances
    assert again.to_bytes() == agent.to_bytes()


def test_a_row_has_the_fields_of_a_decision_that_waits():
    assert decision_rows(2, 3, 1).waiting.names == ("id", *Pending._fields)


@pytest.mark.parametrize("bad", [frozenset([1]), b"a", 1j])
def test_names_that_files_do_not_keep(tmp_path, bad):
    agent = mob.Agent(RandomChoice(), arms=["a", bad], features=0, objectives=1)
    with pytest.raises(ValueError, match="arm must be"):
        agent.save(tmp_path / "agent")
    assert list(tmp_path.iterdir()) == []


@dataclass(frozen=True)
class Ours(Recipe):
    """A recipe that is not this library's."""

    inner: ClassVar[Recipe] = MolUcb(scale=0.3)

    def bind(self, shape: Shape):
        return self.inner.bind(shape)


def test_recipes_of_others_are_said_again(tmp_path):
    path = tmp_path / "agent"
    agent = mob.Agent(Ours(), arms=2, features=2, objectives=2)
    agent.learn(agent.decide([0.5, 1.0]).id, [1.0, 0.0])
    again = saved_and_loaded(agent, path, recipe=Ours())
    assert [again.decide([0.5, 1.0]) for _ in range(5)] == [
        agent.decide([0.5, 1.0]) for _ in range(5)
    ]
    for wrong in (None, MolUcb(scale=0.3)):
        with pytest.raises(
            StateError, match="recipe must be given: a Ours, as when the file was written, got"
        ):
            mob.Agent.load(path, recipe=wrong)


def test_a_recipe_with_parameters_of_another_kind_is_said_again(tmp_path):
    """That a switch is no number is for type checkers to say; but what was saved must be what can be loaded."""
    agent = mob.Agent(MolUcb(scale=0.3, check=1), arms=2, features=2, objectives=2)
    assert (
        saved_and_loaded(agent, tmp_path / "agent", recipe=MolUcb(scale=0.3, check=1)).recipe
        == agent.recipe
    )
    with pytest.raises(StateError, match="recipe must be given: a MolUcb"):
        mob.Agent.load(tmp_path / "agent")
    fine = mob.Agent(
        MolUcb(scale=np.float64(0.3), delta=np.float32(0.5)), arms=2, features=2, objectives=2
    )
    assert saved_and_loaded(fine, tmp_path / "fine").recipe == fine.recipe


def test_recipes_of_this_library_need_not_be_said(tmp_path):
    agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1)
    assert (
        saved_and_loaded(agent, tmp_path / "agent", recipe=RandomChoice()).recipe == RandomChoice()
    )
    with pytest.raises(
        StateError, match=r"recipe must be that of the file, RandomChoice\(\), got MolUcb"
    ):
        mob.Agent.load(tmp_path / "agent", recipe=MolUcb(scale=0.3))


@pytest.mark.parametrize("order", EVERY_ORDER, ids=str)
def test_orders_are_described(order):
    assert made(json.loads(json.dumps(described(order, "order"))), "order") == order


def test_every_order_is_described():
    public = {name for name in orders.__all__ if isinstance(getattr(orders, name), type)}
    assert {type(order).__name__ for order in EVERY_ORDER} == public


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch, call):
    agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1)
    agent.save(tmp_path / "agent")
    before = (tmp_path / "agent").read_bytes()
    agent.decide()

    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(*(("pathlib.Path.open", fail) if call == "open" else (os, call, fail)))
        with pytest.raises(OSError, match="No space left on device"):
            agent.save(tmp_path / "agent")
    assert (tmp_path / "agent").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["agent"]
    agent.save(tmp_path / "agent")
    assert mob.Agent.load(tmp_path / "agent").waiting == 1


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(StateError, match="missing cannot be read: No such file"):
        mob.Agent.load(tmp_path / "missing")
    with pytest.raises(
        StateError, match=r"must be a file that `Agent.save` wrote, found an empty folder"
    ):
        mob.Agent.load(tmp_path)
    (tmp_path / "foreign").write_text("a,b\n1,2\n")
    with pytest.raises(
        StateError,
        match=r"foreign is not the file of an agent, which `Agent.save` writes: found a ",
    ):
        mob.Agent.load(tmp_path / "foreign")


def test_a_file_of_moderate_size(tmp_path):
    """What is kept of a decision does not grow with the number of arms."""
    agent = mob.Agent(RandomChoice(), arms=1000, features=D, objectives=2)
    agent.decide_batch(np.zeros((500, D)))
    agent.save(tmp_path / "agent")
    assert (tmp_path / "agent").stat().st_size < 500 * 8 * (6 + D + 2) + 1000 * 20 + 2000
