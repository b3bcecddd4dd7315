"""Without the other library there is one line that says what to install; without asking there is nothing loaded."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [("gymnasium", "gymnasium", "gym"), ("scikit_learn", "sklearn", "data")],
)
def test_what_to_install(module, library, extra):
    done = run(f"import sys; sys.modules[{library!r}] = None; import mobandits.interop.{module}")
    remedy = f"pip install 'mobandits[{extra}]'"
    said = f"mobandits.interop.{module} needs the extra `{extra}`: {remedy}"
    assert done.stderr.strip().endswith(f"MissingExtraError: {said}")


def test_what_to_install_for_the_plugin_of_a_gateway():
    code = "import sys; sys.modules['litellm'] = None; import mobandits_client.integrations.litellm"
    remedy = "pip install 'mobandits-client[litellm]'"
    said = f"mobandits_client.integrations.litellm needs the extra `litellm`: {remedy}"
    assert run(code).stderr.strip().endswith(f"ImportError: {said}")


def test_what_to_install_for_the_provider_of_flags():
    name = "mobandits_client.integrations.openfeature"
    done = run(f"import sys; sys.modules['openfeature'] = None; import {name}")
    assert done.stderr.strip().endswith(f"ImportError: {name} needs: pip install openfeature-sdk")


def test_the_room_loads_nothing():
    done = run(
        "import sys, mobandits.interop; print({'numpy', 'sklearn', 'gymnasium', 'numba'} & set(sys.modules))"
    )
    assert done.stdout.strip() == "set()"


def texts():
    """Every text file of the repository that a user may read, without what is kept of earlier versions.

    Changelogs, which `make docs` copies into docs, may name what is gone.
    """
    folders = ("src", "docs", "examples", "packages", "tests", "tools", "benchmarks")
    named = [ROOT / "README.md", ROOT / "Makefile"]
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    kinds = {".py", ".md", ".toml"}
    read = [path for path in found if path.suffix in kinds and path != Path(__file__)]
    return [*named, *(path for path in read if path.name.lower() != "changelog.md")]


def test_nothing_asks_an_index_for_this_package():
    """The package is on no index; with an extra, pip takes the package that is installed."""
    asked = re.compile(r"pip install [^\n&]*?(?<![\w/.-])mobandits\b(?!(?:-client)?\[)")
    found = [str(path.relative_to(ROOT)) for path in texts() if asked.search(path.read_text())]
    assert found == []


def test_every_extra_that_is_named_exists():
    named = re.compile(
        r"(?:\.|mobandits)\[([\w,]+)\]'|[Ee]xtra `(\w+)`|missing_extra\([^)]*\"(\w+)\"\)"
    )
    found = {
        extra
        for path in texts()
        for groups in named.findall(path.read_text())
        for extra in "".join(groups).split(",")
    }
    assert "data" in found
    assert found <= PROJECT["optional-dependencies"].keys()


def test_what_regions_need_is_installed_with_the_package():
    """No extra is left that `mobandits evaluate` could find missing after it has computed."""
    names = {re.split(r"[<>=]", needed)[0] for needed in PROJECT["dependencies"]}
    assert "scipy" in names
    optional = [needed for extra in PROJECT["optional-dependencies"].values() for needed in extra]
    assert not any(needed.startswith("scipy") for needed in optional)
