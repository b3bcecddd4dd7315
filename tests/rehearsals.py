"""Rows of conformance suites: every promise of behaviour at once, and compiled against interpreted."""

import dataclasses

import pytest

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import interpreted, is_compiled
from mobandits.testing import prepare
from mobandits.testing.case import difference_between
from mobandits.testing.interpreted import rehearsal_report

# Where this process compiles, another one rehearses in Python: it takes a second or two to start, a row some tenths of
# one. Workers of pytest-xdist need different rows, so that each of them does not rehearse all.
ROWS = 16


def check_behaviour(case, cases):
    """Every promise that needs no compiler, of one rehearsal."""
    prepare_near(case, cases)
    report = rehearsal_report(case)
    failures = report["failures"]
    promised = [check for check in case.behaviour if check in case.checks]
    assert {check: failures[check] for check in promised if failures[check]} == {}
    assert report["failure"] == ""


def prepare_near(case, cases):
    """Rehearse a row and its neighbours, of which the tests that follow will ask."""
    # By identity: rows with fixed arms hold arrays, which have no single truth value when compared.
    row = next(number for number, other in enumerate(cases) if other is case)
    first = row - row % ROWS
    prepare(cases[first : first + ROWS])


def check_compiled(case):
    """Compiled and in Python, the part does the same, bit for bit."""
    if INTERPRETED:
        pytest.skip("nothing is compiled here")
    # In this process, which knows the part already.
    with interpreted():
        expected = case.trace(compiled=False)
    traced = case.trace(compiled=True)
    if traced != expected:
        pytest.fail(difference_between(expected, traced, "interpreted", "compiled"))


def rows_of_all_parts(cases):
    """Some rows that have every class of compiled parts; maps have a suite of their own.

    Code is compiled for classes of parts. In turn, the row with most classes that no earlier one has.
    """
    classes = [classes_of(case.recipe.bind(case.shape)) for case in cases]
    missing = {cls for row in classes for cls in row if "mobandits.features." not in cls.__module__}
    chosen = []
    while missing:
        found = [len(row & missing) for row in classes]
        most = found.index(max(found))
        chosen.append(cases[most])
        missing -= classes[most]
    return chosen


def classes_of(part):
    """The classes of a compiled part and of all parts in it."""
    values = [getattr(part, field.name) for field in dataclasses.fields(part)]
    inner = [classes_of(value) for value in values if is_compiled(value)]
    return {type(part)}.union(*inner)
