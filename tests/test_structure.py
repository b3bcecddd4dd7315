"""The house rules that a machine can check: who imports whom, what is public, what no file may name."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from sharing import forks
from source_trees import (
    CLIENT,
    PACKAGE,
    client_files,
    everything,
    module_files,
    nodes,
    paper_files,
    service_files,
    source,
)

import mobandits

ROOT = Path(__file__).parent.parent

FACE = {
    "__init__",
    "fronts",
    "spec",
    "cli",
    "report",
    "parts",
    "precompile",
    "paper_output",
    "__main__",
}  # rooms of the top floor: they may import everything below
PROGRAM = {"cli"}  # commands, which no program imports
GROUND = {"contracts", "compiling", "support", "numerics", "errors"}
MAY_IMPORT = {
    # Ground floor: agreements, compilation, arithmetic, small helpers.
    "errors": set(),
    "contracts": {"errors"},
    "compiling": {"contracts", "errors", "support"},
    "support": {"contracts", "errors"},
    "numerics": {"contracts", "compiling", "support"},
    "statistics": GROUND,
    # Parts of policies, and policies.
    "orders": GROUND,
    "estimators": GROUND,
    "explorers": GROUND,
    "policies": GROUND | {"orders", "estimators", "explorers", "features"},
    # Problems and data.
    "encoding": GROUND,
    "logs": GROUND | {"encoding"},
    "datasets": GROUND | {"logs"},
    "environments": GROUND | {"datasets"},
    # Measuring and playing.
    "metrics": GROUND | {"orders"},
    "figures": {"errors", "support", "statistics", "metrics"},
    "comparison": GROUND | {"statistics", "metrics", "figures"},
    # What a run is cited as: the classes that its specification names.
    "references": GROUND | {"policies", "environments", "datasets", "metrics", "features"},
    "simulation": GROUND | {"metrics", "statistics", "figures", "comparison", "references"},
    "testing": GROUND | {"simulation"},
    # Applications.
    "agent": GROUND | {"orders", "logs", "encoding"},
    # What `tune` makes of a budget is a policy, on a map.
    "evaluation": GROUND
    | {"statistics", "logs", "figures", "orders", "agent", "encoding", "policies", "features"},
    "monitoring": GROUND | {"agent", "logs", "orders", "statistics", "figures"},
    # Maps import the ground only; what fits them to a log is loaded late, and imports more.
    "features": GROUND | {"statistics", "logs", "evaluation", "encoding"},
    "interop": GROUND
    | {"agent", "environments", "encoding", "simulation", "metrics", "statistics", "monitoring"},
    "identification": GROUND | {"estimators", "simulation", "logs"},
    # A suite and its entries are TOML files, which `spec` reads; what it adds to recipes wraps them.
    "suite": GROUND
    | {"simulation", "metrics", "policies", "spec", "statistics", "comparison", "figures"}
    # Prompts are a data set, and an agent routes them.
    | {"agent", "datasets", "environments", "features", "logs", "orders"},
}
# The distribution of the clients: what it imports. Its messages are the service's.
GUESTS = {"mobandits_client", "mobandits_papers", "mobandits_service"}
CLIENT_MAY_IMPORT = {"httpx", "litellm", "mobandits_client", "msgspec", "openfeature"}


def room(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path):
    """The rooms that a file imports at its top level; imports inside functions are lazy on purpose and count as
    well."""
    for node in nodes(path):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [
                f"{node.module}.{a.name}" if node.module == "mobandits" else node.module
                for a in node.names
            ]
        for name in names:
            if name.startswith("mobandits."):
                yield name.split(".")[1]


def packages(path):
    """The packages that a file imports anything of, wherever in it."""
    for node in nodes(path):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            yield name.split(".")[0]


def room_files(name):
    return sorted((PACKAGE / name).rglob("*.py"))


def test_imports_point_downwards():
    upwards = {}
    for path in module_files():
        if room(path) not in FACE:
            forbidden = set(imports(path)) - {room(path)} - MAY_IMPORT[room(path)]
            if forbidden:
                upwards[str(path.relative_to(PACKAGE))] = sorted(forbidden)
    assert upwards == {}


def test_clients_import_nothing_of_the_library():
    foreign = {
        path.relative_to(CLIENT).as_posix(): others
        for path in client_files()
        if (others := set(packages(path)) - sys.stdlib_module_names - CLIENT_MAY_IMPORT)
    }
    assert foreign == {}


def test_the_library_imports_no_guest():
    importing = {room(path) for path in module_files() if GUESTS & set(packages(path))}
    assert importing == set()
    assert not [path for path in paper_files() if "mobandits_service" in packages(path)]
    assert not [path for path in service_files() if "mobandits_papers" in packages(path)]


def library_modules(paths):
    """The modules of mobandits that other files import."""
    found = set()
    for path in paths:
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mobandits."):
                found.add(node.module.removeprefix("mobandits."))
    return found


def test_guests_import_what_is_listed_here():
    """A change of these modules is a change for another distribution: the list may only become shorter."""
    listed = tomllib.loads((ROOT / "tests" / "guest_imports.toml").read_text())
    assert sorted(library_modules(paper_files())) == listed["mobandits_papers"]
    assert sorted(library_modules(service_files())) == listed["mobandits_service"]
    private = [
        f"{path.name}: {name.name}"
        for path in [*paper_files(), *service_files()]
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mobandits.")
        for name in node.names
        if name.name.startswith("_")
    ]
    assert private == []


def test_exceptions_stand_in_one_module():
    """Those that programs may catch; of the others, users never meet one."""
    internal = {"StoppedError", "FormulaError", "NotAtHand", "Problem", "NoAnswer"}
    ends = ("Error", "Exception", "Warning")
    elsewhere = {
        node.name
        for path in everything()
        if path not in (PACKAGE / "errors.py", CLIENT / "errors.py")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id.endswith(ends) for base in node.bases)
    }
    assert elsewhere == internal


def test_the_tree_of_exceptions_is_what_its_module_draws():
    from mobandits import errors  # noqa: PLC0415

    classes = {name: getattr(errors, name) for name in errors.__all__}
    bases = (errors.MobanditsError, errors.MobanditsWarning)
    drawn = re.findall(r"^    [├└]── (\w+) +(\w+Error)? +\w", errors.__doc__, re.MULTILINE)
    for name, also in drawn:
        assert issubclass(classes[name], bases)
        if also:
            assert also in [base.__name__ for base in classes[name].__bases__]
        else:
            assert len(classes[name].__bases__) == 1
    assert {name for name, _ in drawn} == set(classes) - {base.__name__ for base in bases}
    assert sorted(classes) == errors.__all__


def test_the_agent_asks_for_what_policies_declare():
    """It names no policy, estimator or state: those of others must be able to do all that ours do."""
    named = {
        p.name: set(imports(p)) & {"policies", "estimators", "explorers"}
        for p in room_files("agent")
    }
    assert not any(named.values()), named


AGENT_CORE = {
    *(
        "actors",
        "agent_state",
        "error_hints",
        "arms",
        "batches",
        "bound_policy",
        "budget",
        "change",
        "compiled_calls",
        "contexts",
        "core",
    ),
    *(
        "decision",
        "counterfactual",
        "forked_lock",
        "resize_state",
        "guard",
        "inputs",
        "keyed",
        "keys",
        "ledger",
    ),
    *("objectives", "parts", "pending", "ranking", "sessions", "sizes"),
}
AGENT_SERVICES = {
    *(
        "adoption",
        "first_prices",
        "contributions",
        "descriptions",
        "display",
        "explanation",
        "file_layout",
        "headers",
        "loading",
    ),
    *("merging", "recording", "replayed_events", "replaying", "restoring", "retuning", "saving"),
    "clock",
    "correcting",
    "log_learning",
    "parameters",
    "relearning",
    "repricing",
    "workers",
    "transfer",
}
AGENT_FACE = {"__init__", "agent", "precompile"}


def test_the_agent_has_three_layers():
    """A core without input and output, services that are functions of a core, and the face, which calls both."""
    below = {}
    for path in room_files("agent"):
        layer = next(
            i
            for i, names in enumerate((AGENT_CORE, AGENT_SERVICES, AGENT_FACE))
            if path.stem in names
        )
        below[path.stem] = [AGENT_CORE, AGENT_CORE | AGENT_SERVICES, None][layer]
    for path in room_files("agent"):
        if below[path.stem] is not None:
            assert modules_of("agent", path) <= below[path.stem], path.stem
    writing = {"logs", "os.path", "pathlib", "json", "hashlib"}
    for name in AGENT_CORE:
        path = PACKAGE / "agent" / f"{name}.py"
        # What objectives and events are is said once, for agents and logs: these modules write
        # nothing.
        text = re.sub(r"from mobandits\.logs\.(objectives|events) import", "", source(path))
        assert "mobandits.logs" not in text, name
        assert not (writing - {"logs"}) & {*imports(path)}, name


def test_modules_of_a_room_import_each_other_in_no_circle():
    for name in ("agent", "contracts"):
        left = {path.stem: modules_of(name, path) for path in room_files(name)}
        while left:
            free = {stem for stem, needed in left.items() if not needed & (left.keys() - {stem})}
            assert free, sorted(left)
            left = {stem: needed for stem, needed in left.items() if stem not in free}


def test_modules_of_the_agent_reach_for_no_private_attribute():
    for path in [*room_files("agent"), *room_files("contracts")]:
        for node in nodes(path):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith("_"):
                continue
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            public = node.attr.startswith("__") or node.attr in ("_replace", "_fields")
            assert own or public, f"{path.name}:{node.lineno} reaches for {node.attr}"


def modules_of(name, path):
    """The modules of a room that one of them imports."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.split(".")
            if parts[:2] == ["mobandits", name]:
                found |= {parts[2]} if len(parts) > 2 else {each.name for each in node.names}
    return found


def test_nobody_imports_the_command_line():
    assert not [
        p for p in module_files() if "cli" in set(imports(p)) and room(p) not in ("__main__", "cli")
    ]


PUBLIC = [
    "Agent",
    "Budget",
    "Decision",
    "Encoder",
    "Monitor",
    "Objective",
    "PreferenceSweep",
    "Results",
    "__version__",
    "agent",
    "datasets",
    "encoding",
    "environments",
    "errors",
    "evaluation",
    "features",
    "front",
    "gaps",
    "identification",
    "identify",
    "interop",
    "logs",
    "metrics",
    "monitoring",
    "orders",
    "parts",
    "policies",
    "simulate",
    "simulation",
    "testing",
    "tune",
]


def test_the_public_surface_is_what_is_listed_here():
    assert mobandits.__all__ == PUBLIC  # a new public name is a promise: list it on purpose
    assert sorted(PUBLIC) == PUBLIC
    assert all(hasattr(mobandits, name) for name in PUBLIC)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        (
            "mobandits",
            ("matplotlib", "sklearn", "scipy", "typer", "rich", "polars", "ray", "numba", "numpy"),
        ),
        ("mobandits.policies", ("matplotlib", "sklearn", "typer", "rich", "polars", "ray")),
        ("mobandits.simulation", ("matplotlib", "sklearn", "typer", "rich", "ray")),
    ],
)
def test_imports_are_light(module, heavy):
    code = f"import sys, {module}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_loaded_late_is_there_and_listed():
    code = "import mobandits; print(sorted(dir(mobandits)) == mobandits.__all__, mobandits.policies.MolUcb.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "MolUcb"]
    with pytest.raises(AttributeError, match="module 'mobandits' has no attribute 'polices'"):
        mobandits.polices  # noqa: B018


def subpackages():
    folders = (file.parent.name for file in PACKAGE.glob("*/__init__.py"))
    return sorted(name for name in folders if name not in PROGRAM)


# Importable, and not advertised.
INNER = {
    *("comparison", "compiling", "contracts", "estimators", "explorers", "figures", "numerics"),
    *("references", "spec", "statistics", "suite", "support"),
}


def test_a_subpackage_is_listed_or_an_inner_room():
    assert set(subpackages()) == INNER | {
        name for name in mobandits.__all__ if inspect.ismodule(getattr(mobandits, name))
    } - {"errors", "parts"}


RIGHT_AFTER_THE_IMPORT = """
import os
import sys
import numba, numpy, polars, scipy.stats  # of others, and slow: every fork would import them anew
import mobandits as mob

for name in sys.argv[1:]:
    # A fork for each name: what one of them imports must not help the next.
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print(getattr(mob, name).__name__, hasattr(mob, "__wrapped__"), hasattr(mob, "a.b"), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@forks
def test_every_subpackage_is_an_attribute_right_after_the_import():
    names = [*subpackages(), "errors", "fronts", "parts"]
    command = [sys.executable, "-c", RIGHT_AFTER_THE_IMPORT, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"mobandits.{name} False False" for name in names]


def test_every_public_name_is_documented():
    import importlib  # noqa: PLC0415
    import inspect  # noqa: PLC0415

    missing = []
    for name in (
        "policies",
        "orders",
        "environments",
        "metrics",
        "estimators",
        "explorers",
        "datasets",
        "evaluation",
        "monitoring",
        "features",
        "references",
    ):
        module = importlib.import_module(f"mobandits.{name}")
        missing += [
            f"{name}.{member}"
            for member in module.__all__
            if not inspect.getdoc(getattr(module, member))
        ]
    assert not missing


def test_no_file_names_a_registry_host_or_a_path_of_one_machine():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    hosts = re.compile(r"pypi\.org|pythonhosted|npmjs|deb\.debian|/work/|/root/")
    bad = [
        f
        for f in listed
        if f != "tests/test_structure.py"
        and (ROOT / f).suffix != ".png"
        and hosts.search((ROOT / f).read_text(errors="ignore"))
    ]
    assert not bad


def test_no_text_stands_by_itself():
    """A statement that is only a text, and no docstring, is the lost end of a longer one."""
    lost = []
    for path in everything():
        for node in nodes(path):
            if not isinstance(node, ast.FunctionDef | ast.If | ast.For | ast.With):
                continue
            # The first statement of a function may be its docstring.
            first = 1 if isinstance(node, ast.FunctionDef) else 0
            for statement in node.body[first:]:
                value = getattr(statement, "value", None)
                is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
                if isinstance(statement, ast.Expr) and is_text:
                    lost.append(f"{path.name}:{statement.lineno}")
    assert lost == []
