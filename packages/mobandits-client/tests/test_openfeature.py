"""The provider of flags, asked by OpenFeature's own client, beside a service that a function plays."""

import asyncio

import httpx
import msgspec
import pytest
from clients import CONTEXT, DECIDED, asking

from mobandits_client import ServiceWarning

pytest.importorskip("openfeature", reason="needs openfeature-sdk")

from openfeature import api
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason
from openfeature.track import TrackingEventDetails

from mobandits_client.integrations.openfeature import BanditProvider

REWARDED = {"decision": "3", "status": "waiting", "missing": ["cost"], "repeated": False}
VISITOR = EvaluationContext("visitor-1", {"city": "Rome", "age": 40})


class Service:
    """Decides, takes rewards, and notes (path, body) of both; or is down."""

    def __init__(self):
        self.requests = []
        self.is_down = False
        self.decided = 0

    def __call__(self, request):
        if self.is_down:
            raise httpx.ConnectError("down")
        body = msgspec.json.decode(request.content)
        self.requests.append((request.url.path, body))
        if request.url.path.endswith("/decide"):
            self.decided += 1
            answer = DECIDED | {"decision": str(self.decided), "front": ["small", "large"]}
            return httpx.Response(200, json=answer)
        if "quality" in body:
            return httpx.Response(200, json=REWARDED)
        return httpx.Response(422, json={"status": 422, "detail": "unknown objective"})

    def rewards(self):
        return [(path, body) for path, body in self.requests if path.endswith("/rewards")]


@pytest.fixture
def service():
    return Service()


@pytest.fixture
def flags(service):
    api.set_provider(BanditProvider(asking(service, attempts=1)))
    yield api.get_client()
    service.is_down = False
    api.clear_providers()


def test_a_flag_is_an_agent_and_its_value_an_arm(service, flags):
    found = flags.get_string_details("router", "none", VISITOR)
    assert (found.value, found.variant, found.reason) == ("large", "large", Reason.SPLIT)
    assert found.flag_metadata == {"decision": "1", "propensity": 0.5}
    assert service.requests[0][1]["context"] == {"city": "Rome", "age": 40}
    value = flags.get_object_value("router", {}, EvaluationContext(attributes={"context": CONTEXT}))
    assert value == {"arm": "large", "front": ["small", "large"], "propensity": 0.5}
    assert service.requests[1][1]["context"] == CONTEXT
    assert flags.get_string_value("router", "none") == "large"
    assert service.requests[2][1].get("context") is None


def test_coroutines_get_the_same(flags):
    async def both():
        details = await flags.get_string_details_async("router", "none", VISITOR)
        value = await flags.get_object_value_async("router", {}, VISITOR)
        return details.value, value["arm"]

    assert asyncio.run(both()) == ("large", "large")


def test_defaults_where_there_is_no_arm(service, flags):
    assert flags.get_string_details("other", "none").error_code == ErrorCode.FLAG_NOT_FOUND
    for read in (flags.get_boolean_details, flags.get_integer_details, flags.get_float_details):
        found = read("router", 0)
        assert (found.value, found.error_code) == (0, ErrorCode.TYPE_MISMATCH)
    service.is_down = True
    found = flags.get_string_details("router", "none")
    assert (found.value, found.error_code) == ("none", ErrorCode.GENERAL)


def test_events_reward_the_last_decision_of_a_targeting_key(service, flags):
    flags.get_string_value("router", "none", VISITOR)
    flags.get_string_value("router", "none", VISITOR)
    flags.get_string_value("router", "none", EvaluationContext("visitor-2"))
    flags.track("router", VISITOR, TrackingEventDetails(attributes={"quality": 0.5}))
    flags.track("router", None, TrackingEventDetails(attributes={"quality": 1.0, "decision": "7"}))
    path = "/v1/agents/router/decisions/{}/rewards"
    assert service.rewards() == [
        (path.format(2), {"quality": 0.5}),
        (path.format(7), {"quality": 1.0}),
    ]


def test_events_that_reward_nothing_do_no_harm(service, flags, caplog):
    flags.track("checkout", VISITOR, TrackingEventDetails(attributes={"quality": 0.5}))
    flags.track("router", VISITOR)
    flags.track("router", VISITOR, TrackingEventDetails(attributes={"quality": 0.5}))
    assert service.requests == []
    assert caplog.messages == ["rewards of router belong to no known decision"]
    flags.get_string_value("router", "none", VISITOR)
    flags.track("router", VISITOR, TrackingEventDetails(attributes={"joy": 0.5}))
    assert caplog.messages[1].startswith("rewards of router were refused: ")


def test_only_so_many_targeting_keys_are_remembered(service):
    provider = BanditProvider(asking(service), remembered=2)
    for visitor in ("a", "b", "a", "c"):
        provider.resolve_string_details("router", "none", EvaluationContext(visitor))
    for visitor in ("a", "b", "c"):
        details = TrackingEventDetails(attributes={"quality": 0.5})
        provider.track("router", EvaluationContext(visitor), details)
    assert [path.split("/")[-2] for path, _ in service.rewards()] == ["3", "4"]
    provider.shutdown()


def test_a_fallback_of_the_client_is_an_arm_whose_rewards_are_kept(service):
    service.is_down = True
    provider = BanditProvider(asking(service, fallback="small", attempts=1))
    found = provider.resolve_string_details("router", "none", VISITOR)
    assert (found.value, found.reason, found.flag_metadata) == ("small", Reason.DEFAULT, {})
    provider.track("router", VISITOR, TrackingEventDetails(attributes={"quality": 0.5}))
    with pytest.warns(ServiceWarning, match="1 fallback decision and 1 report of rewards"):
        provider.shutdown()
