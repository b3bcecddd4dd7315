"""The clients, against a service that fails as it is told."""

import asyncio

import httpx
import msgspec
import pytest
from clients import CONTEXT, DECIDED, OWN, Failing, asking, asking_meanwhile, awaited

from mobandits_client import Choice, Client, ServiceError, ServiceWarning
from mobandits_client.messages import BUDGET, Observed, RewardsOf

REWARDS = {"quality": 0.5, "cost": 0.25}


def both(service, talk):
    """What a call gives, with a client of each kind on services that fail alike."""
    waiting = asking(service())
    meanwhile = asking_meanwhile(service())
    answers = []
    for run in (lambda: talk(waiting), lambda: asyncio.run(awaited(talk(meanwhile)))):
        try:
            answers.append(run())
        except ServiceError as error:
            answers.append((str(error), error.status))
    waiting.close()

    return answers


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

    asked = {"key": "k", "session": "s"}
    first, second = both(service, lambda client: client.decide(CONTEXT, **asked))
    assert first == second
    assert first.arm == "large"
    for each in services:
        if each.requests:
            assert len(each.requests) == len(failures) + 1
            bodies = {request.content for request in each.requests}
            assert len(bodies) == 1
            (body,) = map(msgspec.json.decode, bodies)
            assert asked.items() <= body.items()


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
    problem = {"type": BUDGET, "detail": "the budget of cost is used up"}
    service = Failing(httpx.Response(429, headers={"Retry-After": "0"}, json=problem))
    with asking(service, fallback="small") as client:
        with pytest.raises(ServiceError, match="used up") as refused:
            client.decide(CONTEXT)
        assert refused.value.is_budget
        decided = client.decide(CONTEXT)
        service.failures.append(httpx.Response(429, json=problem))
        with pytest.raises(ServiceError, match="used up"):
            client.reward(decided, REWARDS)
    assert len(service.requests) == 3


class Reported:
    """A service that is down when it is told to be, and remembers what was reported."""

    def __init__(self):
        self.is_down = False
        self.fails_reports = False
        self.refuses = None
        self.most = 1000
        self.observed = []
        self.rewarded = []

    def __call__(self, request):
        if self.is_down:
            raise httpx.ConnectError("refused")
        path = request.url.path
        if path.endswith("decide"):
            return httpx.Response(200, json=DECIDED)
        if "/decisions/" in path:
            return httpx.Response(200, json=TAKEN)

        content = request.content
        if path.endswith("/decisions"):
            items = msgspec.json.decode(content, type=list[Observed])
            self.observed.append(items)
            taken = {"adopted": {"decision": "4", "replayed": False, **OWN}}
        else:
            items = msgspec.json.decode(content, type=list[RewardsOf])
            self.rewarded.append(items)
            taken = {"rewarded": TAKEN}
        if self.fails_reports:
            return httpx.Response(500)
        if len(items) > self.most:
            return httpx.Response(413)
        outcome = taken if self.refuses is None else {"refused": self.refuses}
        return httpx.Response(200, json=[outcome] * len(items))


TAKEN = {"decision": "3", "status": "settled", "missing": [], "repeated": False}


def test_fallbacks_are_kept_while_their_report_fails():
    service = Reported()
    with asking(service, fallback="small", attempts=1) as client:
        service.is_down = True
        alone = client.decide(CONTEXT)
        assert alone.is_fallback
        assert client.reward(alone, REWARDS) is None
        service.is_down = False
        service.fails_reports = True
        assert client.decide(CONTEXT).decision == "3"
        service.fails_reports = False
        assert client.decide(CONTEXT).decision == "3"
        assert client.unreported == 0
    first, second = service.observed
    assert first == second
    assert first[0].arm in ("small", "large")
    ((rewards,),) = service.rewarded
    assert rewards == RewardsOf(REWARDS, key=first[0].key)


def test_a_fallback_that_is_refused_is_forgotten_and_said(caplog):
    service = Reported()
    service.refuses = {"status": 422, "detail": "arm must be another one"}
    with asking(service, fallback="huge", attempts=1) as client:
        service.is_down = True
        alone = client.decide(CONTEXT)
        service.is_down = False
        client.flush()
        assert "arm must be another one" in caplog.text
        with pytest.raises(ServiceError, match="another one") as error:
            client.reward(alone, REWARDS)
        assert error.value.status == 422


def test_what_may_be_taken_later_is_not_forgotten():
    service = Reported()
    with asking(service, fallback="small", attempts=1) as client:
        service.is_down = True
        client.decide(CONTEXT)
        service.is_down = False
        service.refuses = {"status": 503, "detail": "the disk is full"}
        with pytest.raises(ServiceError, match="the disk is full"):
            client.flush()
        assert client.unreported == 1
        service.refuses = None
        client.flush()
        assert client.unreported == 0


def rewards_while_down(client, service, count):
    """Rewards of one decision that no service takes."""
    choice = client.decide(CONTEXT)
    service.is_down = True
    for turn in range(count):
        assert client.reward(choice, {"quality": float(turn)}) is None


def test_rewards_given_while_the_service_is_down_are_reported_later_in_order():
    service = Reported()
    with asking(service, attempts=1) as client:
        rewards_while_down(client, service, 7)
        with pytest.raises(ServiceError, match=r"Expected `float`, got `str`"):
            client.reward(Choice("large", "k", "3"), {"quality": "good"})
        service.is_down = False
        client.decide(CONTEXT)
        assert client.unreported == 0
    ((*rewards,),) = service.rewarded
    assert rewards == [RewardsOf({"quality": float(turn)}, decision="3") for turn in range(7)]


def test_reports_that_are_too_large_for_one_request_are_split():
    service = Reported()
    with asking(service, attempts=1) as client:
        rewards_while_down(client, service, 20)
        service.is_down = False
        service.most = 3
        client.flush()
        assert client.unreported == 0
    taken = [
        each.rewards["quality"] for items in service.rewarded if len(items) <= 3 for each in items
    ]
    assert taken == [float(turn) for turn in range(20)]


def test_a_report_that_no_request_has_room_for_is_forgotten_and_said(caplog):
    service = Reported()
    with asking(service, attempts=1) as client:
        rewards_while_down(client, service, 2)
        service.is_down = False
        service.most = 0
        client.flush()
        assert client.unreported == 0
    assert caplog.text.count("too large for the service, and is forgotten") == 2


def test_the_oldest_are_dropped_where_too_many_wait_and_that_is_said(monkeypatch, caplog):
    monkeypatch.setattr("mobandits_client.outbox.MOST", 4)
    service = Reported()
    client = asking(service, attempts=1)
    rewards_while_down(client, service, 9)
    assert client.unreported == 4
    assert caplog.text.count("the oldest are dropped") == 1
    service.is_down = False
    with pytest.warns(ServiceWarning, match="^5 older reports of agent router were dropped"):
        client.close()
    # Those that were left were reported at the end.
    ((*rewards,),) = service.rewarded
    assert [each.rewards["quality"] for each in rewards] == [5.0, 6.0, 7.0, 8.0]


def test_a_client_says_what_it_drops():
    service = Reported()
    client = asking(service, fallback="small", attempts=1)
    rewards_while_down(client, service, 2)
    client.decide(CONTEXT)
    said = "1 fallback decision and 2 reports of rewards of agent router are dropped"
    with pytest.warns(ServiceWarning, match=said):
        client.close()
    # Only once.
    client.close()


def test_an_awaited_client_says_what_it_drops():
    async def life():
        service = Reported()
        client = asking_meanwhile(service, attempts=1)
        choice = await client.decide(CONTEXT)
        service.is_down = True
        assert await client.reward(choice, REWARDS) is None
        with pytest.warns(ServiceWarning, match="1 report of rewards of agent router"):
            await client.close()

    asyncio.run(life())


def test_a_file_outlives_the_process(tmp_path):
    service = Reported()
    file = tmp_path / "queue.jsonl"
    client = asking(service, fallback="small", attempts=1, queue=file)
    rewards_while_down(client, service, 3)
    dropped = client.decide(CONTEXT)
    client.decide(CONTEXT)
    client.abandon(dropped)
    with pytest.raises(ValueError, match="queue must be a file of one client"):
        asking(service, queue=file)
    assert file.stat().st_mode & 0o777 == 0o600
    # As a kill would leave it, in the middle of a line.
    content = file.read_bytes()
    assert content.count(b"\n") == 4
    killed = tmp_path / "killed.jsonl"
    killed.write_bytes(content + content[:20])
    client.close()

    for kept in (file, killed):
        after = Reported()
        with asking(after, attempts=1, queue=kept) as client:
            assert client.unreported == 4
            client.decide(CONTEXT)
            assert client.unreported == 0
            assert kept.read_bytes() == b""
        ((*rewards,),) = after.rewarded
        assert [each.rewards["quality"] for each in rewards] == [0.0, 1.0, 2.0]
        ((observed,),) = after.observed
        assert observed.arm == "small"


@pytest.mark.parametrize(
    "content", ["port = 0", "port = 0\n", '{"agent":"other"}\n', '{"agent":"router","x":1}\n']
)
def test_a_file_of_something_else_is_refused_and_stays(tmp_path, content):
    file = tmp_path / "router.toml"
    file.write_text(content)
    with pytest.raises(ValueError, match="must"):
        Client("http://service", "router", queue=file)
    assert file.read_text() == content


def test_a_file_stays_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("mobandits_client.outbox.MOST", 4)
    monkeypatch.setattr("mobandits_client.outbox_file.LONGEST", 8)
    file = tmp_path / "queue.jsonl"
    service = Reported()
    client = asking(service, attempts=1, queue=file)
    rewards_while_down(client, service, 50)
    assert file.read_bytes().count(b"\n") <= 8
    with pytest.warns(ServiceWarning, match="^46 older reports"):
        client.close()
    with asking(service, attempts=1, queue=file) as client:
        assert client.unreported == 4


def test_a_file_that_cannot_be_written_costs_no_call(tmp_path, monkeypatch, caplog):
    def full(*_):
        raise OSError("the disk is full")

    service = Reported()
    file = tmp_path / "queue.jsonl"
    with asking(service, fallback="small", attempts=1, queue=file) as client:
        monkeypatch.setattr("mobandits_client.outbox_file.OutboxFile.append", full)
        rewards_while_down(client, service, 2)
        assert client.decide(CONTEXT).is_fallback
        assert client.unreported == 3
        service.is_down = False
    assert caplog.text.count("the disk is full") == 1
    assert len(service.rewarded) == 1
