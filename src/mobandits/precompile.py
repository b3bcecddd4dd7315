"""Compiling what simulations and agents call, before they call it: what `mobandits warm` does."""

import contextlib
import dataclasses
import functools
import itertools
import tempfile
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.agent import Agent
from mobandits.agent.parts import comparing
from mobandits.compiling.at_hand import waiting
from mobandits.compiling.compiled import Floats, Ints, Place
from mobandits.contracts.protocols import Array, Block, Order, Recipe, Rng, Shape
from mobandits.logs import Feedback
from mobandits.orders import Pareto
from mobandits.simulation.run import simulate

# Compiled code depends on the types of arrays and not on their sizes: a small problem will do.
ARMS = 4
FEATURES = 2
OBJECTIVES = 2
ROUNDS = 100

# Parameters that an order must be given, by their annotation: for two objectives.
PARAMETERS: dict[Any, Any] = {float: 0.1, Floats: [0.5, 0.5], Ints: [[0], [1]]}

IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def precompile_simulation(recipe: Callable[[], Recipe]) -> str:
    """Play a recipe with its defaults for some rounds.

    Once where arms have features of their own, and once where they share one context.

    Args:
        recipe: its class.

    Returns:
        "compiled", or why there was nothing to compile.
    """

    def play(shared: bool) -> bool:
        # `warm` prints a line per policy: a bar would stand between them.
        simulate(recipe(), Small(shared), rounds=8, trials=1, compiled=True, progress=False)
        return True

    return _outcome([functools.partial(play, shared) for shared in (False, True)])


def precompile_agent(
    recipe: Callable[[], Recipe], order: Callable[..., Order] | None = None
) -> str:
    """Let agents with a recipe decide and learn.

    With its defaults, and with a constant radius where it has a `scale`. Each where arms have
    features of their own, and where they share one context; without propensities and with them.

    Args:
        recipe: its class.
        order: the class of the preference of these agents; None: the recipe's own.

    Returns:
        "compiled", or why there was nothing to compile; empty where the policy takes no preference.
    """

    def use(variant: Recipe, shared: bool) -> bool:
        if order is not None and not _takes_orders(variant, shared=shared):
            return False

        preference = None if order is None else example(order)
        _use_agent(variant, preference, shared=shared)

        return True

    pairs = itertools.product(_variants(recipe), (False, True))
    return _outcome([functools.partial(use, variant, shared) for variant, shared in pairs])


def _outcome(tasks: Iterable[Callable[[], bool]]) -> str:
    """The word "compiled" where a task did it, or why the first was refused, or nothing."""
    outcome = ""
    for task in tasks:
        try:
            with waiting():
                is_done = task()
        except (TypeError, ValueError) as error:
            outcome = outcome or str(error)
            continue

        if is_done:
            outcome = "compiled"

    return outcome


@dataclass(frozen=True)
class Small:
    """A problem with coins for rewards; `shared` says whether the arms share one context."""

    shared: bool

    def problem(self, rounds: int, rng: Rng) -> "SmallProblem":
        """The same in every trial."""
        return SmallProblem(Shape(ARMS, FEATURES, OBJECTIVES, rounds, self.shared))


class SmallProblem(NamedTuple):
    """A problem with nothing to learn."""

    shape: Shape

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Coins."""
        arms, features, objectives = self.shape[:3]
        # At most 1/2, so that no vector is longer than theories allow.
        contexts = rng.random((rounds, 1 if self.shape.shared else arms, features)) / 2
        rewards = (rng.random((rounds, arms, objectives)) < 0.5).astype(float)

        return Block(contexts, rewards, rewards)


def example(order: Callable[..., Order]) -> Order:
    """An order of two objectives; compiled code depends on its class, and not on its parameters.

    Example:
        >>> from mobandits.orders import ExploreWide, Levels
        >>> example(Levels), example(ExploreWide)
        (Levels(levels=[[0], [1]]), ExploreWide(order=Pareto(on=[]), epsilon=0.1))
    """
    fields = dataclasses.fields(order)  # type: ignore[arg-type]
    required = [field for field in fields if field.default is dataclasses.MISSING]
    values = {field.name: PARAMETERS.get(field.type, Pareto()) for field in required}
    places = [field.name for field in required if field.type == Place]
    values |= {name: i for i, name in enumerate(places)}
    try:
        return order(**values)
    except ValueError:
        # Its arrays are matrices, and not one number per objective.
        matrices = {field.name: IDENTITY for field in required if field.type is Floats}
        return order(**{**values, **matrices})


def _variants(recipe: Callable[[], Recipe]) -> list[Recipe]:
    """A recipe with its defaults, and with a constant radius where its own has a name."""
    try:
        default = recipe()
    except TypeError:  # a parameter has no default
        return []

    # Radii of the data and of the theory are of other classes than a constant one.
    if not isinstance(getattr(default, "scale", None), str):
        return [default]

    constant: Any = {"scale": 0.3}

    return [default, dataclasses.replace(default, **constant)]


def _takes_orders(recipe: Recipe, *, shared: bool) -> bool:
    """Whether the policy has an order that can be exchanged."""
    shape = Shape(ARMS, FEATURES, OBJECTIVES, ROUNDS, shared)
    policy = next(iter(recipe.stages(shape))).policy
    return comparing(policy) is not None


def _use_agent(recipe: Recipe, order: Order | None, *, shared: bool) -> None:
    """Do with an agent what compiles something: decide, learn, decide in batches, a log, save."""
    context = np.full(FEATURES if shared else (ARMS, FEATURES), 0.5)
    # Propensities come from loops of their own.
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
            decision = agent.decide(context)
            agent.learn(decision.id, [0.5, 0.5])
            agent.decide_batch(np.stack([context, context]))
            # Recipes that can only learn from their own decisions refuse logs.
            with contextlib.suppress(ValueError):
                agent.learn_log(_small_log(context))

        with tempfile.TemporaryDirectory() as folder:
            agent.save(Path(folder) / "agent")


def _small_log(context: Array) -> Feedback:
    """A round, as `learn_log` takes it."""
    return Feedback(
        contexts=context[None],
        arms=np.zeros(1, np.int64),
        rewards=np.full((1, OBJECTIVES), 0.5),
        propensities=np.ones(1),
        arm_names=tuple(range(ARMS)),
        objectives=tuple(range(OBJECTIVES)),
    )
