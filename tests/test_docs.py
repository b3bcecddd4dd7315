"""The documentation is a test: what its Python prints, where its links lead, and how it spells policies.

tools/snippets.py runs the Python blocks of a page, and writes what they print.
"""

import importlib
import importlib.util
import re
import runpy
import sys
import unicodedata
from pathlib import Path

import pytest
import typer

from mobandits import policies
from mobandits.cli import program as cli
from mobandits.testing import POLICY_CHECKS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
# `make docs` copies CHANGELOG.md there: history may name what is gone.
HISTORY = DOCS / "changelog.md"
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if page != HISTORY)]
CLIENT = ROOT / "packages" / "mobandits-client" / "README.md"
PROSE = [*PAGES, CLIENT, ROOT / "CONTRIBUTING.md"]
# Written from the program, where `mol-ucb` is what users type.
COMMAND_LINE = DOCS / "reference" / "command-line.md"
FENCED = re.compile(r"^(?P<fence>`{3,})[^\n]*\n.*?^(?P=fence)\s*?$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INDENTED = re.compile(r"^ {4,}\S.*$", re.MULTILINE)
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
ADDRESS = re.compile(r"(?:src|srcset|href)=\"(?P<target>[^\"]+)\"")
WORD = re.compile(r"[A-Za-z][\w.-]*\w")
ELSEWHERE = ("https:", "http:", "mailto:")
# Packages of pages that run where they are installed, such as the environment of `make test-litellm`.
NEEDS = {
    "route-prompts-with-litellm": ["litellm"],
    "optuna": ["optuna"],
    "track-runs": ["mlflow"],
    "web-applications": ["fastapi", "django", "openfeature"],
}
# Pages that play so many rounds that compiling pays. The others are run in Python, which has the same bits.
COMPILED = (
    "README",
    "add-your-own-policy",
    "choose-from-a-log",
    "compare-policies",
    "evaluate-before-you-deploy",
    "paper-output",
    "quickstart",
    "read-digits",
    "route-prompts",
)
# The longest README that still reads as one page.
README_LINES = 200
README_WORDS = 900  # in prose and tables
HOW_TO_WORDS = 700  # in prose and tables; reasons and measurements have pages of their own
# Pages that users read from top to bottom, in plain English.
FOR_USERS = [
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("index", "quickstart", "choose", "words", "deprecation")),
    *(
        page
        for room in ("coming-from", "explanation", "how-to", "tutorials")
        for page in (DOCS / room).glob("*.md")
    ),
]
# {what reads as translated: what to write}.
TRANSLATED = {
    r"\b(?:surely|told? apart|tells? apart)\b": "significantly, separated, a difference",
    r"\b(?:no|some|every)body\b": "the one who acts: the application, you, everyone",
    r"\bof everything\b": "name the things",
    r"(?:^|[.:] )(?-i:What) [^.?:|]*\.": "a noun as the subject: rewards, not 'what it brought'",
    r"\bin (?:the )?place of\b": "instead of",
    r"\bbut for\b": "except",
    r"\bdear(?:er|est)?\b": "expensive",
    r"\bwithout a word\b": "silently",
    r"\b(?:is|are|was|were) what\b": "the thing itself",
    r"\bit is for who\b|\bfor who\b": "for operators, for readers",
}


@pytest.fixture(scope="module")
def snippets():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module("snippets")
    sys.path.remove(str(ROOT / "tools"))


def name(page):
    return str(page.relative_to(ROOT))


def pages_with_code():
    for page in PAGES:
        if "```python" not in page.read_text():
            continue
        modules = NEEDS.get(page.stem, [])
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        skipped = pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")
        # Packages that pages use may warn of their own affairs.
        ignored = [pytest.mark.filterwarnings("ignore")] if modules else []
        tier = pytest.mark.process if page.stem in COMPILED else pytest.mark.long
        yield pytest.param(page, marks=[skipped, tier, *ignored], id=name(page))


@pytest.mark.parametrize("page", list(pages_with_code()))
def test_page_prints_what_it_shows(page, snippets, tmp_path):
    outputs = snippets.printed(page, tmp_path)
    for snippet, output in zip(snippets.snippets(page.read_text()), outputs, strict=True):
        where = f"{name(page)}, line {snippet.line + 1}: tools/snippets.py writes what it prints"
        assert snippets.agrees(snippet.shown, output), f"{where}\n{output}"


def test_outputs_are_written_below_what_prints(snippets):
    fence = "```"
    page = (
        f"Before.\n\n{fence}python\nprint(1 + 1)\n{fence}\n\nBetween.\n\n"
        f"{fence}python\nx = 3\n{fence}\n\n{fence}text\nold\n{fence}\n\nAfter.\n"
    )
    filled = snippets.with_outputs(page, ["2\n", ""])
    assert filled == (
        f"Before.\n\n{fence}python\nprint(1 + 1)\n{fence}\n\n{fence}text\n2\n{fence}\n\nBetween.\n\n"
        f"{fence}python\nx = 3\n{fence}\n\nAfter.\n"
    )
    assert snippets.with_outputs(filled, ["2\n", ""]) == filled
    assert snippets.agrees("12...89\n", "123456789\n")
    assert not snippets.agrees("1\n", "2\n")


def without_code(text):
    """The page without its blocks of code and its comments."""
    return INDENTED.sub("", FENCED.sub("", COMMENT.sub("", text)))


def anchors(text):
    """The anchors of a page's headings, as the site and GitHub make them."""
    found = set()
    for heading in re.findall(r"^#+ +(.+)$", FENCED.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        decomposed = unicodedata.normalize("NFKD", words)
        plain = decomposed.encode("ascii", "ignore").decode()
        kept = re.sub(r"[^\w\s-]", "", plain)
        lower = kept.strip().lower()
        found.add(re.sub(r"[-\s]+", "-", lower))
    return found


def leads_somewhere(page, target):
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    if not file.exists():
        return False
    # The site shows such pictures in one theme only.
    if file.suffix == ".svg" and anchor in ("only-light", "only-dark"):
        return True
    return not anchor or anchor in anchors(file.read_text())


@pytest.mark.parametrize("page", PROSE, ids=name)
def test_links_lead_somewhere(page):
    text = FENCED.sub("", page.read_text())
    targets = [match["target"] for pattern in (LINK, ADDRESS) for match in pattern.finditer(text)]
    inner = [target for target in targets if not target.startswith(ELSEWHERE)]
    assert [target for target in inner if not leads_somewhere(page, target)] == []


def test_the_pictures_of_both_themes_show_the_same():
    pictures = runpy.run_path(str(ROOT / "tools" / "pictures.py"))
    images = DOCS / "images"
    drawn = (images / "budgets-light.svg").read_text()
    assert (images / "budgets-dark.svg").read_text() == pictures["dark"](drawn)


def spelt(word):
    """What is left of a name where spelling does not count: MOL-TS, MolTs and mol_ts are one."""
    return re.sub(r"[^a-z0-9]", "", word.lower())


def spellings():
    """{name: how prose writes it}, of the table on the papers' page, and of classes."""
    page = (DOCS / "papers" / "README.md").read_text()
    table = page.split("| in text | recipe |")[1].split("\n\n")[0]
    allowed = {}
    for row in table.splitlines()[2:]:
        in_text, recipes, others = row.split("|")[1:4]
        for word in WORD.findall(f"{in_text} {others}"):
            if len(re.findall("[A-Z]", word)) > 1:
                allowed.setdefault(spelt(word), set()).add(word)
        for recipe in re.findall(r"`(\w+)`", recipes):
            allowed.setdefault(spelt(recipe), set())
    for recipe in policies.RECIPES:
        if re.search(r"[a-z0-9][A-Z]", recipe):
            allowed.setdefault(spelt(recipe), set())
    return allowed


@pytest.mark.parametrize("page", [page for page in PROSE if page != COMMAND_LINE], ids=name)
def test_policies_are_spelt_in_one_way(page):
    """MOL-TS is the algorithm; `MolTs`, its class, is code."""
    text = LINK.sub("]", without_code(page.read_text()))
    prose = ADDRESS.sub("", re.sub(r"`[^`]*`", "", text))
    allowed = spellings()
    wrong = [word for word in WORD.findall(prose) if word not in allowed.get(spelt(word), {word})]
    assert wrong == [], "docs/papers/README.md lists how policies are spelt; classes are code"


def command_lines(text):
    """[(command, options)] of the indented lines that call the program."""
    lines = re.sub(r" *\\\n *", " ", text).splitlines()
    calls = [re.match(r" {4,}(?:RUN )?(?:\S*&& )?mobandits ([a-z-]+)(.*)", line) for line in lines]
    found = []
    for call in calls:
        if call:
            # Two spaces and more come before a remark on the command.
            arguments = re.split(r"(?<=\S) {2,}", call[2])[0]
            found.append((call[1], re.findall(r"--[a-z-]+", arguments)))
    return found


@pytest.mark.parametrize("page", PROSE, ids=name)
def test_commands_exist_with_their_options(page):
    commands = typer.main.get_command(cli.app).commands
    for command, options in command_lines(page.read_text()):
        assert command in commands
        # Of a group, such as `keys`, the options are those of its commands.
        group = getattr(commands[command], "commands", {command: commands[command]})
        known = {option for each in group.values() for p in each.params for option in p.opts}
        assert set(options) <= {*known, "--help"}, command


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


def words(page):
    """How many words of prose and tables a page has."""
    return len(re.findall(r"\S*\w\S*", without_code(page.read_text())))


def test_pages_of_steps_are_short():
    longest = dict.fromkeys((DOCS / "how-to").glob("*.md"), HOW_TO_WORDS)
    longest[ROOT / "README.md"] = README_WORDS
    assert {name(page): words(page) for page, most in longest.items() if words(page) > most} == {}


@pytest.mark.parametrize("page", FOR_USERS, ids=name)
def test_prose_does_not_read_as_translated(page):
    text = without_code(page.read_text())
    found = {
        match[0]: better
        for pattern, better in TRANSLATED.items()
        for match in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE)
    }
    assert found == {}, "each on the left reads as translated; write rather what is on the right"


def test_words_are_defined_once():
    """docs/words.md defines them; other pages link to it and have no table of their own."""
    words = re.findall(r"^\| \*\*(.+?)\*\* \|", (DOCS / "words.md").read_text(), re.MULTILINE)
    assert len(words) == len(set(words)) > 20
    tables = [page for page in PROSE if re.search(r"^\| word \|", page.read_text(), re.MULTILINE)]
    assert tables == [DOCS / "words.md"]


def test_the_how_to_names_every_promise():
    page = (DOCS / "how-to" / "add-a-policy.md").read_text()
    assert [check for check in POLICY_CHECKS if f"| {check} |" not in page] == []
