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

# Compiled code depends on types, and not on sizes: a small problem will do.
ARMS = 4
FEATURES = 2
OBJECTIVES = 2
ROUNDS = 100

# Parameters that an order must be given, by their annotation: for two objectives.
PARAMETERS: dict[Any, Any] = {float: 0.1, Floats: [0.5, 0.5], Ints: [[0], [1]]}

IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def precompile_agents(
    recipe: Callable[[], Recipe], order: Callable[..., Order] | None = None
) -> str:
    """Let agents with a recipe decide and learn, so that what they call is compiled.

    The recipe has its defaults, and a constant radius where it has a `scale`; arms have features of
    their own, and share one context; propensities are not asked for, and are.

    Args:
        recipe: its class.
        order: the class of the preference of these agents; None: the recipe's own.

    Returns:
        "compiled", or why there was nothing to compile; empty where the policy takes no preference.
    """
    outcome = ""
    for variant in _variants(recipe):
        for shared in (False, True):
            try:
                if order is not None and not _takes_orders(variant, shared=shared):
                    continue
                preference = None if order is None else example(order)
                _play(variant, preference, shared=shared)
            except (TypeError, ValueError) as error:
                # Many recipes work with one layout of contexts only.
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
        for field in needed:
            if field.type is Floats:
                values[field.name] = IDENTITY
        return order(**values)


def _variants(recipe: Callable[[], Recipe]) -> list[Recipe]:
    """The recipe with its defaults, and with a number for its `scale` where that is None.

    A number makes another kind of radius, which is compiled by itself.
    """
    try:
        default = recipe()
    except TypeError:  # it needs parameters
        return []
    optional = [field.name for field in dataclasses.fields(default) if field.default is None]
    if "scale" not in optional:
        return [default]
    scaled: Any = default
    return [default, dataclasses.replace(scaled, scale=0.3)]


def _takes_orders(recipe: Recipe, *, shared: bool) -> bool:
    """Whether the policy has an order that can be exchanged."""
    shape = Shape(
        ARMS,
        FEATURES,
        OBJECTIVES,
        ROUNDS,
        shared,
    )
    stages = recipe.stages(shape)
    first_stage = next(iter(stages))
    return comparing(first_stage.policy) is not None


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
        agent.core.bound.state()  # which moves to another session where a preference is set
