"""Rows of conformance suites, rehearsed interpreted in one process for several of them."""

from mobandits.testing import prepare

# A process takes a second or two to start, a row some tenths of one. Workers of pytest-xdist need different rows,
# so that each of them does not rehearse all.
ROWS = 16


def prepare_near(case, cases):
    """Rehearse a row and its neighbours, of which the tests that follow will ask."""
    # By identity: rows with fixed arms hold arrays, which have no single truth value when compared.
    row = next(number for number, other in enumerate(cases) if other is case)
    first = row - row % ROWS
    prepare(cases[first : first + ROWS])
