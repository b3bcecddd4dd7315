"""Agents that calls make and end, named columns, and shares."""

import asyncio
import signal

import httpx
import msgspec
import pytest
from services import CONTEXT, PATIENCE, ROUTER, Served, ask, served, specification

from mobandits.errors import LogError, SpecError
from mobandits_service.checking import agent_in_words
from mobandits_service.context_columns import ContextSpecification
from mobandits_service.service_tables import hosted_put
from mobandits_service.specification import AgentSpecification, read_specification

MADE = "/v1/agents/made"
COLUMNS = {
    "tokens": {"kind": "number", "mean": 0.0, "deviation": 1.0, "indicator": False},
    "city": {"kind": "category", "values": ["Rome", "Paris"]},
}


@pytest.fixture
def quick(monkeypatch):
    """Nothing is compiled ahead: the tests' process has what these agents play already."""
    monkeypatch.setattr("mobandits_service.runtime.play_a_round", lambda *_: None)


async def ready(client, path):
    for _ in range(int(PATIENCE / 0.02)):
        state = (await client.get(path)).json()
        if state["status"] == "ready":
            return state
        await asyncio.sleep(0.02)
    raise AssertionError(state)


@pytest.mark.usefixtures("quick")
def test_an_agent_is_made_once_ended_and_made_again(tmp_path):
    async def talk(client, running):
        made = await client.put(MADE, json=ROUTER)
        assert made.status_code == 201
        assert made.json()["status"] in {"starting", "ready"}
        state = await ready(client, MADE)
        given = state["specification"]
        assert {name: given[name] for name in ("policy", "arms", "features")} == {
            name: ROUTER[name] for name in ("policy", "arms", "features")
        }
        assert (await client.put(MADE, json=ROUTER)).status_code == 200
        assert (await client.put(MADE, json={**ROUTER, "seed": 4})).status_code == 409
        assert (await client.put("/v1/agents/router", json=ROUTER)).status_code == 409
        assert (await client.delete("/v1/agents/router")).status_code == 409
        assert (await client.delete("/v1/agents/nobody")).status_code == 404
        for wrong in (
            {**ROUTER, "policy": "mol-ubc"},
            {**ROUTER, "prt": 1},
            {**ROUTER, "arms": []},
            {**ROUTER, "share": 0.1},
            {**ROUTER, "share": 0.1, "baseline": "medium"},
            {**ROUTER, "context": {"columns": COLUMNS}},
            {**ROUTER, "features": 0, "context": {"columns": "a", "fit": "/etc/passwd"}},
        ):
            refused = await client.put("/v1/agents/wrong", json=wrong)
            assert refused.status_code == 422, wrong
        assert (await client.get("/v1/agents/wrong")).status_code == 404
        decided = await client.post(f"{MADE}/decide", json={"context": CONTEXT, "key": "k"})
        assert decided.status_code == 200

        for _ in range(2):
            assert (await client.delete(MADE)).status_code == 204
        assert (await client.get(MADE)).status_code == 404
        assert (await client.put(MADE, json={**ROUTER, "seed": 4})).status_code == 409
        assert (await client.put(MADE, json=ROUTER)).status_code == 201
        await ready(client, MADE)
        again = await client.post(f"{MADE}/decide", json={"context": CONTEXT, "key": "k"})
        assert again.json() == {**decided.json(), "replayed": True}
        return decided.json()

    decided = ask(tmp_path / "log", talk)

    async def later(client, running):
        again = await client.post(f"{MADE}/decide", json={"context": CONTEXT, "key": "k"})
        assert again.json() == {**decided, "replayed": True}
        assert (await client.delete(MADE)).status_code == 204

    ask(tmp_path / "log", later)

    async def at_last(client, running):
        assert (await client.get(MADE)).status_code == 404
        names = [each["name"] for each in (await client.get("/v1/agents")).json()["agents"]]
        assert names == ["router"]

    ask(tmp_path / "log", at_last)


@pytest.mark.usefixtures("quick")
def test_agents_of_calls_come_back_where_the_store_was_read_in_vain(tmp_path, monkeypatch):
    async def talk(client, running):
        file = running.file
        with monkeypatch.context() as patched:
            patched.setattr(file, "hold", lambda: "another process has it")
            await running.look_after()
        # Made by that process.
        text = msgspec.json.encode(msgspec.convert(ROUTER, AgentSpecification)).decode()
        file.committer.keep([hosted_put("made", text, "served")])
        file.committer.flush()
        with monkeypatch.context() as patched:
            patched.setattr(file, "asked", fail)
            with pytest.raises(LogError, match="in vain"):
                await running.look_after()
        assert (await client.get(MADE)).status_code == 404
        await running.look_after()
        await ready(client, MADE)

    def fail(question):
        raise LogError("in vain")

    ask(tmp_path / "store", talk)


@pytest.mark.usefixtures("quick")
def test_a_name_that_the_file_takes_over_is_the_files(tmp_path, caplog):
    async def talk(client, running):
        await client.put(MADE, json=ROUTER)
        await ready(client, MADE)

    ask(tmp_path / "log", talk)

    async def later(client, running):
        assert not running.agents.named("made").is_by_call
        assert running.agents.named("made").is_ready

    ask(tmp_path / "log", later, specification(router=ROUTER, made=ROUTER))
    assert "is now one of the file" in caplog.text


@pytest.mark.usefixtures("quick")
def test_a_log_that_an_agent_of_a_file_left_is_not_taken_over(tmp_path):
    with served(tmp_path / "log", specification(old=ROUTER)) as running:
        running.agents.named("old").agent.decide(CONTEXT)

    async def talk(client, running):
        refused = await client.put("/v1/agents/old", json=ROUTER)
        assert refused.status_code == 409
        assert (await client.get("/health/ready")).status_code == 200

    ask(tmp_path / "log", talk)


@pytest.mark.slow
def test_a_process_compiles_what_a_call_made_and_has_it_after_a_kill(tmp_path):
    with Served(tmp_path) as service:
        with httpx.Client(base_url=service.url, timeout=PATIENCE) as client:
            made = client.put(MADE, json=ROUTER)
            assert made.status_code == 201
            # Others decide, and the service stays ready, while the new one is compiled.
            assert client.get("/health/ready").status_code == 200
        service.end(signal.SIGKILL)
        service.start()
        with httpx.Client(base_url=service.url, timeout=PATIENCE) as client:
            assert client.get(MADE).json()["status"] == "ready"
            assert client.post(f"{MADE}/decide", json={"context": CONTEXT}).status_code == 200


def test_named_columns_are_encoded_and_others_refused(tmp_path):
    # Three features, as in other tests: the tokens, Rome, and any other city.
    columns = {**COLUMNS, "city": {"kind": "category", "values": ["Rome"]}}
    router = {**ROUTER, "features": 0, "context": {"columns": columns, "intercept": False}}
    spec = specification(router=router)
    agent = "/v1/agents/router"

    async def talk(client, running):
        good = {"tokens": 0.5, "city": "Rome"}
        decided = await client.post(f"{agent}/decide", json={"context": good})
        assert decided.status_code == 200, decided.text
        batch = await client.post(
            f"{agent}/decide_batch", json={"contexts": [good, {"tokens": 0.1, "city": "Oslo"}]}
        )
        assert batch.status_code == 200, batch.text
        for wrong in (
            {"tokens": "Rome", "city": 0.5},
            {"tokens": 0.5},
            {"tokens": 0.5, "town": "Rome"},
            {"tokens": 0.5, "city": "Rome", "more": 1},
            [0.5, 1.0, 0.0],
            None,
            7,
        ):
            refused = await client.post(f"{agent}/decide", json={"context": wrong})
            assert refused.status_code == 422, wrong
            observed = [{"context": wrong, "arm": "small", "rewards": {"quality": 1.0}}]
            (outcome,) = (await client.post(f"{agent}/decisions", json=observed)).json()
            assert outcome["refused"]["status"] == 422
        state = (await client.get(agent)).json()
        assert (state["decisions"], state["learned"], state["features"]) == (3, 0, 3)

    ask(tmp_path / "log", talk, spec)


NO_NAMES = ["", "a\0", "a\nb", "a\tb", "\u202eb", "a\u200f", "..", "a/../b", ".", "a" * 201]


@pytest.mark.long
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
def test_names_that_cannot_be_shown_or_asked_for_are_refused(tmp_path, name):
    wrong_arms = {**ROUTER, "arms": ["small", name]}
    wrong_objectives = {**ROUTER, "objectives": ["quality", name]}
    wrong_tables = {**ROUTER, "objectives": [{"name": name}]}

    async def talk(client, running):
        for wrong, field in (
            (wrong_arms, "arm"),
            (wrong_objectives, "objective"),
            (wrong_tables, "objective"),
        ):
            refused = await client.put(MADE, json=wrong)
            assert refused.status_code == 422
            assert refused.json()["field"] == field
        # Addresses cannot have all of them.
        with pytest.raises(ValueError, match="agent must be 1 to 200 printable characters"):
            running.agents.add(name, specification().agents["router"])
        with pytest.raises(ValueError, match="arm must be 1 to 200 printable characters"):
            running.agents.named("router").add_arm(name, None)

    ask(tmp_path / "log", talk)

    file = tmp_path / "router.toml"
    lines = ['policy = "mol-ucb"', 'objectives = ["quality"]', "features = 3"]
    shown = msgspec.json.encode(name).decode()
    for text in (
        [f"[agents.{shown}]", 'arms = ["small", "large"]', *lines],
        ["[agents.router]", f'arms = ["small", {shown}]', *lines],
    ):
        file.write_text("\n".join(text))
        with pytest.raises(SpecError, match="must be 1 to 200 printable characters"):
            read_specification(file)


@pytest.mark.usefixtures("quick")
def test_names_that_users_have_are_taken(tmp_path):
    arms = ["openai/gpt-5 mini", "größer", "模型", "v1..2", "a" * 200]

    async def talk(client, running):
        made = await client.put(MADE, json={**ROUTER, "arms": arms})
        assert made.status_code == 201
        assert (await ready(client, MADE))["arms"] == arms

    ask(tmp_path / "log", talk)


def test_columns_are_fitted_to_a_file_beside_the_file_of_agents(tmp_path):
    (tmp_path / "history.csv").write_text("tokens,city,paid\n10,Rome,1\n30,Paris,2\n20,Rome,3\n")
    file = tmp_path / "router.toml"
    lines = [
        "[agents.router]",
        'policy = "mol-ucb"',
        'arms = ["small", "large"]',
        'objectives = ["quality"]',
        "[agents.router.context]",
        'columns = { tokens = "number", city = "category" }',
        'fit = "history.csv"',
    ]
    file.write_text("\n".join(lines))
    agent = read_specification(file).agents["router"]
    encoder = agent.context.encoder()
    assert encoder.names == ("intercept", "tokens", "city=Paris", "city=Rome", "city other")
    assert encoder.columns["tokens"].mean == pytest.approx(20.0)
    # It goes to the process that compiles, and is not shown.
    copied = msgspec.json.decode(msgspec.json.encode(agent), type=AgentSpecification)
    assert copied.context.encoder() == encoder
    assert agent.shown().context == ContextSpecification({"tokens": "number", "city": "category"})

    for line, words in (
        ('fit = "missing.csv"', "missing.csv"),
        ("", "context.fit or context.rows must be given"),
        ('fit = "history.csv"\nprt = 1', "prt"),
    ):
        file.write_text("\n".join([*lines[:-1], line]))
        with pytest.raises(SpecError, match=words):
            read_specification(file)


@pytest.mark.usefixtures("quick")
def test_the_share_of_an_agent_by_call_grows_by_call(tmp_path):
    rollout = {**ROUTER, "share": 0.1, "baseline": "large"}

    async def talk(client, running):
        await client.put(MADE, json=rollout)
        await ready(client, MADE)
        await client.post(f"{MADE}/decide", json={"context": CONTEXT})
        learned = {"quality": 0.5, "cost": 0.1}
        await client.post(f"{MADE}/decisions/0/rewards", json=learned)
        changed = await client.put(f"{MADE}/share", json={"share": 0.5})
        assert changed.status_code == 200, changed.text
        assert changed.json()["specification"]["share"] == 0.5
        assert changed.json()["learned"] == 1
        assert (await client.put(f"{MADE}/share", json={"share": 1.5})).status_code == 422
        refused = await client.put("/v1/agents/router/share", json={"share": 0.5})
        assert refused.status_code == 409
        await client.put("/v1/agents/plain", json=ROUTER)
        await ready(client, "/v1/agents/plain")
        without = await client.put("/v1/agents/plain/share", json={"share": 0.5})
        assert without.status_code == 422

    ask(tmp_path / "log", talk)

    async def later(client, running):
        state = (await client.get(MADE)).json()
        assert state["status"] == "ready"
        assert (state["specification"]["share"], state["learned"]) == (0.5, 1)
        assert (await client.put(MADE, json={**rollout, "share": 0.5})).status_code == 200
        assert running.agents.named("made").agent.recipe.share == 0.5

    ask(tmp_path / "log", later)


def test_a_check_says_what_would_run():
    agent = specification(
        router={
            **ROUTER,
            "features": 0,
            "context": {"columns": COLUMNS},
            "share": 0.1,
            "baseline": "small",
            "sticky": 300,
            "budgets": [
                {"objective": "cost", "limit": 5.0, "per": "day", "most": 0.1},
                {"objective": "cost", "limit": 100.0, "most": 0.1},
            ],
        }
    ).agents["router"]
    first, *lines = agent_in_words("router", agent)
    assert first.startswith("router: Rollout(")
    assert lines == [
        "  arms: small, large",
        "  context: columns tokens:number, city:category, as 5 numbers",
        "  objectives: quality (more is better), cost in USD (less is better)",
        "  preference: Pareto front over all objectives",
        "  propensities: exact",
        "  share: 0.1 of the decisions, else small",
        "  sticky: 300 seconds",
        "  budget: cost at most 5 USD per day",
        "  budget: cost at most 100 USD in all",
    ]
    plain = list(agent_in_words("router", specification().agents["router"]))
    assert "  context: 3 numbers" in plain


@pytest.mark.long
def test_a_share_is_a_tenth_and_may_grow(tmp_path):
    rollout = {**ROUTER, "share": 0.1, "baseline": "large"}

    async def talk(client, running):
        for _ in range(30):
            decided = await client.post("/v1/agents/router/decide", json={"context": CONTEXT})
            body = decided.json()
            least = 0.9 if body["arm"] == "large" else 0.0
            assert body["propensity"] >= least
            number = body["decision"]
            rewards = {"quality": 0.5, "cost": 0.1}
            await client.post(f"/v1/agents/router/decisions/{number}/rewards", json=rewards)
        return running.agents.named("router").agent.lessons

    assert ask(tmp_path / "log", talk, specification(router=rollout)) == 30

    async def whole(client, running):
        agent = running.agents.named("router").agent
        assert agent.lessons == 30
        return agent.recipe.share if hasattr(agent.recipe, "share") else None

    # The file says another share, and none at last: what was learned stays.
    more = {**rollout, "share": 0.5}
    assert ask(tmp_path / "log", whole, specification(router=more)) == 0.5
    assert ask(tmp_path / "log", whole, specification(router=ROUTER)) is None
    with served(tmp_path / "log", specification(router={**ROUTER, "seed": 9})) as running:
        assert "failed" in running.agents.named("router").status
