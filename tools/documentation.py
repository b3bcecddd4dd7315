"""Build the documentation site into site/: `make docs`.

Some pages are written first: the options of the command line, the data sets, the changelog. Then Zensical builds
strictly. What it only prints (its own strictness does not count what the reference's generator says) is an error too,
and so is a page that is not in the navigation or needs the network, and a public name that is not in the reference.
"""

import html
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import mobandits
from mobandits.references import REFERENCES, citing

ROOT = Path(__file__).parent.parent
DOCS, SITE = ROOT / "docs", ROOT / "site"
QUIET = re.compile(r"^(Build started|Build finished in .*|No issues found|\s*)$")
EXAMPLES = re.compile(r"^Examples:\n\n((?:\$ .*\n\n?)+)", re.MULTILINE)
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=[\"']?(https?:[^\"' >]+)|url\([\"']?(https?:[^)]+)\)"
)


COMMAND_LINE = """# The command line

`make docs` writes this page from the program.

Results go to stdout. Progress, warnings and errors go to stderr, as a bar on a terminal and as plain
lines elsewhere; `2> /dev/null` hides them. `-h` after any command shows its options and examples.

| exit status | meaning |
|---|---|
| 0 | done |
| 1 | a defect of this library, a theorem check that failed, or a store that is damaged |
| 2 | mistakes of the user's: a line for each on stderr, and nothing was changed |
| 75 | a store or an address that is in use, or a database that is down: the same command may do later |
| 130 | Ctrl-C: a line says what is kept and how to go on |

Finished trials are kept after Ctrl-C and after a kill: the same command resumes. Where everything is
there already, `run`, `reproduce` and `demo` say so at once, and `mobandits report DIR` draws the
figures again. Policies that are being compiled cannot be stopped, so that the first Ctrl-C may take a
while. The second one does not wait for them.

With `mobandits run --live` the report's page is there from the start. It shows progress, the time left and
the curves of finished trials, and the browser reloads it every two seconds until the report replaces it. An
interrupted run leaves a page that says so. The table is the same with and without it.

A TOML file is checked as a whole. Every mistake is a line that begins with `FILE:LINE:`.

## Shell completion

```console
$ mobandits --install-completion
```

completes commands, options, and names of policies, orders, papers and experiments in the shell that it
runs in: bash, zsh, fish or PowerShell. It adds a line to the start-up file of the shell, which has to be
started again. `mobandits --show-completion` prints the script in place of installing it, for a start-up
file of your own.

## The program"""
# {module: the package without which it cannot be imported}; the site reads its source all the same.
APART = {
    "mobandits_client.integrations.litellm": "litellm",
    "mobandits_client.integrations.openfeature": "openfeature",
}


def main() -> None:
    """Build, or say what is wrong and exit with 1."""
    for name, page in pages().items():
        (DOCS / name).write_text(page)
    (DOCS / "changelog.md").write_text(changelogs())
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    said = [line for line in done.stdout.splitlines() if not QUIET.match(line)]
    wrong = said or not_listed() + needs_network() + undocumented()
    print("\n".join(wrong) if wrong else f"{SITE}/index.html")
    sys.exit(bool(wrong) or done.returncode)


def changelogs() -> str:
    """The changelogs of all distributions on one page, the library's first."""
    guests = sorted((ROOT / "packages").glob("*/CHANGELOG.md"))
    texts = [(ROOT / "CHANGELOG.md").read_text(), *(path.read_text() for path in guests)]
    return "\n".join(texts)


def pages() -> dict[str, str]:
    """The pages that are written from the code, and kept with it."""
    return {
        "reference/command-line.md": command_line(),
        "reference/datasets.md": data_sets(),
        "reference/policies.md": with_table("policies", policy_table()),
        "reference/orders.md": with_table("orders", order_table()),
        "bibliography.md": bibliography(),
    }


def with_table(name: str, table: str) -> str:
    """The page of the reference on policies or on orders, with its table from the code."""
    return filled((DOCS / "reference" / f"{name}.md").read_text(), name, table)


def filled(page: str, name: str, table: str) -> str:
    r"""A page with a table between the comment of that name and the next `<!-- end -->`.

    Example:
        >>> print(filled("<!-- a: b -->\nold\n<!-- end -->", "a", "new"))
        <!-- a: b -->
        new
        <!-- end -->
    """
    start = page.index("-->", page.index(f"<!-- {name}:")) + len("-->")
    end = page.index("<!-- end -->", start)
    return f"{page[:start]}\n{table}\n{page[end:]}"


def policy_table() -> str:
    """A row per recipe, from what it declares."""
    lines = [
        "| policy | context | beliefs | plays | log | horizon | part |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, recipe in mobandits.policies.RECIPES.items():
        lines.append(f"| `{name}` | {' | '.join(recipe.traits)} |")
    return "\n".join(lines)


def order_table() -> str:
    """A row per order: the first line of its docstring."""
    lines = ["| order | what wins |", "|---|---|"]
    for name, order in mobandits.orders.ORDERS.items():
        lines.append(f"| `{name}` | {inspect.getdoc(order).partition(chr(10))[0]} |")
    return "\n".join(lines)


def bibliography() -> str:
    """The page of all references: who is cited, where it is, and what names it."""
    users: dict[str, list[str]] = {}
    for name, member in {**citing.classes(), **citing.data_sets()}.items():
        # Recipes of others, and those of a paper's figures, are known only once they are loaded.
        if not member.__module__.startswith("mobandits."):
            continue
        for key in getattr(member, "references", ()):
            users.setdefault(key, []).append(f"`{name}`")
    lines = [
        "# Bibliography",
        "`make docs` writes this page from `mobandits.references`.",
        "`results.cite()` and `mobandits cite` print what a run or a name is cited as, in BibTeX.",
        "The last column has what names a reference; parts without one are ours.",
    ]
    table = ["| key | reference | used by |", "|---|---|---|"]
    for key, reference in sorted(REFERENCES.items()):
        links = [f"[{name}]({address})" for name, address in reference.links().items()]
        text = " ".join([reference.text().replace("|", "\\|"), *links])
        used = ", ".join(sorted(users.get(key, [])))
        table.append(f"| {key} | {text} | {used} |")
    return "\n\n".join(lines) + "\n\n" + "\n".join(table) + "\n"


def command_line() -> str:
    """The page on the command line, from the program itself."""
    command = [
        sys.executable,
        "-m",
        "typer",
        "mobandits.cli.program",
        "utils",
        "docs",
        "--name",
        "mobandits",
    ]
    written = html.unescape(
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    )
    start, _, rest = written.partition("**Commands**:")
    sections = rest[rest.index("## ") :]  # the list of commands before them cuts their sentences
    sections = EXAMPLES.sub(examples_as_code, sections)
    return start.replace("# `mobandits`", COMMAND_LINE, 1) + sections.rstrip() + "\n"


def examples_as_code(found: re.Match[str]) -> str:
    """The examples of a command as a block of code, with a line for each."""
    lines = [line for line in found[1].splitlines() if line]
    return "\n".join(["**Examples**:", "", "```console", *lines, "```", "", ""])


def data_sets() -> str:
    """The page on data sets: the room, and how each set describes itself."""
    members = {name: getattr(mobandits.datasets, name) for name in mobandits.datasets.__all__}
    said = {name: member.about for name, member in members.items() if hasattr(member, "about")}
    parts = ["# Data sets", "`make docs` writes this page from the code.", "::: mobandits.datasets"]
    parts += [f"## {name}\n\n```text\n{str(about).rstrip()}\n```" for name, about in said.items()]
    return "\n\n".join(parts) + "\n"


def not_listed() -> list[str]:
    """Pages that the navigation does not know."""
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    names = [page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))]
    return [f"docs/{name} is not in the nav of mkdocs.yml" for name in names if name not in listed]


def needs_network() -> list[str]:
    """What pages would fetch from elsewhere when they are opened."""
    files = sorted(file for file in SITE.rglob("*") if file.suffix in {".html", ".css"})
    found = [(file, address) for file in files for address in FETCHED.findall(file.read_text())]
    return [f"{file.relative_to(ROOT)}: loads {''.join(address)}" for file, address in found]


def undocumented() -> list[str]:
    """Public names that no page of the reference describes: of the package, and of the rooms that have a page."""
    built = "".join(page.read_text() for page in (SITE / "reference").glob("*.html"))
    described = set(re.findall(r'id="?(mobandits[\w.]*)', built))
    short = {name.rpartition(".")[2] for name in described}
    sources = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    named = {
        name: pkgutil.resolve_name(name)
        for name in re.findall(r"^::: ([\w.]+)$", sources, re.MULTILINE)
        if importlib.util.find_spec(APART.get(name, "mobandits")) is not None
    }
    rooms = {name: module for name, module in named.items() if inspect.ismodule(module)}
    wanted = [
        f"{room}.{name}"
        for room, module in rooms.items()
        for name in getattr(module, "__all__", [])
    ]
    lost = [name for name in wanted if name not in described and documents_itself(name)]
    top = [f"mobandits.{name}" for name in mobandits.__all__]
    lost += [
        name for name in top if name.rpartition(".")[2] not in short and documents_itself(name)
    ]
    return [f"{name} is not in the reference" for name in lost]


def documents_itself(name: str) -> bool:
    """Whether it is a class or a function: modules have pages, and constants have comments."""
    return inspect.isclass(member := pkgutil.resolve_name(name)) or inspect.isfunction(member)


if __name__ == "__main__":
    main()
