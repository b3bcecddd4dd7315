"""Every run of the suite sees the same random examples; a counter of the memory that compiled code holds."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


@pytest.fixture
def alive():
    """A function that tells how many arrays of compiled code are alive."""
    from numba.core.runtime import _nrt_python, rtsys  # noqa: PLC0415

    _nrt_python.memsys_enable_stats()

    def count():
        stats = rtsys.get_allocation_stats()
        return stats.mi_alloc - stats.mi_free

    yield count
    _nrt_python.memsys_disable_stats()
