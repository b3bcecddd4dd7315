"""Without the other library there is one line that says what to install; without asking there is nothing loaded."""

import subprocess
import sys

import pytest


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("module", "library", "extra"), [("gymnasium", "gymnasium", "gym"), ("scikit_learn", "sklearn", "data")]
)
def test_what_to_install(module, library, extra):
    done = run(f"import sys; sys.modules[{library!r}] = None; import mobandits.interop.{module}")
    said = f"mobandits.interop.{module} needs the extra `{extra}`: pip install 'mobandits[{extra}]'"
    assert done.stderr.strip().endswith(f"MissingExtraError: {said}")


def test_the_room_loads_nothing():
    done = run("import sys, mobandits.interop; print({'numpy', 'sklearn', 'gymnasium', 'numba'} & set(sys.modules))")
    assert done.stdout.strip() == "set()"
