"""The client in JavaScript, run by Node and by a browser."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest
from browser import CHROMIUM, browser
from services import PATIENCE, Served

ROOT = Path(__file__).parent.parent.parent.parent
CLIENT = ROOT / "examples" / "client.mjs"
PAGE = ROOT / "docs" / "how-to" / "serve.md"
NODE = shutil.which("node")
# What an application does; `Client` and `url` are there already.
APPLICATION = """
const router = new Client(url, "router");
const first = await router.decide([1.0, 0.2, 0.7], "k" + url);
const again = await router.decide([1.0, 0.2, 0.7], "k" + url);
const rewarded = await router.reward(first.decision, {quality: 0.5, cost: 0.25});
const repeated = await router.reward(first.decision, {quality: 0.5, cost: 0.25});
const refused = await router.decide([1.0]).catch((error) => error.message);
return {first, again, rewarded, repeated, refused};
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("javascript")) as running:
        yield running


def check(answers, url):
    first = answers["first"]
    assert first["arm"] in {"small", "large"}
    assert answers["again"] == {**first, "replayed": True}
    assert answers["rewarded"]["status"] == "settled"
    assert answers["repeated"]["repeated"]
    assert answers["refused"].startswith("context must have shape")
    found = httpx.get(
        f"{url}/v1/agents/router/decisions/{first['decision']}", timeout=PATIENCE
    ).json()
    assert found["rewards"] == {"quality": 0.5, "cost": 0.25}


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_node_runs_the_client(service, tmp_path):
    script = tmp_path / "main.mjs"
    script.write_text(
        f"import {{Client}} from {json.dumps(CLIENT.as_uri())};\n"
        f"const url = {json.dumps(service.url)};\n"
        f"const answers = await (async () => {{{APPLICATION}}})();\n"
        "console.log(JSON.stringify(answers));\n"
    )
    check(json.loads(node(script)), service.url)


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_a_service_that_is_not_there_is_an_error(tmp_path):
    script = tmp_path / "main.mjs"
    script.write_text(
        f"import {{Client}} from {json.dumps(CLIENT.as_uri())};\n"
        'const router = new Client("http://127.0.0.1:9", "router");\n'
        "await router.decide([1.0]).catch((error) => console.log(error.message));\n"
    )
    assert node(script).strip() == "http://127.0.0.1:9/v1/agents/router does not answer"


def node(script):
    done = subprocess.run(
        [NODE, str(script)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_page_of_the_same_origin_runs_the_client(service, tmp_path):
    module = base64.b64encode(CLIENT.read_bytes()).decode()
    program = f"""(async () => {{
        const url = location.origin;
        const {{Client}} = await import("data:text/javascript;base64,{module}");
        {APPLICATION}
    }})()"""
    with browser(tmp_path) as page:
        visit(page, f"{service.url}/health/live")
        check(evaluated(page, program), service.url)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_page_of_another_origin_reads_and_changes_nothing(service, tmp_path):
    """The service allows no other origin: browsers keep its answers from their pages.

    They would send what needs no permission all the same; that is refused.
    """
    with browser(tmp_path) as page:
        elsewhere = service.url.replace("127.0.0.1", "localhost")
        visit(page, f"{elsewhere}/health/live")
        call = (
            f"fetch({json.dumps(service.url)} + '/v1/agents').then(() => 'read', () => 'refused')"
        )
        assert evaluated(page, call) == "refused"
        decide = json.dumps(f"{service.url}/v1/agents/router/decide")
        body = json.dumps(json.dumps({"context": [1.0, 0.2, 0.7]}))
        before = httpx.get(f"{service.url}/v1/agents/router", timeout=PATIENCE).json()
        sent = f"fetch({decide}, {{method: 'POST', mode: 'no-cors', body: {body}}})"
        assert evaluated(page, f"{sent}.then((answer) => answer.type)") == "opaque"
        assert httpx.get(f"{service.url}/v1/agents/router", timeout=PATIENCE).json() == before


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://evil.example", 403), ("null", 403), ("https://127.0.0.1", 403), (None, 200)],
)
def test_requests_of_other_origins_are_refused(service, origin, status):
    headers = {} if origin is None else {"Origin": origin}
    assert (
        httpx.get(f"{service.url}/v1/agents", headers=headers, timeout=PATIENCE).status_code
        == status
    )
    own = {"Origin": service.url}
    assert httpx.get(f"{service.url}/v1/agents", headers=own, timeout=PATIENCE).status_code == 200


def visit(page, url):
    # What pages of the service may load is no subject of these tests.
    page.call("Page.setBypassCSP", enabled=True)
    page.call("Page.navigate", url=url)
    page.message(lambda said: said.get("method") == "Page.loadEventFired")


def evaluated(page, expression):
    """What a promise comes to."""
    answer = page.call(
        "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
    )
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


def test_the_page_shows_the_client_as_it_is():
    assert f"```javascript\n{CLIENT.read_text()}```" in PAGE.read_text()
