"""Every run of the suite sees the same random examples."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Deadlines that are kept in real time: `make test` of the repository leaves them out.
PROCESS = ("test_client_failures.py", "test_distribution.py")


def pytest_collection_modifyitems(items):
    """Mark tests by their places."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and item.path.name in PROCESS:
            item.add_marker(pytest.mark.process)


settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")
