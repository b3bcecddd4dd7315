"""The prompts of the demonstration: what an agent sees of each, and what every model made of it."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.environments import LlmRouting

SEED = 7  # of their order
FEATURES = 32  # of a prompt's text, beside a constant


class PromptTable(NamedTuple):
    """Real prompts in the order in which they are sent.

    Attributes:
        models: the names of the arms, cheapest first.
        contexts: (prompts, features) what is known when a prompt arrives.
        quality: (prompts, models) the graded quality of every answer, in [0, 1].
        dollars: (prompts, models) what every answer cost.
    """

    models: tuple[str, ...]
    contexts: Array
    quality: Array
    dollars: Array

    def cost(self, prompt: int, model: int) -> float:
        """The decimal logarithm of what an answer cost, which is what the agent learns."""
        dollars = self.dollars[prompt, model]
        return float(np.log10(dollars))


def prompt_table() -> PromptTable:
    """All prompts, in one order that is the same every time.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
    """
    world = LlmRouting(text_features=FEATURES)
    count = world.max_rounds
    rng = np.random.default_rng(SEED)
    problem = world.problem(count, rng)
    block = problem.block(0, count, rng)

    return PromptTable(
        models=world.models,
        contexts=block.contexts[:, 0],
        quality=block.rewards[:, :, 0],
        dollars=problem.quantities(0, count)["dollars"],
    )
