"""Rows of conformance suites: every promise of behaviour at once, and compiled against interpreted."""

import dataclasses

import pytest

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import interpreted, is_compiled


def check_behaviour(case):
    """Every promise that needs no compiler, of one rehearsal."""
    promised = [check for check in case.behaviour if check in case.checks]
    failures = {check: case.failure(check) for check in promised}
    assert {check: message for check, message in failures.items() if message} == {}
    with interpreted():
        case.trace(compiled=False)


def check_compiled(case):
    """Compiled and in Python, the part does the same, bit for bit."""
    if INTERPRETED:
        pytest.skip("nothing is compiled here")
    case.check("interpreted-equals-compiled")


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
