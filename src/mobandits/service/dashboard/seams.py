"""Functions of the service that pages call, as pages need them."""

import importlib
from typing import Any

from mobandits.service.hosted_agent import HostedAgent
from mobandits.service.problems import Problem


def preview_of(hosted: HostedAgent, order: Any, recent: int) -> Any:
    """What another order would have played, as `preview.preview` answers it."""
    return _function("mobandits.service.preview", "preview")(hosted, order, recent)


def decisions_of(hosted: HostedAgent, **query: Any) -> Any:
    """A page of decisions, as `HostedAgent.listed` answers it."""
    kind = _function("mobandits.service.messages", "DecisionsQuery")
    listed: Any = getattr(hosted, "listed", None)
    if listed is None:
        raise Problem(503, "decisions cannot be listed yet")

    return listed(kind(**query))


def _function(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise Problem(503, f"{name} is not there yet") from error
