"""A catalogue of small experiments, in the place of the papers'."""

import functools

import pytest
from toys import small, without_pages

from mobandits.simulation import prepare
from mobandits_papers import catalogue as module
from mobandits_papers import reproduce


@pytest.fixture
def catalogue(monkeypatch):
    """A catalogue of two small experiments, and nothing to compile."""
    both = {name: small(name) for name in ("toy/one", "toy/two")}
    both["toy/two"] = small("toy/two", rounds=20, record=2)
    monkeypatch.setattr(module, "EXPERIMENTS", both)
    monkeypatch.setattr(reproduce, "EXPERIMENTS", both)
    monkeypatch.setattr(
        "mobandits_papers.playing.prepare", functools.partial(prepare, compiled=False)
    )
    return both


@pytest.fixture
def pageless(catalogue, monkeypatch):
    """The same without figures and pages."""
    without_pages(monkeypatch)
    return catalogue
