"""The origin of a table, for the foot of its page: specification, versions, machine, time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.figures.contents import RUNS, JsonObject, Manifest

Fact = tuple[str, str]


@dataclass(frozen=True)
class RunFacts:
    """The specification of one run, as pairs of texts.

    Args:
        title: a line on it.
        policies: {name: recipe}, as pairs.
        settings: everything else.
    """

    title: str
    policies: Sequence[Fact]
    settings: Sequence[Fact]


@dataclass(frozen=True)
class Provenance:
    """The foot of a page.

    Args:
        facts: what computed the table, on which machine, and how long it took.
        runs: what was asked for; none: the page says it elsewhere.
    """

    facts: Sequence[Fact]
    runs: Sequence[RunFacts] = ()


def provenance(manifest: Manifest) -> Provenance:
    """The foot of a run's page: its specifications, versions, machine and time.

    Args:
        manifest: of the run's folder.
    """
    specification = manifest["specification"]
    # A folder of several runs lists the specifications of all of them; that of a single run is its
    # own.
    runs = specification.get(RUNS, [specification])
    return Provenance(machine_and_time(manifest), [_run_facts(run) for run in runs])


def _run_facts(run: JsonObject) -> RunFacts:
    rounds = run["rounds"]
    trials = f"{run['trials']} trials"
    if rounds:  # what is computed may have none
        trials += f" of {rounds:,} rounds"

    title = f"{run['environment']}, {trials}, seed {run['seed']}"

    settings = []
    for key, value in run.items():
        if key != "policies":
            text = value if isinstance(value, str) else json.dumps(value)
            settings.append((key, text))

    return RunFacts(title, list(run["policies"].items()), settings)


def machine_and_time(manifest: Manifest) -> list[Fact]:
    """The versions, the machine and the time that computed a table.

    Args:
        manifest: of the table's folder.
    """
    sessions = manifest["sessions"]
    # The session of an interrupted run has no length.
    seconds = sum(session.get("seconds", 0.0) for session in sessions)
    starts = sorted({session["started"] for session in sessions})
    digest = manifest.get("results_sha256", "unknown")

    return [
        ("computed in", f"{seconds:.1f} seconds of simulation"),
        ("begun", ", ".join(starts)),
        ("on", _named_values(manifest.get("machine", {}))),
        ("with", _named_values(manifest["versions"])),
        ("table", f"results.parquet, SHA-256 {digest}"),
    ]


def _named_values(values: JsonObject) -> str:
    pairs = [f"{name} {value}" for name, value in values.items()]
    return ", ".join(pairs)
