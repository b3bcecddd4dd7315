"""The site's pages that say something about the code: what they say is true, and nothing public is missing."""

import doctest
import importlib
import inspect
import re
import sys
from pathlib import Path

import markdown
import numpy as np
import pytest

import mobandits
from mobandits import orders, policies
from mobandits.contracts.protocols import Shape
from mobandits.features import Crosses

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TABLES = "".join((DOCS / "reference" / f"{name}.md").read_text() for name in ("policies", "orders"))
WITHOUT_PAGE = {"figures"}  # its faces are commands
ON_OTHER_PAGES = {"GrossScalar", "pc_gap_authors"}  # of the orders: no orders
SHAPES = [Shape(4, 0, 2), Shape(4, 2, 2, shared=True)]
ZOOMING = {"Pcz", "ContextualZooming"}
NEEDED = {
    "Doubling": {"recipe": policies.MocMab},
    "SingleArm": {"arm": 1},
    "Forgetting": {"discount": 0.9},
    "Features": {"map": Crosses(2)},
    "Within": {"limits": {0: 0.5}},
    "Paced": {"budgets": {1: 0.5}},
    "PrimalDual": {
        "recipe": policies.MolUcb(scale=0.3, order=orders.Weighted([1.0, 0.0])),
        "budgets": {1: 0.5},
        "largest": {1: 1.0},
    },
    "Rollout": {"baseline": 0},
    "Conservative": {"baseline": 0, "loss": 0.1, "objective": 0},
}
# Their beliefs are drawn where those of their recipe are.
AS_THEIR_RECIPE = {
    *(
        "Conservative",
        "Diagonal",
        "Doubling",
        "DriftAlarm",
        "Features",
        "Forgetting",
        "Paced",
        "PrimalDual",
    ),
    "Neighbours",
    "Rollout",
    "WithFloor",
    "Within",
}


@pytest.fixture(scope="module")
def tools():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module
    sys.path.remove(str(ROOT / "tools"))


def rows(heading):
    """{first cell: {column: cell}} of the table under a heading of the pages on policies and orders."""
    section = TABLES.split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line[:1] == "|"
    ]
    return {row[0]: dict(zip(cells[0], row, strict=True)) for row in cells[2:]}


def test_pages_that_are_written_from_the_code_are_of_this_code(tools):
    for name, page in tools("documentation").pages().items():
        assert (DOCS / name).read_text() == page, f"docs/{name}: make docs writes it anew"


def test_every_page_is_in_the_navigation(tools):
    assert tools("documentation").not_listed() == []


def test_docstrings_become_markdown(tools):
    module = tools("docstrings")
    assert doctest.testmod(module) == (0, 4)
    table = [
        "============ ===",
        "paper        here",
        "============ ===",
        "m_a          `a_b`",
        "============ ===",
    ]
    said = module.markdown(
        "\n".join(["Args:", "    per_side: m_a * 2, see `x_y`.", "", *table, "", "x_y"])
    )
    assert said.splitlines() == [
        "Args:",
        r"    per_side: m\_a \* 2, see `x_y`.",
        "",
        "| paper | here |",
        "|---|---|",
        "| m_a | `a_b` |",
        "",
        r"x\_y",
    ]


def test_classes_link_to_the_pages_whose_code_names_them(tools):
    module = tools("docstrings")
    for folder in ("tutorials", "how-to"):
        for page in (DOCS / folder).glob("*.md"):
            code = without_prose(page.read_text())
            link = f"(../{folder}/{page.stem}.html)"
            for name in policies.RECIPES:
                links = " ".join(module.links_of_words().get(name, []))
                assert (link in links) == (re.search(rf"\b{name}\b", code) is not None)
    agent = module.used_in("Agent")
    assert agent.startswith("\n\nUsed in: [")
    assert agent.count("](") == module.MOST_PAGES
    assert module.used_in("NoSuchClass") == ""


def without_prose(page):
    """The code of a page: lines between fences, and what stands between backticks elsewhere."""
    code, is_code = [], False
    for line in page.splitlines():
        if line.startswith("```"):
            is_code = not is_code
        elif is_code:
            code.append(line)
        else:
            code += line.split("`")[1::2]
    return "\n".join(code)


@pytest.mark.parametrize("package", ["environments", "metrics", "orders", "policies"])
def test_type_stubs_name_what_is_found(tools, package):
    stubs = tools("stubs")
    assert package in stubs.PACKAGES
    written = stubs.path_of(package).read_text()
    assert written == stubs.stub(package), "make stubs"


def test_formulas_of_the_site_are_mathml(tools):
    module = tools("formulas")
    assert doctest.testmod(module) == (0, 3)
    page = (
        "Power T^((1 + d\\_p) / 2), `x_a^2`, [r^2](#a) and 1 < 2.\n\n"
        "100 d gamma\\_T^2 ln T / epsilon^2 + 2 T K epsilon.\n\n"
        "    T^2\n"
    )
    html = markdown.markdown(page, extensions=[module.FormulasExtension()])
    assert html.count("<math>") == 2
    assert html.count('<math display="block">') == 1
    assert "<code>x_a^2</code>" in html
    assert "<code>T^2\n</code>" in html
    assert "and 1 &lt; 2." in html


def test_every_bound_of_the_reference_is_set(tools):
    """The formulas that stand by themselves in docstrings of theory, and no other blocks."""
    module = tools("docstrings")
    for name in ("mocmab2018", "molts2025", "moslb2024", "pcz2018"):
        theory = importlib.import_module(f"mobandits_papers.{name}.theory")
        for member in vars(theory).values():
            is_own = inspect.isfunction(member) and member.__module__ == theory.__name__
            doc = inspect.getdoc(member) if is_own else None
            if doc and "::\n" in doc:
                assert module.markdown(doc).count('<math display="block">') >= 1, member


def test_every_room_has_a_page():
    sources = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    described = set(re.findall(r"^::: mobandits\.(\w+)", sources, re.MULTILINE))
    names = [folder.parent.name for folder in Path(mobandits.__file__).parent.glob("*/__init__.py")]
    public = {
        name
        for name in names
        if getattr(importlib.import_module(f"mobandits.{name}"), "__all__", [])
    }
    public -= {"simulation"}  # its names are those of the package's face
    assert public - WITHOUT_PAGE - described == set()


def test_the_tables_of_policies_and_orders_name_everything():
    assert {name.strip("`") for name in rows("All policies")} == set(policies.RECIPES)
    assert {name.strip("`") for name in rows("All orders")} == set(orders.__all__) - ON_OTHER_PAGES


def built(name):
    """A recipe with what it needs: those around others get one."""
    recipe = getattr(policies, name)
    others = (
        {"recipe": policies.MolUcb(scale=0.3)} if recipe.traits.context == "as its recipe" else {}
    )
    return recipe(**{**others, **NEEDED.get(name, {})})


@pytest.mark.parametrize("name", policies.RECIPES)
def test_what_it_says_of_a_policy(name):
    said = rows("All policies")[f"`{name}`"]
    if name == "Forgetting":
        return
    recipe = built(name)
    if said["part"] != "as its recipe":
        assert said["part"].startswith("yes") == recipe.accepts_partial
    if name in ZOOMING:
        recipe = getattr(policies, name)(positions=[[0.0], [0.2], [0.4], [0.9]])
    if name == "PfiRls":
        return  # fixed arms only
    binds = [works(recipe, shape) for shape in SHAPES]
    told = [works(recipe, shape._replace(rounds=100)) for shape in SHAPES]
    assert any(told)
    assert any(binds) == (said["horizon"] == "no")
    free = said["context"] in {"none", "zooming"}
    assert told == [free, True]
    parameter = re.search(r"`(\w+)`", said["horizon"])
    if parameter:
        assert works(getattr(policies, name)(**{parameter[1]: 2}), SHAPES[1])


@pytest.mark.parametrize(
    "name",
    sorted(set(policies.RECIPES) - {"PfiRls", *AS_THEIR_RECIPE, *ZOOMING}),
)
def test_which_beliefs_are_drawn(name):
    policy = built(name).bind(SHAPES[1]._replace(rounds=100))
    rng = np.random.default_rng(0)
    before = str(rng.bit_generator.state)
    policy.beliefs(policy.init(), np.full((1, 2), 0.5), np.arange(4), rng)
    assert rows("All policies")[f"`{name}`"]["beliefs"] == (
        "definite" if str(rng.bit_generator.state) == before else "drawn"
    )


def works(recipe, shape):
    try:
        return next(recipe.stages(shape)) is not None
    except ValueError:
        return False


def test_the_pages_of_results_are_written_paper_by_paper(tools):
    module = tools("results")
    claim = {"id": "a/x/low", "claim": "||x|| is \\1.", "target": "low", "parts": []}
    claim |= {"measured": 1.0, "interval": [0.5, 2.0], "of": "b less a", "note": "", "differs": ""}
    claim |= {"verdict": "reproduced", "kind": "paper", "holds": True}
    experiments = [
        {"experiment": name, "seconds": 1.0, "changed": {}} for name in ("a/x", "a/y", "b/z")
    ]
    (page,) = module.pages([claim], experiments).values()
    assert page.startswith("# Results: a\n")
    assert "\n## a/x\n" in page
    assert "&#124;&#124;x&#124;&#124; is \\1." in page
    index = f"Before.\n{module.BEGIN}\nold\n{module.END}\nAfter.\n"
    text = module.filled(index, "| [a](a.md) | \\1 |\n")
    assert text == f"Before.\n{module.BEGIN}\n\n| [a](a.md) | \\1 |\n\n{module.END}\nAfter.\n"
    with pytest.raises(ValueError, match="<!-- counts -->"):
        module.filled("No marks.", "")
    assert module.filled(module.INDEX.read_text(), "new").count("\nnew\n") == 1


def test_links_between_pages_of_results_have_targets():
    pages = {path.name: path.read_text() for path in (DOCS / "results").glob("*.md")}
    for name, page in pages.items():
        headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
        anchors = {re.sub(r"[^\w\s-]", "", text).strip().lower() for text in headings}
        for target in re.findall(r"\]\(#([^)]+)\)", page):
            assert target in anchors, (name, target)
        for target in re.findall(r"\]\(((?!#|https?:)[^)]+)\)", page):
            assert (DOCS / "results" / target).exists(), (name, target)
