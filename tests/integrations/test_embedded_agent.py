"""What a plugin for gateways asks of an agent of its own process."""

import asyncio

import pytest

from mobandits import Agent, Budget, Objective
from mobandits.policies import MolUcb
from mobandits_client import ServiceError
from mobandits_client.integrations.deciders import EmbeddedDecider, decider_of
from mobandits_client.integrations.requests import RoutedRequest, prompt_features
from mobandits_client.integrations.steps import Known, Step

CONTEXT = prompt_features(RoutedRequest("chat", [{"role": "user", "content": "Hello"}]))
ARMS = ["small", "large"]
COST = Objective("cost", minimise=True, unit="USD", low=0.0, high=0.05)


def agent_of(**options):
    known = {"arms": ARMS, "features": 3, "objectives": ["quality", "cost"], "propensity": "exact"}
    return Agent(MolUcb(scale=0.3), **known | options)


def test_an_agent_of_this_process_is_asked_in_a_thread_only_at_first_or_for_its_log(tmp_path):
    async def life(agent):
        decider = EmbeddedDecider(agent)
        known = await decider.awaited(Step("known"))
        assert known == Known(frozenset({"small", "large"}), frozenset({"quality", "cost"}))
        for _ in range(2):
            made = await decider.awaited(Step("decide", (CONTEXT, ["large"], "key", None)))
            assert made.arm == "large"
            await decider.awaited(Step("reward", (made, {"quality": 0.5, "cost": 0.25})))
        made = await decider.awaited(Step("decide", (CONTEXT, ["small"], "key", None)))
        await decider.awaited(Step("abandon", (made,)))

    for log in (None, tmp_path / "agent.db"):
        with agent_of(log=log) as agent:
            asyncio.run(life(agent))
            assert agent.lessons == 2
            assert agent.waiting == 0


def test_an_agent_is_known_by_what_it_can_do():
    assert type(decider_of(agent_of())) is EmbeddedDecider


def test_a_session_keeps_its_arm():
    decider = EmbeddedDecider(agent_of(sticky=300))
    for session in ("one", "two"):
        first = decider.decide(CONTEXT, ARMS, "key", session)
        arms = {decider.decide(CONTEXT, ARMS, "key", session).arm for _ in range(20)}
        assert arms == {first.arm}


def test_a_budget_that_is_used_up_is_told_as_a_service_tells_it():
    budget = Budget("cost", 0.05, per="month", most=0.03)
    decider = EmbeddedDecider(agent_of(objectives=["quality", COST], budgets=[budget]))
    decider.decide(CONTEXT, ARMS, "key", None)
    with pytest.raises(ServiceError, match=r"'cost'.*has") as refused:
        decider.decide(CONTEXT, ARMS, "key", None)
    assert refused.value.is_budget


def test_other_errors_of_an_agent_are_its_own():
    decider = EmbeddedDecider(agent_of())
    with pytest.raises(ValueError, match="context must"):
        decider.decide([1.0], ARMS, "key", None)
