"""The clients, against the service and against one that fails."""

import asyncio
import signal

import httpx
import msgspec
import pytest
from services import CONTEXT, PATIENCE, ROUTER, Served

from mobandits.client import AsyncClient, Client, ServiceError
from mobandits.client.failures import LONGEST_WAIT, wait_before
from mobandits.service.messages import Observed

REWARDS = {"quality": 0.5, "cost": 0.25}


def test_a_client_goes_on_while_the_service_is_down_and_reports_later(tmp_path):
    with Served(tmp_path) as service:
        port = int(service.url.rsplit(":", 1)[1])
        with Client(service.url, "router", fallback="small", timeout=PATIENCE) as client:
            first = client.decide(CONTEXT)
            assert first.propensity > 0.0
            assert client.reward(first, REWARDS).status == "settled"
            service.end(signal.SIGKILL)

            client._attempts = 2
            alone = client.decide(CONTEXT)
            unrewarded = client.decide(CONTEXT)
            dropped = client.decide(CONTEXT)
            assert alone.is_fallback
            assert alone.arm == "small"
            assert client.reward(alone, {"quality": 0.75}) is None
            client.abandon(dropped)
            with pytest.raises(ServiceError, match="does not answer"):
                client.state()
            with pytest.raises(ServiceError, match="does not answer"):
                client.flush()

            service.start(port)
            assert not client.decide(CONTEXT).is_fallback
            later = client.reward(alone, {"cost": 0.5})
            assert later.status == "settled"
            found = client.decision(later.decision)
            assert found.made_by == "observed"
            assert found.rewards == {"quality": 0.75, "cost": 0.5}
            client.flush()
            assert client.reward(unrewarded, {"quality": 0.5}).missing == ["cost"]
            assert client.state().decisions == 4
            made = client.decide_batch([CONTEXT, CONTEXT])
            client.activate(made[0])
            client.abandon(made[1])
            assert len(client.explain(made[0].decision).estimates) == 4
            assert client.set_preference("lexicographic").preference.startswith("lexicographic")
            with pytest.raises(ServiceError, match="context must") as refused:
                client.decide([1.0])
            assert refused.value.status == 422
            assert refused.value.field == "context"


class Failing:
    """A service that fails as it is told, and then answers."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        if self.failures:
            failure = self.failures.pop(0)
            if isinstance(failure, Exception):
                raise failure
            # Anew: an answer is read once.
            headers = dict(failure.headers)
            return httpx.Response(failure.status_code, headers=headers, content=failure.content)
        body = {"decision": "3", "arm": "large", "propensity": 0.5, "error": 0.0}
        body |= {"front": None, "preference": "", "replayed": len(self.requests) > 1}
        return httpx.Response(200, json=body)


def clients(service):
    """A client of each kind, whose requests a function answers."""
    waiting = Client("http://service", "router", attempts=3)
    waiting._http = httpx.Client(base_url=waiting.url, transport=httpx.MockTransport(service))
    meanwhile = AsyncClient("http://service", "router", attempts=3)
    transport = httpx.MockTransport(service)
    meanwhile._http = httpx.AsyncClient(base_url=meanwhile.url, transport=transport)

    return waiting, meanwhile


def both(service, talk):
    """What a call gives, with a client of each kind on services that fail alike."""
    waiting, _ = clients(service())
    _, meanwhile = clients(service())
    answers = []
    for run in (lambda: talk(waiting), lambda: asyncio.run(awaited(talk(meanwhile)))):
        try:
            answers.append(run())
        except ServiceError as error:
            answers.append((str(error), error.status))
    waiting.close()

    return answers


async def awaited(coroutine):
    return await coroutine


@pytest.mark.parametrize(
    "failures",
    [
        [],
        [httpx.ConnectError("no")],
        [httpx.Response(503), httpx.ReadTimeout("slow")],
        [httpx.Response(429, headers={"Retry-After": "0"})] * 2,
    ],
)
def test_what_may_pass_is_tried_again_with_the_same_key(failures):
    services = []

    def service():
        services.append(Failing(*failures))
        return services[-1]

    first, second = both(service, lambda client: client.decide(CONTEXT, key="k"))
    assert first == second
    assert first.arm == "large"
    for each in services:
        if each.requests:
            assert len(each.requests) == len(failures) + 1
            bodies = {request.content for request in each.requests}
            assert len(bodies) == 1
            assert b'"key":"k"' in bodies.pop()


@pytest.mark.parametrize(
    ("failures", "status"),
    [
        ([httpx.ConnectError("no")] * 3, None),
        ([httpx.Response(503)] * 3, 503),
        ([httpx.Response(422, json={"detail": "context must fit", "field": "context"})], 422),
        ([httpx.Response(404, text="nginx")], 404),
    ],
)
def test_what_does_not_pass_is_one_error(failures, status):
    first, second = both(lambda: Failing(*failures), lambda client: client.decide(CONTEXT))
    assert first == second
    assert first[1] == status


def test_a_budget_that_is_used_up_is_no_reason_for_a_fallback():
    """A fallback arm may cost as well, and the limit is hard; nor does another attempt help."""
    service = Failing(httpx.Response(429, json={"detail": "the budget of cost is used up"}))
    with Client("http://service", "router", fallback="small", attempts=3) as client:
        client._http = httpx.Client(base_url=client.url, transport=httpx.MockTransport(service))
        with pytest.raises(ServiceError, match="used up"):
            client.decide(CONTEXT)
    assert len(service.requests) == 1


def test_fallbacks_are_kept_while_their_report_fails():
    observed = []

    def answer(request):
        if request.url.path.endswith("decide"):
            return decides.pop(0)
        observed.append(msgspec.json.decode(request.content, type=list[Observed]))
        return reports.pop(0)

    decided = {"decision": "3", "arm": "large", "propensity": 0.5, "error": 0.0}
    decided |= {"front": None, "preference": "", "replayed": False}
    decides = [httpx.Response(503)] + [httpx.Response(200, json=decided)] * 2
    own = {"own_arm": "large", "own_propensity": 0.25}
    adopted = [{"adopted": {"decision": "4", "replayed": False, **own}, "refused": None}]
    reports = [httpx.Response(500), httpx.Response(200, json=adopted)]
    client = Client("http://service", "router", fallback="small", attempts=1)
    client._http = httpx.Client(base_url=client.url, transport=httpx.MockTransport(answer))
    with client:
        alone = client.decide(CONTEXT)
        assert alone.is_fallback
        assert client.reward(alone, REWARDS) is None
        assert client.decide(CONTEXT).decision == "3"
        assert client.decide(CONTEXT).decision == "3"
        client.flush()
    assert len(observed) == 2
    assert observed[0] == observed[1]
    assert observed[0][0].arm in ROUTER["arms"]
    assert observed[0][0].rewards == REWARDS


def test_a_fallback_that_is_refused_is_forgotten_and_said(caplog):
    refused = [{"adopted": None, "refused": {"status": 422, "detail": "arm must be another one"}}]

    def answer(request):
        if request.url.path.endswith("decide"):
            return httpx.Response(503)
        return httpx.Response(200, json=refused)

    client = Client("http://service", "router", fallback="huge", attempts=1)
    client._http = httpx.Client(base_url=client.url, transport=httpx.MockTransport(answer))
    with client:
        alone = client.decide(CONTEXT)
        client.flush()
        assert "arm must be another one" in caplog.text
        with pytest.raises(ServiceError, match="another one") as error:
            client.reward(alone, REWARDS)
        assert error.value.status == 422


def test_waits_are_bounded():
    busy = httpx.Response(503, headers={"Retry-After": "3600"})
    assert wait_before(1, busy) == LONGEST_WAIT
    assert wait_before(20, None) == LONGEST_WAIT
