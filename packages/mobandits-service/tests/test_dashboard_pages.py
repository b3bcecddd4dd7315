"""Pages as they are sent: who may open them, where forms come from, and what is in them."""

import asyncio
import html
import importlib.metadata
import json
import re
import types
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import quote

import httpx
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from services import CONTEXT, ROUTER, client_of, served, specification

import mobandits as mob
from mobandits.encoding import Encoder
from mobandits.logs.store.keys import SCOPES
from mobandits.policies import MolUcb
from mobandits.spec import build
from mobandits_client.messages import ObjectiveState, TargetValue
from mobandits_service import keys_command
from mobandits_service.dashboard import login_pages
from mobandits_service.dashboard.arm_means import ArmSummary, Mean, arm_summaries
from mobandits_service.dashboard.assets import style_sheet
from mobandits_service.dashboard.decision_pages import feature_rows
from mobandits_service.dashboard.evaluation_pages import ValueRow, lead_of
from mobandits_service.dashboard.front_figure import front_figures
from mobandits_service.dashboard.login_pages import own_path
from mobandits_service.dashboard.name_places import edges, name_length, segments
from mobandits_service.dashboard.order_form import form_of, read_form
from mobandits_service.dashboard.routes import PAGES
from mobandits_service.dashboard.sessions import COOKIE
from mobandits_service.dashboard.time_charts import TimeTable, charts_of
from mobandits_service.dashboard.windows import HOUR, MOST_DAYS, WINDOWS, asked_span, span_of
from mobandits_service.rollup_reading import RolledSums

PAGE = "/agents/router"
TOKEN = re.compile(r'name="token" value="([^"]+)"')
WEIGHTS = {"choice": "weighted", "slider": "25"}
EVIL = '<img src=x onerror="alert(1)">'
# What each page needs at least; written down once more, so that none gets another by accident.
NEEDS = {
    ("GET", "/"): "read",
    ("GET", "/agents/{agent}"): "read",
    ("POST", "/agents/{agent}/preview"): "read",
    ("GET", "/agents/{agent}/preview"): "read",
    ("POST", "/agents/{agent}/preference"): "admin",
    ("GET", "/agents/{agent}/decisions"): "read",
    ("GET", "/agents/{agent}/decisions/{decision}"): "read",
    ("GET", "/agents/{agent}/evaluations"): "read",
    ("POST", "/agents/{agent}/evaluations"): "read",
    ("GET", "/agents/{agent}/evaluations/{evaluation}"): "read",
    ("GET", "/keys"): "admin",
    ("GET", "/system"): "read",
    ("POST", "/keys"): "admin",
    ("POST", "/keys/{key}/revoke"): "admin",
}
OBJECTIVES = [ObjectiveState("quality", False, ""), ObjectiveState("cost", True, "USD")]


def others(**more):
    """A service that others can reach."""
    content = {"agents": {"router": ROUTER, "second": ROUTER}, "host": "0.0.0.0"}
    content |= {"log_requests": False, **more}
    return msgspec.convert(content, type(specification()))


def asked(path, talk, spec=None):
    """What a conversation with a service says."""
    with served(path, spec) as running:

        async def whole():
            async with client_of(running) as client:
                return await talk(client)

        return asyncio.run(whole())


async def token_of(client, page="/keys"):
    answer = await client.get(page)
    return TOKEN.search(answer.text)[1]


async def logged_in(client, key):
    """Log in, and return the token of the session's forms."""
    client.cookies.clear()
    answer = await client.post("/login", data={"key": key, "next": PAGE})
    assert answer.status_code == 303, answer.text
    return TOKEN.search((await client.get("/")).text)[1]


def test_every_page_is_listed():
    assert {(method, path) for method, path, _, _ in PAGES} == set(NEEDS)


def test_every_page_against_every_scope(tmp_path):
    path = tmp_path / "log"
    keys = {scope: keys_command.added(path, scope, [scope], []) for scope in SCOPES}
    elsewhere = keys_command.added(path, "second", ["admin"], ["second"])

    async def talk(client):
        for method, pattern in NEEDS:
            place = pattern.replace("{agent}", "router").replace("{decision}", "0")
            place = place.replace("{key}", "00000000").replace("{evaluation}", "0")
            client.cookies.clear()
            nobody = await client.request(method, place)
            if method == "GET":
                assert nobody.status_code == 303, place
                assert nobody.headers["location"].startswith("/login?next=%2F"), place
            else:
                assert nobody.status_code == 401, place

        for name, key in {**keys, "elsewhere": elsewhere}.items():
            token = await logged_in(client, key)
            for (method, pattern), needed in NEEDS.items():
                place = pattern.replace("{agent}", "router").replace("{decision}", "0")
                place = place.replace("{key}", "00000000").replace("{evaluation}", "0")
                data = {"token": token} if method == "POST" else None
                answer = await client.request(method, place, data=data)
                is_allowed = name != "elsewhere" or pattern == "/"
                if name in SCOPES:
                    is_allowed = SCOPES.index(name) >= SCOPES.index(needed)
                is_refused = answer.status_code in {401, 403}
                assert is_refused != is_allowed, (place, name)

        await logged_in(client, elsewhere)
        start = await client.get("/")
        assert "second" in start.text
        assert "router" not in start.text
        assert (await client.get("/agents/second")).status_code == 200

    asked(path, talk, others())


def test_a_session_ends_with_its_key_and_with_a_logout(tmp_path, monkeypatch):
    path = tmp_path / "log"
    monkeypatch.setattr("mobandits_service.authorisation.RELOAD_SECONDS", 0.0)
    key = keys_command.added(path, "shop", ["read"], [])

    async def talk(client):
        wrong = await client.post("/login", data={"key": key + "x"})
        assert wrong.status_code == 403
        assert key[:-1] not in wrong.text

        token = await logged_in(client, key)
        cookie = client.cookies[COOKIE]
        assert cookie not in (await client.get("/")).text
        assert key.split("_", 2)[2] not in (await client.get("/")).text
        out = await client.post("/logout", data={"token": token})
        assert out.status_code == 303
        client.cookies.set(COOKIE, cookie)
        assert (await client.get("/")).status_code == 303

        await logged_in(client, key)
        assert (await client.get(PAGE)).status_code == 200
        keys_command.revoked(path, key.split("_")[1])
        assert (await client.get(PAGE)).status_code == 303

    asked(path, talk, others())


def test_a_cookie_is_for_this_service_alone(tmp_path):
    path = tmp_path / "log"
    key = keys_command.added(path, "shop", ["read"], [])

    async def talk(client):
        answer = await client.post("/login", data={"key": key, "next": "//evil.example"})
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "secure" not in cookie
        assert answer.headers["location"] == "/"
        behind = await client.post(
            "/login", data={"key": key}, headers={"X-Forwarded-Proto": "https"}
        )
        assert "secure" in behind.headers["set-cookie"].lower()

    asked(path, talk, others())


def test_attempts_to_log_in_are_limited_per_address(tmp_path, monkeypatch):
    keys_command.added(tmp_path / "log", "shop", ["read"], [])
    # A clock that stands still, so that no attempt more is due.
    monkeypatch.setattr(login_pages, "time", types.SimpleNamespace(monotonic=lambda: 0.0))

    async def statuses(client, count, *forwarded):
        wrong = {
            "data": {"key": "mb_"},
            "headers": [("X-Forwarded-For", each) for each in forwarded],
        }
        return [(await client.post("/login", **wrong)).status_code for _ in range(count)]

    async def talk(client):
        assert await statuses(client, 12) == [403] * 10 + [429] * 2
        # Of a proxy on this machine the last address is its own word; those before are anybody's.
        assert await statuses(client, 6, "203.0.113.1, 198.51.100.7") == [403] * 6
        assert await statuses(client, 6, "203.0.113.2", "198.51.100.7") == [403] * 4 + [429] * 2
        assert await statuses(client, 1, "198.51.100.8") == [403]

    asked(tmp_path / "log", talk, others())


def test_forms_must_come_from_our_pages(tmp_path):
    async def talk(client):
        data = {"label": "shop", "scope": "admin"}
        assert (await client.post("/keys", data=data)).status_code == 403
        assert (await client.post("/keys", data={**data, "token": "x"})).status_code == 403
        good = {**data, "token": await token_of(client)}
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Host": "evil.example"},
        ):
            answer = await client.post("/keys", data=good, headers=headers)
            assert answer.status_code == 403, headers
        assert (await client.get("/keys", headers={"Host": "evil.example"})).status_code == 403
        assert "There are no keys" in (await client.get("/keys")).text
        ours = await client.post("/keys", data=good, headers={"Origin": "http://localhost"})
        assert ours.status_code == 200
        broken = await client.post(
            "/keys",
            content=b"\xff=1",
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        assert broken.status_code in {400, 403}

    asked(tmp_path / "log", talk)


def test_the_first_key_is_the_operators(tmp_path):
    """It locks the door of everybody else; whoever made it is inside, and makes the others."""

    async def talk(client):
        first = {"label": "me", "token": await token_of(client)}
        for scope in ({"scope": "read"}, {"scope": "admin", "agent:router": "yes"}):
            refused = await client.post("/keys", data={**first, **scope})
            assert refused.status_code == 422
            assert "the first key must be one of admin for all agents" in refused.text
        assert (await client.get("/v1/agents")).status_code == 200

        made = await client.post("/keys", data={**first, "scope": "admin"})
        assert made.status_code == 200
        assert (await client.get("/v1/agents")).status_code == 401
        token = TOKEN.search(made.text)[1]
        second = {"label": "shop", "scope": "decide", "agent:router": "yes", "token": token}
        assert (await client.post("/keys", data=second)).status_code == 200
        page = await client.get("/keys")
        assert "shop" in page.text
        await client.post("/logout", data={"token": token})
        assert (await client.get("/keys")).headers["location"].startswith("/login")

    asked(tmp_path / "log", talk)


def test_a_token_of_another_session_opens_nothing(tmp_path):
    path = tmp_path / "log"
    one = keys_command.added(path, "one", ["admin"], [])
    two = keys_command.added(path, "two", ["admin"], [])

    async def talk(client):
        token = await logged_in(client, one)
        await logged_in(client, two)
        answer = await client.post(f"{PAGE}/preference", data={"token": token, "choice": "pareto"})
        assert answer.status_code == 403

    asked(path, talk, others())


def test_pages_allow_nothing_from_elsewhere(tmp_path):
    async def talk(client):
        for place in ("/", PAGE, "/keys", "/agents/nobody", f"{PAGE}/decisions/7"):
            answer = await client.get(place)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["cache-control"] == "no-store"
            assert not re.search(r"<[^>]+\s(style|on\w+)=", answer.text), place
            addresses = re.findall(r'(?:src|href|action)="([^"]+)"', answer.text)
            assert addresses
            assert all(each.startswith(("/", "#")) for each in addresses), place
            for each in addresses:
                if each.startswith("/static/"):
                    assert (await client.get(each)).status_code == 200, each
        assert (await client.get("/static/../answers.py")).status_code == 404

    asked(tmp_path / "log", talk)


def test_names_are_never_markup(tmp_path):
    evil = {**ROUTER, "arms": [EVIL, "</script><b>"]}
    spec = specification(**{EVIL: evil})

    async def talk(client):
        name = httpx.URL("http://x").copy_with(path="/" + EVIL).raw_path.decode()[1:]
        call = f"/v1/agents/{name}"
        for _ in range(3):
            decided = await client.post(f"{call}/decide", json={"context": CONTEXT})
            number = decided.json()["decision"]
            rewards = {"quality": 0.5, "cost": 0.1}
            await client.post(f"{call}/decisions/{number}/rewards", json=rewards)
        token = await token_of(client)
        data = {"token": token, "label": EVIL, "scope": "admin"}
        pages = [await client.post("/keys", data=data)]
        places = (
            "/",
            f"/agents/{name}",
            f"/agents/{name}/decisions/0",
            "/keys",
            f"/agents/x{name}",
        )
        pages += [await client.get(place) for place in places]
        for page in pages:
            assert "<img" not in page.text
            assert "</script><b>" not in page.text
        for page in (pages[0], pages[1], pages[2]):
            assert html.escape(EVIL, quote=False).split('"')[0] in page.text

    asked(tmp_path / "log", talk, spec)


def test_a_preference_is_saved(tmp_path):
    async def talk(client):
        token = await token_of(client, PAGE)
        data = {"token": token, **WEIGHTS}
        answer = await client.post(f"{PAGE}/preference", data=data)
        assert answer.status_code == 303, answer.text
        page = await client.get(answer.headers["location"])
        assert "Saved." in page.text
        state = (await client.get("/v1/agents/router")).json()
        assert "0.75 quality" in state["preference"] or "quality 0.75" in state["preference"]
        assert re.search(r'name="slider"[^>]* value="25"', page.text)
        refused = await client.post(
            f"{PAGE}/preference",
            data={
                "token": token,
                "choice": "other",
                "other": '{"name": "weighted", "weights": [1]}',
            },
        )
        assert refused.status_code == 422
        assert "weights" in refused.text
        for bad in ({"choice": "x"}, {"choice": "weighted", "slider": "-3"}, {"choice": "other"}):
            answer = await client.post(f"{PAGE}/preference", data={"token": token, **bad})
            assert answer.status_code == 422, bad

    asked(tmp_path / "log", talk)


def test_the_system_page_tells_of_store_and_calls(tmp_path):
    async def talk(client):
        for _ in range(3):
            await client.post("/v1/agents/router/decide", json={"context": CONTEXT})
        page = (await client.get("/system")).text
        rows = re.findall(r'<th scope="row">(\w+)</th><td class="number">(\d+)</td>', page)
        assert ("decide", "3") in rows
        assert str(tmp_path / "log") in page
        assert importlib.metadata.version("mobandits") in page

    asked(tmp_path / "log", talk)


def test_on_a_phone_every_cell_says_its_column(tmp_path):
    """There a table of cards has no head."""

    async def talk(client):
        for _ in range(3):
            await client.post("/v1/agents/router/decide", json={"context": CONTEXT})
        data = {"token": await token_of(client, PAGE), **WEIGHTS}
        pages = [await client.post(f"{PAGE}/preview", data=data)]
        pages += [await client.get(place) for place in ("/", f"{PAGE}/decisions")]
        pages.append(await client.get(f"{PAGE}/decisions/0"))
        for page in pages:
            tables = re.findall(r'<table class="cards.*?</table>', page.text, re.DOTALL)
            cells = re.findall(r"<td([^>]*)>(?!</td>)", "".join(tables))
            assert cells, page.url
            assert all("data-label" in cell or "colspan" in cell for cell in cells), page.url

    asked(tmp_path / "log", talk)


def test_a_decision_shows_what_it_rested_on_and_changes_say_who(tmp_path):
    path = tmp_path / "log"
    key = keys_command.added(path, "ops", ["admin"], [])
    number = key.split("_")[1]

    async def talk(client):
        headers = {"Authorization": f"Bearer {key}"}
        context = [0.125, 0.75, 0.5]
        body = {"context": context, "key": "request 1"}
        made = [await client.post("/v1/agents/router/decide", json=body, headers=headers)]
        order = {"order": {"name": "weighted", "weights": {"quality": 0.75, "cost": 0.25}}}
        changed = await client.put("/v1/agents/router/preference", json=order, headers=headers)
        assert changed.status_code == 200
        made.append(
            await client.post(
                "/v1/agents/router/decide", json={"context": context}, headers=headers
            )
        )
        joined = await client.put("/v1/agents/router/arms/new", json={}, headers=headers)
        assert joined.status_code in {200, 201}, joined.text
        found = []
        for each in made:
            place = f"/v1/agents/router/decisions/{each.json()['decision']}"
            found.append((await client.get(place, headers=headers)).json())
        assert [each["context"] for each in found] == [[context], [context]]
        assert found[0]["preference"] is None
        assert found[1]["preference"] == "largest weighted sum, weights quality 0.75 and cost 0.25"
        listed = await client.get("/v1/agents/router/decisions", headers=headers)
        assert {each["context"] for each in listed.json()["decisions"]} == {None}

        token = await logged_in(client, key)
        pages = []
        for each in made:
            place = f"{PAGE}/decisions/{each.json()['decision']}"
            pages.append((await client.get(place)).text)
        assert "0.125" in pages[0]
        assert "request 1" in pages[0]
        assert "the policy&#39;s own" in pages[0]
        assert "weights quality 0.75 and cost 0.25" in pages[1]
        form = {"token": token, "choice": "pareto"}
        assert (await client.post(f"{PAGE}/preference", data=form)).status_code == 303
        agent = (await client.get(PAGE)).text
        changes = agent[agent.index("<h2>Changes</h2>") : agent.index('<h2 id="preference">')]
        assert changes.count(f"ops ({number})") == 3
        assert "arm new came" in changes
        assert changes.index("Pareto front over all") < changes.index("arm new came")

    asked(path, talk, others())


def test_an_agent_with_columns_shows_its_contexts_in_words():
    encoder = Encoder.fit({"age": [20, 40], "city": ["Rome", "Paris"]}, "age,city:category")
    agent = mob.Agent(MolUcb(), arms=2, features=encoder, objectives=1)
    row = encoder.encode({"age": 33, "city": "Rome"}).tolist()
    assert feature_rows(agent.core, [row]) == [("age", ["33"]), ("city", ["Rome"])]
    plain = mob.Agent(MolUcb(), arms=2, features=2, objectives=1)
    rows = [("feature 0", ["1", "3"]), ("feature 1", ["2", "4"])]
    assert feature_rows(plain.core, [[1.0, 2.0], [3.0, 4.0]]) == rows
    assert feature_rows(plain.core, None) == []


def value_row(asked, played, minimise):
    objective = ObjectiveState("cost", minimise, "USD")
    targets = [
        TargetValue(name, "dr", "cost", sum(ends) / 2, 0.1, *ends)
        for name, ends in (("asked", asked), ("played", played))
    ]
    return ValueRow(objective, "doubly robust", *targets)


@pytest.mark.parametrize(
    ("asked", "played", "sign"),
    [((3.0, 4.0), (1.0, 2.0), 1), ((1.0, 2.0), (3.0, 4.0), -1), ((1.0, 3.0), (2.0, 4.0), 0)],
)
@pytest.mark.parametrize("minimise", [False, True])
def test_what_is_better_is_so_in_the_direction_of_its_objective(asked, played, sign, minimise):
    lead = lead_of(value_row(asked, played, minimise))
    assert np.sign(lead) == (-sign if minimise else sign)


def test_a_window_must_be_one_of_those_there_are(tmp_path):
    async def talk(client):
        for key in WINDOWS:
            assert (await client.get(f"{PAGE}?window={key}")).status_code == 200
        assert (await client.get(f"{PAGE}?window=year")).status_code == 422

    asked(tmp_path / "log", talk)


NO_TIMES = [
    ("from=2026-11-25T10:00", "window, or from and to, got from"),
    ("window=day&to=2026-11-25T10:00", "window, or from and to, got window, to"),
    ("from=&to=", "from must be a time such as"),
    ("from=yesterday&to=2026-11-25T10:00", "from must be a time such as"),
    ("from=2026-11-25T10:00&to=25.11.2026", "to must be a time such as"),
    ("from=2025-11-25T11:00&to=2025-11-25T10:00", "from must be before to"),
    ("from=2025-11-25T10:00&to=2025-11-25T10:00", "from must be before to"),
    ("from=9998-11-25T10:00&to=9999-12-31T23:59-14:00", "before now"),
    ("from=0001-01-01T00:00&to=2025-11-25T10:00", "to must be at most 366 days"),
    ("from=0001-01-01T00:00%2B14:00&to=0001-01-02T00:00", "year 0 is out of range"),
]


def test_times_must_be_a_range(tmp_path):
    async def talk(client):
        data = {"token": await token_of(client, PAGE), **WEIGHTS}
        before = (await client.get("/v1/agents/router")).json()
        for query, said in NO_TIMES:
            shown = await client.get(f"{PAGE}?{query}")
            looked_at = await client.post(f"{PAGE}/preview?{query}", data=data)
            changed = await client.post(f"{PAGE}/preference?{query}", data=data)
            for answer in (shown, looked_at, changed):
                assert answer.status_code == 422, query
                assert said in html.unescape(answer.text)
        assert (await client.get("/v1/agents/router")).json() == before

    asked(tmp_path / "log", talk)


def test_a_page_shows_any_time_and_keeps_it(tmp_path):
    async def talk(client):
        for _ in range(3):
            await client.post("/v1/agents/router/decide", json={"context": CONTEXT})
        await client.get(PAGE)
        today = datetime.now(UTC)
        hour = timedelta(hours=1)
        begin = f"{today - hour:%Y-%m-%dT%H:%M}"
        end = f"{today + hour:%Y-%m-%dT%H:%M}"
        with_zone = f"{today.astimezone(timezone(5 * hour)) - hour:%Y-%m-%dT%H:%M:%S+05:00}"
        zoned = {"from": with_zone, "to": end}
        for query in ({"from": begin, "to": end}, zoned):
            page = await client.get(PAGE, params=query)
            assert f"from {begin.replace('T', ' ')} to " in page.text
            assert f'name="from" value="{begin}"' in page.text

        until = re.search(r'name="to" value="([^"]+)"', page.text)[1]
        assert until <= f"{datetime.now(UTC) + timedelta(minutes=1):%Y-%m-%dT%H:%M}"
        kept = f"from={quote(begin)}&to={quote(until)}"
        actions = re.findall(r'(?:form)?action="([^"]+)"', html.unescape(page.text))
        assert f"{PAGE}/preview?{kept}#preference" in actions
        assert f"{PAGE}/preference?{kept}" in actions
        data = {"token": TOKEN.search(page.text)[1], **WEIGHTS}
        for action in actions:
            if kept in action:
                answer = await client.post(action, data=data)
                if answer.status_code == 303:
                    answer = await client.get(answer.headers["location"])
                assert f"{begin.replace('T', ' ')} to {until.replace('T', ' ')} UTC" in answer.text
        before = {"from": "2025-01-01T00:00", "to": "2025-01-02T00:00"}
        empty = await client.get(PAGE, params=before)
        assert "Nothing happened from 2025-01-01 00:00 to " in empty.text
        ancient = {"from": "0001-01-01T00:00", "to": "0001-01-02T00:00"}
        first = await client.get(PAGE, params=ancient)
        assert 'name="from" value="0001-01-01T00:00"' in first.text

    asked(tmp_path / "log", talk)


@given(st.integers(1, MOST_DAYS * 1440), st.integers(0, 60 * 1440))
def test_stretches_fill_any_time(minutes, ahead):
    now = 2e9 + 7.0
    begin = datetime.fromtimestamp(now - 60 * (minutes - 1), UTC)
    end = begin + timedelta(minutes=minutes + ahead - 1)
    span = asked_span({"from": begin.isoformat(), "to": end.isoformat()}, now)
    assert span.stretches <= 100
    assert span.first == int(begin.timestamp() // 60)
    assert span.end <= int(now // 60) + 1
    widths = [span.minutes(place) for place in range(span.stretches)]
    assert min(widths) >= 1.0
    assert abs(sum(widths) - (span.end - span.first)) <= 1.0
    assert asked_span(span.parameters, now) == span


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        ({"choice": "own"}, None),
        ({"choice": "pareto"}, "pareto"),
        ({"choice": "weighted", "slider": "25"}, {"name": "weighted", "weights": [0.75, 0.25]}),
        (
            {"choice": "weighted", "weight_0": "2", "weight_1": "0.5"},
            {"name": "weighted", "weights": [2.0, 0.5]},
        ),
        (
            {"choice": "levels", "priority_0": "2", "priority_1": "1"},
            {"name": "levels", "levels": [[1], [0]]},
        ),
        (
            {"choice": "levels", "priority_0": "2", "priority_1": "2"},
            {"name": "levels", "levels": [[0, 1]]},
        ),
        ({"choice": "other", "other": '{"name": "pareto"}'}, {"name": "pareto"}),
    ],
)
def test_a_form_stands_for_an_order(fields, order):
    form, found = read_form(fields, OBJECTIVES)
    assert found == order
    if fields["choice"] in {"weighted", "levels", "pareto"}:
        again = form_of(build("orders", order, "order"), 2)
        assert again.choice == form.choice
        assert again.slider == form.slider


@given(st.text(max_size=30) | st.sampled_from(["//x", "/\\x", "/a?b=//c", "http:/x", "\t//x"]))
def test_a_login_leads_nowhere_else(target):
    path = own_path(target)
    assert path.startswith("/")
    joined = httpx.URL("http://service/login").join(path)
    assert joined.host == "service"


def sums_of(rng, span, arms):
    """Rewards of some arms in some stretches, and their sums."""
    rewards = {}
    sums = []
    for place in range(span.stretches - 20, span.stretches):
        for arm in arms:
            n = int(rng.integers(1, 6))
            values = rng.random((n, 2)) + 0.5 * arm
            rewards[place, arm] = values
            sums.append(RolledSums(place, arm, None, n, 0.5 * n, 0.25 * n))
            for column, name in enumerate(("quality", "cost")):
                told = values[:, column]
                total = float(told.sum())
                sums.append(RolledSums(place, arm, name, n, total, float((told**2).sum())))
    return rewards, sums


def test_charts_show_the_sums():
    rng = np.random.default_rng(3)
    span = span_of(HOUR, 1e9)
    arms = {number: f"arm {number}" for number in range(9)}
    rewards, sums = sums_of(rng, span, arms)
    rate, shares, entropies, quality, _ = charts_of(TimeTable(span, sums), arms, OBJECTIVES)
    assert len(rate.table.starts) == 20
    assert rate.table.starts[-1] <= 1e9 < rate.table.starts[-1] + 60
    columns = np.array([line.values for line in shares.lines])
    np.testing.assert_allclose(columns.sum(0), 1.0)
    assert len(shares.lines) == 6
    for place in range(20):
        at = span.stretches - 20 + place
        counts = np.array([len(rewards[at, arm]) for arm in arms])
        part = counts / counts.sum()
        assert rate.lines[0].values[place] == counts.sum()
        expected = -(part * np.log2(part)).sum()
        np.testing.assert_allclose(entropies.lines[0].values[place], expected)
        means = np.concatenate([rewards[at, arm] for arm in arms])[:, 0]
        np.testing.assert_allclose(quality.lines[0].values[place], means.mean())
    json.dumps([chart.data() for chart in (rate, shares, entropies, quality)], allow_nan=False)


def test_means_have_intervals_and_a_front():
    rng = np.random.default_rng(4)
    span = span_of(HOUR, 1e9)
    arms = {0: "cheap", 1: "middling", 2: "dear"}
    rewards, sums = sums_of(rng, span, arms)
    cells = {}
    for each in sums:
        known = cells.get(
            (each.arm, each.objective), RolledSums(0, each.arm, each.objective, 0, 0.0, 0.0)
        )
        cells[each.arm, each.objective] = known._replace(
            n=known.n + each.n, total=known.total + each.total, squares=known.squares + each.squares
        )
    found = {arm.name: arm for arm in arm_summaries(list(cells.values()), arms, OBJECTIVES)}
    for number, name in arms.items():
        values = np.concatenate([rewards[key] for key in rewards if key[1] == number])
        for column in range(2):
            mean = found[name].means[column]
            np.testing.assert_allclose(mean.value, values[:, column].mean())
            error = values[:, column].std(ddof=1) / np.sqrt(len(values))
            # Six intervals together: 1 - 0.05 / 12 of a normal distribution.
            np.testing.assert_allclose(mean.half, 2.638257 * error, rtol=1e-5)
        # Who costs more brings more here.
        assert found[name].dominated_by == ""
    wide, narrow = front_figures(list(found.values()), OBJECTIVES, (0, 1))
    for figure in (wide, narrow):
        left, top, right, bottom = figure.frame
        for dot in figure.dots:
            assert left <= dot.x <= right
            assert top <= dot.y <= bottom
            assert not dot.is_dominated
    worse = [ObjectiveState("quality", False, ""), ObjectiveState("cost", False, "")]
    found = {arm.name: arm for arm in arm_summaries(list(cells.values()), arms, worse)}
    assert found["cheap"].dominated_by in {"middling", "dear"}
    assert found["dear"].dominated_by == ""


def summary(name, quality, cost, half=0.0):
    means = [Mean(50, quality, half), Mean(50, cost, half * abs(cost))]
    return ArmSummary(name, "blue", 1, 0.1, means, "")


@pytest.mark.parametrize(
    ("costs", "half", "objective", "said"),
    [
        ([0.0004, 0.002, 0.009], 0.1, OBJECTIVES[1], "$0.001"),
        # An interval that reaches below zero ends with the axis.
        ([0.0004, 0.002, 0.009], 1.5, OBJECTIVES[1], "$0.001"),
        ([2e-7, 30.0, 4e6], 0.1, OBJECTIVES[1], "$1"),
        ([0.001, 0.002, 0.0099], 0.1, OBJECTIVES[1], "0.01"),
        ([0.0, 0.002, 0.009], 0.1, OBJECTIVES[1], "0.01"),
        ([-0.0001, 0.002, 0.009], 0.1, OBJECTIVES[1], "0.01"),
        ([1e-300, 0.002, 0.009], 0.1, OBJECTIVES[1], "0.01"),
        ([0.0004, 0.002, 0.009], 0.1, ObjectiveState("cost", True, "s"), "0.01"),
        ([0.0004, 0.002, 0.009], 0.1, ObjectiveState("income", False, "USD"), "0.01"),
        ([-4.2, -2.9, -1.1], 0.1, ObjectiveState("cost", True, "log10 USD"), "$0.001"),
        ([-4.2, -4.1, -3.9], 0.01, ObjectiveState("cost", True, "log10 USD"), "-4"),
        ([-400.0, 0.0, 400.0], 0.1, ObjectiveState("cost", True, "log10 USD"), "0"),
    ],
)
def test_costs_that_differ_by_powers_of_ten_have_axes_in_dollars(costs, half, objective, said):
    arms = [summary(f"arm {i}", 0.1 * i, cost, half) for i, cost in enumerate(costs)]
    wide, narrow = front_figures(arms, [OBJECTIVES[0], objective], (0, 1))
    turned, _ = front_figures(arms, [OBJECTIVES[0], objective], (1, 0))
    is_in_dollars = said.startswith("$")
    for label, ticks in (
        (wide.up, wide.ticks_up),
        (narrow.up, narrow.ticks_up),
        (turned.across, turned.ticks_across),
    ):
        assert ("log scale" in label) == is_in_dollars
        assert said in [tick.text for tick in ticks]
        assert all(tick.text.startswith("$") == is_in_dollars for tick in ticks)
    for figure in (wide, narrow):
        left, top, right, bottom = figure.frame
        heights = [dot.y for dot in figure.dots]
        assert heights == sorted(heights, reverse=True)
        for dot in figure.dots:
            box_left, box_top, width, height = dot.box
            assert left <= box_left <= dot.x <= box_left + width <= right
            assert top <= box_top <= dot.y <= box_top + height <= bottom + 0.01


def crosses(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.long
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.3)), max_size=4))
def test_names_lie_on_no_line_dot_or_other_name(placed):
    """Of few arms; the two at the ends fix the plane."""
    means = [(-1.0, -1.0, 0.0), (2.0, 2.0, 0.0), *placed]
    arms = [
        ArmSummary("m" * 7, "blue", 1, 0.1, [Mean(50, x, half), Mean(50, y, half)], "")
        for x, y, half in means
    ]
    objectives = [OBJECTIVES[0], ObjectiveState("speed", False, "")]
    for figure in front_figures(arms, objectives, (0, 1)):
        dots = [(dot.x - 6, dot.y - 6, dot.x + 6, dot.y + 6) for dot in figure.dots]
        names = [dot.name.covered(name_length(dot.short)) for dot in figure.dots]
        for covered in names:
            assert figure.frame[0] <= covered[0]
            assert covered[2] <= figure.frame[2]
            assert sum(crosses(covered, other) for other in [*names, *dots]) == 1  # itself


def test_names_keep_off_regions_and_the_front():
    arms = [summary("small", 0.56, 0.45, 0.03), summary("medium", 0.72, 2.2, 0.01)]
    arms += [summary("large", 0.85, 10.0, 0.02), summary("behind", 0.7, 2.1, 0.1)]
    for figure in front_figures(arms, OBJECTIVES, (0, 1)):
        points = [tuple(map(float, point.split(","))) for point in figure.stairs.split()]
        lines = segments(points)
        for dot in figure.dots:
            lines += edges(dot.box)
        for dot in figure.dots:
            covered = dot.name.covered(name_length(dot.short))
            assert not any(crosses(covered, line) for line in lines), dot.short
            assert abs(dot.name.y - dot.y) < 60


def test_names_that_must_cross_a_line_have_a_halo_in_the_colour_of_the_page():
    (rule,) = re.findall(r"figure svg text \{([^}]*)\}", style_sheet())
    assert "paint-order: stroke" in rule
    assert "stroke: var(--paper)" in rule
