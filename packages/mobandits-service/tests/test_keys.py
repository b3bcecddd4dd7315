"""Who may do what: every call against every scope, keys that end, names and rates."""

import asyncio
import re

import httpx
import msgspec
import pytest
from services import CONTEXT, ROUTER, ask, client_of, served, specification

from mobandits.cli import program as cli
from mobandits.errors import SpecError
from mobandits.logs.store.keys import SCOPES, key_named, keys_of
from mobandits_client import Client
from mobandits_client.httpx_sender import WaitingHttpx
from mobandits_service import keys_command
from mobandits_service.authorisation import TokenBuckets
from mobandits_service.calls import OPERATIONS
from mobandits_service.server import check_keys

AGENT = "/v1/agents/router"
OPEN = {"/health/live", "/health/ready"}
# What each call needs at least; written down once more, so that no route gets another by accident.
NEEDS = {
    ("GET", "/v1/agents"): "read",
    ("GET", "/v1/agents/{agent}"): "read",
    ("POST", "/v1/agents/{agent}/decide"): "decide",
    ("POST", "/v1/agents/{agent}/decide_batch"): "decide",
    ("POST", "/v1/agents/{agent}/decisions"): "decide",
    ("GET", "/v1/agents/{agent}/decisions"): "read",
    ("GET", "/v1/agents/{agent}/decisions/{decision}"): "read",
    ("GET", "/v1/agents/{agent}/decisions/{decision}/explanation"): "read",
    ("GET", "/v1/agents/{agent}/certificate"): "read",
    ("POST", "/v1/agents/{agent}/decisions/{decision}/rewards"): "decide",
    ("POST", "/v1/agents/{agent}/decisions/{decision}/activate"): "decide",
    ("POST", "/v1/agents/{agent}/decisions/{decision}/abandon"): "decide",
    ("POST", "/v1/agents/{agent}/rewards"): "decide",
    ("GET", "/v1/agents/{agent}/preference"): "read",
    ("PUT", "/v1/agents/{agent}/preference"): "admin",
    ("GET", "/v1/agents/{agent}/budget"): "read",
    ("PUT", "/v1/agents/{agent}/arms/{arm}"): "admin",
    ("DELETE", "/v1/agents/{agent}/arms/{arm}"): "admin",
    ("GET", "/v1/agents/{agent}/prices"): "read",
    ("PUT", "/v1/agents/{agent}/prices/{arm}"): "admin",
    ("GET", "/v1/agents/{agent}/snapshot"): "admin",
    ("PUT", "/v1/agents/{agent}/snapshot"): "admin",
    ("GET", "/v1/agents/{agent}/export"): "read",
    ("PUT", "/v1/agents/{agent}"): "admin",
    ("DELETE", "/v1/agents/{agent}"): "admin",
    ("PUT", "/v1/agents/{agent}/share"): "admin",
    ("POST", "/v1/agents/{agent}/preference/preview"): "read",
    ("POST", "/v1/agents/{agent}/evaluations"): "read",
    ("GET", "/v1/agents/{agent}/evaluations"): "read",
    ("GET", "/v1/agents/{agent}/evaluations/{evaluation}"): "read",
    ("GET", "/metrics"): "read",
}

# A key for some agents gets an answer for these.
LISTING = ("/v1/agents", "/metrics")


def others(**more):
    """A service that others can reach."""
    content = {"agents": {"router": ROUTER, "second": ROUTER}, "host": "0.0.0.0"}
    content |= {"log_requests": False, **more}
    return msgspec.convert(content, type(specification()))


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def asked(path, talk, **more):
    with served(path, others(**more)) as running:

        async def whole():
            async with client_of(running) as client:
                return await talk(client)

        return asyncio.run(whole())


def test_every_call_is_listed():
    found = {}
    for each in OPERATIONS:
        if each.path not in OPEN:
            found[each.method, each.path] = each.scope
    assert found == NEEDS


def test_every_route_is_guarded_by_its_operation(tmp_path):
    """Whatever routes there are: a key of a lower scope, or none, is refused before all else."""
    path = tmp_path / "log"
    keys = {scope: keys_command.added(path, scope, [scope], []) for scope in SCOPES}
    scopes = {(each.method, each.path): each.scope for each in OPERATIONS}

    async def talk(client):
        for (method, pattern), needed in scopes.items():
            place = pattern.replace("{agent}", "router")
            place = re.sub(r"\{\w+\}", "0", place)
            nobody = await client.request(method, place)
            assert (nobody.status_code == 401) == (needed is not None), place
            if needed is None:
                continue
            for scope in SCOPES[: SCOPES.index(needed)]:
                answer = await client.request(method, place, headers=bearer(keys[scope]))
                assert answer.status_code == 403, (place, scope)
                assert answer.headers["content-type"] == "application/problem+json"

    asked(path, talk)


@pytest.mark.long
def test_every_call_against_every_scope(tmp_path):
    path = tmp_path / "log"
    keys = {scope: keys_command.added(path, scope, [scope], []) for scope in SCOPES}
    elsewhere = keys_command.added(path, "second", ["admin"], ["second"])

    async def talk(client):
        for (method, pattern), needed in NEEDS.items():
            place = pattern.replace("{agent}", "router").replace("{decision}", "0")
            place = place.replace("{arm}", "large")
            nobody = await client.request(method, place)
            assert nobody.status_code == 401, place
            for scope, key in keys.items():
                answer = await client.request(method, place, headers=bearer(key))
                is_allowed = SCOPES.index(scope) >= SCOPES.index(needed)
                assert (answer.status_code not in {401, 403}) == is_allowed, (place, scope)
            answer = await client.request(method, place, headers=bearer(elsewhere))
            assert (answer.status_code == 403) == (place not in LISTING), place
        for place in OPEN:
            assert (await client.get(place)).status_code == 200
        own = await client.get("/v1/agents/second", headers=bearer(elsewhere))
        assert own.status_code == 200

    asked(path, talk)


@pytest.mark.long
@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer x",
        "Basic {key}",
        "Bearer {key}x",
        "Bearer mb_00000000_{secret}",
        "{key}",
    ],
)
def test_what_is_no_key_opens_nothing(tmp_path, header):
    key = keys_command.added(tmp_path / "log", "shop", ["admin"], [])
    secret = key.split("_", 2)[2]

    async def talk(client):
        given = {"Authorization": header.format(key=key, secret=secret)}
        answer = await client.get("/v1/agents", headers=given)
        assert answer.status_code == 401
        assert secret not in answer.text

    asked(tmp_path / "log", talk)


def test_a_key_that_is_revoked_ends_while_the_service_runs(tmp_path, monkeypatch):
    path = tmp_path / "log"
    monkeypatch.setattr("mobandits_service.authorisation.RELOAD_SECONDS", 0.0)
    key = keys_command.added(path, "shop", ["decide"], [])

    async def talk(client):
        body = {"context": CONTEXT}
        first = await client.post(f"{AGENT}/decide", json=body, headers=bearer(key))
        assert first.status_code == 200
        later = keys_command.added(path, "later", ["read"], [])
        assert (await client.get(AGENT, headers=bearer(later))).status_code == 200
        keys_command.revoked(path, key.split("_")[1])
        last = await client.post(f"{AGENT}/decide", json=body, headers=bearer(key))
        assert last.status_code == 401

    asked(path, talk)
    with pytest.raises(ValueError, match="valid"):
        keys_command.revoked(path, key.split("_")[1])


def test_the_store_keeps_no_secret(tmp_path):
    key = keys_command.added(tmp_path / "log", "shop", ["decide", "read"], ["a", "b"])
    secret = key.split("_", 2)[2]
    assert secret.encode() not in (tmp_path / "log").read_bytes()
    with keys_command.writing(tmp_path / "log") as connection:
        (found,) = keys_of(connection)
    assert key_named([found], key) == found
    assert key_named([found], key[:-1] + ("x" if key[-1] != "x" else "y")) is None
    (line,) = keys_command.listed(tmp_path / "log")
    assert secret not in line
    assert "a, b" in line


def test_on_this_machine_only_its_own_names_are_answered_without_a_key(tmp_path):
    key = keys_command.added(tmp_path / "log", "shop", ["read"], [])
    with served(tmp_path / "log") as running:

        async def whole():
            async with client_of(running) as client:
                for name, _ in NAMES:
                    answer = await client.get("/v1/agents", headers={"Host": name})
                    # Who is on this machine needs a key as well, since there is one.
                    assert answer.status_code == 401, name
                    # Through a proxy of this machine, say, which sends a name of its own.
                    headers = {"Host": name, **bearer(key)}
                    assert (await client.get("/v1/agents", headers=headers)).status_code == 200
                    headers = {"Host": name, **bearer(key + "x")}
                    assert (await client.get("/v1/agents", headers=headers)).status_code == 401

        asyncio.run(whole())


NAMES = [
    ("localhost:8787", 200),
    ("127.0.0.1:8787", 200),
    ("[::1]:8787", 200),
    ("[::1]", 200),
    ("evil.example:8787", 403),
    ("localhost.evil.example", 403),
]


def test_a_key_for_an_agent_lists_it_and_its_metrics(tmp_path):
    path = tmp_path / "log"
    key = keys_command.added(path, "shop", ["read"], ["second"])

    async def talk(client):
        listed = await client.get("/v1/agents", headers=bearer(key))
        assert [each["name"] for each in listed.json()["agents"]] == ["second"]
        text = (await client.get("/metrics", headers=bearer(key))).text
        samples = [line for line in text.splitlines() if line[0] != "#"]
        assert 'mobandits_agent_ready{agent="second"} 1.0' in samples
        assert all('agent="second"' in sample for sample in samples)

    asked(path, talk)


def test_without_keys_only_names_of_this_machine_are_answered(tmp_path):
    async def talk(client, running):
        for name, status in NAMES:
            answer = await client.get("/v1/agents", headers={"Host": name})
            assert answer.status_code == status, name

    ask(tmp_path / "log", talk)


@pytest.mark.long
@pytest.mark.parametrize(
    "header", ["Forwarded", "Via", "X-Real-IP", "X-Forwarded-For", "X-Forwarded-Host"]
)
def test_what_a_proxy_passes_on_needs_a_key(tmp_path, header):
    async def talk(client, running):
        headers = {"Host": "localhost:8787", header: "203.0.113.9"}
        for path in ("/v1/agents", f"{AGENT}/snapshot"):
            answer = await client.get(path, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
        for path in ("/", "/keys", "/login"):
            page = await client.get(path, headers=headers)
            assert page.status_code in {302, 303, 403}, path
        assert (await client.get("/keys", headers=headers)).status_code == 403
        assert (await client.get("/health/ready", headers=headers)).status_code == 200

    ask(tmp_path / "log", talk)


def test_the_first_key_closes_the_door_and_its_end_does_not_open_it(tmp_path):
    path = tmp_path / "log"
    key = keys_command.added(path, "shop", ["read"], [])

    async def refused(client, running):
        assert (await client.get("/v1/agents")).status_code == 401
        page = await client.get("/keys")
        assert page.headers["location"].startswith("/login")

    ask(path, refused)
    keys_command.revoked(path, key.split("_")[1])
    ask(path, refused)


def test_keys_may_be_required_before_there_is_one(tmp_path):
    spec = msgspec.structs.replace(specification(), keys="required")

    async def refused(client, running):
        assert (await client.get("/v1/agents")).status_code == 401
        with pytest.raises(SpecError, match="keys are required"):
            check_keys(running.file)

    ask(tmp_path / "log", refused, spec)


def test_a_key_has_its_rate(tmp_path):
    key = keys_command.added(tmp_path / "log", "shop", ["read"], [])

    async def talk(client):
        answers = [await client.get(AGENT, headers=bearer(key)) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
        assert answers[-1].headers["retry-after"] == "1"

    asked(tmp_path / "log", talk, requests_per_second=1.0)


def test_a_bucket_fills_up_again():
    buckets = TokenBuckets(2.0)
    assert sum(buckets.take("a", 0.0) for _ in range(10)) == 4
    assert sum(buckets.take("a", 1.0) for _ in range(10)) == 2
    assert sum(buckets.take("a", 1e6) for _ in range(10)) == 4


def test_keys_on_the_command_line(tmp_path, capsys):
    store = str(tmp_path / "log")
    assert cli.call(["keys", "add", "shop", "--store", store, "--scope", "decide"]) == 0
    key = capsys.readouterr().out.strip()
    assert cli.call(["keys", "list", "--store", store]) == 0
    assert "shop: decide; all agents" in capsys.readouterr().out
    assert cli.call(["keys", "revoke", key.split("_")[1], "--store", store]) == 0
    assert cli.call(["keys", "list", "--store", store]) == 0
    assert "revoked" in capsys.readouterr().out
    assert cli.call(["keys", "add", "shop", "--store", store, "--scope", "root"]) == 2
    assert cli.call(["keys", "revoke", "nothing", "--store", store]) == 2


def test_a_client_shows_its_key(tmp_path):
    seen = []

    def answer(request):
        seen.append(request.headers.get("authorization"))
        return httpx.Response(500)

    with Client("http://service", "router", key="mb_1", attempts=1) as client:
        headers = client._http.headers
        transport = httpx.MockTransport(answer)
        client._http = WaitingHttpx(
            httpx.AsyncClient(base_url=client.url, transport=transport, headers=headers)
        )
        with pytest.raises(Exception, match="500"):
            client.state()
    assert seen == ["Bearer mb_1"]
