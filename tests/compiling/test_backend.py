"""Which backend is chosen, and what the plain one may know of Numba."""

import ast
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import mobandits
from mobandits.compiling import backend
from mobandits.compiling.backend import check_choice, choose, mode
from mobandits.errors import BackendError, CompilingWarning

PACKAGE = Path(mobandits.__file__).parent
KNOWS_ALL = {
    "optimised",
    "inner",
    "translations",
    "borrowing",
    "memory",
}  # may import what they like of Numba
PUBLIC = {
    "numba": {"config", "errors", "njit", "types"},
    "numba.core": {"cgutils", "event"},
    "numba.experimental": {"structref"},
}


PLAIN, OPTIMISED = ("plain", "the plain backend"), ("optimised", "the optimised backend")


@pytest.fixture
def loaded(monkeypatch):
    """Backends are named, not loaded: where they cannot be, tests say so."""
    monkeypatch.setattr(backend, "load_plain", lambda: PLAIN[1])
    monkeypatch.setattr(backend, "load_optimised", lambda version: OPTIMISED[1])


@pytest.mark.parametrize("version", ["0.61.0", "0.61.2", "0.68.1", "0.68.9"])
def test_tested_versions_are_compiled_for_in_the_optimised_way(loaded, version):
    assert choose("auto", version) == OPTIMISED
    assert choose("now", version) == OPTIMISED
    assert choose("optimised", version) == OPTIMISED
    assert choose("plain", version) == PLAIN


UNTESTED = ["0.60.0", "0.69.0", "0.69.0rc1", "0.70.0dev0+12.g3f", "1.0.0", "0+unknown"]


@pytest.mark.parametrize("version", UNTESTED)
def test_other_versions_get_the_plain_backend_and_one_warning(loaded, version):
    rule = r"MOBANDITS_COMPILING=optimised needs Numba 0\.61 or newer, before 0\.69, got"
    with pytest.warns(CompilingWarning, match=rule) as warned:
        assert choose("auto", version) == PLAIN
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choose("plain", version) == PLAIN
    with pytest.raises(BackendError, match=rule):
        choose("optimised", version)


def test_a_numba_that_lacks_something_gets_the_plain_backend(monkeypatch):
    monkeypatch.setitem(sys.modules, "mobandits.compiling.optimised", None)  # its import fails
    rule = r"MOBANDITS_COMPILING=optimised does not go with Numba 0\.68\.1, because import of"
    with pytest.warns(CompilingWarning, match=rule):
        mode, chosen = choose("auto", "0.68.1")
    assert mode == "plain"
    assert type(chosen).__name__ == "PlainBackend"
    with pytest.raises(BackendError, match=rule):
        choose("optimised", "0.68.1")


def test_an_unknown_choice_is_an_error():
    rule = "MOBANDITS_COMPILING must be one of auto, now, never, optimised, plain, got 'fast'"
    with pytest.raises(BackendError, match=rule):
        check_choice("fast")


@pytest.mark.parametrize("switch", [{"NUMBA_DISABLE_JIT": "1"}, {"MOBANDITS_COMPILING": "never"}])
def test_where_nothing_is_compiled_numba_is_not_loaded(switch):
    program = "from mobandits.compiling import backend as b; import mobandits.policies, sys;"
    answer = "print(b.mode(), b.INTERPRETED, 'numba' in sys.modules)"
    done = run(["-c", program + answer], **switch)
    assert done.stdout == "interpreted True False\n"


def run(code, **environment):
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)} | environment
    command = [sys.executable, *code]
    return subprocess.run(command, env=known, capture_output=True, text=True, check=False)


def test_the_program_says_so_in_one_line():
    done = run(["-m", "mobandits", "list", "policies"], MOBANDITS_COMPILING="fast")
    assert done.returncode == 2
    rule = "MOBANDITS_COMPILING must be one of auto, now, never, optimised, plain, got 'fast'"
    assert done.stderr == f"error: {rule}\n"


def test_manifests_tell_the_mode():
    from mobandits.simulation.manifest import DECISIVE, versions  # noqa: PLC0415

    assert versions()["compiling"] == mode()
    assert "compiling" not in DECISIVE  # the table does not depend on it


def numba_imports(path):
    """(module, name) of what a file imports of Numba or llvmlite; name None for `import module`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found = [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name, None) for alias in node.names]
        else:
            continue
        yield from (pair for pair in found if pair[0].partition(".")[0] in {"numba", "llvmlite"})


def is_public(module, name):
    if module == "numba.extending" or (module, name) == ("numba", None):
        return True
    return name in PUBLIC.get(module, ())


def test_only_the_optimised_backend_knows_private_parts_of_numba():
    private = {
        path.relative_to(PACKAGE).as_posix(): pair
        for path in PACKAGE.rglob("*.py")
        for pair in numba_imports(path)
        if not is_public(*pair)
    }
    assert set(private) <= {f"compiling/{name}.py" for name in KNOWS_ALL}


def test_only_this_room_knows_numba():
    importing = {path for path in PACKAGE.rglob("*.py") if list(numba_imports(path))}
    assert {path.parent.name for path in importing} == {"compiling"}


SCRIPT = """
import builtins
import json
import sys

imported = builtins.__import__
public = {"numba", "numba.extending", "numba.core", "numba.experimental"}


def guarded(name, globals=None, locals=None, fromlist=(), level=0):
    by = (globals or {}).get("__name__", "")
    numbas = name.partition(".")[0] in {"numba", "llvmlite"} and name not in public
    # Numba imports on behalf of the function that calls compiled code: only a module's own
    # statements count.
    if numbas and by.startswith("mobandits") and sys._getframe(1).f_code.co_name == "<module>":
        raise ImportError(f"{by} imports {name}")
    return imported(name, globals, locals, fromlist, level)


builtins.__import__ = guarded

import mobandits as mob

policies = {"ucb": mob.policies.ParetoUcb1(scale=0.3)}
place = mob.environments.Linear(arms=3, features=1, objectives=2)
results = mob.simulate(policies, place, rounds=20, trials=1, seed=1, compiled=True)
agent = mob.Agent(policies["ucb"], arms=3, features=1, objectives=2, seed=1)
decisions = [agent.decide([1.0]) for _ in range(3)]
agent.learn(decisions[0].id, [0.5, 0.25])
answer = {
    "arms": [int(one.arm) for one in decisions],
    "front": mob.front([[1.0, 0.0], [0.0, 1.0], [0.0, 0.5]]).tolist(),
    "total": results.table["value"].sum(),
    "loaded": [name for name in sys.modules if name.startswith("mobandits.compiling.")],
}
print(json.dumps(answer))
"""


@pytest.mark.slow
def test_the_plain_backend_does_without_them():
    done = run(["-W", "ignore", "-c", SCRIPT], MOBANDITS_COMPILING="plain", NUMBA_DISABLE_JIT="0")
    assert not done.returncode, done.stderr[-2000:]
    answer = json.loads(done.stdout)
    assert "mobandits.compiling.plain" in answer["loaded"]
    assert not {f"mobandits.compiling.{name}" for name in KNOWS_ALL} & set(answer["loaded"])
    assert answer["front"] == [True, True, False]


RECURSION = """
import numpy as np
from mobandits.numerics.hypervolume import exact_volume
print(exact_volume(np.array([[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]])))
"""


def test_the_plain_backend_compiles_kernels_that_call_themselves():
    """Three boxes of volume 2 share a cube of volume 1: 1 + 3 x (2 - 1)."""
    done = run(["-W", "ignore", "-c", RECURSION], MOBANDITS_COMPILING="plain")
    assert not done.returncode, done.stderr[-2000:]
    assert float(done.stdout) == 4.0
