"""Functions of the service that pages call, as pages need them."""

import importlib
from typing import Any

import msgspec

from mobandits.service.hosted_agent import HostedAgent
from mobandits.service.problems import Problem
from mobandits.service.running import Running


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


def evaluations_of(running: Running) -> Any:
    """The evaluations of a service, as `Running.evaluations` is."""
    found: Any = getattr(running, "evaluations", None)
    if found is None:
        raise Problem(503, "evaluations are not there yet")

    return found


def evaluation_wanted(target: dict[str, Any]) -> Any:
    """What to evaluate, as a message."""
    kind = _function("mobandits.service.messages", "EvaluationWanted")
    return msgspec.convert(target, kind)


def _function(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise Problem(503, f"{name} is not there yet") from error
