"""Compiling what an agent calls, before it is called."""

import dataclasses
import warnings
from collections.abc import Callable

import numpy as np

from mobandits.agent.agent import Agent
from mobandits.contracts.protocols import Recipe

SIZES = {"arms": 4, "features": 2, "objectives": 2}


def warm_up(recipe: Callable[[], Recipe]) -> str:
    """Let agents with a recipe decide and learn: with its defaults, and with a constant radius where it has a `scale`.

    Each where arms have features of their own, and where they share one context; without propensities and with them.

    Returns:
        "compiled", or why there was nothing to compile.
    """
    outcome = ""
    for one in _variants(recipe):
        for shared in (False, True):
            try:
                _play(one, shared=shared)
            except (TypeError, ValueError) as error:
                outcome = outcome or str(error)
            else:
                outcome = "compiled"
    return outcome


def _variants(recipe: Callable[[], Recipe]) -> list[Recipe]:
    try:
        first = recipe()
    except TypeError:
        return []
    scaled = [field for field in dataclasses.fields(first) if field.name == "scale" and field.default is None]
    return [first, *(dataclasses.replace(first, **{field.name: 0.3}) for field in scaled)]


def _play(recipe: Recipe, *, shared: bool) -> None:
    context = np.full(2 if shared else (4, 2), 0.5)
    for propensity in ("none", "sampled"):
        agent = Agent(recipe, **SIZES, rounds=100, propensity=propensity, samples=1)  # type: ignore[arg-type]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rewards and contexts are made up
            agent.learn(agent.decide(context).id, [0.5, 0.5])
            agent.decide_batch(np.stack([context, context]))
        agent._mind.state()
