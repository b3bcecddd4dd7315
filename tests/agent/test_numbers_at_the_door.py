"""Numbers and names that an agent refuses before anything changes: each would stay with it for ever."""

import msgspec
import numpy as np
import pytest

import mobandits as mob
from mobandits.agent.file_layout import parsed_file
from mobandits.agent.saving import copied_state, encoded_state
from mobandits.errors import InputWarning, StateError
from mobandits.policies import MolTs, MolUcb, WithFloor, Within
from mobandits.support.checks import LARGEST, LARGEST_FEATURE

COST = mob.Objective("cost", minimise=True, unit="USD", low=0.0, high=1.0)


def agent_of(recipe=None, **change):
    recipe = MolUcb(scale=0.3, check=False) if recipe is None else recipe
    options = {"arms": ["small", "large"], "features": 2, "objectives": ["quality", COST]}
    return mob.Agent(recipe, **(options | change))


def everything(agent):
    header, arrays = parsed_file(encoded_state(copied_state(agent.core)))
    return msgspec.structs.replace(header, now=0.0), [array.tobytes() for array in arrays]


@pytest.mark.filterwarnings("ignore:rewards")
@pytest.mark.parametrize("number", [1e160, -1e200, 2.0 * LARGEST_FEATURE])
def test_a_feature_that_is_too_large_changes_nothing(number):
    agent = agent_of()
    agent.learn(agent.decide([1.0, 0.5]).id, [0.5, 0.25])
    before = everything(agent)
    row = [1.0, number]
    said = "between -1e.10 and 1e.10, got .*: scale features to about 1"
    calls = [
        lambda: agent.decide(row),
        lambda: agent.decide_batch([[1.0, 0.0], row]),
        lambda: agent.adopt(row, "small", rewards=[0.5, 0.25]),
        lambda: agent.learn_log(mob.logs.Feedback([row], [0], [[0.5, -0.25]], [0.5], *NAMES)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=said):
            call()
        assert everything(agent) == before


GOALS = ["quality", "speed"]
NAMES = (["small", "large"], ["quality", COST])


@pytest.mark.parametrize("number", [1e160, -1e308, 2.0 * LARGEST])
def test_a_reward_that_is_too_large_changes_nothing(number):
    agent = agent_of(objectives=["quality", "speed"])
    agent.learn(agent.decide([1.0, 0.5]).id, [0.5, 0.25])
    waiting = agent.decide([1.0, 0.5])
    before = everything(agent)
    calls = [
        lambda: agent.learn(waiting.id, [number, 0.5]),
        lambda: agent.learn(waiting.id, {"speed": number}),
        lambda: agent.adopt([1.0, 0.5], "small", rewards=[0.5, number]),
        lambda: agent.learn_log(
            mob.logs.Feedback([[1.0, 0.5]], [0], [[0.5, number]], [0.5], agent.arms, GOALS)
        ),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"1e\+100"):
            call()
        assert everything(agent) == before


@pytest.mark.parametrize("recipe", [MolUcb(scale=0.3, check=False), MolTs(scale="data")], ids=str)
@pytest.mark.filterwarnings("ignore::mobandits.errors.InputWarning")
def test_the_largest_rewards_leave_an_agent_that_can_be_saved(recipe):
    agent = agent_of(recipe, objectives=["quality", "speed"])
    for sign in (1.0, -1.0, 1.0, 1.0):
        agent.learn(agent.decide([1.0, 0.5]).id, [sign * LARGEST, LARGEST])
    again = mob.Agent.from_bytes(agent.to_bytes())
    assert everything(again) == everything(agent)


def test_what_an_encoder_makes_is_checked_as_well():
    encoder = mob.Encoder.fit([{"age": 20.0}, {"age": 60.0}], "age")
    agent = agent_of(features=encoder)
    with pytest.raises(ValueError, match="scale features to about 1"):
        agent.decide({"age": 1e200})
    assert agent.waiting == 0


def test_a_state_that_cannot_be_read_back_is_not_written(tmp_path):
    agent = agent_of()
    agent.learn(agent.decide([1.0, 0.5]).id, [0.5, 0.25])
    agent.save(tmp_path / "agent")
    agent.core.bound.state().theta[:] = np.nan
    with pytest.raises(StateError, match=r"the agent cannot be saved: state.* finite"):
        agent.save(tmp_path / "agent")
    assert mob.Agent.load(tmp_path / "agent").lessons == 1


def test_values_outside_of_a_range_are_rejected_where_asked(tmp_path):
    quality = mob.Objective("quality", low=0.0, high=1.0, outside="reject")
    options = {"objectives": [quality, COST]}
    path = tmp_path / "log.db"
    recipe = WithFloor(MolUcb(scale=0.3, check=False), 0.1)
    with agent_of(recipe, **options, log=path) as agent:
        decision = agent.decide([1.0, 0.5])
        before = everything(agent)
        with pytest.raises(ValueError, match=r"rewards\['quality'\] must be in \[0, 1\], got 7"):
            agent.learn(decision.id, [7.0, 0.5])
        with pytest.raises(ValueError, match="must be in"):
            agent.adopt([1.0, 0.5], "small", rewards={"quality": -1.0})
        assert everything(agent) == before
        with pytest.warns(InputWarning, match="were expected in"):
            agent.learn(decision.id, [0.5, 2.0])
        agent.save(tmp_path / "agent")

    assert mob.logs.read(path).objectives == (quality, COST)
    assert mob.Agent.load(tmp_path / "agent").objectives == (quality, COST)
    with agent_of(recipe, **options, log=path) as again:
        assert again.lessons == 1
    with pytest.raises(ValueError, match="outside must be 'warn' without low and high"):
        mob.Objective("quality", outside="reject")
    with pytest.raises(ValueError, match=r"Objective\.outside"):
        mob.Objective("quality", low=0.0, outside="ignore")


def test_what_no_agent_can_mean_is_refused(tmp_path):
    agent = agent_of()
    decision = agent.decide([1.0, 0.5])
    for rewards, said in (
        ({}, "rewards must name at least one objective of quality, cost, got {}"),
        ({"quality": True}, r"rewards\['quality'\] must be a number, not a truth value, got True"),
    ):
        with pytest.raises(ValueError, match=said):
            agent.learn(decision.id, rewards)
    with pytest.raises(ValueError, match="different names in a list"):
        agent_of(arms=[float("nan"), 1])
    with pytest.raises(ValueError, match="must be a path of a file, got ':memory:'"):
        agent_of(log=":memory:")
    for limit in (-4.0, 1.5):
        with pytest.raises(
            ValueError, match=r"\['cost'\] must be in the objective's range, \[0, 1\]"
        ):
            agent_of(Within(MolUcb(scale=0.3, check=False), {"cost": limit}))


def test_budgets_take_no_negative_costs_and_name_arms():
    budget = mob.Budget("cost", 3.0)
    agent = agent_of(budgets=[budget])
    decision = agent.decide([1.0, 0.5])
    with pytest.raises(
        ValueError, match=r"rewards\['cost'\] must be at least 0, as it is in a bud"
    ):
        agent.learn(decision.id, {"cost": -5.0})
    (balance,) = agent.balances
    assert (balance.spent, balance.reserved) == (0.0, 1.0)
    with pytest.warns(InputWarning, match=r"Budget\.most.*'zz'"):
        agent_of(budgets=[mob.Budget("cost", 3.0, most={"zz": 1.0})])


def test_ages_count_from_the_call_that_limits_them():
    now = [1e9]
    agent = agent_of(clock=lambda: now[0])
    decision = agent.decide([1.0, 0.5])
    agent.retune(max_age=3600.0)
    agent.tick()
    assert (agent.waiting, agent.dropped["age"]) == (1, 0)
    now[0] += 3599.0
    agent.tick()
    assert agent.waiting == 1
    now[0] += 2.0
    agent.tick()
    assert (agent.waiting, agent.dropped["age"]) == (0, 1)
    assert decision.id == 0


def test_a_constant_radius_beside_a_unit_without_a_range_is_warned_of():
    dollars = mob.Objective("cost", minimise=True, unit="USD")
    recipe = WithFloor(MolUcb(scale=1.0, check=False), 0.1)
    with pytest.warns(InputWarning, match=r"MolUcb\.scale = 1 is in USD for objective 'cost'"):
        agent_of(recipe, objectives=["quality", dollars])
    # None of these has a constant in dollars.
    agent_of(recipe, objectives=["quality", COST])
    agent_of(WithFloor(MolUcb(), 0.1), objectives=["quality", dollars])
    agent_of(recipe, objectives=["quality", mob.Objective("cost", minimise=True)])
