"""How little the package needs: what it loads, requires and weighs."""

import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
SOURCES = Path(__file__).parent.parent / "src" / "mobandits_client"
MOST_BYTES = 25_000_000  # of what an installation brings, apart from pip
NEEDED = {"httpx", "msgspec"}


def printed(code):
    """What a program prints in a process of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("mobandits_client", {"asyncio", "httpx", "mobandits", "numpy"}),
        ("mobandits_client.async_client", {"mobandits", "numpy"}),
        ("mobandits_client.messages", {"httpx", "mobandits", "numpy"}),
        ("mobandits_client.integrations.deciders", {"mobandits", "numpy"}),
    ],
)
def test_imports_load_nothing_that_is_not_needed(module, absent):
    code = f"import sys, {module}; print(sorted({absent!r} & set(sys.modules)))"
    assert printed(code) == "[]"


def test_a_client_of_a_plain_address_loads_no_httpx():
    code = "import sys, mobandits_client as m; m.Client('http://127.0.0.1:1', 'router').close()"
    assert printed(f"{code}; print('httpx' in sys.modules)") == "False"


def test_every_public_name_is_there():
    code = "import mobandits_client as m; print(all(hasattr(m, name) for name in m.__all__))"
    assert printed(code) == "True"
    assert printed("import mobandits_client as m; print(hasattr(m, 'Clients'))") == "False"


def requirements(name):
    """The names of what a package requires where it is installed without extras."""
    packaging = pytest.importorskip("packaging.requirements")
    found = set()
    for text in importlib.metadata.requires(name) or ():
        needed = packaging.Requirement(text)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            found.add(needed.name)

    return found


def test_only_two_packages_are_required():
    packaging = pytest.importorskip("packaging.requirements")
    names = {packaging.Requirement(text).name for text in PROJECT["dependencies"]}
    assert names == NEEDED


def test_an_installation_is_small():
    """With all that the two packages require, and what these require."""
    waiting = set(NEEDED)
    seen = set()
    size = sum(path.stat().st_size for path in SOURCES.rglob("*.py"))
    while waiting:
        name = waiting.pop()
        seen.add(name)
        files = importlib.metadata.files(name) or ()
        size += sum(path.locate().stat().st_size for path in files if path.locate().is_file())
        waiting |= requirements(name) - seen

    assert not seen & {"mobandits", "numpy"}
    assert size <= MOST_BYTES
