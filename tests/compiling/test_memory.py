"""The memory of loops: nothing leaks, nothing is freed too early, and no other code counts as loops do."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from mobandits.compiling.backend import mode
from mobandits.compiling.compiled import compile_loop, kernel

if mode() != "optimised":
    pytest.skip("memory is Numba's or Python's own", allow_module_level=True)

from mobandits.compiling.memory import compile_loop_entry


@kernel
def shifted(x, by):
    return x + by


def chained(x, times):
    for t in range(times):
        x = shifted(x, t % 3)
    return x


def listed(x):
    kept = [shifted(x, t) for t in range(10)]
    kept.append(kept[3])
    kept.pop(2)
    total = np.zeros(len(x))
    for row in kept:
        total += row
    return total, kept[0]


def texts(x):
    said = ""
    for t in range(len(x)):
        said = said + str(int(x[t]))
    return len(said)


def sets(x):
    found = set()
    for value in x:
        found.add(value)
    return len(found)


def grown(x):
    out = x
    while len(out) < 100_000:
        out = np.concatenate((out, out))
    return out


def asked(x, size):
    return np.empty(size)[0] + x[0]


@pytest.mark.parametrize("function", [listed, texts, sets, grown], ids=lambda f: f.__name__)
def test_whatever_a_loop_makes_is_right_and_freed(function, leaks):
    x, loop = np.arange(6.0), compile_loop(function)
    for ours, plain in zip(parts(loop(x)), parts(function(x)), strict=True):
        np.testing.assert_array_equal(ours, plain)
    assert not leaks(lambda: loop(x))


def parts(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 1000, 100_000])
def test_arrays_are_aligned_and_of_their_size(size):
    out = compile_loop(chained)(np.ones(size), 1)
    assert out.shape == (size,)
    assert out.ctypes.data % 32 == 0
    out[:] = 7.0
    assert out.sum() == 7.0 * size


def test_what_is_returned_outlives_the_loop(leaks):
    loop, x = compile_loop(chained), np.zeros(50)
    kept = [loop(x, t) for t in range(100)]
    np.full(50, 9.0)
    for t, out in enumerate(kept):
        np.testing.assert_array_equal(out, chained(x, t))
    assert not leaks(lambda: loop(x, 4))


def test_too_much_is_an_error():
    with pytest.raises(MemoryError):
        compile_loop(asked)(np.ones(1), 2**55)


def test_threads_do_not_disturb_each_other():
    loop, x = compile_loop(chained), np.arange(4.0)
    with ThreadPoolExecutor(4) as pool:
        outs = list(pool.map(lambda times: loop(x, times), [20_000, 20_001] * 40))
    expected = [
        np.arange(4.0) + 19_999,
        np.arange(4.0) + 20_001,
    ]  # 6,666 times 0 + 1 + 2, and what is left
    np.testing.assert_array_equal(outs, expected * 40)


def test_other_code_still_counts_atomically():
    """Compiled after a loop, and beside one: a user's own functions may share arrays between threads."""
    codes = []
    for compiler in (compile_loop_entry, njit):
        function = compiler(first_of_many)
        function(np.ones(3))
        codes.append(function.inspect_llvm(function.signatures[0]))
    loop, theirs = codes
    assert "atomicrmw" not in loop
    assert "define private fastcc void @NRT_decref" in loop
    assert "atomicrmw" in theirs


def first_of_many(x):
    kept = [x + 1.0]
    return kept[0]


SCRIPT = """
import numpy as np
from numba import njit
from mobandits.compiling.memory import compile_loop_entry
import test_memory

made = [compile_loop_entry(test_memory.first_of_many)(np.ones(3)) for _ in range(3)]

@njit
def theirs(x):
    kept = [x + 1.0]
    return kept[0]

made += [theirs(np.ones(3)) for _ in range(3)]
print(sum(made).tolist())
"""


@pytest.mark.parametrize("allocator", ["debug", "malloc"])
def test_memory_is_freed_by_whoever_gave_it(allocator):
    """Python may allocate otherwise, as with `python -X dev`; a wrong `free` ends the process."""
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    there = {**os.environ, "PYTHONMALLOC": allocator, "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=there, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[12.0, 12.0, 12.0]\n"


def test_other_code_does_not_find_these_functions():
    """Names that an engine knows are taken by whatever it loads later, also where that has functions of its own."""
    theirs, loop = njit(first_of_many), compile_loop_entry(first_of_many)
    theirs(np.ones(3))
    find = theirs.overloads[theirs.signatures[0]].library.codegen._engine._ee.get_function_address
    before = find("NRT_decref")
    loop(np.ones(3))
    assert find("NRT_decref") == before
