"""Every run of the suite sees the same random examples; a look at the memory that compiled code holds."""

import ctypes
import gc
import importlib.util
import os
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings

# No test depends on when a child process has compiled: calls wait, unless the test says otherwise.
os.environ.setdefault("MOBANDITS_COMPILING", "now")

from small_tables import make_demo, manifest, table  # noqa: F401 - fixtures of several rooms

from mobandits.cli import program as cli
from mobandits.compiling import session

# Modules whose examples cannot run here: what they need is in an environment of its own, see `make test-litellm`.
collect_ignore = []
for library in ("litellm", "openfeature"):
    if importlib.util.find_spec(library) is None:
        module = f"packages/mobandits-client/src/mobandits_client/integrations/{library}.py"
        collect_ignore.append(module)

ROOT = Path(__file__).parent
# {folder of tests: what places below begin with}; the clients' own have a conftest of their own.
FOLDERS = {
    ROOT / "tests": "",
    ROOT / "packages" / "mobandits-papers" / "tests": "papers/",
    ROOT / "packages" / "mobandits-service" / "tests": "service/",
}
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
# Kills, servers and commands as processes, databases, browsers, notebooks, pages, long runs from end to end, and what
# compiles for minutes: `make test` leaves them out.
PROCESS = (
    "agent/test_agent_killed.py",
    "agent/test_agent_stress.py",
    "agent/test_preference.py",
    "comparison/test_false_positives.py",
    "compiling/test_backend.py",
    "compiling/test_changing_over.py",
    "compiling/test_child.py",
    "compiling/test_compiled.py",
    "compiling/test_inner.py",
    "compiling/test_memory.py",
    "compiling/test_translations.py",
    "evaluation/test_calibration.py",
    "evaluation/test_spend_curve.py",
    "evaluation/test_targets.py",
    "evaluation/test_tuning.py",
    "figures/test_pages_in_a_browser.py",
    "interop/test_missing_extras.py",
    "interop/test_typed.py",
    "logs/store/test_kills.py",
    "orders/test_conformance_orders.py",
    "orders/test_dominated_arms.py",
    "papers/test_check_theorems.py",
    "papers/test_demo.py",
    "papers/test_molts2025.py",
    "papers/test_paretobandit2026.py",
    "policies/test_zooming.py",
    "service/test_compiled_ahead.py",
    "service/test_connection_limits.py",
    "service/test_dashboard_browser.py",
    "service/test_demo_service.py",
    "service/test_http_twin.py",
    "service/test_interface.py",
    "service/test_javascript_client.py",
    "service/test_kill_points.py",
    "service/test_kill_rounds.py",
    "service/test_postgres_service.py",
    "service/test_postgres_store.py",
    "service/test_server.py",
    "service/test_shell_pages.py",
    "service/test_worker_kills.py",
    "service/test_worker_processes.py",
    "service/test_workers.py",
    "simulation/test_killed_command.py",
    "simulation/test_mistakes.py",
    "simulation/test_ray_engine.py",
    "simulation/test_surface_trial.py",
    "test_executed_notebooks.py",
    "test_release.py",
    "test_site.py",
    "test_supported_pythons.py",
    "test_windows.py",
)
# Likewise, in Python: each takes more than 10 s. Elsewhere, tests of more than 0.4 s have the mark themselves.
LONG = (
    "agent/test_all_or_nothing.py",
    "agent/test_every_recipe.py",
    "agent/test_forged_states.py",
    "agent/test_hostile_files.py",
    "evaluation/test_budget_tuning.py",
    "evaluation/test_description_travels.py",
    "evaluation/test_estimated_propensities.py",
    "evaluation/test_tune_command.py",
    "features/test_fitted_maps.py",
    "features/test_map_conformance.py",
    "logs/test_reading.py",
    "monitoring/test_monitor_calibration.py",
    "monitoring/test_monitor_drift.py",
    "monitoring/test_monitor_page.py",
    "papers/test_mocmab2018.py",
    "papers/test_moslb2024.py",
    "papers/test_pcz2018.py",
    "policies/test_conformance.py",
    "service/test_tuned_agent.py",
    "test_command_examples.py",
)
# Compiled code is their subject: `make test` compiles here, and nowhere else.
COMPILED = (
    "compiling/",
    "metrics/test_set_metrics.py",
    "numerics/",
    "orders/test_effective_pareto.py",
    "test_fronts.py",
    "testing/",
)
# Files whose tests compile the same code: in the tier of processes one worker plays a file, so that no two compile it.
TOGETHER = (
    "agent/test_preference.py",
    "evaluation/test_budget_tuning.py",
    "evaluation/test_calibration.py",
    "evaluation/test_targets.py",
    "evaluation/test_tuning.py",
    "features/test_map_conformance.py",
    "orders/test_dominated_arms.py",
    "papers/test_molts2025.py",
    "papers/test_paretobandit2026.py",
    "policies/test_conformance.py",
    "policies/test_zooming.py",
    "simulation/test_mistakes.py",
)
TIERS = {"quick": QUICK, "process": PROCESS, "long": LONG, "compiled": COMPILED}


def place_of(path):
    """The place of a test as the tiers have it; empty: they have none."""
    for folder, prefix in FOLDERS.items():
        if folder in path.parents:
            return f"{prefix}{path.relative_to(folder).as_posix()}"

    return ""


def pytest_ignore_collect(collection_path, config):
    """Leave out files that have no test of the tier that is asked for: to import them all takes half a minute."""
    words = (config.getoption("markexpr") or "").split()
    place = place_of(collection_path)
    if not words or not place or collection_path.suffix != ".py":
        return None
    if words[0] == "not":
        # Such as `not (process or long)`.
        left_out = [name.strip("()") for name in words[1:]]
        return any(place.startswith(TIERS.get(tier, ())) for tier in left_out) or None

    tier = words[0]
    if tier not in TIERS or place.startswith(TIERS[tier]):
        return None

    # Single tests of other places.
    return f"mark.{tier}" not in collection_path.read_text() or None


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads its groups
def pytest_collection_modifyitems(items):
    """Mark tests by their places."""
    for item in items:
        place = place_of(item.path)
        for tier, places in TIERS.items():
            # What must be compiled is none of what Python plays.
            is_elsewhere = tier == "long" and item.get_closest_marker("compiled") is not None
            if place.startswith(places) and not is_elsewhere:
                item.add_marker(getattr(pytest.mark, tier))

        if place.startswith(TOGETHER):
            item.add_marker(pytest.mark.xdist_group(place))


settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


@pytest.fixture
def interpreted(monkeypatch):
    """Agents whose policies run in Python; only what these call is compiled."""
    monkeypatch.setattr(session, "is_compiled", lambda _: False)


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


@pytest.fixture
def program(capsys):
    """A call of the command line: its exit status, and what it wrote to both streams."""

    def call(*arguments):
        status = cli.call([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return call
