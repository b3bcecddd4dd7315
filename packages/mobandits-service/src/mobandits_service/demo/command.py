"""`mobandits serve --demo`: the LLM-routing agent behind HTTP, with a past and a load."""

import tempfile
from pathlib import Path

import msgspec

from mobandits.errors import SpecError
from mobandits.support.describe_path import describe_path
from mobandits_service.demo.history import make_history
from mobandits_service.demo.prompts import PromptTable, prompt_table
from mobandits_service.demo.traffic import Traffic
from mobandits_service.server import Say, serve
from mobandits_service.specification import read_specification

AGENT = "router"
STORE_NAME = "router.db"
# The weight 0.6 of the cost: ten times the cost, a sixth of its range, is worth 0.1 of quality.
FILE = """\
# The agent of `mobandits serve --demo`. `mobandits serve` with this file serves it without a load.
log_requests = false

[agents.router]
arms = {arms}
features = {features}
seed = 1

[agents.router.policy]
name = "with-floor"
epsilon = 0.1

[agents.router.policy.recipe]
name = "mol-ucb"
scale = 0.3
order = {{ name = "weighted", weights = [1.0, 0.6] }}

[[agents.router.objectives]]
name = "quality"
low = 0.0
high = 1.0

[[agents.router.objectives]]
name = "cost"
minimise = true
unit = "log10 USD"
low = -6.0
high = 0.0
"""


def serve_demo(
    *,
    host: str | None,
    port: int | None,
    store: Path | None,
    say: Say,
) -> None:
    """Serve the LLM-routing agent, with decisions to look at, under a bounded load.

    Args:
        host: in place of 127.0.0.1.
        port: in place of 8787.
        store: the file of the decisions, or a folder for it; None: in a new temporary folder.
        say: is told what a user should know.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
        ValueError: where the address is taken, or the files are other ones.
    """
    say("This is a demonstration: real prompts, and graded answers of three language models.")
    say("It reads the prompts, and compiles what the agent plays: up to a minute, once a machine.")
    prompts = prompt_table()
    path = _store_in(store)
    file = path.with_suffix(".toml")
    _write_file(file, prompts)
    specification = read_specification(file).at(host, port)
    count = make_history(specification.agents[AGENT], AGENT, path, prompts)
    say(f"{count:,} prompts were routed, as if they had come in the past hour")
    say(f"files: {path} and {file}; delete them afterwards")
    traffic = Traffic(prompts, AGENT, say)
    say("Ctrl-C ends it, with every answered call in the store.")
    serve(specification, path, say, traffic)


def _store_in(store: Path | None) -> Path:
    """Where decisions go."""
    if store is None:
        folder = tempfile.mkdtemp(prefix="mobandits-demo-")
        return Path(folder) / STORE_NAME
    if store.is_dir():
        return store / STORE_NAME

    return store


def _write_file(file: Path, prompts: PromptTable) -> None:
    """Write the file of the service; one that somebody else wrote is refused."""
    arms = msgspec.json.encode(prompts.models).decode()
    features = prompts.contexts.shape[1]
    content = FILE.format(arms=arms, features=features)
    if not file.exists():
        file.write_text(content, encoding="utf-8")
        return

    found = file.read_bytes() if file.is_file() else b""
    if found != content.encode():
        what = describe_path(file)
        raise SpecError(f"{file} must be a new file or the demonstration's, got {what}")
