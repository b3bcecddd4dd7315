"""docs/benchmarks.md, from the files in results/: `python benchmarks/page.py` writes it, benchmarks/all.py too."""

import json
import re

import harness

import mobandits as mob

PAGE = harness.ROOT / "docs" / "benchmarks.md"

INTRODUCTION = """# Benchmarks

`make bench` runs every script `benchmarks/bench_*.py`, one after the other, and writes this page; each can be run by
itself with `.venv/bin/python benchmarks/bench_NAME.py`, and `.venv/bin/python benchmarks/page.py` writes the page from
the results there are. A rival that mobandits does not depend on is installed, at the version given, together with
mobandits in an environment of its own under `.venv-bench`.

How numbers are made:

- Before anything is timed, a script asserts that both sides do the same; the notes under a table say what was checked,
  and where rivals differ by design.
- Both sides run on the same machine, on one thread, in turn, usually seven times. A turn lasts at least 20 ms, and at
  least one call. Cells show the fastest turn and, in brackets, the median; the ratio is that of the fastest turns.
  Columns behind it are parts of our side's time.
- Compilation is not in these times: it happens once per machine and has a section of its own.
- Only ratios count: absolute times are this machine's."""

SHORT = {"Mtlo", "Pcz", "Stlo", "Ucb1"}

SECTIONS = {  # in this order; others follow by name
    "figure2": "A whole experiment against what a researcher would write (`benchmarks/naive_numpy.py`): NumPy, and for "
    "the effective front a linear program of SciPy's HiGHS per arm, or only for the arms of the Pareto front.",
    "play": "What compiling brings, with the same source on both sides.",
    "effective": "",
    "pareto": "",
    "threads": "",
    "mabwiser": "",
    "contextualbandits": "",
    "river": "",
    "vowpalwabbit": "",
    "pybandits": "",
    "peers": "What README.md compares, in one run. Open Bandit Pipeline could not be installed with Python 3.11 on "
    "2026-11-23: version 0.5.7 pins scikit-learn 1.1.3, SciPy 1.9.3 and pandas 1.5.2, and needs torch, which the index "
    "at hand did not have; the older 0.5.5 needs a PyYAML that does not build.",
    "moslb": "",
    "features": "What `Features(map, recipe)` costs: phi of every row, and larger regressions.",
    "scaling": "Costs per round against the size of a problem; all points are in `benchmarks/results/scaling.json`.\n\n"
    "![Microseconds per round against arms, features, objectives and rounds, on logarithmic axes]"
    "(images/benchmarks-scaling.png)",
    "many_arms": "",
    "startup": "",
    "service": "Goals first, then what they were computed from. `benchmarks/bench_service.py` takes all of it in one "
    "run; given the URL of a PostgreSQL database, that store has a side as well.",
    "store": "",
}


def table(header, rows):
    """A table in Markdown; the first column is text, the others are numbers."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def times(measured):
    """Fastest and median."""
    return f"{harness.duration(measured['min'])} ({harness.duration(measured['median'])})"


def cells(row, rival, parts):
    """A row's cells; `rival` says whether rows name rivals of their own, `parts` which parts of our side there are."""
    shown = [row["case"], *([row.get("theirs", "")] if rival else [])]
    if "theirs_us" in row:
        shown.append(times(row["theirs_us"]))
    shown.append(times(row["ours_us"]))
    if "ratio" in row:
        shown.append(f"{row['ratio']:,.0f}" if row["ratio"] >= 100 else f"{row['ratio']:.3g}")
    known = row.get("parts", {})
    return [
        *shown,
        *(harness.duration(known[part]["min"]) if part in known else "" for part in parts),
    ]


def measurements(rows):
    """A table per kind of row: comparisons, and measurements without a rival."""
    found = []
    for compared in (True, False):
        some = [row for row in rows if ("ratio" in row) == compared]
        if not some:
            continue
        rivals, mine = (
            {row.get("theirs") for row in some},
            {row.get("ours", "time") for row in some},
        )
        parts = list(dict.fromkeys(part for row in some for part in row.get("parts", {})))
        header = ["", *(["rival"] if len(rivals) > 1 else [])]
        header += ["rival's time" if len(rivals) > 1 else str(*rivals)] if compared else []
        header += [
            str(*mine) if len(mine) == 1 else "ours",
            *(["ratio"] if compared else []),
            *parts,
        ]
        found.append(table(header, [cells(row, len(rivals) > 1, parts) for row in some]))
    return "\n\n".join(found)


def goals_table(goals):
    """A row per goal, and whether it was met."""
    rows = [
        [f"{row['id']}: {row['what']}", row["goal"], row["found"], "yes" if row["met"] else "no"]
        for row in goals
    ]
    return table(["", "goal", "found", "met"], rows)


def slopes(exponents):
    """A row per policy, a column per axis: exponents of the cost of a round."""
    lines = list(dict.fromkeys(line for axis in exponents.values() for line in axis))
    rows = [
        [line, *(f"{axis[line]:+.2f}" if line in axis else "" for axis in exponents.values())]
        for line in lines
    ]
    return table(["exponent of the cost of a round in", *exponents], rows)


def with_code(text):
    """The text with class names of policies and orders as code, as in all prose."""
    names = [*mob.policies.__all__, *mob.orders.__all__]
    # Names of one part are words too, such as Features, but for those that are abbreviations.
    classes = [name for name in names if re.search("[a-z0-9][A-Z]", name) or name in SHORT]
    name = rf"(?:{'|'.join(classes)})\b"
    # A wrapper stands with what it wraps.
    return re.sub(rf"(?<![`.\w])(\w+\({name}\)|{name})(?![`(])", r"`\1`", text)


def section(name, content):
    """One file of results."""
    if "table" in content:
        body = table(**content["table"])
    elif "exponents" in content:
        body = slopes(content["exponents"])
    else:
        body = measurements(content["rows"])
    if "goals" in content:
        body = f"{goals_table(content['goals'])}\n\n{body}"
    notes = "\n".join(f"- {note}" for note in content["notes"])
    load = f"Load of the machine at the start: {content['machine']['load']}."
    title = f"## {content['title']}"
    said = [title, SECTIONS.get(name, ""), with_code(body), with_code(notes), load]
    return "\n\n".join(part for part in said if part)


def machines(results):
    """A line per machine that something ran on."""
    found = {}
    for name, content in results.items():
        about = {key: value for key, value in content["machine"].items() if key != "load"}
        found.setdefault(json.dumps(about), []).append(name)
    lines = []
    for about, names in found.items():
        said = ", ".join(f"{key} {value}" for key, value in json.loads(about).items())
        lines.append(f"Run on: {said}{'' if len(found) == 1 else ' (' + ', '.join(names) + ')'}.")
    return "\n".join(lines)


def main():
    results = {
        path.stem: json.loads(path.read_text()) for path in sorted(harness.RESULTS.glob("*.json"))
    }
    order = [name for name in SECTIONS if name in results] + [
        name for name in results if name not in SECTIONS
    ]
    parts = [INTRODUCTION, machines(results), *(section(name, results[name]) for name in order)]
    PAGE.write_text("\n\n".join(parts) + "\n")
    print(f"wrote {PAGE.relative_to(harness.ROOT)}")


if __name__ == "__main__":
    main()
