"""Compiling what an agent calls, before it is called."""

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mobandits.agent.agent import Agent
from mobandits.agent.parts import comparing
from mobandits.compiling.compiled import Floats, Ints
from mobandits.contracts.protocols import Order, Recipe, Shape
from mobandits.orders import Pareto

ARMS = 4
FEATURES = 2
OBJECTIVES = 2
ROUNDS = 100

# Parameters that an order must be given, by their annotation: for two objectives.
PARAMETERS: dict[Any, Any] = {float: 0.1, Floats: [0.5, 0.5], Ints: [[0], [1]]}

IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def precompile_agent(
    recipe: Callable[[], Recipe], order: Callable[..., Order] | None = None
) -> str:
    """Let agents with a recipe decide and learn: with its defaults, and with a constant radius where it has a `scale`.

    Each where arms have features of their own, and where they share one context; without propensities and with them.

    Args:
        recipe: its class.
        order: the class of the preference of these agents; None: the recipe's own.

    Returns:
        "compiled", or why there was nothing to compile; empty where the policy takes no preference.
    """
    outcome = ""
    for one in _variants(recipe):
        for shared in (False, True):
            try:
                if order is not None and not _takes_orders(one, shared=shared):
                    continue
                _play(one, None if order is None else example(order), shared=shared)
            except (TypeError, ValueError) as error:
                outcome = outcome or str(error)
            else:
                outcome = "compiled"
    return outcome


def example(order: Callable[..., Order]) -> Order:
    """An order of two objectives; compiled code depends on its class, and not on its parameters.

    Example:
        >>> from mobandits.orders import ExploreWide, Levels
        >>> example(Levels), example(ExploreWide)
        (Levels(levels=[[0], [1]]), ExploreWide(order=Pareto(on=[]), epsilon=0.1))
    """
    fields = dataclasses.fields(order)  # type: ignore[arg-type]
    needed = [field for field in fields if field.default is dataclasses.MISSING]
    values = {field.name: PARAMETERS.get(field.type, Pareto()) for field in needed}
    try:
        return order(**values)
    except ValueError:  # its arrays are matrices, and not one number per objective
        matrices = {field.name: IDENTITY for field in needed if field.type is Floats}
        return order(**{**values, **matrices})


def _variants(recipe: Callable[[], Recipe]) -> list[Recipe]:
    try:
        first = recipe()
    except TypeError:
        return []
    scaled = [
        field
        for field in dataclasses.fields(first)
        if field.name == "scale" and field.default is None
    ]
    return [first, *(dataclasses.replace(first, **{field.name: 0.3}) for field in scaled)]


def _takes_orders(recipe: Recipe, *, shared: bool) -> bool:
    """Whether the policy has an order that can be exchanged."""
    shape = Shape(ARMS, FEATURES, OBJECTIVES, ROUNDS, shared)
    return comparing(next(iter(recipe.stages(shape))).policy) is not None


def _play(recipe: Recipe, order: Order | None, *, shared: bool) -> None:
    context = np.full(FEATURES if shared else (ARMS, FEATURES), 0.5)
    for propensity in ("none", "sampled"):
        agent = Agent(
            recipe,
            arms=ARMS,
            features=FEATURES,
            objectives=OBJECTIVES,
            rounds=ROUNDS,
            propensity=propensity,
            samples=1,
        )
        if order is not None:
            agent.preference = order
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rewards and contexts are made up
            agent.learn(agent.decide(context).id, [0.5, 0.5])
            agent.decide_batch(np.stack([context, context]))
        agent._mind.state()
