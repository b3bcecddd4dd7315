"""The file of a service with an agent that `tune` found, its evidence in comments, and its store."""

import dataclasses
import importlib.metadata
import shlex
from pathlib import Path
from typing import Any

from mobandits.evaluation import BudgetTuned
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.logs.store import Store
from mobandits.logs.store.connection import reading
from mobandits.logs.store.content import agent_row
from mobandits.spec.describing import part_table, toml_key, toml_value
from mobandits.support.describe_path import describe_path
from mobandits.support.files import replacing
from mobandits.support.naming import check_name, quantity, quoted, wrong_value
from mobandits_service.specification import read_specification

FIRST_LINE = "# An agent that `mobandits tune` found. Tune again to change it, and compare."
SUFFIX = ".toml"
STORE_SUFFIX = ".db"  # what `mobandits serve` looks for beside the file


def check_tuned_file(path: Path) -> None:
    """Refuse a file that is something else, before anything is computed.

    Args:
        path: of the file to write; one that was written so before may be replaced.

    Raises:
        ValueError: naming what was found; also where the store beside the file, which a service
            would open, has other agents only, such as a log with the file's name.
        LogError: where what lies there is no store.

    Example:
        >>> check_tuned_file(Path("router.json"))
        Traceback (most recent call last):
        ValueError: --write must be a file with the ending .toml, got router.json
    """
    if path.suffix != SUFFIX:
        raise ValueError(f"--write must be a file with the ending {SUFFIX}, got {path}")

    check_name("agent", path.stem)
    if not path.parent.is_dir():
        raise ValueError(f"--write must be a file in a folder that exists, got {path}")

    place = path.with_suffix(STORE_SUFFIX)
    if place.exists():
        with reading(place) as connection:
            known = agent_row(connection, path.stem, str(place))
        if known is None:
            rule = f"--write must have another name: its service would open {place.name}"
            raise ValueError(f"{rule}, which has no agent {quoted(path.stem)}, got {path}")

    if not path.exists():
        return

    is_ours = path.is_file() and path.read_bytes().startswith(FIRST_LINE.encode())
    if not is_ours:
        wanted = "a new file, or one that tune has written"
        raise ValueError(f"--write must be {wanted}; found {describe_path(path)} at {path}")


def write_tuned(path: Path, tuned: BudgetTuned) -> str:
    """Write the file of a service, and where there is none a store whose agent has learned the log.

    The same log and options give the same bytes, so that a change of the file is a change of what
    was found. A store is never changed: its agent may have decided.

    Args:
        path: of the file; the agent has its name.
        tuned: what `tune` found.

    Returns:
        What was written, in a sentence.

    Raises:
        ValueError: where a service cannot have such an agent.
    """
    check_tuned_file(path)
    name = path.stem
    text = tuned_text(name, tuned)
    draft = path.with_name(f".{path.name}")
    try:
        draft.write_text(text, encoding="utf-8")
        # What a service would refuse never takes the place of what it serves.
        specification = read_specification(draft).agents[name]
    finally:
        draft.unlink(missing_ok=True)

    with replacing(path, private=False) as file:
        file.write(text.encode())

    place = path.with_suffix(STORE_SUFFIX)
    if place.exists():
        policy = part_table("policies", tuned.recipe, "policy")
        return (
            f"{path}: written. {place} was there, and its agent is as it was: "
            f"mobandits retune {place} --agent {name} --policy {shlex.quote(_command_line(policy))}"
        )

    store = Store(place, agent=name)
    try:
        agent = specification.agent(log=store)
        agent.learn_log(tuned.log)
        agent.close()
    finally:
        store.close()

    rounds = quantity(len(tuned.log), "round")
    return f"{path}: written, and {place}, whose agent has learned {rounds}: mobandits serve {path}"


def tuned_text(name: str, tuned: BudgetTuned) -> str:
    """The content of the file.

    Args:
        name: of the agent.
        tuned: what `tune` found.

    Raises:
        ValueError: where names are no text, or the policy cannot be written.
    """
    log = tuned.log
    names = [*log.arm_names, *log.objective_names]
    for each in names:
        if not isinstance(each, str):
            raise wrong_value("names of arms and objectives must be text", each)

    table = {
        "policy": part_table("policies", tuned.recipe, "policy"),
        "arms": list(log.arm_names),
        "objectives": [_objective(each) for each in log.objectives],
        **_contexts(log),
    }
    lines = [FIRST_LINE, "#"]
    lines += [f"# {line}".rstrip() for line in _evidence(tuned)]
    lines += ["", f"[agents.{toml_key(name)}]"]
    lines += [f"{key} = {toml_value(value)}" for key, value in sorted(table.items())]

    return "\n".join([*lines, ""])


def _evidence(tuned: BudgetTuned) -> list[str]:
    """What the log says, line by line."""
    log = tuned.log
    version = importlib.metadata.version("mobandits")
    sizes = f"{quantity(len(log), 'round')}, {quantity(len(log.arm_names), 'arm')}"

    return [
        f"log: {sizes}, sha256 {log.digest}",
        f"tuned by mobandits {version}, {tuned.options}",
        *tuned.lines(),
    ]


def _objective(objective: Objective) -> dict[str, Any]:
    """An objective as `ObjectiveSpecification` has it, without defaults."""
    table = {}
    for field in dataclasses.fields(objective):
        value = getattr(objective, field.name)
        if field.name == "name" or value != field.default:
            table[field.name] = value

    return table


def _contexts(log: Feedback) -> dict[str, Any]:
    """How long a context row is, or the columns that it is made of."""
    encoder = log.encoder
    if encoder is None:
        return {"features": log.contexts.shape[-1]}

    kinds = {column: kind.NAME for column, kind in encoder.columns.items()}

    return {"context": {"columns": kinds, "fitted": encoder.data}}


def _command_line(policy: dict[str, Any]) -> str:
    """A policy as `--policy` takes it."""
    parameters = [f"{key}={toml_value(value)}" for key, value in policy.items() if key != "name"]
    return f"{policy['name']}:{','.join(parameters)}"
