"""Where a table comes from, for the foot of its page: specification, versions, machine, time."""

import json
from typing import Any

from mobandits.figures.page import folded, pairs


def provenance(manifest: dict[str, Any]) -> list[str]:
    """Pieces of HTML: what was asked for, what computed it, on which machine, how long it took.

    Args:
        manifest: of the run's folder.
    """
    said = manifest["specification"]
    runs = said.get("runs", [said])
    out = machine_and_time(manifest)
    for run in runs:
        rows = [
            (key, value if isinstance(value, str) else json.dumps(value))
            for key, value in run.items()
            if key != "policies"
        ]
        length = (
            f" of {run['rounds']:,} rounds" if run["rounds"] else ""
        )  # what is computed may have none
        title = f"{run['environment']}, {run['trials']} trials{length}, seed {run['seed']}"
        policies = [(name, recipe) for name, recipe in run["policies"].items()]
        out.append(folded(title, [pairs(policies), pairs(rows)]))
    return out


def machine_and_time(manifest: dict[str, Any]) -> list[str]:
    """Pieces of HTML: what computed a table, on which machine, how long it took.

    Args:
        manifest: of the table's folder.
    """
    sessions = manifest["sessions"]
    machine = manifest.get("machine", {})
    facts = {
        "computed in": f"{sum(session.get('seconds', 0.0) for session in sessions):.1f} seconds of simulation",
        "begun": ", ".join(sorted({session["started"] for session in sessions})),
        "on": ", ".join(f"{key} {value}" for key, value in machine.items()),
        "with": ", ".join(f"{key} {value}" for key, value in manifest["versions"].items()),
        "table": f"results.parquet, SHA-256 {manifest.get('results_sha256', 'unknown')}",
    }
    return ["<h2>Provenance</h2>", pairs(list(facts.items()))]
