"""Every refusal says the parameter, the rule and the value."""

from dataclasses import dataclass

import numpy as np
import pytest

from mobandits.contracts.protocols import Recipe
from mobandits.support import checks


@dataclass(frozen=True)
class Parts(Recipe):
    pass


@dataclass(frozen=True)
class Whole(Recipe):
    accepts_partial = False


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: checks.number("x", "1"), "x must be a finite number, got '1'"),
        (lambda: checks.number("x", True), "x must be a finite number, got True"),
        (lambda: checks.number("x", float("nan")), "x must be a finite number, got nan"),
        (lambda: checks.number("x", np.inf), "x must be a finite number, got inf"),
        (lambda: checks.number("x", 0, above=0), "x must be above 0, got 0"),
        (lambda: checks.number("x", -0.5, at_least=0), "x must be at least 0, got -0.5"),
        (lambda: checks.number("x", 1.0, below=1), "x must be below 1, got 1.0"),
        (lambda: checks.number("x", 1.5, at_most=1), "x must be at most 1, got 1.5"),
        (
            lambda: checks.integer("n", 1.0, at_least=1),
            "n must be an integer of at least 1, got 1.0",
        ),
        (
            lambda: checks.integer("n", True, at_least=1),
            "n must be an integer of at least 1, got True",
        ),
        (lambda: checks.integer("n", 0, at_least=1), "n must be an integer of at least 1, got 0"),
        (
            lambda: checks.choice("c", "bta", ["beta", "gauss"]),
            "c: 'bta' is unknown; did you mean beta? It must be one of beta, gauss",
        ),
        (
            lambda: checks.choice("c", "zzz", ["beta", "gauss"]),
            "c must be one of beta, gauss, got 'zzz'",
        ),
        (
            lambda: checks.matrix("m", [1.0], ("arms", "objectives")),
            "m must have shape (arms, objectives), got (1,)",
        ),
        (
            lambda: checks.matrix("m", [[]], ("arms", "objectives")),
            "m must not be empty, got shape (1, 0)",
        ),
        (
            lambda: checks.matrix("m", [[1, 2], [3]], ("arms", "objectives")),
            "m must be numbers of shape (arms, objectives), got [[1, 2], [3]]",
        ),
        (
            lambda: checks.matrix("m", [["a"]], ("arms", "objectives")),
            "m must be numbers of shape (arms, objectives), got [['a']]",
        ),
        (
            lambda: checks.matrix("m", [[0, 1], [2, np.inf]], ("arms", "objectives")),
            "m must be finite, got inf at arm 1, objective 1",
        ),
        (
            lambda: checks.matrix("m", [[np.nan]], ("arms", "objectives")),
            "m must be finite, got nan at arm 0, objective 0",
        ),
        (lambda: checks.number("x", 10**400), f"x must be a finite number, got 1{'0' * 196}..."),
        (
            lambda: checks.number("x", 10**5000),
            "x must be a finite number, got an integer of 5001 digits",
        ),
        (
            lambda: checks.number("x", "x" * 22_000),
            f"x must be a finite number, got '{'x' * 196}...",
        ),
        (
            lambda: checks.integer("n", -(10**400), at_least=1),
            f"n must be an integer of at least 1, got -1{'0' * 195}...",
        ),
        (lambda: checks.as_float_array("d", [10**400]), f"d must be numbers, got [1{'0' * 195}..."),
        (
            lambda: checks.as_float_array("d", np.array([["a"], ["b"]])),
            "d must be numbers, got array([['a'], ['b']], dtype='<U1')",
        ),
        (
            lambda: checks.as_float_array("d", np.ma.array([1.0, 2.0], mask=[False, True])),
            "d must have no masked entries, got masked_array(data=[1.0, --], mask=[False,  True], fill_value=1e+20)",
        ),
        (
            lambda: checks.as_float_array("d", [0.5, np.ma.masked]),
            "d must have no masked entries, got [0.5, masked]",
        ),
        (
            lambda: checks.require_complete(Whole(), np.array([0.5, np.nan])),
            "Whole must observe all objectives of a reward at once, got [0.5, nan]",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the whole message is compared
        call()
    assert str(refusal.value) == message


def test_what_is_accepted():
    checks.number("x", np.float64(0.5), above=0, below=1)
    checks.number("x", 1, at_least=1, at_most=1)
    checks.integer("n", np.int64(3), at_least=3)
    checks.choice("c", "beta", ["beta"])
    checks.require_complete(Parts(), np.array([0.5, np.nan]))
    checks.require_complete(Whole(), [0.5, 1.0])
    out = checks.matrix("m", [[1, 2.5]], ("arms", "objectives"))
    assert out.dtype == np.float64
    assert out.flags.c_contiguous


@pytest.mark.parametrize("mask", [False, [False, False]])
def test_masked_arrays_without_masked_entries_are_arrays(mask):
    given = np.ma.array([1.0, 2.0], mask=mask)
    out = checks.as_float_array("d", given)
    assert type(out) is np.ndarray
    assert out.tolist() == [1.0, 2.0]
    assert checks.as_float_array("d", [given, given]).tolist() == [[1.0, 2.0]] * 2


def test_ready_memory_is_not_copied():
    given = np.zeros((3, 2))
    assert checks.as_float_array("d", given) is given
    assert checks.matrix("m", given, ("arms", "objectives")) is given
