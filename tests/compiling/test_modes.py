"""Optimised, plain and interpreted, every row of the conformance suite does the same."""

import json
import os
import subprocess
import sys

import mode_traces
import pytest

CASES = mode_traces.cases()
PARTS = 2  # of the rows, each for a processor
CLASS_PARTS = 8  # of the classes: what `.ci/run` plays is the first
MODES = {
    "optimised": {"MOBANDITS_COMPILING": "optimised", "NUMBA_DISABLE_JIT": "0"},
    "plain": {"MOBANDITS_COMPILING": "plain", "NUMBA_DISABLE_JIT": "0"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
}


def traces(mode, rows):
    """What these rows do in a mode."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)} | MODES[mode]
    command = [sys.executable, mode_traces.__file__, mode, *map(str, rows)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr[-2000:]
    return json.loads(done.stdout)


def check_same(rows):
    optimised, plain, interpreted = (traces(mode, rows) for mode in MODES)
    for i, row in enumerate(rows):
        assert optimised[i] == interpreted[i], f"{CASES[row]}: optimised differs from interpreted"
        assert plain[i] == interpreted[i], f"{CASES[row]}: plain differs from interpreted"


def one_of_each_class():
    """The first row of every policy, order and feature map."""
    first = {}
    for row, case in enumerate(CASES):
        first.setdefault(str(case).partition("(")[0], row)
    return list(first.values())


@pytest.mark.slow
@pytest.mark.parametrize("part", range(CLASS_PARTS))
def test_a_row_of_every_class(part):
    """The plain backend compiles twelve minutes for all parts."""
    check_same(one_of_each_class()[part::CLASS_PARTS])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_row(part):
    """The plain backend compiles ten minutes for it on one processor."""
    check_same(range(part, len(CASES), PARTS))
