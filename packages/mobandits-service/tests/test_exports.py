"""The log of an agent as a file, sent while the service goes on."""

import asyncio
import json
import sqlite3

import polars as pl
import pytest
from services import CONTEXT, ask, specification

from mobandits.logs import export, read
from mobandits_service import exporting

AGENT = "/v1/agents/router"
REWARDS = {"quality": 0.5, "cost": 0.25}


async def some_decisions(client, **more):
    for number in range(10):
        await client.post(f"{AGENT}/decide", json={"context": CONTEXT, **more})
        if number % 2:
            await client.post(f"{AGENT}/decisions/{number}/rewards", json=REWARDS)


def test_files_are_those_of_the_command(tmp_path, monkeypatch):
    # In this process: the answers are the same, and a process takes seconds to start.
    async def run(job):
        exporting.perform(job)

    monkeypatch.setattr(exporting, "run_job", run)
    queries = {"parquet": {}, "csv": {}, "dsjson": {"objective": "quality"}}

    async def talk(client, running):
        await some_decisions(client)
        files = {}
        for name, more in queries.items():
            answer = await client.get(f"{AGENT}/export", params={"format": name, **more})
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith(exporting.MEDIA[name])
            assert answer.headers["content-disposition"].endswith(f"router.{name}")
            assert int(answer.headers["content-length"]) == len(answer.content)
            files[name] = answer.content
        return files

    files = ask(tmp_path / "log", talk)
    for name, more in queries.items():
        out = tmp_path / f"expected.{name}"
        export(tmp_path / "log", out, name, **more)
        found = tmp_path / f"found.{name}"
        found.write_bytes(files[name])
        if name == "parquet":
            one, other = read(out), read(found)
            assert one.rewards.tobytes() == other.rewards.tobytes()
            assert one.propensities.tolist() == other.propensities.tolist()
        else:
            assert found.read_bytes() == out.read_bytes()
    assert len(pl.read_csv(tmp_path / "found.csv")) == 10
    lines = files["dsjson"].splitlines()
    assert len([json.loads(line) for line in lines]) == 10


@pytest.mark.long
def test_a_process_writes_it_while_others_decide(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "temporary").mkdir()

    async def talk(client, running):
        await some_decisions(client)
        asked = asyncio.create_task(client.get(f"{AGENT}/export?format=csv"))
        made = 0
        while not asked.done():
            answer = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
            assert answer.status_code == 200
            made += 1
            await asyncio.sleep(0.01)
        assert made > 3
        answer = await asked
        assert answer.status_code == 200
        assert answer.text.startswith("id,time,arm,propensity")
        # What cannot be said in a format is told, and not half sent.
        await some_decisions(client, eligible=["small"])
        refused = await client.get(f"{AGENT}/export?format=csv")
        assert refused.status_code == 409
        assert "which arms were eligible" in refused.json()["detail"]
        assert str(tmp_path) not in refused.text

    ask(tmp_path / "log", talk)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_cannot_be_exported_is_told(tmp_path, monkeypatch):
    async def talk(client, running):
        await some_decisions(client)
        assert (await client.get(f"{AGENT}/export?format=xml")).status_code == 422
        monkeypatch.setattr(exporting, "MOST_AT_ONCE", 0)
        busy = await client.get(f"{AGENT}/export")
        assert busy.status_code == 429
        assert busy.headers["retry-after"]
        monkeypatch.setattr(exporting, "MOST_AT_ONCE", 1)
        monkeypatch.setattr(exporting, "LONGEST", 0.0)
        late = await client.get(f"{AGENT}/export")
        assert late.status_code == 503
        running.agents.named("router").status = "starting"
        assert (await client.get(f"{AGENT}/export")).status_code == 503

    ask(tmp_path / "log", talk, specification())


@pytest.mark.long
def test_damage_is_called_what_it_is(tmp_path, caplog):
    path = tmp_path / "log"
    ask(path, lambda client, running: some_decisions(client))
    other = sqlite3.connect(path)
    other.execute("UPDATE decisions SET propensity = 0.125 WHERE id = 3")
    other.commit()
    other.close()

    async def talk(client, running):
        for call in ("export", "decisions/3"):
            answer = await client.get(f"{AGENT}/{call}")
            assert answer.status_code == 500
            assert answer.json()["title"] == "The log is damaged"
            said = "the log is damaged: event 5 is not what was written"
            assert answer.json()["detail"] == said
        assert (await client.post(f"{AGENT}/decide", json={"context": CONTEXT})).status_code == 200

    ask(path, talk)
    assert [record.exc_info for record in caplog.records] == [None, None]
    assert "`mobandits check`" in caplog.records[0].getMessage()


@pytest.mark.parametrize("objective", [None, "speed"])
def test_the_process_refuses_in_one_line(tmp_path, objective):
    ask(tmp_path / "log", lambda client, running: some_decisions(client))
    query = exporting.ExportQuery("dsjson", objective)
    out = str(tmp_path / "out.dsjson")
    job = exporting.ExportJob(str(tmp_path / "log"), "router", out, query)

    said = exporting.answered(job).refused
    assert len(said.splitlines()) == 1
    assert "objective" in said
    assert str(tmp_path) not in said
