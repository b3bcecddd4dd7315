"""Every run of the suite sees the same random examples; a look at the memory that compiled code holds."""

import ctypes
import gc
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from small_tables import make_demo, manifest, table  # noqa: F401 - fixtures of several rooms

# What `make quick` runs: under a minute once everything is compiled.
QUICK = (
    "test_structure.py",
    "test_spec.py",
    "test_fronts.py",
    "support/",
    "statistics/",
    "metrics/",
    "policies/test_recipes.py",
)


def pytest_collection_modifyitems(items):
    """Mark what `make quick` runs."""
    tests = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(tests).as_posix() if tests in item.path.parents else ""
        if place.startswith(QUICK):
            item.add_marker(pytest.mark.quick)


settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


class Mallinfo(ctypes.Structure):
    """What glibc says of its heap, in bytes; see mallinfo(3)."""

    _fields_: ClassVar = [
        (name, ctypes.c_size_t)
        for name in (
            *(
                "arena",
                "ordblks",
                "smblks",
                "hblks",
                "hblkhd",
                "usmblks",
                "fsmblks",
                "uordblks",
                "fordblks",
            ),
            "keepcost",
        )
    ]


@pytest.fixture
def allocated():
    """A function that tells how many bytes the C library has given out: arrays of compiled code are among them."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        pytest.skip("this C library does not count what it gives out")
    library.mallinfo2.restype = Mallinfo

    def count():
        gc.collect()
        said = library.mallinfo2()
        return said.uordblks + said.hblkhd

    # Objects of earlier tests stay as they are; to walk through them at every count takes a second.
    gc.collect()
    gc.freeze()
    yield count
    gc.unfreeze()


@pytest.fixture
def leaks(allocated):
    """Whether something leaves memory behind: called 500 times, a header and an array of one number each time."""

    def check(work):
        work()
        before = allocated()
        for _ in range(500):
            work()
        return allocated() - before >= 500 * (48 + 8)

    return check
