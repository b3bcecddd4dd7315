"""What compiling and errors know of a distribution beside the library."""

from mobandits.compiling.fingerprint import fingerprint
from mobandits.compiling.tracebacks import foreign
from mobandits.numerics import averages
from mobandits_papers.pcz2018 import checks
from mobandits_papers.pcz2018.variants import CopiedRidge


def test_a_loop_is_compiled_anew_where_a_module_of_the_library_changes(monkeypatch):
    before = fingerprint.__wrapped__(checks.watch_balls)
    assert fingerprint.__wrapped__(checks.watch_balls) == before
    monkeypatch.setattr(averages, "CHANGED", 1, raising=False)
    assert fingerprint.__wrapped__(checks.watch_balls) != before


def test_a_class_of_a_paper_is_no_authors():
    assert foreign(CopiedRidge()) == []
