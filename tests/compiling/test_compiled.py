"""Compiled parts: values in Python, records in Numba, and a cache that is never stale."""

import copy
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mobandits.compiling.compiled import (
    CompileError,
    Floats,
    Ints,
    compile_loop,
    compiled,
    is_compiled,
    kernel,
)


@kernel
def twice(x):
    return 2.0 * x


@compiled
class Inner:
    weights: Floats
    groups: Ints = None

    def of(self, i):
        return twice(self.weights[i]) + self.groups[0, -1]


@compiled
class Outer:
    inner: Any
    scale: float
    times: int = 1
    on: bool = False

    def __post_init__(self):
        if self.scale < 0.0:
            raise ValueError(f"Outer.scale must be at least 0, got {self.scale}")

    def of(self, i):
        return self.scale * self.inner.of(i) + self.times * self.on


def apply(part, out):
    for i in range(len(out)):
        out[i] = part.of(i)


def outer(scale=1.0):
    return Outer(Inner([1, 2, 3], [[0, 1], [2]]), scale, 2, True)


def test_fields_are_coerced_to_their_annotation():
    part = Outer(Inner((1, 2)), scale=2, times=np.int64(3), on=np.bool_(True))
    assert [type(part.scale), type(part.times), type(part.on)] == [float, int, bool]
    assert part.inner.weights.dtype == np.float64
    assert not part.inner.weights.flags.writeable
    assert Inner([1.0], [[3, 1], [2], [0, 4, 5]]).groups.tolist() == [
        [3, 1, -1],
        [2, -1, -1],
        [0, 4, 5],
    ]
    assert Inner([1.0]).groups.tolist() == []


MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Outer(None, "x"), "Outer.scale must be a number, got 'x'"),
        (lambda: Outer(None, 1.0, 1.5), "Outer.times must be an integer, got 1.5"),
        (lambda: Inner(["x"]), r"Inner.weights must be an array of numbers, got \['x'\]"),
        (
            lambda: Inner([1.0], [[0.5]]),
            r"Inner.groups must be integers, or lists of integers, got \[\[0.5\]\]",
        ),
        (lambda: Inner([1.0], 3), "Inner.groups must be integers, or lists of integers, got 3"),
        (lambda: Outer(None, -1), "Outer.scale must be at least 0, got -1.0"),
        (lambda: Outer(None, "x" * 22_000), "Outer.scale must be a number, got 'x{196}[.]{3}$"),
        (
            lambda: Inner(MASKED),
            r"Inner.weights must be an array of numbers, got masked_array\(data=\[1.0, --\],",
        ),
        (
            lambda: Inner([1.0], [MASKED]),
            r"Inner.groups must be integers, or lists of integers, got \[masked_array\(",
        ),
    ],
)
def test_values_that_cannot_be_coerced_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_parts_are_values():
    assert outer() == outer()
    assert hash(outer()) == hash(outer())
    assert outer() != outer(2.0)
    assert outer() != Outer(Inner([1, 2, 4], [[0, 1], [2]]), 1.0, 2, True)
    assert outer().inner != outer()
    assert (
        repr(outer())
        == "Outer(inner=Inner(weights=[1.0, 2.0, 3.0], groups=[[0, 1], [2, -1]]), scale=1.0, times=2, on=True)"
    )
    with pytest.raises(AttributeError, match="scale"):
        outer().scale = 3.0
    with pytest.raises(ValueError, match="read-only"):
        outer().inner.weights[0] = 3.0


def test_copies_are_read_only_too():
    part = copy.deepcopy(outer())
    assert part == outer()
    assert not part.inner.weights.flags.writeable


def test_compiled_and_plain_agree():
    here, there = np.empty(3), np.empty(3)
    apply(outer(0.1), here)
    compile_loop(apply, outer(0.1))(outer(0.1), there)
    np.testing.assert_array_equal(here, there)
    assert here.tolist() == [2.3, 2.5, 2.7]


def test_one_type_compiles_once():
    loop = compile_loop(apply, outer())
    for part in (outer(), outer(7), copy.deepcopy(outer()), Outer(Inner([1], [[5]]), 3)):
        assert compile_loop(apply, part) is loop
        loop(part, np.empty(1))
    assert len(loop.dispatcher.signatures) == 1


def test_every_type_has_a_dispatcher_of_its_own():
    assert compile_loop(apply, outer()) is not compile_loop(apply, Inner([1.0]))


def test_threads_share_a_loop():
    loops, threads = [], []
    for _ in range(8):
        threads.append(threading.Thread(target=lambda: loops.append(compile_loop(apply, outer()))))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, loops))) == 1


def test_what_is_compiled():
    assert is_compiled(outer())
    assert not is_compiled(Outer)
    assert not is_compiled(type("Sub", (Outer,), {})(None, 1.0))
    assert not is_compiled(3)


def test_a_field_that_numba_cannot_hold_is_named():
    with pytest.raises(
        TypeError,
        match=r"Outer\.inner must be a number, an array, a tuple of these or a @compiled part, got <object",
    ):
        compile_loop(apply, Outer(object(), 1.0))


@compiled
class Wrong:
    factor: float

    def of(self, i):
        return self.missing * i  # an attribute that does not exist


@compiled
class WrongInside:
    inner: Any

    def of(self, i):
        return self.inner.of(i)


@pytest.mark.parametrize("part", [Wrong(1.0), WrongInside(Wrong(1.0))], ids=["direct", "nested"])
def test_a_failure_names_the_users_line_and_the_remedy(part):
    with pytest.raises(CompileError) as failure:
        compile_loop(apply, part)(part, np.empty(2))
    text = str(failure.value)
    line = next(
        i
        for i, row in enumerate(Path(__file__).read_text().splitlines(), 1)
        if "self.missing" in row
    )
    assert f"test_compiled.py:{line}: `return self.missing * i" in text
    assert "missing" in text
    assert "Remedy: use explicit loops" in text
    assert "docs/how-to/add-a-policy.md" in text
    assert len(text.splitlines()) == 1


@compiled
class OpensFiles:
    factor: float

    def of(self, i):
        with open("x") as file:  # noqa: PTH123
            return float(file.read())


def test_a_failure_without_a_line_is_explained_too():
    with pytest.raises(
        CompileError,
        match=r"a method of OpensFiles, or a helper of it, cannot be compiled: The 'with",
    ):
        compile_loop(apply, OpensFiles(1.0))(OpensFiles(1.0), np.empty(2))


# What another process finds in the cache.

FILES = {
    "constants.py": "FACTOR = 3.0\n",
    "helper.py": (
        "from mobandits.compiling.compiled import kernel\nfrom constants import FACTOR\n\n\n"
        "@kernel\ndef scaled(x):\n    return FACTOR * x\n"
    ),
    "part.py": (
        "from mobandits.compiling.compiled import compiled\nfrom helper import scaled\n\n\n"
        "@compiled\nclass Part:\n    shift: float\n\n    def of(self, i):\n        return scaled(i) + self.shift\n"
    ),
    "loops.py": "def apply(part, out):\n    for i in range(len(out)):\n        out[i] = part.of(i)\n",
    "main.py": (
        "import json\nimport sys\n\nimport numpy as np\nfrom loops import apply\nfrom part import Part\n\n"
        "from mobandits.compiling.compiled import compile_loop\n\n"
        "part, out = Part(1.0), np.empty(3)\nloop = compile_loop(apply, part)\nloop(part, out)\n"
        "stats = getattr(loop, 'dispatcher', None) and loop.dispatcher.stats\n"
        "print(json.dumps({'out': out.tolist(), 'hits': stats and sum(stats.cache_hits.values())}))\n"
    ),
    "called.py": (
        "import json\n\nfrom helper import scaled\n\nfrom mobandits.compiling.compiled import compile_loop\n\n"
        "out = [scaled(x) for x in (1.0, 2.0)]\nstats = compile_loop(scaled.function).dispatcher.stats\n"
        "print(json.dumps({'out': out, 'hits': sum(stats.cache_hits.values())}))\n"
    ),
    "inline.py": (
        "import numpy as np\nfrom loops import apply\n"
        "from mobandits.compiling.compiled import compile_loop, compiled\n\n\n"
        "@compiled\nclass Here:\n    def of(self, i):\n        return i + 0.5\n\n\n"
        "out = np.empty(3)\nloop = compile_loop(apply, Here())\nloop(Here(), out)\n"
        'print(\'{"out": %s, "hits": %d}\' % (out.tolist(), sum(loop.dispatcher.stats.cache_hits.values())))\n'
    ),
}


@pytest.fixture
def elsewhere(tmp_path):
    """Run a script of a little project in another process."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def run(script="main.py", **environment):
        known = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")} | environment
        done = subprocess.run(
            [sys.executable, script],
            cwd=tmp_path,
            env=known,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    run.edit = lambda name, old, new: (tmp_path / name).write_text(FILES[name].replace(old, new))
    return run


MODES = ["optimised", "plain"]


@pytest.mark.parametrize("mode", MODES)
def test_the_cache_hits_again_and_is_never_stale(elsewhere, mode):
    there = {"MOBANDITS_COMPILING": mode, "NUMBA_DISABLE_JIT": "0"}
    assert elsewhere(**there) == {"out": [1.0, 4.0, 7.0], "hits": 0}
    assert elsewhere(**there) == {"out": [1.0, 4.0, 7.0], "hits": 1}
    elsewhere.edit("helper.py", "FACTOR * x", "FACTOR * x * x")
    assert elsewhere(**there) == {"out": [1.0, 4.0, 13.0], "hits": 0}
    elsewhere.edit("constants.py", "3.0", "2.0")  # two files away from the class
    assert elsewhere(**there) == {"out": [1.0, 3.0, 9.0], "hits": 0}
    assert elsewhere(**there) == {"out": [1.0, 3.0, 9.0], "hits": 1}
    assert elsewhere(NUMBA_DISABLE_JIT="1") == {"out": [1.0, 3.0, 9.0], "hits": None}


def test_no_mode_takes_what_another_one_compiled(elsewhere):
    for hits in (0, 1):
        for mode in MODES:
            assert elsewhere(MOBANDITS_COMPILING=mode, NUMBA_DISABLE_JIT="0") == {
                "out": [1.0, 4.0, 7.0],
                "hits": hits,
            }


@pytest.mark.parametrize("mode", MODES)
def test_classes_of_a_script_work_but_are_not_cached(elsewhere, mode):
    for _ in range(2):
        found = elsewhere("inline.py", MOBANDITS_COMPILING=mode, NUMBA_DISABLE_JIT="0")
        assert found == {"out": [0.5, 1.5, 2.5], "hits": 0}


@pytest.mark.parametrize("mode", MODES)
def test_kernels_that_python_calls_are_cached_too(elsewhere, mode):
    there = {"MOBANDITS_COMPILING": mode, "NUMBA_DISABLE_JIT": "0"}
    assert elsewhere("called.py", **there) == {"out": [3.0, 6.0], "hits": 0}
    assert elsewhere("called.py", **there) == {"out": [3.0, 6.0], "hits": 1}
    elsewhere.edit("constants.py", "3.0", "2.0")
    assert elsewhere("called.py", **there) == {"out": [2.0, 4.0], "hits": 0}
