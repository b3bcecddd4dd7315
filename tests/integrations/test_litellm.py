"""LiteLLM's plugin in LiteLLM itself, against a server on loopback that answers as OpenAI's does."""

import asyncio
import contextlib
import os
import time

import pytest

# Before LiteLLM is imported: else it would fetch its table of prices.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
litellm = pytest.importorskip("litellm", reason="needs the extra litellm: make test-litellm")

from fake_openai import COST, PATIENCE, fake_openai  # noqa: E402

from mobandits import Agent, Budget, Objective  # noqa: E402
from mobandits.policies import MolUcb, WithFloor  # noqa: E402
from mobandits_client.integrations.litellm import BanditRouting, litellm_session  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM's own
MESSAGES = [{"role": "user", "content": "What is 2 + 2?"}]
RECIPE = WithFloor(MolUcb(scale=0.3), epsilon=0.1)
COST_OBJECTIVE = Objective("cost", minimise=True, unit="USD", low=0.0, high=0.05)


@pytest.fixture(scope="module")
def fake():
    with fake_openai() as server:
        yield server


def agent_of(*arms, objectives=("quality", COST_OBJECTIVE), **options):
    options = {"propensity": "exact", **options}
    return Agent(RECIPE, arms=list(arms), features=3, objectives=list(objectives), **options)


class Noted:
    """The calls of an agent's `learn`, by decision."""

    def __init__(self, agent):
        self.rewards = {}
        self._learn = agent.core.learn
        agent.core.learn = self.learn

    def learn(self, number, rewards):
        self._learn(number, rewards)
        self.rewards[number] = {**self.rewards.get(number, {}), **rewards}


@contextlib.contextmanager
def routed(agent, deployments, **options):
    """A router whose models an agent chooses, and the plugin."""
    known = ("features", "session", "groups", "failed", "measure", "latency")
    plugin = BanditRouting(agent, **{name: options.pop(name) for name in known if name in options})
    router = litellm.Router(model_list=deployments, **{"num_retries": 0, **options})
    plugin.install(router)
    try:
        yield router, plugin
    finally:
        plugin.uninstall()
        router.discard()


async def until(condition):
    """LiteLLM reports from tasks and threads of its own."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_answers_and_streams_are_learned_with_cost_latency_and_reported_quality(fake):
    objectives = ("quality", COST_OBJECTIVE, Objective("latency", minimise=True, unit="s"))
    agent = agent_of("small", "large", objectives=objectives)
    noted = Noted(agent)

    async def life(router, plugin):
        for _ in range(3):
            answer = await router.acompletion(model="chat", messages=MESSAGES)
            # The plugin knows of it before the client does.
            assert await plugin.areport(answer.id, quality=0.75)
        stream = await router.acompletion(model="chat", messages=MESSAGES, stream=True)
        ids = {chunk.id async for chunk in stream}
        assert len(ids) == 1
        await plugin.areport(ids.pop(), quality=0.5)
        await until(lambda: agent.waiting == 0)

    deployments = [fake.deployment("small"), fake.deployment("large")]
    with routed(agent, deployments) as (router, plugin):
        asyncio.run(life(router, plugin))
        assert len(plugin.routing.attempts) == 0
    assert len(noted.rewards) == 4
    for number, rewards in noted.rewards.items():
        assert rewards["quality"] == (0.75 if number < 3 else 0.5)
        assert rewards["cost"] == pytest.approx(COST)
        assert 0.0 < rewards["latency"] < PATIENCE


def test_calls_that_wait_are_routed_and_learned(fake):
    agent = agent_of("small", "large")
    noted = Noted(agent)
    deployments = [fake.deployment("small"), fake.deployment("large")]
    with routed(agent, deployments) as (router, plugin):
        answer = router.completion(model="chat", messages=MESSAGES)
        plugin.report(answer.id, quality=0.75)
        chunks = list(router.completion(model="chat", messages=MESSAGES, stream=True))
        plugin.report(chunks[0].id, quality=0.5)
        asyncio.run(until(lambda: agent.waiting == 0))
    assert [rewards["quality"] for rewards in noted.rewards.values()] == [0.75, 0.5]
    assert [rewards["cost"] for rewards in noted.rewards.values()] == pytest.approx([COST] * 2)


def test_a_session_keeps_its_model(fake):
    agent = agent_of("small", "large", sticky=300)
    deployments = [fake.deployment("small"), fake.deployment("large")]

    async def life(router):
        said = {}
        for turn in range(20):
            options = {"litellm_session_id": f"chat {turn % 2}"}
            answer = await router.acompletion(model="chat", messages=MESSAGES, **options)
            said.setdefault(turn % 2, set()).add(answer.choices[0].message.content)
        assert [len(contents) for contents in said.values()] == [1, 1]

    with routed(agent, deployments, session=litellm_session) as (router, _):
        asyncio.run(life(router))
    assert set(agent.core.sessions.stays) == {"chat 0", "chat 1"}


def test_what_fails_is_worth_nothing_and_another_arm_is_tried(fake):
    agent = agent_of("down", "limited", "small")
    noted = Noted(agent)

    async def life(router, plugin):
        for _ in range(4):
            answer = await router.acompletion(model="chat", messages=MESSAGES)
            assert answer.choices[0].message.content == "small says hello"
            await plugin.areport(answer.id, quality=1.0)
        await until(lambda: agent.waiting == 0)

    deployments = [fake.deployment(model) for model in ("down", "limited", "small")]
    # Else LiteLLM would not ask a model again that has failed.
    options = {"num_retries": 2, "disable_cooldowns": True}
    with routed(agent, deployments, **options) as (router, plugin):
        asyncio.run(life(router, plugin))
    worth = [rewards["quality"] for rewards in noted.rewards.values()]
    assert worth.count(1.0) == 4
    assert worth.count(0.0) >= 2
    failed = [rewards for rewards in noted.rewards.values() if rewards["quality"] == 0.0]
    assert all(rewards["cost"] == 0.0 for rewards in failed)


def test_calls_that_wait_try_another_arm_as_well(fake):
    agent = agent_of("down", "small")
    deployments = [fake.deployment("down"), fake.deployment("small")]
    options = {"num_retries": 1, "disable_cooldowns": True}
    with routed(agent, deployments, **options) as (router, plugin):
        for _ in range(4):
            answer = router.completion(model="chat", messages=MESSAGES)
            plugin.report(answer.id, quality=1.0)
        asyncio.run(until(lambda: agent.waiting == 0))
    assert fake.asked[-1] == "small"


def test_a_request_that_every_model_would_refuse_teaches_nothing(fake):
    agent = agent_of("refuses")

    async def life(router):
        with pytest.raises(litellm.BadRequestError):
            await router.acompletion(model="chat", messages=MESSAGES)
        await until(lambda: agent.waiting == 0)

    with routed(agent, [fake.deployment("refuses")]) as (router, _):
        asyncio.run(life(router))
    assert agent.lessons == 0


def test_a_stream_that_breaks_is_a_failure(fake):
    agent = agent_of("breaks")
    noted = Noted(agent)

    async def life(router):
        stream = await router.acompletion(model="chat", messages=MESSAGES, stream=True)
        with pytest.raises(Exception, match=r"."):
            async for _ in stream:
                pass
        await until(lambda: agent.waiting == 0)

    with routed(agent, [fake.deployment("breaks")]) as (router, _):
        asyncio.run(life(router))
    assert noted.rewards[0]["quality"] == 0.0


def test_fallback_groups_of_litellm_are_further_attempts(fake):
    agent = agent_of("down", "small")
    noted = Noted(agent)
    deployments = [fake.deployment("down"), fake.deployment("small", group="reserve")]

    async def life(router, plugin):
        answer = await router.acompletion(model="chat", messages=MESSAGES)
        await plugin.areport(answer.id, quality=1.0)
        await until(lambda: agent.waiting == 0)

    fallbacks = [{"chat": ["reserve"]}]
    with routed(agent, deployments, fallbacks=fallbacks) as (router, plugin):
        asyncio.run(life(router, plugin))
    assert [rewards["quality"] for rewards in noted.rewards.values()] == [0.0, 1.0]


def test_metadata_that_an_application_uses_again_does_not_join_requests(fake):
    agent = agent_of("small", "large")
    eligible = []
    decide = agent.core.decide
    agent.core.decide = lambda context, arms: (eligible.append(arms), decide(context, arms))[1]
    metadata = {"application": "test"}

    async def life(router, plugin):
        calls = [
            router.acompletion(model="chat", messages=MESSAGES, metadata=metadata) for _ in range(4)
        ]
        for answer in await asyncio.gather(*calls):
            await plugin.areport(answer.id, quality=1.0)
        await until(lambda: agent.waiting == 0)

    deployments = [fake.deployment("small"), fake.deployment("large")]
    with routed(agent, deployments) as (router, plugin):
        asyncio.run(life(router, plugin))
    assert eligible == [["small", "large"]] * 4


def test_a_budget_that_is_used_up_refuses_or_falls_back_to_a_group_of_its_own(fake):
    budget = Budget("cost", 0.05, per="month", most=0.03)
    agent = agent_of("small", "large", budgets=[budget])
    deployments = [fake.deployment("small"), fake.deployment("large")]

    async def life(router, plugin):
        answer = await router.acompletion(model="chat", messages=MESSAGES)
        await plugin.areport(answer.id, quality=1.0)
        await until(lambda: agent.waiting == 0)
        answer = await router.acompletion(model="chat", messages=MESSAGES)
        await plugin.areport(answer.id, quality=1.0)
        await until(lambda: agent.waiting == 0)
        return await router.acompletion(model="chat", messages=MESSAGES)

    refused = pytest.raises(litellm.BudgetExceededError, match="cost")
    with routed(agent, deployments, groups=["chat"]) as (router, plugin), refused:
        asyncio.run(life(router, plugin))
    agent = agent_of("small", "large", budgets=[budget])
    deployments.append(fake.deployment("free", group="reserve"))
    fallbacks = [{"chat": ["reserve"]}]
    with routed(agent, deployments, groups=["chat"], fallbacks=fallbacks) as (router, plugin):
        answer = asyncio.run(life(router, plugin))
    assert answer.choices[0].message.content == "free says hello"
    assert agent.balances[0].spent == pytest.approx(2 * COST)


def test_replicas_of_an_arm_share_its_requests(fake):
    agent = agent_of("small")
    deployments = [fake.deployment("small", id=f"small-{number}") for number in range(2)]
    served = set()

    async def life(router, plugin):
        for _ in range(40):
            answer = await router.acompletion(model="chat", messages=MESSAGES)
            served.add(answer._hidden_params["model_id"])
            await plugin.areport(answer.id, quality=1.0)
        await until(lambda: agent.waiting == 0)

    with routed(agent, deployments) as (router, plugin):
        asyncio.run(life(router, plugin))
    assert served == {"small-0", "small-1"}


def test_measured_rewards_and_features_are_the_users(fake):
    objectives = ("quality", COST_OBJECTIVE, Objective("tokens", minimise=True))
    agent = agent_of("small", "large", objectives=objectives)
    noted = Noted(agent)

    def features(request):
        assert request.group == "chat"
        assert request.options["temperature"] == 0.5
        return [1.0, 0.0, float("tools" in request.options)]

    def measure(details, response):
        assert details["response_cost"] == pytest.approx(COST)
        return {"tokens": response.usage.total_tokens}

    async def life(router, plugin):
        answer = await router.acompletion(model="chat", messages=MESSAGES, temperature=0.5)
        await plugin.areport(answer.id, quality=1.0)
        await until(lambda: agent.waiting == 0)

    deployments = [fake.deployment("small"), fake.deployment("large")]
    options = {"features": features, "measure": measure}
    with routed(agent, deployments, **options) as (router, plugin):
        asyncio.run(life(router, plugin))
    assert noted.rewards[0]["tokens"] == 15.0
