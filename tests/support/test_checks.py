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
        (lambda: checks.integer("n", 1.0, at_least=1), "n must be an integer of at least 1, got 1.0"),
        (lambda: checks.integer("n", True, at_least=1), "n must be an integer of at least 1, got True"),
        (lambda: checks.integer("n", 0, at_least=1), "n must be an integer of at least 1, got 0"),
        (
            lambda: checks.choice("c", "bta", ["beta", "gauss"]),
            "c must be one of beta, gauss, got 'bta'; did you mean beta?",
        ),
        (lambda: checks.choice("c", "zzz", ["beta", "gauss"]), "c must be one of beta, gauss, got 'zzz'"),
        (lambda: checks.matrix("m", [1.0], ("arms", "objectives")), "m must have shape (arms, objectives), got (1,)"),
        (lambda: checks.matrix("m", [[]], ("arms", "objectives")), "m must not be empty, got shape (1, 0)"),
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
            lambda: checks.matrix("m", [[np.nan]], ("arms", "objectives"), finite=False),
            "m must be free of NaN, got nan at arm 0, objective 0",
        ),
        (
            lambda: checks.whole(Whole(), np.array([0.5, np.nan])),
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
    checks.whole(Parts(), np.array([0.5, np.nan]))
    checks.whole(Whole(), [0.5, 1.0])
    out = checks.matrix("m", [[1, np.inf]], ("arms", "objectives"), finite=False)
    assert out.dtype == np.float64
    assert out.flags.c_contiguous
