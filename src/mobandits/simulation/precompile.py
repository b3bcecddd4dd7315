"""Compiling a recipe's policy before it is needed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from mobandits.contracts.protocols import Block, Recipe, Rng, Shape
from mobandits.simulation.run import simulate


@dataclass(frozen=True)
class Small:
    """Four arms, two objectives, coins; `shared` says whether the arms share one context."""

    shared: bool

    def problem(self, rounds: int, rng: Rng) -> "SmallProblem":
        """The same in every trial."""
        return SmallProblem(
            Shape(arms=4, features=2, objectives=2, rounds=rounds, shared=self.shared)
        )


class SmallProblem(NamedTuple):
    """A problem with nothing to learn."""

    shape: Shape

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Coins."""
        arms, features, objectives = self.shape[:3]
        contexts = rng.random((rounds, 1 if self.shape.shared else arms, features)) / 2
        rewards = (rng.random((rounds, arms, objectives)) < 0.5).astype(float)
        return Block(contexts, rewards, rewards)


def precompile_simulation(recipe: Callable[[], Recipe]) -> str:
    """Play a recipe with its defaults for some rounds, where arms have features of their own and where they share one.

    Returns:
        "compiled", or why there was nothing to compile.
    """
    outcome = ""
    for shared in (False, True):
        try:
            simulate(recipe(), Small(shared), rounds=8, trials=1, compiled=True)
        except (TypeError, ValueError) as error:
            outcome = outcome or str(error)
        else:
            outcome = "compiled"
    return outcome
