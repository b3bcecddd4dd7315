"""LiteLLM's proxy with the plugin, an agent of a service, and clients that know neither."""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from fake_openai import COST, PATIENCE, fake_openai

# The proxy itself is not imported: it runs in a process of its own.
for module in ("litellm", "fastapi", "apscheduler"):
    if importlib.util.find_spec(module) is None:
        pytest.skip("needs LiteLLM's proxy: make test-litellm", allow_module_level=True)

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "packages" / "mobandits-service" / "tests"))
from services import Served  # noqa: E402

pytestmark = pytest.mark.slow  # two processes that take their time to start
MASTER_KEY = "sk-" + "7f2c" * 10
PLUGIN = """
import os
from mobandits_client import AsyncClient
from mobandits_client.integrations.litellm import BanditRouting

plugin = BanditRouting(AsyncClient(os.environ["SERVICE"], "router", timeout=60.0))
"""


class Proxy:
    """A proxy of LiteLLM on loopback, until the block ends."""

    def __init__(self, folder, service, fake):
        listed = [fake.deployment("small"), fake.deployment("down", arm="large")]
        settings = {"callbacks": "routes.plugin", "num_retries": 1}
        content = {"model_list": listed, "litellm_settings": settings}
        (folder / "config.yaml").write_text(json.dumps(content))  # which is YAML as well
        (folder / "routes.py").write_text(PLUGIN)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [Path(sys.executable).parent / "litellm", "--config", folder / "config.yaml"]
        command += ["--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
        environment = {
            **os.environ,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_MASTER_KEY": MASTER_KEY,
            "SERVICE": service.url,
        }
        self.log = (folder / "proxy.log").open("w+")
        streams = {"stdout": self.log, "stderr": self.log}
        self.process = subprocess.Popen(command, env=environment, cwd=folder, **streams)
        self.url = f"http://127.0.0.1:{port}"

    def __enter__(self):
        until = time.monotonic() + 2 * PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if httpx.get(f"{self.url}/health/liveliness").status_code == 200:
                    return self
            except httpx.TransportError:
                pass
            time.sleep(0.2)
        self.__exit__()
        raise AssertionError((Path(self.log.name)).read_text()[-3000:])

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.log.close()

    def ask(self, **more):
        body = {"model": "chat", "messages": [{"role": "user", "content": "Hi"}], **more}
        headers = {"Authorization": f"Bearer {MASTER_KEY}"}
        address = f"{self.url}/v1/chat/completions"
        answer = httpx.post(address, json=body, headers=headers, timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        return answer


def test_rewards_find_the_decision_by_the_id_of_the_answer(tmp_path):
    with (
        fake_openai() as fake,
        Served(tmp_path) as service,
        Proxy(tmp_path, service, fake) as proxy,
    ):
        ids = [proxy.ask().json()["id"] for _ in range(8)]
        lines = proxy.ask(stream=True).text.splitlines()
        chunks = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
        (streamed,) = {json.loads(chunk)["id"] for chunk in chunks}
        ids.append(streamed)
        assert len(set(ids)) == 9

        agent = f"{service.url}/v1/agents/router"
        rewards = [{"key": each, "rewards": {"quality": 0.75}} for each in ids]
        outcomes = httpx.post(f"{agent}/rewards", json=rewards).json()
        assert all(outcome["refused"] is None for outcome in outcomes)

        # LiteLLM reports what answers cost a little later.
        until = time.monotonic() + PATIENCE
        while httpx.get(agent).json()["waiting"] > 0:
            assert time.monotonic() < until
            time.sleep(0.1)
        count = httpx.get(agent).json()["decisions"]
        made = [httpx.get(f"{agent}/decisions/{number}").json() for number in range(count)]

    answered = [each for each in made if each["key"] in ids]
    assert len(answered) == 9
    for each in answered:
        assert each["arm"] == "small"
        assert each["rewards"] == {"quality": 0.75, "cost": pytest.approx(COST)}
    failed = [each for each in made if each["key"] not in ids]
    assert [each["arm"] for each in failed] == ["large"] * fake.asked.count("down")
    assert all(each["rewards"] == {"quality": 0.0, "cost": 0.0} for each in failed)
