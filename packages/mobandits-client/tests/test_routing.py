"""What a plugin does for requests, without a gateway: a decider that writes down what it is asked."""

import asyncio
import json
import logging

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits_client import AsyncClient, Client, ServiceError
from mobandits_client.httpx_sender import WaitingHttpx
from mobandits_client.integrations.attempts import AnswerBook, Attempt, AttemptBook, arms_to_try
from mobandits_client.integrations.deciders import decider_of, known_of
from mobandits_client.integrations.failures import is_the_models_failure
from mobandits_client.integrations.requests import RoutedRequest, prompt_features
from mobandits_client.integrations.routing import RequestRouting, RoutingSettings, arm_of_deployment
from mobandits_client.integrations.steps import Known, MadeDecision, Step, run_awaiting, run_waiting
from mobandits_client.messages import AgentState, ObjectiveState

ARMS = ("small", "medium", "large")
REQUEST = RoutedRequest("chat", [{"role": "user", "content": "Hello"}])


class NotedDecider:
    """Chooses the first eligible arm, and notes its calls."""

    def __init__(self, *, front=None, known=None, failure=None):
        self.calls = []
        self.sessions = []
        self.front = front
        self.known_arms = known or Known(frozenset(ARMS), frozenset({"quality", "cost", "latency"}))
        self.failure = failure

    def known(self):
        return self.known_arms

    def decide(self, context, eligible, key, session):
        if self.failure is not None:
            raise self.failure
        self.calls.append(("decide", list(eligible)))
        self.sessions.append(session)
        return MadeDecision(len(self.calls), eligible[0], self.front)

    def reward(self, made, rewards):
        self.calls.append(("reward", made.arm, dict(rewards)))

    def abandon(self, made):
        self.calls.append(("abandon", made.arm))

    def waited(self, step):
        return getattr(self, step.name)(*step.arguments)

    async def awaited(self, step):
        return self.waited(step)


def settings(**changes):
    options = {
        "features": prompt_features,
        "arm_of": arm_of_deployment,
        "session": None,
        "groups": None,
        "cost": "cost",
        "latency": None,
        "failed": {"quality": 0.0},
        "remembered": 100,
    }
    return RoutingSettings(**{**options, **changes})


def deployments(*arms):
    return [
        {"litellm_params": {"model": f"openai/{arm}"}, "model_info": {"id": str(place), "arm": arm}}
        for place, arm in enumerate(arms)
    ]


def chosen(routing, decider, listed, request="request", call="call"):
    steps = routing.choose(REQUEST, listed, request, call)
    return [arm_of_deployment(each) for each in run_waiting(decider, steps)]


def test_an_answer_is_learned_once_with_what_was_reported_before():
    decider = NotedDecider()
    routing = RequestRouting(settings())
    listed = deployments("small", "large", "small")
    assert chosen(routing, decider, listed) == ["small", "small"]
    attempt = routing.attempts.of_call("call")
    assert attempt.deployments == {"0", "2"}

    assert run_waiting(decider, routing.report("answer", {"quality": 0.75})) is False
    rewards = routing.measured(0.5, 2.0)
    for _ in range(2):
        run_waiting(decider, routing.succeed(attempt, "answer", rewards))
    assert run_waiting(decider, routing.report("answer", {"quality": 0.75})) is True
    assert decider.calls == [
        ("decide", ["small", "large"]),
        ("reward", "small", {"cost": 0.5, "quality": 0.75}),
        ("reward", "small", {"quality": 0.75}),
    ]
    assert len(routing.attempts) == 0
    assert routing.attempts.key_of("call") == attempt.key
    assert routing.attempts.key_of("another") is None


def test_retries_go_to_the_front_of_the_first_decision_first():
    decider = NotedDecider(front=("small", "large"))
    routing = RequestRouting(settings())
    listed = deployments(*ARMS)
    tried = [chosen(routing, decider, listed, call=str(number))[0] for number in range(4)]
    assert tried == ["small", "large", "medium", "small"]
    failures = [call for call in decider.calls if call[0] == "reward"]
    expected = {"cost": 0.0, "quality": 0.0}
    assert failures == [("reward", arm, expected) for arm in ("small", "large", "medium")]
    # Another request starts from the beginning.
    assert chosen(routing, decider, listed, request="another") == ["small"]
    assert decider.calls[-1] == ("decide", list(ARMS))


@given(
    candidates=st.lists(st.sampled_from("abcdef"), min_size=1, unique=True),
    failed=st.lists(st.sampled_from("abcdef")),
    front=st.one_of(st.none(), st.lists(st.sampled_from("abcdef"), unique=True).map(tuple)),
)
def test_arms_of_a_further_attempt_have_not_failed_where_any_is_left(candidates, failed, front):
    earlier = [Attempt("r", "c", MadeDecision(0, arm, front), "k", frozenset()) for arm in failed]
    eligible = arms_to_try(candidates, earlier)
    assert eligible
    assert set(eligible) <= set(candidates)
    left = set(candidates) - set(failed)
    if left:
        assert set(eligible) <= left
        on_front = left & set(front or ())
        if failed and on_front:
            assert set(eligible) == on_front


def test_failures_that_are_not_the_models_teach_nothing():
    class AuthenticationError(Exception):
        pass

    assert is_the_models_failure(RuntimeError())
    assert not is_the_models_failure(asyncio.CancelledError())
    decider = NotedDecider()
    routing = RequestRouting(settings(latency="latency"))
    chosen(routing, decider, deployments("small"))
    attempt = routing.attempts.of_call("call")
    run_waiting(decider, routing.fail(attempt, AuthenticationError()))
    run_waiting(decider, routing.fail(attempt, None))
    assert decider.calls[1:] == [("abandon", "small")]

    chosen(routing, decider, deployments("small"), request="next", call="next")
    attempt = routing.attempts.of_call("next")
    run_waiting(decider, routing.fail(attempt, TimeoutError(), cost=0.25))
    rewards = decider.calls[-1][2]
    assert rewards.keys() == {"quality", "cost", "latency"}
    assert rewards["cost"] == 0.25

    routing = RequestRouting(settings(failed=None))
    chosen(routing, decider, deployments("small"))
    run_waiting(decider, routing.fail(routing.attempts.of_call("call"), TimeoutError()))
    assert decider.calls[-1] == ("abandon", "small")


def test_answers_from_a_cache_teach_nothing():
    decider = NotedDecider()
    routing = RequestRouting(settings())
    chosen(routing, decider, deployments("small"))
    run_waiting(decider, routing.drop(routing.attempts.of_call("call")))
    assert decider.calls[-1] == ("abandon", "small")
    assert len(routing.attempts) == 0


def test_the_gateway_chooses_where_the_agent_cannot(caplog):
    listed = deployments(*ARMS)
    groups = RequestRouting(settings(groups=["other"]))
    assert chosen(groups, NotedDecider(), listed) == list(ARMS)
    strangers = NotedDecider(known=Known(frozenset({"tiny"}), None))
    assert chosen(RequestRouting(settings()), strangers, listed) == list(ARMS)
    assert not strangers.calls

    with caplog.at_level(logging.WARNING, "mobandits_client"):
        for _ in range(3):
            down = NotedDecider(failure=ServiceError("the service does not answer"))
            routing = RequestRouting(settings())
            for _ in range(2):
                assert chosen(routing, down, listed) == list(ARMS)
        broken = RequestRouting(settings(features=lambda request: 1 / 0))
        assert chosen(broken, NotedDecider(), listed) == list(ARMS)
        some = NotedDecider(known=Known(frozenset({"small"}), None))
        assert chosen(RequestRouting(settings()), some, listed) == ["small"]
    assert len(caplog.messages) == 3 + 1 + 1  # once for each plugin, not for each request
    assert "does not answer" in caplog.messages[0]
    assert "ZeroDivisionError" in caplog.messages[3]
    assert "'large', 'medium'" in caplog.messages[4]


def test_a_budget_that_is_used_up_refuses_the_request():
    decider = NotedDecider(failure=ServiceError("no room", 429, is_budget=True))
    with pytest.raises(ServiceError, match="no room"):
        chosen(RequestRouting(settings()), decider, deployments(*ARMS))


def test_a_fallback_arm_of_another_group_leaves_the_choice_to_the_gateway():
    class Fallback(NotedDecider):
        def decide(self, context, eligible, key, session):
            return MadeDecision(0, "large", None)

    decider = Fallback()
    assert chosen(RequestRouting(settings()), decider, deployments("small")) == ["small"]
    assert decider.calls == [("abandon", "large")]


def test_the_session_of_a_request_goes_to_the_agent_with_every_attempt():
    decider = NotedDecider()
    routing = RequestRouting(settings(session=lambda request: request.options.get("session")))
    for options in ({}, {"session": "chat 17"}):
        request = RoutedRequest("chat", options=options)
        for call in "ab":
            steps = routing.choose(request, deployments(*ARMS), f"of {options}", call)
            run_waiting(decider, steps)
    assert decider.sessions == [None, None, "chat 17", "chat 17"]


def test_only_objectives_of_the_agent_are_learned():
    decider = NotedDecider(known=Known(frozenset(ARMS), frozenset({"quality"})))
    routing = RequestRouting(settings())
    chosen(routing, decider, deployments("small"))
    attempt = routing.attempts.of_call("call")
    run_waiting(decider, routing.name(attempt, "answer"))
    run_waiting(decider, routing.succeed(attempt, "answer", {"cost": 1.0}))
    assert decider.calls == [("decide", ["small"])]


def test_books_hold_no_more_than_their_limits():
    book = AttemptBook(3)
    answers = AnswerBook(3)
    for number in range(10):
        text = str(number)
        made = MadeDecision(number, "small", None)
        book.add(Attempt(text, text, made, text, frozenset()))
        answers.name(text, made)
        answers.find_or_keep(f"early {text}", {"quality": 0.5})
    assert len(book) == 3
    assert book.of_call("6") is None
    assert book.of_call("7") is not None
    assert answers.find_or_keep("6", {}) is None
    assert answers.find_or_keep("7", {}).handle == 7
    assert answers.name("early 7", MadeDecision(0, "small", None)) == {}
    assert answers.name("early 9", MadeDecision(0, "small", None)) == {"quality": 0.5}


def test_coroutines_and_threads_do_the_same_steps():
    async def in_a_coroutine(decider):
        routing = RequestRouting(settings())
        await run_awaiting(decider, routing.choose(REQUEST, deployments(*ARMS), "r", "c"))
        attempt = routing.attempts.of_call("c")
        await run_awaiting(decider, routing.succeed(attempt, "answer", {"cost": 0.5}))
        await run_awaiting(decider, routing.report("answer", {"quality": 0.5}))

    awaited = NotedDecider()
    asyncio.run(in_a_coroutine(awaited))
    waited = NotedDecider()
    routing = RequestRouting(settings())
    chosen(routing, waited, deployments(*ARMS))
    attempt = routing.attempts.of_call("call")
    run_waiting(waited, routing.succeed(attempt, "answer", {"cost": 0.5}))
    run_waiting(waited, routing.report("answer", {"quality": 0.5}))
    assert awaited.calls == waited.calls


def test_requests_are_described_by_three_numbers_in_the_unit_interval():
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {}}]
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None},
    ]
    assert RoutedRequest("chat", messages).text == "Be brief.\nWhat is this?"
    assert RoutedRequest("embed", input=["one", "two"]).text == "one\ntwo"
    longest = RoutedRequest("chat", [{"role": "user", "content": "x" * 3_000_000}] * 3)
    empty = RoutedRequest("chat")
    assert prompt_features(empty) == [1.0, 0.0, 0.0]
    assert prompt_features(longest)[1] == 1.0
    assert 0.0 < prompt_features(longest)[2] < 1.0


def test_deciders_are_agents_and_clients():
    with pytest.raises(ValueError, match=r"decider must be an Agent, AsyncClient or Client, got 7"):
        decider_of(7)
    with Client("http://127.0.0.1:1", "router") as client:
        assert type(decider_of(client)).__name__ == "WaitingServiceDecider"
    decider = decider_of(AsyncClient("http://127.0.0.1:1", "router"))
    assert decider.waited(Step("known")) == Known()
    refusal = r"decider must be a Client or an Agent for calls that wait, got AsyncClient"
    made = MadeDecision(0, "small", None)
    for step in (
        Step("decide", ([], [], "key", None)),
        Step("reward", (made, {})),
        Step("abandon", (made,)),
    ):
        with pytest.raises(ValueError, match=refusal):
            decider.waited(step)


def test_nothing_is_known_of_an_agent_of_a_service_before_it_is_ready():
    quality = ObjectiveState("quality", False, "")
    state = AgentState("router", "ready", "", ["small"], 3, [quality], "", 0, 0, 0, {}, {})
    assert known_of(state) == Known(frozenset({"small"}), frozenset({"quality"}))
    state.objectives = []
    assert known_of(state) == Known()


class FakeService:
    """A service whose agent always decides for its first eligible arm."""

    def __init__(self, *, shows_state=True):
        self.calls = []
        self.shows_state = shows_state

    def __call__(self, request):
        path = request.url.path.removeprefix("/v1/agents/router")
        self.calls.append(f"{request.method} {path}".strip())
        if request.method == "GET" and not self.shows_state:
            return httpx.Response(403, json={"title": "no"})
        if request.method == "GET":
            quality = {"name": "quality", "minimise": False, "unit": ""}
            state = {"name": "router", "status": "ready", "policy": "", "arms": list(ARMS)}
            state |= {"features": 3, "objectives": [quality], "preference": "", "decisions": 0}
            more = {"specification": {}}
            return httpx.Response(
                200, json=state | {"waiting": 0, "learned": 0, "dropped": {}, **more}
            )
        if path == "/decide":
            arm = json.loads(request.content)["eligible"][0]
            decided = {"decision": "3", "arm": arm, "propensity": 0.5, "error": 0.0}
            return httpx.Response(
                200, json=decided | {"front": [arm], "preference": "", "replayed": False}
            )
        if path.endswith("/rewards"):
            rewarded = {"decision": "3", "status": "settled", "missing": [], "repeated": False}
            return httpx.Response(200, json=rewarded)
        return httpx.Response(204)


def requests_through(routing, run, listed):
    """Two requests: one is answered, the other one refused by the model's provider."""

    class BadRequestError(Exception):
        pass

    for number in range(2):
        call = str(number)
        yield run(routing.choose(REQUEST, listed, call, call))
        attempt = routing.attempts.of_call(call)
        if number == 0:
            yield run(routing.succeed(attempt, "answer", {"cost": 0.5}))
            yield run(routing.report("answer", {"quality": 0.5}))
        else:
            yield run(routing.fail(attempt, BadRequestError()))


def answered_and_refused(client):
    decider = decider_of(client)
    routing = RequestRouting(settings())
    done = requests_through(routing, lambda steps: run_waiting(decider, steps), deployments(*ARMS))
    return [len(each) for each in done if isinstance(each, list)]


async def answered_and_refused_awaiting(client):
    decider = decider_of(client)
    routing = RequestRouting(settings())
    chosen_counts = []
    steps = requests_through(
        routing, lambda steps: run_awaiting(decider, steps), deployments(*ARMS)
    )
    for each in steps:
        done = await each
        if isinstance(done, list):
            chosen_counts.append(len(done))
    if isinstance(client, AsyncClient):
        await client.close()
    return chosen_counts


def asking(url, service):
    transport = httpx.MockTransport(service)
    return WaitingHttpx(httpx.AsyncClient(base_url=url, transport=transport))


@pytest.mark.parametrize("shows_state", [True, False])
def test_clients_of_a_service_decide_report_and_abandon(shows_state):
    url = "http://service"
    reward = "POST /decisions/3/rewards"
    # The agent has no objective called cost, where that can be known.
    measured = [] if shows_state else [reward]
    expected = ["GET", "POST /decide", *measured, reward]
    expected += ["POST /decide", "POST /decisions/3/abandon"]

    service = FakeService(shows_state=shows_state)
    with Client(url, "router") as waiting:
        waiting._http = asking(url, service)
        assert answered_and_refused(waiting) == [1, 1]
    assert service.calls == expected

    service = FakeService(shows_state=shows_state)
    client = AsyncClient(url, "router")
    client._http = httpx.AsyncClient(base_url=url, transport=httpx.MockTransport(service))
    assert asyncio.run(answered_and_refused_awaiting(client)) == [1, 1]
    assert service.calls == expected

    # A waiting client, asked by a coroutine.
    service = FakeService(shows_state=shows_state)
    with Client(url, "router") as waiting:
        waiting._http = asking(url, service)
        assert asyncio.run(answered_and_refused_awaiting(waiting)) == [1, 1]
    assert service.calls == expected
