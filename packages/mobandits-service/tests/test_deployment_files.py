"""What deploy/ has: files that parse, whose commands exist, and whose metrics the service has."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer
import yaml
from services import served

from mobandits.cli import program as cli
from mobandits_service.calls import OPERATIONS
from mobandits_service.server import GRACE
from mobandits_service.specification import PORT, read_specification

ROOT = Path(__file__).parent.parent.parent.parent
DEPLOY = ROOT / "deploy"
OPERATE = ROOT / "docs" / "how-to" / "operate.md"
TABLES = ROOT / "docs" / "reference" / "operations.md"
SERIES = re.compile(r"\bmobandits_\w+")
HISTOGRAM_ENDS = ("_bucket", "_count", "_sum")
# The path of the program in a call, such as /opt/mobandits/bin/mobandits.
PROGRAM = re.compile(r"^(?:/\S*/)?mobandits$")


@pytest.fixture(scope="module")
def families(tmp_path_factory):
    """{family: kind} of what a service tells Prometheus."""
    with served(tmp_path_factory.mktemp("metrics") / "router.db") as running:
        content, _ = running.telemetry.exposition()
    found = dict(re.findall(r"^# TYPE (\w+) (\w+)$", content.decode(), re.MULTILINE))
    return {name: kind for name, kind in found.items() if not name.endswith("_created")}


@pytest.fixture(scope="module")
def alerts():
    content = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    (group,) = content["groups"]
    return group["rules"]


def instructions(text):
    """[(instruction, its words)] of a Containerfile."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    lines = [line.partition(" ") for line in joined.splitlines() if line.strip()]
    return [(name, rest.strip()) for name, _, rest in lines]


def check_call(words):
    """The command of a call exists, with its options; the file of a service can be served."""
    commands = typer.main.get_command(cli.app).commands
    command, *rest = words
    assert command in commands
    group = getattr(commands[command], "commands", {command: commands[command]})
    known = {option for each in group.values() for p in each.params for option in p.opts}
    options = {word for word in rest if word.startswith("-")}
    assert options <= known, options - known


def calls(text):
    """The calls of the program in a script."""
    for line in re.split(r"&&|;|\n", text):
        words = shlex.split(line, comments=True)
        if words and PROGRAM.match(words[0]):
            yield words[1:]


# --- the container


@pytest.fixture(scope="module")
def container():
    return instructions((DEPLOY / "Containerfile").read_text())


def test_the_container_runs_as_a_user_without_rights(container):
    users = [rest for name, rest in container if name == "USER"]
    made = [rest for name, rest in container if name == "RUN" and "useradd" in rest]
    assert users == ["mobandits"]
    assert "--uid 10001" in made[0]
    # Nothing is fetched but by pip, from where the machine's own settings say.
    assert {name for name, _ in container} <= {
        *("FROM", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK"),
        *("STOPSIGNAL", "ENTRYPOINT", "CMD"),
    }


def test_the_container_is_made_of_what_is_here(container):
    bases = [rest.split()[0] for name, rest in container if name == "FROM"]
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim", bases[0])
    for name, rest in container:
        if name == "COPY" and not rest.startswith("--from"):
            *sources, _ = rest.split()
            assert all((ROOT / source).exists() for source in sources)


def test_the_container_calls_what_there_is(container):
    found = [words for name, rest in container if name == "RUN" for words in calls(rest)]
    entry = next(rest for name, rest in container if name == "ENTRYPOINT")
    last = next(rest for name, rest in container if name == "CMD")
    assert yaml.safe_load(entry) == ["mobandits"]
    found.append(yaml.safe_load(last))
    assert [words[0] for words in found] == ["warm", "serve", "serve"]
    for words in found:
        check_call(words)
    # What runs is what was compiled, on the port and in the folder that others see.
    assert found[1][-1] == found[2][1] == "/etc/mobandits/router.toml"
    assert ("EXPOSE", str(PORT)) in container
    assert ("VOLUME", "/data") in container
    assert found[2][-1].startswith("/data/")


def test_the_container_is_asked_whether_it_is_ready(container):
    check = next(rest for name, rest in container if name == "HEALTHCHECK")
    address = re.search(r"http://127\.0\.0\.1:(\d+)(/\S+?)'", check)
    assert int(address[1]) == PORT
    assert address[2] in {each.path for each in OPERATIONS if each.scope is None}


def test_what_the_comments_of_a_file_tell_to_run_exists():
    for file in ("Containerfile", "mobandits.service"):
        text = (DEPLOY / file).read_text()
        remarks = "\n".join(re.findall(r"^#     ?(.*)$", text, re.MULTILINE))
        for line in remarks.replace("\\\n", " ").splitlines():
            _, found, call = line.partition(" mobandits keys ")
            if found:
                check_call(["keys", *shlex.split(call)])
        for path in re.findall(r"\bdeploy/[\w.]+", remarks):
            assert (ROOT / path).is_file()


def test_the_example_can_be_served():
    assert list(read_specification(DEPLOY / "router.toml").agents) == ["router"]


# --- systemd


@pytest.fixture(scope="module")
def unit():
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read(DEPLOY / "mobandits.service")
    return parser


def test_the_unit_calls_what_there_is(unit):
    service = unit["Service"]
    started, checked = (next(calls(service[key])) for key in ("ExecStart", "ExecStartPre"))
    for words in (started, checked):
        check_call(words)
    store = Path(started[started.index("--store") + 1])
    assert str(store.parent) in service["ReadWritePaths"].split()
    cache = service["Environment"].partition("NUMBA_CACHE_DIR=")[2]
    assert cache in service["ReadWritePaths"].split()
    assert started[1] == checked[-1]


def test_the_unit_waits_for_the_graceful_end(unit):
    service = unit["Service"]
    assert int(service["TimeoutStopSec"]) > GRACE
    assert service["KillSignal"] == "SIGTERM"
    assert service["Type"] == "exec"
    # A mistake of the user's is told with status 2, and not tried again.
    assert service["RestartPreventExitStatus"] == "2"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit(tmp_path):
    text = (DEPLOY / "mobandits.service").read_text()
    # What is not installed here: the program.
    copy = tmp_path / "mobandits.service"
    copy.write_text(text.replace("/opt/mobandits/bin/mobandits", shutil.which("true")))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(copy)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SYSTEMD_LOG_LEVEL": "warning"},
    )
    said = [line for line in done.stderr.splitlines() if str(copy) in line]
    assert (done.returncode, said) == (0, [])


# --- alerts, and what metrics mean


def family_of(series, families):
    """The family that a series belongs to."""
    for end in HISTOGRAM_ENDS:
        family = series.removesuffix(end)
        if series.endswith(end) and families.get(family) == "histogram":
            return family
    return series if families.get(series) in {"counter", "gauge"} else None


def test_alerts_are_about_metrics_that_there_are(alerts, families):
    for rule in alerts:
        names = SERIES.findall(rule["expr"])
        assert names or 'up{job="mobandits"}' in rule["expr"]
        assert all(family_of(name, families) for name in names), rule["alert"]
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"]["summary"]
        assert balanced(rule["expr"])


def test_the_dashboard_draws_metrics_that_there_are(families):
    content = json.loads((DEPLOY / "grafana.json").read_text())
    titles = [panel["title"] for panel in content["panels"]]
    assert len(set(titles)) == len(titles)
    for panel in content["panels"]:
        for target in panel["targets"]:
            for series in re.findall(r"\b(?:mobandits|process)_\w+", target["expr"]):
                assert family_of(series, families) in families, (panel["title"], series)
            check_calls(target["expr"])
            assert balanced(target["expr"])


def test_alerts_choose_calls_and_statuses_that_there_are(alerts):
    for rule in alerts:
        check_calls(rule["expr"])


def check_calls(expression):
    """The calls that an expression chooses are calls of the service."""
    names = {each.name for each in OPERATIONS}
    for call in re.findall(r'call="(\w+)"', expression):
        assert call in names


def balanced(expression):
    """Whether all brackets of an expression are closed."""
    depth = 0
    for character in re.sub(r'"[^"]*"', "", expression):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return False
    return depth == 0


def first_column(heading):
    """The words in code of the first column of the table under a heading."""
    section = TABLES.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)


def test_the_page_explains_every_metric(families):
    # Those of the process are Prometheus's own, and have one row.
    own = [name for name in families if not name.startswith("process_")]
    assert sorted(first_column("What each metric means")) == sorted(own)


def test_the_page_explains_every_alert(alerts):
    assert first_column("Alerts") == [rule["alert"] for rule in alerts]


# --- proxies


def block(language):
    """The block of a proxy's configuration on the page."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", OPERATE.read_text(), re.DOTALL)
    return found


def test_the_proxies_pass_on_what_the_service_relies_on():
    nginx = block("nginx")
    assert nginx.count("{") == nginx.count("}")
    for line in nginx.splitlines():
        text = line.strip()
        assert not text or text.endswith((";", "{", "}")), text
    # The default is the name of the upstream, which is a name of this machine.
    assert "proxy_set_header Host $host;" in nginx
    forwarded = re.findall(r"proxy_set_header (X-Forwarded-\S+)", nginx)
    assert forwarded == ["X-Forwarded-For", "X-Forwarded-Proto"]
    caddy = block("caddy")
    assert caddy.count("{") == caddy.count("}")
    for text in (nginx, caddy):
        assert f"127.0.0.1:{PORT}" in text
