"""Agents of many recipes, without compiling each."""

import pytest

from mobandits.compiling import session


@pytest.fixture
def interpreted(monkeypatch):
    """Agents whose policies run in Python; only what these call is compiled."""
    monkeypatch.setattr(session, "is_compiled", lambda policy: False)
